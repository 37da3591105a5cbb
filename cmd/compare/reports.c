#include "cmd/compare/reports.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"

#define HOST "host="
#define RESULT " result: "

/* The report of a host, which is added; NULL: there are too many. */
static struct report *
report_of(struct reports *reports, const char *host, size_t length)
{
	for (size_t i = 0; i < reports->n; i++)
		if (strlen(reports->report[i].host) == length && strncmp(reports->report[i].host, host, length) == 0)
			return &reports->report[i];
	if (reports->n == REPORTS_MAX)
		return NULL;
	reports->report = cmd_enlarge(reports->report, reports->n + 1, sizeof(*reports->report));
	reports->report[reports->n] = (struct report){ .host = cmd_format("%.*s", (int)length, host) };
	return &reports->report[reports->n++];
}

static void
read_line(const char *line, struct reports *reports)
{
	const char *warning = strstr(line, SP_WARN_PREFIX HOST), *own = strstr(line, SP_LOG_PREFIX HOST);
	const char *host = warning ? warning + strlen(SP_WARN_PREFIX HOST) : own ? own + strlen(SP_LOG_PREFIX HOST) : NULL;
	size_t length = host ? strcspn(host, " \n") : 0;
	struct report *report = length ? report_of(reports, host, length) : NULL;

	if (!report)
		return;
	if (warning) {
		report->warnings++;
	} else if (strncmp(host + length, RESULT, strlen(RESULT)) == 0) {
		free(report->result);
		report->result = cmd_format("%.*s", (int)strcspn(host + length + strlen(RESULT), "\n"), host + length + strlen(RESULT));
		cmd_make_plain(report->result);
	}
}

/* n2 is before n10; which node prints first is chance. */
static int
compare_names(const void *a, const void *b)
{
	return strverscmp(((const struct report *)a)->host, ((const struct report *)b)->host);
}

void
reports_read(FILE *output, struct reports *reports)
{
	struct reports now = { .n = 0 };
	char *line = NULL;
	size_t size = 0;

	rewind(output);
	while (getline(&line, &size, output) > 0)
		read_line(line, &now);
	free(line);
	if (now.n)
		qsort(now.report, now.n, sizeof(*now.report), compare_names);
	reports_release(reports);
	*reports = now;
}

void
reports_release(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++) {
		free(reports->report[i].host);
		free(reports->report[i].result);
	}
	free(reports->report);
	*reports = (struct reports){ .n = 0 };
}
