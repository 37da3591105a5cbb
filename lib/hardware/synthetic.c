/* Reads hwloc's synthetic syntax without hwloc, which takes minutes for large machines. */
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "hardware/synthetic.h"

/* A level, "pu:2" or "2", or the attributes or memory in brackets after one. */
struct word {
	const char *text, *end;
	bool is_level;
	size_t name;		/* length of a level's name, or of its number if it has no name */
	uint64_t count;		/* of a level; else 1 */
};

static struct word
word_at(const char *text)
{
	struct word word = { .text = text, .is_level = *text != '(' && *text != '[', .count = 1 };

	if (!word.is_level) {
		word.end = text + strcspn(text, *text == '(' ? ")" : "]");
		word.end += *word.end != '\0';
		return word;
	}
	word.name = strcspn(text, ":( \t\n");
	bool is_named = text[word.name] == ':';
	const char *end = sp_ascii_digits(is_named ? text + word.name + 1 : text, &word.count);
	word.end = end ? end : text + word.name + is_named;
	return word;
}

/* Find the first word in a text.  False: there is none. */
static bool
next_word(const char *text, struct word *word)
{
	*word = word_at(sp_ascii_skip_blanks(text));
	return *word->text != '\0';
}

uint64_t
sp_synthetic_cpus(const char *text)
{
	uint64_t n = 1;

	for (struct word word; next_word(text, &word); text = word.end)
		if (n < SP_SYNTHETIC_FAR)
			n = word.count > UINT32_MAX || n * word.count > UINT32_MAX ? SP_SYNTHETIC_FAR : n * word.count;
	return n;
}

/* Whether a level between text and end has this name. */
static bool
has_level(const char *text, const char *end, const char *name, size_t length)
{
	for (struct word word; next_word(text, &word) && word.text < end; text = word.end) {
		if (!word.is_level)
			continue;
		if (word.text[word.name] != ':' && !sp_ascii_is_digit(*word.text))
			return false;	/* hwloc reads on to the next colon, and sees other levels than these */
		if (word.name == length && memcmp(word.text, name, length) == 0)
			return true;
	}
	return false;
}

/* The first of the names in "indexes=pack:core" that is not the name of a level between text and above. */
static const char *
strange_name(const char *text, const char *above, const char *name)
{
	while (!sp_ascii_is_digit(*name)) {
		size_t length = strcspn(name, ": )]");

		if (!has_level(text, above, name, length))
			return name;
		if (name[length] != ':')
			break;
		name += length + 1;
	}
	return NULL;
}

const char *
sp_synthetic_strange_order(const char *text)
{
	static const char attribute[] = "indexes=";
	const char *const begin = text;
	const char *level = text, *strange = NULL;

	for (struct word word; !strange && next_word(text, &word); text = word.end) {
		if (word.is_level) {
			level = word.text;
			continue;
		}
		for (const char *order = word.text; !strange && (order = strstr(order, attribute)) && order < word.end;) {
			order += sizeof(attribute) - 1;
			strange = strange_name(begin, level, order);
		}
	}
	return strange;
}
