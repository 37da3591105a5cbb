/*
 * Advice: which numbers of ranks use a machine well, each cut as a run cuts it.
 *
 * The rule, in this order:
 *   1. with GPUs: every GPU has as many ranks, or every rank as many GPUs, and
 *      each rank is beside its own; one rank a GPU before others
 *   2. at most an eighth of the cores stays idle: what the cut gives up for a
 *      boundary (lib/cut)
 *   3. not one that leaves more cores idle than a smaller and a larger number of
 *      ranks do, whose shares are in as few NUMA nodes and L3 groups
 *   4. a share is in as few NUMA nodes as possible
 *   5. and in as few L3 groups
 *   6. a rank has at most 36 cores
 *   7. fewer ranks before more: less memory and fewer messages
 * Of several numbers that give ranks as many cores, the one that leaves fewest
 * idle is taken.  splitpin(1) says where these rules come from.
 */
#ifndef PLAN_ADVISE_H
#define PLAN_ADVISE_H

#include "cmd/plan/make/planned.h"

struct choice {
	uint32_t ranks;
	uint32_t cores;		/* of each rank: threads, with one a core */
	uint32_t idle;		/* cores that no rank has, the reserved ones not counted */
	uint32_t nodes, l3s;	/* NUMA nodes and L3 groups of a share, at most */
	uint32_t foreign;	/* ranks that are not beside their GPUs */
	bool fits_gpus;		/* rule 1, or there are no GPUs */
	bool is_between;	/* rule 3 */
};

struct advice {
	uint32_t cores;		/* that may be dealt */
	uint32_t nodes, l3s;	/* NUMA nodes and L3 groups in which these are */
	bool has_l3;		/* the L3 groups are others than the NUMA nodes */
	uint32_t gpus;		/* that the job has; 0: they do not count */
	struct choice *choice;	/* the best first */
	size_t n;
};

/*
 * For a plan of which source, config and gpus are given, and which plan_release
 * releases; advise_release the rest.  Returns 0, or an error of plan_make.
 */
int advise(struct plan *plan, const struct sp_cpus *allowed, struct advice *advice);
void advise_release(struct advice *advice);

/*
 * For a plan that was made and leaves cores idle: the next smaller and the next
 * larger number of ranks, half and twice as many at most, that leave none; 0: none
 * does, or ranks differ, or there are other jobs.
 */
struct neighbours {
	struct choice less, more;	/* ranks is 0 where there is none */
};
struct neighbours advise_neighbours(const struct plan *plan);

/* The sentence on a choice; the caller's, to free(). */
char *advise_why(const struct advice *advice, const struct choice *choice);

#endif
