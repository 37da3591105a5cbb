#include "launcher/parts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/words.h"

static bool
is_one_of(const char *word, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, names[i]) == 0)
			return true;
	return false;
}

/* What each rank starts is elsewhere. */
static bool
is_elsewhere(const char *word)
{
	static const char *const names[] = { "--multi-prog", "-configfile", "--configfile", "-app", "--app" };

	return is_one_of(word, names, sizeof(names) / sizeof(names[0]));
}

static bool
counts_ranks(const char *word)
{
	static const char *const names[] = { "-n", "-np", "--n", "--np", "-c" };

	return is_one_of(word, names, sizeof(names) / sizeof(names[0]));
}

/* An option of the launcher's (-x, -env) or a word of env's. */
static void
read_word(const char *word, struct sp_words rest, struct sp_part_of_launch *part)
{
	static const char name[] = "OMP_NUM_THREADS";
	const char *next = sp_words_next(&rest);

	if (counts_ranks(word) && next && !part->ranks && !sp_ascii_number(next, &part->ranks))
		part->ranks = 0;
	if (strncmp(word, name, sizeof(name) - 1) != 0)
		return;
	if (word[sizeof(name) - 1] == '=')
		part->threads = word + sizeof(name);
	else if (word[sizeof(name) - 1] == '\0' && next)
		part->threads = next;
}

size_t
sp_parts_read(const char *arguments, size_t length, struct sp_part_of_launch part[SP_PARTS_MAX])
{
	struct sp_words words = { arguments, arguments + length };
	const char *word = length && arguments[length - 1] == '\0' ? sp_words_next(&words) : NULL;
	size_t n = 1;

	part[0] = (struct sp_part_of_launch){ 0 };
	if (!word)
		return 0;
	while ((word = sp_words_next(&words))) {
		if (is_elsewhere(word))
			return 0;
		if (strcmp(word, ":") != 0) {
			read_word(word, words, &part[n - 1]);
			continue;
		}
		if (n == SP_PARTS_MAX)
			return 0;
		part[n++] = (struct sp_part_of_launch){ 0 };
	}
	return n;
}
