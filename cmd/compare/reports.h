/*
 * What the nodes of a job have with splitpin, as the job's output shows where each
 * of them has reported (SPLITPIN_REPORT).
 */
#ifndef REPORTS_H
#define REPORTS_H

#include <stdint.h>
#include <stdio.h>

#include "cmd/show/sums.h"
#include "cpus.h"

#define REPORTS_MAX 4096	/* nodes; more are not read */

struct report {
	char *node;		/* as its lines name the host */
	uint32_t ranks;		/* in its table */
	struct sum_range cores;	/* of a rank */
	struct sum_range threads;	/* that a rank announces */
	uint32_t all_threads;	/* one for each core where a rank announces none */
	struct sp_cpus cpus;	/* of all its ranks */
	uint32_t warnings;
};

struct reports {
	struct report *report;
	size_t n;
};

/* Read what a job has printed, whatever stands before its lines, in place of what was read before; none: that stays. */
void reports_read(FILE *output, struct reports *reports);
void reports_release(struct reports *reports);

/* Which nodes differ, which is the slowest, and which have warned: the caller's, to free(); NULL: there is one node, or none. */
char *reports_sentence(const struct reports *reports);

#endif
