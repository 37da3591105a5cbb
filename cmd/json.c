#include "cmd/json.h"

#include <stdio.h>

#include "cmd/cmd.h"

/* Paths and variables may hold any bytes, and JSON is UTF-8. */
void
cmd_json_string(const char *text)
{
	putchar('"');
	for (size_t n; *text; text += n ? n : 1) {
		n = cmd_character(text);
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
