/*
 * Where the threads of a job's ranks run, as /proc shows it, and the shares
 * that splitpin's board has for them.
 */
#ifndef COMPARE_PLACES_H
#define COMPARE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

struct place {
	double seconds;		/* time with running threads: each sample counts for the time since the previous one */
	double *on;		/* SP_CPUS_MAX entries: how long a thread was on each CPU; NULL: never */
	bool has_share;		/* in one of the jobs */
	bool is_settled;	/* in this one */
	struct sp_cpus share;
};

struct places {
	struct place *rank;	/* by local rank */
	uint32_t nranks;	/* the highest that was seen, and 1 */
	double running, cpus;	/* seconds of threads that were running, and of CPUs that they were on */
	bool is_lone;		/* no launcher: what names no rank is rank 0 */
	bool has_other_nodes;	/* a rank has said that there are more: those on other nodes are not seen */
	bool has_board;		/* splitpin acts: shares are looked for */
	struct places_known *known;
	size_t nknown;
};

/* Sample a job now: this process and all its descendants; `since` is the time since the previous sample, in seconds. */
void places_look(struct places *places, pid_t pid, double since);

/* Between two jobs: forget the processes, and keep what was seen. */
void places_forget(struct places *places);

void places_release(struct places *places);

/*
 * The CPUs on which a rank's threads ran, except those with less than a tenth
 * of the time: OpenMP runtimes visit other CPUs when they start.
 */
struct sp_cpus places_cpus(const struct places *places, uint32_t rank);

/* Those of all ranks. */
struct sp_cpus places_all(const struct places *places);

/* How many running threads the used CPUs had, on average; 0: none was seen. */
double places_crowding(const struct places *places);

/* How many ranks were seen, and how many of these have a share on the board. */
uint32_t places_seen(const struct places *places);
uint32_t places_with_share(const struct places *places);

#endif
