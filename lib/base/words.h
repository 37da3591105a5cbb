/* The words of a command line, each with its NUL, as /proc/PID/cmdline has them. */
#ifndef SP_WORDS_H
#define SP_WORDS_H

#include <stddef.h>
#include <string.h>

struct sp_words {
	const char *at, *end;
};

/* The next one, or NULL behind the last. */
static inline const char *
sp_words_next(struct sp_words *words)
{
	const char *word = words->at;

	if (word >= words->end)
		return NULL;
	words->at += strlen(word) + 1;
	return word;
}

#endif
