/*
 * What the nodes of a job have with splitpin, read from the reports
 * (SPLITPIN_REPORT) in the job's output.
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
	uint32_t all_threads;	/* one for each core if a rank announces none */
	struct sp_cpus cpus;	/* of all its ranks */
	uint32_t warnings;
};

struct reports {
	struct report *report;
	size_t n;
};

/* Read a job's output, ignoring anything in front of each line; the result replaces the previous one unless the output has no report. */
void reports_read(FILE *output, struct reports *reports);
void reports_release(struct reports *reports);

/* Which nodes differ, which is the slowest, and which have warned: the caller's, to free(); NULL: there is one node, or none. */
char *reports_sentence(const struct reports *reports);

#endif
