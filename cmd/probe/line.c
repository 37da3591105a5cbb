#include "cmd/probe/probe.h"

#include <string.h>

#include "cmd/cmd.h"

/* The end of a quoted value: a mark that a blank or the end of the line follows; of the last key, the last mark. */
static const char *
end_of_sentence(const char *text, bool is_last)
{
	const char *end = is_last ? strrchr(text, '"') : strchr(text, '"');

	while (!is_last && end && end[1] != ' ' && end[1] != '\0')
		end = strchr(end + 1, '"');
	return end ? end : text + strlen(text);
}

char *
probe_field(const char *line, const char *key)
{
	size_t n = strlen(key);

	for (const char *word = line; *word; word += strspn(word, " ")) {
		const char *equals = word + strcspn(word, "= ");
		bool is_quoted = *equals == '=' && equals[1] == '"';
		bool is_last = strncmp(word, "why=", 4) == 0;
		const char *value = equals + (*equals == '=') + is_quoted;
		const char *end = is_quoted ? end_of_sentence(value, is_last) : word + strcspn(word, " ");

		if ((size_t)(equals - word) == n && *equals == '=' && strncmp(word, key, n) == 0)
			return cmd_format("%.*s", (int)(end - value), value);
		word = is_quoted && *end ? end + 1 : end;
	}
	return NULL;
}
