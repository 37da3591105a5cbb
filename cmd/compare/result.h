/*
 * The runs of a job with and without splitpin, and what follows from them.
 *
 *   way     without or with splitpin
 *   round   one run of each way; which is first changes from round to round
 *           (ABBA), so that what drifts (heat, other load) meets both alike
 *
 * Times of jobs are skewed and have outliers, so no normal distribution is
 * assumed: medians are compared, and the rank test of Mann and Whitney says how
 * likely such an order of the times is by chance (Hollander, Wolfe and Chicken,
 * "Nonparametric Statistical Methods", section 4.1).
 */
#ifndef COMPARE_RESULT_H
#define COMPARE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/compare/reports.h"

/* A difference is one if chance makes it this rarely, and the fewest runs of each way that can show it. */
#define COMPARE_CHANCE 0.05
#define COMPARE_RUNS 4

/* Runs of one way. */
#define COMPARE_RUNS_MAX 50

enum compare_way { COMPARE_WITHOUT, COMPARE_WITH, COMPARE_WAYS };

/* The way of a run, from 0. */
enum compare_way compare_way(size_t run);

/* "without splitpin"; "with splitpin". */
extern const char *const compare_way_name[COMPARE_WAYS];

struct compare_run {
	unsigned round;		/* from 1 */
	enum compare_way way;
	double wall, cpu;	/* seconds, greater than 0 */
};

struct compare {
	char *const *command;
	unsigned rounds;	/* that were asked for */
	struct compare_run *run;	/* those that ended well, in their order */
	size_t nruns;
	struct reports reports;	/* of the last run with splitpin */
	bool is_silent;		/* that run would have reported any rank, and did not: splitpin was active in none */
	bool is_lone;		/* no launcher starts the command */
	const char *cpu_unknown;	/* why the CPU times do not include the ranks; NULL: they do */
	int signal;		/* by which it was ended before its time; 0: it was not */
};

/* The median of some times, and the least and the greatest of them, in seconds. */
struct compare_range {
	double median, least, greatest;
};

enum compare_verdict {
	COMPARE_UNKNOWN,	/* too few runs */
	COMPARE_SAME,		/* no difference beyond noise */
	COMPARE_FASTER,		/* with splitpin */
	COMPARE_SLOWER,
	COMPARE_INACTIVE,	/* splitpin did nothing */
};

struct compare_result {
	size_t n[COMPARE_WAYS];		/* runs; where 0 the ranges are empty */
	struct compare_range wall[COMPARE_WAYS], cpu[COMPARE_WAYS];
	double ratio;			/* of the median without to that with; 0: there is none */
	double chance;			/* by the rank test, of wall times in at least so unequal an order */
	enum compare_verdict verdict;
	char *sentence;			/* the verdict, without a full stop; to free() */
};

struct compare_result compare_conclude(const struct compare *compare);

/*
 * The rank test: the probability, of both sides, that chance orders one's n and
 * the other's m values, 1 to COMPARE_RUNS_MAX of each, at least so unequally.
 * Equal values count half for each side, and the greater probability is given.
 */
double compare_rank_test(const double one[], size_t n, const double other[], size_t m);

struct compare_range compare_range_of(const double value[], size_t n);

/* To standard output. */
void compare_print_text(const struct compare *compare, const struct compare_result *result);
void compare_print_json(const struct compare *compare, const struct compare_result *result);

#endif
