/* What the checks have found. */
#include <stdarg.h>
#include <stdlib.h>

#include "cmd/check/check.h"
#include "cmd/cmd.h"

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
