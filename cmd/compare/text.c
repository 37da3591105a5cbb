/* A comparison as text, in 80 columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/compare/print.h"
#include "cmd/terminal.h"

#define COLUMN 31	/* of each way */
#define ROWS 16		/* of ranks */
#define LABEL 14

static void
print_row(const char *label, const char *without, const char *with)
{
	printf("%-*s  %-*s  %s\n", LABEL, label, COLUMN, without, with);
}

/* As many digits as times of jobs deserve. */
static int
digits(double seconds)
{
	return seconds < 10 ? 3 : seconds < 100 ? 2 : seconds < 1000 ? 1 : 0;
}

static void
format_range(const struct ratio_range *range, size_t n, char text[64])
{
	int d = digits(range->greatest);

	if (n == 0)
		snprintf(text, 64, "-");
	else if (n == 1)
		snprintf(text, 64, "%.*f s", d, range->median);
	else
		snprintf(text, 64, "%.*f s (%.*f to %.*f)", d, range->median, d, range->least, d, range->greatest);
}

static void
print_times(const char *label, const struct ratio_range range[COMPARE_WAYS], const size_t n[COMPARE_WAYS])
{
	char text[COMPARE_WAYS][64];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++)
		format_range(&range[way], n[way], text[way]);
	print_row(label, text[COMPARE_WITHOUT], text[COMPARE_WITH]);
}

static void
format_cpus(const struct sp_cpus *cpus, char text[COLUMN + 1])
{
	char list[COLUMN - 5];

	snprintf(text, COLUMN + 1, "%s%s%s", sp_cpus_empty(cpus) ? "not seen" : "CPU", sp_cpus_empty(cpus) ? "" :
		 sp_cpus_count(cpus) == 1 ? " " : "s ", sp_cpus_format(cpus, list, sizeof(list)));
}

static void
print_cpus(const char *label, const struct sp_cpus cpus[COMPARE_WAYS])
{
	char text[COMPARE_WAYS][COLUMN + 1];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++)
		format_cpus(&cpus[way], text[way]);
	print_row(label, text[COMPARE_WITHOUT], text[COMPARE_WITH]);
}

static bool
is_alike(const struct compare *compare, uint32_t one, uint32_t other)
{
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		struct sp_cpus a = places_cpus(&compare->places[way], one), b = places_cpus(&compare->places[way], other);

		if (!sp_cpus_equal(&a, &b))
			return false;
	}
	return true;
}

static void
print_ranks(const struct compare *compare)
{
	uint32_t one = compare->places[COMPARE_WITHOUT].nranks, other = compare->places[COMPARE_WITH].nranks;
	uint32_t n = one > other ? one : other, end;
	char label[32];

	for (uint32_t i = 0, rows = 0; n > 1 && i < n; i = end, rows++) {
		if (rows == ROWS) {
			printf("ranks %u-%u  see --format json\n", i, n - 1);
			return;
		}
		for (end = i + 1; end < n && is_alike(compare, i, end); end++)
			;
		if (end == i + 1)
			snprintf(label, sizeof(label), "rank %u", i);
		else
			snprintf(label, sizeof(label), "ranks %u-%u", i, end - 1);
		print_cpus(label, (struct sp_cpus[]){ places_cpus(&compare->places[COMPARE_WITHOUT], i),
						      places_cpus(&compare->places[COMPARE_WITH], i) });
	}
}

static void
print_crowding(const struct compare *compare)
{
	char text[COMPARE_WAYS][32];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		double n = places_crowding(&compare->places[way]);

		if (n > 0)
			snprintf(text[way], sizeof(text[way]), "%.1f", n);
		else
			snprintf(text[way], sizeof(text[way]), "not seen");
	}
	print_row("threads a CPU", text[COMPARE_WITHOUT], text[COMPARE_WITH]);
}

static void
print_method(const struct compare *compare, const struct compare_result *result)
{
	size_t one = result->n[COMPARE_WITHOUT], other = result->n[COMPARE_WITH];

	if (result->has_ratio && one * other > 1)
		printf("ratio %.3f, %.0f %% interval %.3f to %.3f: median and rank interval of the\n"
		       "%zu ratios of a run without to one with (Hodges-Lehmann, Mann-Whitney)\n",
		       result->ratio.estimate, 100 * result->ratio.confidence, result->ratio.low, result->ratio.high, one * other);
	printf("%zu run%s without and %zu with, alternating (ABBA); times: median (least to greatest)\n", one, sp_plural(one), other);
	if (compare->cpu_unknown)
		printf("CPU time is unknown: %s\n", compare->cpu_unknown);
}

static void
print_table(const struct compare *compare, const struct compare_result *result)
{
	puts("");
	print_row("", compare_way_name[COMPARE_WITHOUT], compare_way_name[COMPARE_WITH]);
	print_times("wall time", result->wall, result->n);
	if (!compare->cpu_unknown)
		print_times("CPU time", result->cpu, result->n);
	print_cpus("ran on", (struct sp_cpus[]){ places_all(&compare->places[COMPARE_WITHOUT]),
						 places_all(&compare->places[COMPARE_WITH]) });
	print_ranks(compare);
	print_crowding(compare);
	puts("");
	print_method(compare, result);
}

void
compare_print_text(const struct compare *compare)
{
	struct compare_result result = compare_conclude(compare);
	char *sentence = compare_sentence(&result), *doubt = compare_doubt(compare), *nodes = reports_sentence(&compare->reports);

	printf("%s\n", sentence);
	if (doubt)
		printf("but %s\n", doubt);
	if (compare->signal)
		printf("ended by a signal (%s) after %zu of %u runs: results so far\n",
		       strsignal(compare->signal), compare->nruns, 2 * compare->rounds);
	if (nodes)
		terminal_print(0, 4, "with splitpin: %s", nodes);
	if (compare->nruns)
		print_table(compare, &result);
	free(sentence);
	free(doubt);
	free(nodes);
}
