/* A comparison as JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/compare/print.h"
#include "cmd/json_parts.h"

static const char *const way_key[COMPARE_WAYS] = { [COMPARE_WITHOUT] = "without", [COMPARE_WITH] = "with" };

static void
print_command(char *const command[])
{
	fputs("  \"command\": [", stdout);
	for (size_t i = 0; command[i]; i++)
		cmd_json_member(i ? ", " : "", command[i]);
	puts("],");
}

static void
print_ratio(const struct compare_result *result)
{
	static const char *const verdict[] = {
		[RATIO_UNKNOWN] = "unknown", [RATIO_SAME] = "none", [RATIO_GREATER] = "faster", [RATIO_LESS] = "slower",
	};
	const struct ratio *ratio = &result->ratio;
	char *sentence = compare_sentence(result);

	printf("  \"difference\": \"%s\"", verdict[result->verdict]);
	cmd_json_member(",\n  \"sentence\": ", sentence);
	free(sentence);
	if (result->has_ratio)
		printf(",\n  \"ratio\": { \"estimate\": %.6f, \"low\": %.6f, \"high\": %.6f, \"confidence\": %.4f },\n",
		       ratio->estimate, ratio->low, ratio->high, ratio->confidence);
	else
		puts(",\n  \"ratio\": null,");
}

static void
print_range(const char *key, const struct ratio_range *range, bool is_known)
{
	if (is_known)
		printf("\"%s\": { \"median\": %.6f, \"least\": %.6f, \"greatest\": %.6f }", key, range->median, range->least,
		       range->greatest);
	else
		printf("\"%s\": null", key);
}

static void
print_ranks(const struct places *places)
{
	fputs("\n    \"ranks\": [", stdout);
	for (uint32_t i = 0; i < places->nranks; i++) {
		struct sp_cpus cpus = places_cpus(places, i);

		printf("%s\n      { \"rank\": %u", i ? "," : "", i);
		cmd_json_cpus(", \"cpus\": ", &cpus);
		if (places->rank[i].has_share)
			cmd_json_cpus(", \"share\": ", &places->rank[i].share);
		else
			fputs(", \"share\": null", stdout);
		fputs(" }", stdout);
	}
	fputs("] }", stdout);
}

static void
print_way(const struct compare *compare, const struct compare_result *result, enum compare_way way)
{
	const struct places *places = &compare->places[way];
	struct sp_cpus all = places_all(places);
	double crowding = places_crowding(places);

	printf("  \"%s\": { ", way_key[way]);
	print_range("wall", &result->wall[way], result->n[way] > 0);
	fputs(",\n    ", stdout);
	print_range("cpu", &result->cpu[way], result->n[way] > 0 && !compare->cpu_unknown);
	cmd_json_cpus(",\n    \"cpus\": ", &all);
	if (crowding > 0)
		printf(", \"threads_per_cpu\": %.2f,", crowding);
	else
		fputs(", \"threads_per_cpu\": null,", stdout);
	print_ranks(places);
	puts(",");
}

static void
print_nodes(const struct reports *reports)
{
	fputs("  \"nodes\": [", stdout);
	for (size_t i = 0; i < reports->n; i++) {
		const struct report *report = &reports->report[i];
		char cores[SUM_TEXT], threads[SUM_TEXT];

		sum_range_format(&report->cores, cores);
		sum_range_format(&report->threads, threads);
		cmd_json_member(i ? ",\n    { \"node\": " : "\n    { \"node\": ", report->node);
		printf(", \"ranks\": %u, \"cores\": \"%s\", \"threads\": \"%s\", \"warnings\": %u", report->ranks, cores,
		       threads, report->warnings);
		cmd_json_cpus(", \"cpus\": ", &report->cpus);
		fputs(" }", stdout);
	}
	puts("],");
}

static void
print_runs(const struct compare *compare)
{
	fputs("  \"runs\": [", stdout);
	for (size_t i = 0; i < compare->nruns; i++) {
		const struct compare_run *run = &compare->run[i];

		printf("%s\n    { \"round\": %u, \"way\": \"%s\", \"wall\": %.6f, \"cpu\": ", i ? "," : "", run->round,
		       way_key[run->way], run->wall);
		if (compare->cpu_unknown)
			fputs("null }", stdout);
		else
			printf("%.6f }", run->cpu);
	}
	puts("]\n}");
}

void
compare_print_json(const struct compare *compare)
{
	struct compare_result result = compare_conclude(compare);
	char *doubt = compare_doubt(compare);

	puts("{\n  \"splitpin\": \"" SP_VERSION "\",");
	print_command(compare->command);
	printf("  \"rounds\": %u,\n  \"signal\": ", compare->rounds);
	if (compare->signal)
		printf("%d,\n", compare->signal);
	else
		puts("null,");
	print_ratio(&result);
	cmd_json_member("  \"doubt\": ", doubt);
	puts(",");
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++)
		print_way(compare, &result, way);
	print_nodes(&compare->reports);
	print_runs(compare);
	free(doubt);
}
