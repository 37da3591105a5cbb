/*
 * The runs of a job with and without splitpin, and what follows from them.
 *
 *   way     without or with splitpin
 *   round   one run of each way; which is first changes from round to round
 *           (ABBA), so that what drifts (heat, other load) meets both alike
 */
#ifndef COMPARE_CONCLUDE_H
#define COMPARE_CONCLUDE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/compare/places.h"
#include "cmd/compare/ratio.h"
#include "cmd/compare/reports.h"

enum compare_way { COMPARE_WITHOUT, COMPARE_WITH, COMPARE_WAYS };

struct compare_run {
	unsigned round;		/* from 1 */
	enum compare_way way;
	double wall, cpu;	/* seconds */
};

struct compare {
	char *const *command;
	unsigned rounds;	/* that were asked for */
	struct compare_run *run;	/* those that ended well, in their order */
	size_t nruns;
	struct places places[COMPARE_WAYS];
	struct reports reports;	/* of the last run with splitpin that reported */
	bool is_alone;		/* --alone */
	const char *cpu_unknown;	/* why the CPU times do not include the ranks; NULL: they do */
	int signal;		/* by which it was ended before its time; 0: it was not */
};

/* The way of a run, from 0. */
enum compare_way compare_way(size_t run);

/* "without splitpin"; "with splitpin". */
extern const char *const compare_way_name[COMPARE_WAYS];

/* What is known of the times. */
struct compare_result {
	size_t n[COMPARE_WAYS];		/* runs; where 0 the ranges are empty */
	struct ratio_range wall[COMPARE_WAYS], cpu[COMPARE_WAYS];
	bool has_ratio;
	struct ratio ratio;		/* of the time without to that with */
	enum ratio_verdict verdict;	/* greater: faster with splitpin */
};

struct compare_result compare_conclude(const struct compare *compare);

/* The verdict as one sentence without a full stop; the caller's, to free(). */
char *compare_sentence(const struct compare_result *result);

/* What is wrong with the comparison itself; the caller's, or NULL: nothing. */
char *compare_doubt(const struct compare *compare);

#endif
