/* A comparison as text, in 80 columns, and as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/compare/result.h"
#include "cmd/json.h"
#include "cmd/terminal.h"

#define NODES 8		/* in text */

static void
print_row(const char *label, const char *without, const char *with)
{
	printf("%-14s  %-31s  %s\n", label, without, with);
}

/* As many digits as times of jobs deserve. */
static int
digits(double seconds)
{
	return seconds < 10 ? 3 : seconds < 100 ? 2 : seconds < 1000 ? 1 : 0;
}

static void
print_times(const char *label, const struct compare_range range[COMPARE_WAYS], const size_t n[COMPARE_WAYS])
{
	char text[COMPARE_WAYS][64];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		const struct compare_range *r = &range[way];
		int d = digits(r->greatest);

		if (n[way])
			snprintf(text[way], sizeof(text[way]), "%.*f s (%.*f to %.*f)", d, r->median, d, r->least, d, r->greatest);
		else
			snprintf(text[way], sizeof(text[way]), "-");
	}
	print_row(label, text[COMPARE_WITHOUT], text[COMPARE_WITH]);
}

static void
print_nodes(const struct reports *reports)
{
	for (size_t i = 0; i < reports->n && i < NODES; i++) {
		const struct report *report = &reports->report[i];

		if (report->result)
			terminal_print(0, 4, "%s: %s", report->host, report->result);
		if (report->warnings)
			terminal_print(0, 4, "%s: %u warning%s, which --output keeps", report->host, report->warnings, sp_plural(report->warnings));
	}
	if (reports->n > NODES)
		printf("and %zu more nodes (--format json)\n", reports->n - NODES);
}

void
compare_print_text(const struct compare *compare, const struct compare_result *result)
{
	size_t one = result->n[COMPARE_WITHOUT], other = result->n[COMPARE_WITH];

	terminal_print(0, 4, "%s", result->sentence);
	if (compare->signal)
		printf("ended by a signal (%s) after %zu of %u runs: results so far\n",
		       strsignal(compare->signal), compare->nruns, 2 * compare->rounds);
	print_nodes(&compare->reports);
	if (!compare->nruns || result->verdict == COMPARE_INACTIVE)
		return;
	puts("");
	print_row("", compare_way_name[COMPARE_WITHOUT], compare_way_name[COMPARE_WITH]);
	print_times("wall time", result->wall, result->n);
	if (!compare->cpu_unknown)
		print_times("CPU time", result->cpu, result->n);
	printf("\n%zu run%s without and %zu with, alternating (ABBA); times: median (least to greatest)\n", one, sp_plural(one), other);
	if (one && other)
		printf("ratio of the medians %.3f; rank test (Mann and Whitney): p = %.2g\n", result->ratio, result->chance);
	if (compare->cpu_unknown)
		terminal_print(0, 4, "CPU time is unknown: %s", compare->cpu_unknown);
}

static const char *const way_key[COMPARE_WAYS] = { [COMPARE_WITHOUT] = "without", [COMPARE_WITH] = "with" };

static void
put_range(const char *key, const struct compare_range *range, bool is_known)
{
	if (!is_known) {
		json_null(key);
		return;
	}
	json_row(key);
	json_real("median", range->median, 6);
	json_real("least", range->least, 6);
	json_real("greatest", range->greatest, 6);
	json_end();
}

static void
put_nodes(const struct reports *reports)
{
	json_array("nodes");
	for (size_t i = 0; i < reports->n; i++) {
		json_row(NULL);
		json_text("host", reports->report[i].host);
		json_text("result", reports->report[i].result);
		json_number("warnings", reports->report[i].warnings);
		json_end();
	}
	json_end();
}

static void
put_runs(const struct compare *compare)
{
	json_array("runs");
	for (size_t i = 0; i < compare->nruns; i++) {
		const struct compare_run *run = &compare->run[i];

		json_row(NULL);
		json_number("round", run->round);
		json_text("way", way_key[run->way]);
		json_real("wall", run->wall, 6);
		if (compare->cpu_unknown)
			json_null("cpu");
		else
			json_real("cpu", run->cpu, 6);
		json_end();
	}
	json_end();
}

void
compare_print_json(const struct compare *compare, const struct compare_result *result)
{
	static const char *const verdict[] = {
		[COMPARE_UNKNOWN] = "unknown", [COMPARE_INACTIVE] = "unknown", [COMPARE_SAME] = "none",
		[COMPARE_FASTER] = "faster", [COMPARE_SLOWER] = "slower",
	};

	json_object(NULL);
	json_text("splitpin", SP_VERSION);
	json_array("command");
	for (size_t i = 0; compare->command[i]; i++)
		json_text(NULL, compare->command[i]);
	json_end();
	json_number("rounds", compare->rounds);
	if (compare->signal)
		json_number("signal", compare->signal);
	else
		json_null("signal");
	json_bool("active", !compare->is_silent);
	json_text("difference", verdict[result->verdict]);
	json_text("summary", result->sentence);
	if (result->ratio > 0)
		json_real("ratio", result->ratio, 6);
	else
		json_null("ratio");
	json_real("p", result->chance, 6);
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		json_object(way_key[way]);
		put_range("wall", &result->wall[way], result->n[way] > 0);
		put_range("cpu", &result->cpu[way], result->n[way] > 0 && !compare->cpu_unknown);
		json_end();
	}
	put_nodes(&compare->reports);
	put_runs(compare);
	json_end();
}
