/* What hwloc's synthetic syntax describes, without hwloc: it takes minutes for large machines. */
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
