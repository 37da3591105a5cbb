#include "cmd/compare/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

static int
by_value(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double
middle(const double sorted[], size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

struct ratio_range
ratio_range(const double value[], size_t n)
{
	double *sorted = cmd_allocate(n, sizeof(*sorted));

	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	struct ratio_range range = { middle(sorted, n), sorted[0], sorted[n - 1] };
	free(sorted);
	return range;
}

/*
 * ways[U], for U from 0 to none * nother: in how many of all orders of the
 * runs U pairs have the one before the other.  To choose which ranks the ones
 * have is to choose `none` numbers out of 1 to none + nother, with a sum of
 * U + none * (none + 1) / 2.
 */
static double *
count_orders(size_t none, size_t nother)
{
	size_t least = none * (none + 1) / 2, sums = none * nother + least + 1;
	double *chosen = cmd_allocate((none + 1) * sums, sizeof(*chosen));	/* [how many numbers][sum] */

	chosen[0] = 1;
	for (size_t number = 1; number <= none + nother; number++)
		for (size_t n = none < number ? none : number; n > 0; n--)
			for (size_t sum = number; sum < sums; sum++)
				chosen[n * sums + sum] += chosen[(n - 1) * sums + sum - number];
	double *ways = cmd_allocate(none * nother + 1, sizeof(*ways));
	memcpy(ways, chosen + none * sums + least, (none * nother + 1) * sizeof(*ways));
	free(chosen);
	return ways;
}

/*
 * Number of ratios on each side outside the narrowest interval of this
 * confidence; 0 if even the whole range has less.
 */
static size_t
outside(size_t none, size_t nother, double *confidence)
{
	double *ways = count_orders(none, nother), all = 0, tail = 0;
	size_t n = 0, pairs = none * nother;

	for (size_t u = 0; u <= pairs; u++)
		all += ways[u];
	*confidence = 1 - 2 * ways[0] / all;
	for (; n < pairs && 2 * (tail + ways[n]) / all <= 1 - RATIO_CONFIDENCE; n++) {
		tail += ways[n];
		*confidence = 1 - 2 * tail / all;
	}
	free(ways);
	return n ? n - 1 : 0;
}

int
ratio_estimate(const double one[], size_t none, const double other[], size_t nother, struct ratio *ratio)
{
	size_t pairs = none * nother;

	if (pairs == 0 || none > RATIO_RUNS_MAX || nother > RATIO_RUNS_MAX)
		return -EINVAL;
	/* In logarithms, so that the ratio of the other to the one is the inverse. */
	double *difference = cmd_allocate(pairs, sizeof(*difference)), confidence;
	for (size_t i = 0; i < pairs; i++)
		difference[i] = log(one[i / nother]) - log(other[i % nother]);
	qsort(difference, pairs, sizeof(*difference), by_value);
	size_t cut = outside(none, nother, &confidence);
	*ratio = (struct ratio){
		.estimate = exp(middle(difference, pairs)),
		.low = exp(difference[cut]),
		.high = exp(difference[pairs - 1 - cut]),
		.confidence = confidence,
	};
	free(difference);
	return 0;
}

enum ratio_verdict
ratio_judge(const struct ratio *ratio)
{
	if (ratio->confidence < RATIO_CONFIDENCE)
		return RATIO_UNKNOWN;
	return ratio->low > 1 ? RATIO_GREATER : ratio->high < 1 ? RATIO_LESS : RATIO_SAME;
}
