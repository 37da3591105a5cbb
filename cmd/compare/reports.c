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

/* The next word, a list; the part that is there if it was too long for a line. */
static bool
take_list(const char **row, struct sp_cpus *list)
{
	const char *word = *row + strspn(*row, " ");
	size_t length = strspn(word, LIST), end = strcspn(word, " \n");

	*row = word + end;
	if (length < end && strncmp(word + length, "...", end - length) != 0)
		return false;
	length -= length && word[length - 1] == ',';
	char *text = cmd_format("%.*s", (int)length, word);
	bool is_list = sp_cpus_parse(text, list) == 0;
	free(text);
	return is_list;
}

/* "-": none is announced, "0": one, "0-3". */
static unsigned
count_threads(const char *numbers)
{
	const char *last = strrchr(numbers, '-');

	return strcmp(numbers, "-") == 0 ? 0 : (unsigned)strtoul(last ? last + 1 : numbers, NULL, 10) + 1;
}

/* "   0    4711  0-3      0-1    0-3   0     [##..]": rank, process, threads, cores, CPUs (sp_report_table). */
static void
read_row(const char *row, struct report *report)
{
	struct sp_cpus cores, cpus;
	unsigned rank;
	char numbers[24];
	int pid, end = 0;

	if (sscanf(row, " %u %d %23[0-9-]%n", &rank, &pid, numbers, &end) != 3 || row[end] != ' ')
		return;
	row += end;
	if (!take_list(&row, &cores) || !take_list(&row, &cpus))
		return;
	unsigned threads = count_threads(numbers);
	uint32_t ncores = sp_cpus_count(&cores);
	report->ranks++;
	report->all_threads += threads ? threads : ncores;
	sum_range_add(&report->cores, ncores);
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
