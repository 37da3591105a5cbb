#include "cmd/compare/conclude.h"

#include <stdlib.h>

#include "base/text.h"
#include "cmd/cmd.h"

#define SMALL 0.01	/* differences up to this are printed as "less than 1 %" */

const char *const compare_way_name[COMPARE_WAYS] = {
	[COMPARE_WITHOUT] = "without splitpin", [COMPARE_WITH] = "with splitpin",
};

enum compare_way
compare_way(size_t run)
{
	return (run + run / 2) % 2 ? COMPARE_WITH : COMPARE_WITHOUT;
}

struct compare_result
compare_conclude(const struct compare *compare)
{
	struct compare_result result = { .has_ratio = false };
	double *wall[COMPARE_WAYS], *cpu[COMPARE_WAYS];

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		size_t *n = &result.n[way];

		wall[way] = cmd_allocate(compare->nruns, sizeof(double));
		cpu[way] = cmd_allocate(compare->nruns, sizeof(double));
		for (size_t i = 0; i < compare->nruns; i++) {
			if (compare->run[i].way != way)
				continue;
			wall[way][*n] = compare->run[i].wall;
			cpu[way][(*n)++] = compare->run[i].cpu;
		}
		if (*n) {
			result.wall[way] = ratio_range(wall[way], *n);
			result.cpu[way] = ratio_range(cpu[way], *n);
		}
	}
	result.has_ratio = ratio_estimate(wall[COMPARE_WITHOUT], result.n[COMPARE_WITHOUT],
					  wall[COMPARE_WITH], result.n[COMPARE_WITH], &result.ratio) == 0;
	result.verdict = result.has_ratio ? ratio_judge(&result.ratio) : RATIO_UNKNOWN;
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		free(wall[way]);
		free(cpu[way]);
	}
	return result;
}

/* "2.03 times as fast", "24 % slower"; the caller's. */
static char *
speed(double ratio)
{
	const char *word = ratio < 1 ? "slower" : "faster";
	double more = (ratio < 1 ? 1 / ratio : ratio) - 1;

	if (ratio >= 2)
		return cmd_format("%.2f times as fast", ratio);
	return more < SMALL ? cmd_format("less than 1 %% %s", word) : cmd_format("%.0f %% %s", more * 100, word);
}

char *
compare_sentence(const struct compare_result *result)
{
	if (!result->has_ratio)
		return cmd_format("nothing to compare: at least one run with and one without splitpin is needed");
	if (result->verdict == RATIO_SAME)
		return cmd_format("no difference beyond noise");
	char *how = speed(result->ratio.estimate), *sentence;
	if (result->verdict == RATIO_UNKNOWN)
		sentence = cmd_format("%s with splitpin, but that may be noise: %d rounds are needed to tell", how, RATIO_RUNS);
	else
		sentence = cmd_format("%s with splitpin", how);
	free(how);
	return sentence;
}

char *
compare_doubt(const struct compare *compare)
{
	const struct places *with = &compare->places[COMPARE_WITH];
	uint32_t seen = places_seen(with), placed = places_with_share(with);

	if (seen == 0 || placed > 0 || compare->is_alone)
		return NULL;
	if (with->is_lone)
		return cmd_format("splitpin left the program alone, since no launcher started it: see --alone");
	return cmd_format("the %u rank%s that %s seen had no share: see splitpin check, or compare longer runs", seen, sp_plural(seen),
			  seen == 1 ? "was" : "were");
}
