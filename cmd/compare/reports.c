#include "cmd/compare/reports.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"

#define HOST "host="
#define LIST "0123456789,-"

/* The report of a host, which is added; NULL: there are too many. */
static struct report *
report_of(struct reports *reports, const char *host, size_t length)
{
	for (size_t i = 0; i < reports->n; i++)
		if (strlen(reports->report[i].node) == length && strncmp(reports->report[i].node, host, length) == 0)
			return &reports->report[i];
	if (reports->n == REPORTS_MAX)
		return NULL;
	reports->report = cmd_enlarge(reports->report, reports->n + 1, sizeof(*reports->report));
	reports->report[reports->n] = (struct report){ .node = cmd_format("%.*s", (int)length, host) };
	return &reports->report[reports->n++];
}

/* The CPUs are the last list before the reason in parentheses, behind the NUMA nodes and the picture. */
static struct sp_cpus
cpus_of_row(const char *row)
{
	struct sp_cpus cpus = { { 0 } };

	while (*(row += strspn(row, " \n")) && *row != '(') {
		size_t length = strcspn(row, " \n");
		char *word = cmd_format("%.*s", (int)length, row);
		struct sp_cpus list;

		if (strspn(word, LIST) == length && sp_cpus_parse(word, &list) == 0)
			cpus = list;
		free(word);
		row += length;
	}
	return cpus;
}

/* "    0     4711      2        4  default 0      [##..]  0-1" */
static void
read_row(const char *row, struct report *report)
{
	unsigned rank, cores, threads = 0;
	char announced[16];
	int pid, end = 0;

	if (sscanf(row, " %u %d %u %15[0-9-]%n", &rank, &pid, &cores, announced, &end) != 4 || row[end] != ' ')
		return;
	struct sp_cpus cpus = cpus_of_row(row + end);
	if (strcmp(announced, "-") != 0)
		threads = (unsigned)strtoul(announced, NULL, 10);
	report->ranks++;
	report->all_threads += threads ? threads : cores;
	sum_range_add(&report->cores, cores);
	if (threads)
		sum_range_add(&report->threads, threads);
	sp_cpus_or(&report->cpus, &cpus);
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
	if (warning)
		report->warnings++;
	else
		read_row(host + length, report);
}

/* n2 is before n10; which node prints first is chance. */
static int
compare_names(const void *a, const void *b)
{
	return strverscmp(((const struct report *)a)->node, ((const struct report *)b)->node);
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
	if (now.n) {
		qsort(now.report, now.n, sizeof(*now.report), compare_names);
		reports_release(reports);
		*reports = now;
	}
}

void
reports_release(struct reports *reports)
{
	for (size_t i = 0; i < reports->n; i++)
		free(reports->report[i].node);
	free(reports->report);
	*reports = (struct reports){ .n = 0 };
}

char *
reports_sentence(const struct reports *reports)
{
	if (reports->n < 2)
		return NULL;
	struct sum *sum = cmd_allocate(reports->n, sizeof(*sum));

	for (size_t i = 0; i < reports->n; i++) {
		const struct report *report = &reports->report[i];

		sum[i] = (struct sum){ .node = report->node, .ranks = report->ranks, .busy = report->all_threads,
				       .cpus = sp_cpus_count(&report->cpus), .faults = report->warnings };
		sum_range_format(&report->cores, sum[i].cores);
		sum_range_format(&report->threads, sum[i].threads);
	}
	char *sentence = sums_sentence(sum, reports->n, "thread");
	free(sum);
	return sentence;
}
