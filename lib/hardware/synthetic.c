/* What hwloc's synthetic syntax describes, without hwloc: it takes minutes for large machines. */
#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "hardware/synthetic.h"

/* What follows the bracket that closes the one at text. */
static const char *
skip_brackets(const char *text, char closing)
{
	const char *end = strchr(text, closing);

	return end ? end + 1 : text + strlen(text);
}

/* One word: "pu:2", or "2"; *n is multiplied by its number. */
static const char *
read_level(const char *text, uint64_t *n)
{
	size_t type = strcspn(text, ":( \t\n");
	uint64_t count = 1;
	const char *end = sp_ascii_digits(text[type] == ':' ? text + type + 1 : text, &count);

	text = end ? end : text + type + (text[type] == ':');
	if (*n < SP_SYNTHETIC_FAR)
		*n = count > UINT32_MAX || *n * count > UINT32_MAX ? SP_SYNTHETIC_FAR : *n * count;
	return text;
}

uint64_t
sp_synthetic_cpus(const char *text)
{
	uint64_t n = 1;

	while (*(text = sp_ascii_skip_blanks(text)) != '\0') {
		if (*text == '(')
			text = skip_brackets(text, ')');
		else if (*text == '[')
			text = skip_brackets(text, ']');
		else
			text = read_level(text, &n);
	}
	return n;
}

/* Whether a level is called so in the words from text on, which end at end. */
static bool
has_level(const char *text, const char *end, const char *name, size_t length)
{
	uint64_t n = 1;

	while ((text = sp_ascii_skip_blanks(text)) < end) {
		size_t type = strcspn(text, ":( \t\n");

		if (*text == '(')
			text = skip_brackets(text, ')');
		else if (*text == '[')
			text = skip_brackets(text, ']');
		else if (text[type] != ':' && !sp_ascii_is_digit(*text))
			return false;	/* hwloc goes on to the next colon: other levels than it seems */
		else if (type == length && memcmp(text, name, length) == 0)
			return true;
		else
			text = read_level(text, &n);
	}
	return false;
}

/* The first of the names in "indexes=pack:core" that is no level's; above: where those levels end. */
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
	const char *at = text, *level = text, *strange = NULL;
	uint64_t n = 1;

	while (!strange && *(at = sp_ascii_skip_blanks(at)) != '\0') {
		if (*at != '(' && *at != '[') {
			level = at;
			at = read_level(at, &n);
			continue;
		}
		const char *end = skip_brackets(at, *at == '(' ? ')' : ']');
		const char *order = at;
		while (!strange && (order = strstr(order, attribute)) && order < end) {
			order += sizeof(attribute) - 1;
			strange = strange_name(text, level, order);
		}
		at = end;
	}
	return strange;
}
