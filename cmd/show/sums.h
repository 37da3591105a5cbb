/*
 * What the nodes of a job come to: each sends its figures behind its part of the
 * table, in a line that is not shown, and they become one sentence.
 */
#ifndef SHOW_SUMS_H
#define SHOW_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/show/running.h"

#define SUM_TEXT 32

/* Of one node. */
struct sum {
	const char *node;
	uint32_t ranks;			/* that have a share */
	char cores[SUM_TEXT];		/* of a rank: "4", "4-8"; "-": not known */
	char threads[SUM_TEXT];		/* that a rank announces, the same */
	uint32_t busy, cpus;		/* threads that are busy, and CPUs on which these may run */
	uint32_t faults;
};

/* The jobs that are wanted; faults_find has been called. */
void sums_of(const struct show *show, struct sum *sum);
void sums_print(const struct sum *sum);

/* Take such a line off the end of what a node has printed.  False: there is none; sum is untouched. */
bool sums_take(char *output, const char *node, struct sum *sum);

/* One sentence on n nodes, from 1, in which those that are busy are called a "busy thread"; the caller's, to free(). */
char *sums_sentence(const struct sum sum[], size_t n, const char *thread);

/* Of ranks, as struct sum has it; all zero: none is known. */
struct sum_range {
	uint32_t least, most;
};

void sum_range_add(struct sum_range *range, uint32_t value);
void sum_range_format(const struct sum_range *range, char text[SUM_TEXT]);

#endif
