/* What the checks have found. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/check/findings.h"
#include "cmd/cmd.h"

/* Takes over the sentence. */
static void
add(struct check *check, char *sentence, bool is_note)
{
	struct check_result *result = &check->result;

	cmd_make_plain(sentence);
	for (size_t i = 0; i < result->nfindings; i++) {
		if (strcmp(result->finding[i].problem, sentence) == 0) {
			free(sentence);
			return;
		}
	}
	result->finding = cmd_enlarge(result->finding, result->nfindings + 1, sizeof(*result->finding));
	result->finding[result->nfindings++] = (struct check_finding){ .row = check->row, .problem = sentence, .is_note = is_note };
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
		for (size_t i = 0; i < check->result.nfindings; i++)
			if (check->result.finding[i].row == rows)
				return true;
	return false;
}

size_t
check_problems(const struct check_result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < result->nfindings; i++)
		n += !result->finding[i].is_note;
	return n;
}

void
check_release_answer(struct check_answer *answer)
{
	free(answer->library);
	free(answer->version);
	free(answer->by);
	free(answer->why);
}

void
check_release_result(struct check_result *result)
{
	for (size_t i = 0; i < result->nfindings; i++)
		free(result->finding[i].problem);
	free(result->finding);
	check_release_measured(&result->measured);
	check_release_answer(&result->answer);
	free(result->about_program);
	free(result->about_gpus);
}
