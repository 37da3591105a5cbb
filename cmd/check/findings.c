/* What the checks have found, and how it is printed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/check/check.h"
#include "cmd/cmd.h"
#include "cmd/json.h"

void
check_found(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *problem = cmd_vformat(format, arguments);
	va_end(arguments);
	cmd_make_plain(problem);
	check->finding = cmd_enlarge(check->finding, check->nfindings + 1, sizeof(*check->finding));
	check->finding[check->nfindings++] = (struct check_finding){ .row = check->row, .problem = problem };
}

bool
check_has_found(const struct check *check, const struct check_row *rows)
{
	for (; rows->id; rows++)
		for (size_t i = 0; i < check->nfindings; i++)
			if (check->finding[i].row == rows)
				return true;
	return false;
}

void
check_release_findings(struct check *check)
{
	for (size_t i = 0; i < check->nfindings; i++)
		free(check->finding[i].problem);
	free(check->finding);
}

void
check_print_text(const struct check *check)
{
	check_print_answer(check);
	for (size_t i = 0; i < check->nfindings; i++)
		printf("problem: %s\n  remedy: %s\n", check->finding[i].problem, check->finding[i].row->remedy);
	if (check->nfindings == 0)
		printf("ok: nothing wrong found (%zu checks)\n", check->looked);
}

static void
print_field(const char *key, const char *text, const char *after)
{
	printf("\"%s\": ", key);
	cmd_json_string(text);
	fputs(after, stdout);
}

void
check_print_json(const struct check *check)
{
	printf("{\n  \"splitpin\": \"%s\",\n  \"looked_at\": %zu,\n", SP_VERSION, check->looked);
	check_print_answer_json(check);
	fputs("  \"problems\": [", stdout);
	for (size_t i = 0; i < check->nfindings; i++) {
		const struct check_finding *finding = &check->finding[i];

		fputs(i ? ",\n    { " : "\n    { ", stdout);
		print_field("id", finding->row->id, ", ");
		print_field("problem", finding->problem, ",\n      ");
		print_field("remedy", finding->row->remedy, " }");
	}
	puts("]\n}");
}
