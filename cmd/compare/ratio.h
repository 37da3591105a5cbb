/*
 * How two ways of running a job differ, judged by the times of a few runs.
 *
 * Times of jobs are skewed and have outliers, so no normal distribution is
 * assumed: the estimate is the median of the ratios of every run of one way to
 * every run of the other (Hodges and Lehmann, "Estimates of location based on
 * rank tests", Annals of Mathematical Statistics 34, 1963), and the interval
 * has those ratios as bounds that the exact distribution of Mann and Whitney's
 * U leaves (Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods",
 * sections 4.2 and 4.3).  Such intervals are what Hoefler and Belli recommend
 * for parallel programs ("Scientific Benchmarking of Parallel Computing
 * Systems", SC15).
 *
 * Pure.
 */
#ifndef RATIO_H
#define RATIO_H

#include <stddef.h>

/* The confidence that a difference takes, and the fewest runs of each way that give it. */
#define RATIO_CONFIDENCE 0.95
#define RATIO_RUNS 4

/* Runs of one way. */
#define RATIO_RUNS_MAX 50

struct ratio {
	double estimate;
	double low, high;	/* bounds of the interval */
	double confidence;	/* of the interval: RATIO_CONFIDENCE or more, unless there are too few runs */
};

/*
 * The ratio of times of one way to those of the other; times are in one unit
 * and greater than 0.
 *
 * Returns 0, or -EINVAL: no time, or more than RATIO_RUNS_MAX, of one way.
 */
int ratio_estimate(const double one[], size_t none, const double other[], size_t nother, struct ratio *ratio);

enum ratio_verdict {
	RATIO_UNKNOWN,		/* too few runs */
	RATIO_SAME,		/* the interval holds 1: no difference beyond noise */
	RATIO_GREATER,
	RATIO_LESS,
};

enum ratio_verdict ratio_judge(const struct ratio *ratio);

/* The median of n values, from 1, and the least and the greatest of them. */
struct ratio_range {
	double median, least, greatest;
};

struct ratio_range ratio_range(const double value[], size_t n);

#endif
