/* What the checks have found. */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd/check/findings.h"
#include "cmd/cmd.h"

/* Takes over the sentence. */
static void
add(struct check *check, char *sentence, bool is_note)
{
	cmd_make_plain(sentence);
	check->finding = cmd_enlarge(check->finding, check->nfindings + 1, sizeof(*check->finding));
	check->finding[check->nfindings++] = (struct check_finding){ .row = check->row, .problem = sentence, .is_note = is_note };
}

void
check_found(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(check, cmd_vformat(format, arguments), false);
	va_end(arguments);
}

void
check_noted(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add(check, cmd_vformat(format, arguments), true);
	va_end(arguments);
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

size_t
check_problems(const struct check *check)
{
	size_t n = 0;

	for (size_t i = 0; i < check->nfindings; i++)
		n += !check->finding[i].is_note;
	return n;
}

void
check_release_findings(struct check *check)
{
	for (size_t i = 0; i < check->nfindings; i++)
		free(check->finding[i].problem);
	free(check->finding);
}
