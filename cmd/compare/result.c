#include "cmd/compare/result.h"

#include <stdlib.h>
#include <string.h>

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

static int
by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

struct compare_range
compare_range_of(const double value[], size_t n)
{
	struct compare_range range = { 0 };

	if (!n)
		return range;
	double *sorted = cmd_allocate(n, sizeof(*sorted));

	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	range = (struct compare_range){ (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1] };
	free(sorted);
	return range;
}

/*
 * orders[U], for U from 0 to n * m: in how many of all orders of the values U
 * pairs have the one before the other.  To choose which ranks the ones have is
 * to choose n numbers out of 1 to n + m, with a sum of U + n * (n + 1) / 2.
 */
static double *
count_orders(size_t n, size_t m)
{
	size_t least = n * (n + 1) / 2, sums = n * m + least + 1;
	double *chosen = cmd_allocate((n + 1) * sums, sizeof(*chosen));	/* [how many numbers][sum] */

	chosen[0] = 1;
	for (size_t number = 1; number <= n + m; number++)
		for (size_t k = n < number ? n : number; k > 0; k--)
			for (size_t sum = number; sum < sums; sum++)
				chosen[k * sums + sum] += chosen[(k - 1) * sums + sum - number];
	double *orders = cmd_allocate(n * m + 1, sizeof(*orders));
	memcpy(orders, chosen + n * sums + least, (n * m + 1) * sizeof(*orders));
	free(chosen);
	return orders;
}

double
compare_rank_test(const double one[], size_t n, const double other[], size_t m)
{
	size_t twice = 0, pairs = n * m;	/* twice U */
	double all = 0, tail = 0;

	for (size_t i = 0; i < pairs; i++) {
		double a = one[i / m], b = other[i % m];

		twice += a < b ? 2 : a == b;
	}
	if (twice > pairs)
		twice = 2 * pairs - twice;
	double *orders = count_orders(n, m);
	for (size_t u = 0; u <= pairs; u++) {
		all += orders[u];
		tail += u <= (twice + 1) / 2 ? orders[u] : 0;
	}
	free(orders);
	return 2 * tail < all ? 2 * tail / all : 1;
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

static enum compare_verdict
judge(const struct compare *compare, const struct compare_result *result)
{
	if (compare->is_silent)
		return COMPARE_INACTIVE;
	if (result->ratio == 0 || result->n[COMPARE_WITHOUT] < COMPARE_RUNS || result->n[COMPARE_WITH] < COMPARE_RUNS)
		return COMPARE_UNKNOWN;
	return result->chance > COMPARE_CHANCE ? COMPARE_SAME : result->ratio < 1 ? COMPARE_SLOWER : COMPARE_FASTER;
}

/* The caller's. */
static char *
sentence_of(const struct compare *compare, const struct compare_result *result)
{
	char *how = speed(result->ratio), *sentence = NULL;

	switch (result->verdict) {
	case COMPARE_INACTIVE:
		sentence = cmd_format("splitpin was active in no process of this job: %s", compare->is_lone ?
			"no launcher starts it and it has no OpenMP (--alone binds it nevertheless)" : "splitpin check with this line says why");
		break;
	case COMPARE_SAME:
		sentence = cmd_format("no difference beyond noise");
		break;
	case COMPARE_UNKNOWN:
		sentence = result->ratio == 0 ? cmd_format("nothing to compare: at least one run with and one without splitpin is needed") :
			cmd_format("%s with splitpin, but that may be noise: %d rounds are needed to tell", how, COMPARE_RUNS);
		break;
	default:
		sentence = cmd_format("%s with splitpin", how);
	}
	free(how);
	return sentence;
}

struct compare_result
compare_conclude(const struct compare *compare)
{
	struct compare_result result = { .ratio = 0, .chance = 1 };
	double *wall[COMPARE_WAYS], *cpu[COMPARE_WAYS];
	const size_t *n = result.n;

	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		wall[way] = cmd_allocate(compare->nruns, sizeof(double));
		cpu[way] = cmd_allocate(compare->nruns, sizeof(double));
		for (size_t i = 0; i < compare->nruns; i++) {
			if (compare->run[i].way != way)
				continue;
			wall[way][result.n[way]] = compare->run[i].wall;
			cpu[way][result.n[way]++] = compare->run[i].cpu;
		}
		result.wall[way] = compare_range_of(wall[way], n[way]);
		result.cpu[way] = compare_range_of(cpu[way], n[way]);
	}
	if (n[COMPARE_WITHOUT] && n[COMPARE_WITH]) {
		result.ratio = result.wall[COMPARE_WITHOUT].median / result.wall[COMPARE_WITH].median;
		result.chance = compare_rank_test(wall[COMPARE_WITHOUT], n[COMPARE_WITHOUT], wall[COMPARE_WITH], n[COMPARE_WITH]);
	}
	for (enum compare_way way = 0; way < COMPARE_WAYS; way++) {
		free(wall[way]);
		free(cpu[way]);
	}
	result.verdict = judge(compare, &result);
	result.sentence = sentence_of(compare, &result);
	return result;
}
