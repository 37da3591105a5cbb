#include "cmd/json.h"

#include <stdio.h>

/* Length in bytes of the character that begins here; 0: invalid UTF-8. */
static size_t
character(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, a surrogate, or beyond U+10FFFF. */
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))
		return 0;
	return n;
}

/* Paths and variables may hold any bytes, and JSON is UTF-8. */
void
cmd_json_string(const char *text)
{
	putchar('"');
	for (size_t n; *text; text += n ? n : 1) {
		n = character(text);
		if (n == 0)
			fputs("\\ufffd", stdout);
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if (n == 1 && *text < ' ')
			printf("\\u%04x", *text);
		else
			fwrite(text, 1, n, stdout);
	}
	putchar('"');
}

/* Every number by itself, so that readers need not parse ranges such as 0-3. */
void
cmd_json_cpus(const struct sp_cpus *set)
{
	putchar('[');
	for (uint32_t i = sp_cpus_next(set, 0), first = i; i != SP_NO_CPU; i = sp_cpus_next(set, i + 1))
		printf("%s%u", i == first ? "" : ", ", i);
	putchar(']');
}
