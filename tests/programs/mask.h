/* CPU masks as the kernel tells them, and as a text that fits into a command. */
#ifndef MASK_H
#define MASK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MASK_WORDS 128		/* 8192 CPUs, the most of Linux on x86-64 */
#define MASK_TEXT 2048

struct mask {
	unsigned long word[MASK_WORDS];
};

static inline struct mask
mask_own(void)
{
	struct mask mask = { 0 };

	syscall(SYS_sched_getaffinity, 0, sizeof(mask), &mask);
	return mask;
}

static inline bool
mask_equal(const struct mask *a, const struct mask *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Words in hexadecimal, the first first, without those at the end that are 0: "3:0:ff". */
static inline const char *
mask_text(const struct mask *mask, char text[MASK_TEXT])
{
	size_t used = 0, n = MASK_WORDS;

	while (n > 1 && !mask->word[n - 1])
		n--;
	for (size_t i = 0; i < n && used < MASK_TEXT; i++)
		used += (size_t)snprintf(text + used, MASK_TEXT - used, "%s%lx", i ? ":" : "", mask->word[i]);
	return text;
}

#endif
