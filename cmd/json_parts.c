#include "cmd/json_parts.h"

#include <stdio.h>

#include "base/json_line.h"

/* Paths and variables may hold any bytes, and JSON is UTF-8. */
void
cmd_json_string(const char *text)
{
	char escaped[SP_JSON_CHARACTER];

	if (!text) {
		fputs("null", stdout);
		return;
	}
	putchar('"');
	while (*text) {
		text += sp_json_character(text, escaped);
		fputs(escaped, stdout);
	}
	putchar('"');
}

void
cmd_json_member(const char *before, const char *text)
{
	fputs(before, stdout);
	cmd_json_string(text);
}

/* Every number by itself, so that readers need not parse ranges such as 0-3. */
void
cmd_json_cpus(const char *before, const struct sp_cpus *set)
{
	printf("%s[", before);
	for (uint32_t i = sp_cpus_next(set, 0), first = i; i != SP_NO_CPU; i = sp_cpus_next(set, i + 1))
		printf("%s%u", i == first ? "" : ", ", i);
	putchar(']');
}

void
cmd_json_gpus(const char *before, const struct sp_gpus *gpus, const struct sp_gpu_list *list)
{
	printf("%s[", before);
	for (uint32_t i = 0; i < list->n; i++) {
		cmd_json_member(i ? ", { \"address\": " : "{ \"address\": ", gpus->gpu[list->gpu[i]].address);
		printf(", \"gpu\": %u }", list->gpu[i]);
	}
	putchar(']');
}

const char *
cmd_json_truth(bool value)
{
	return value ? "true" : "false";
}
