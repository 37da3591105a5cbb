/*
 * What the plan gives to one rank: its share of the CPUs that it divides with
 * others, on the terms of their job, and the reason.  Pure.
 */
#ifndef SP_PORTION_H
#define SP_PORTION_H

#include <sys/types.h>

#include "decide/job_terms.h"
#include "decide/view.h"

#define SP_WHY 232		/* room for a sentence */

/* The result for a rank: its share, and what is to be reported about it. */
struct sp_rank_share {
	struct sp_cpus cpus;
	char why[SP_WHY];	/* one sentence */
	struct sp_cpus open;	/* CPUs into which it may grow where no rank or job has them; empty: it stays in its share */
	pid_t child_of;		/* another process that is this rank already; 0: none */
	bool is_kept;		/* stays as it is when all ranks have come: of a spawned rank, or of an earlier program */
	bool was_cut_anew;	/* the launcher's default binding was replaced */
	bool may_be_others;	/* other ranks may have the same CPUs: threads are better left unpinned */
	bool is_uneven;		/* as sp_portion_is_uneven */
	bool is_node_shared;	/* all ranks have the same CPUs, since not enough free cores for all threads */
	bool is_refused;	/* on -ENOSPC: found by this process, not by another process of this rank */
	bool is_reporter;	/* on -ENOSPC: this is the first of the ranks concerned */
	bool is_expected;	/* on -ENOSPC: no warning, since somebody asked for so many ranks, or the node of the job's first rank has as many and warns */
	uint32_t too_few;	/* on -ENOSPC: the number of CPUs, where it is below that of the ranks; 0: a setting is the reason */
	bool waited_for_gpus;	/* not all ranks announced which GPUs they see, and this rank is the first to give up */
	char domain_fault[128];	/* of the first rank: what is wrong with the lists of SPLITPIN_DOMAIN, which hold nevertheless; or empty */
	bool waited_in_vain;	/* not all ranks of the node came, and this rank is the first to give up */
};

/* The set of CPUs, the number of ranks that divide it, and the place of this rank among them.  Nothing is owned. */
struct sp_portion {
	const struct sp_cpus *cpus;
	uint32_t rank, size;
	const uint32_t *need;	/* of each of them, as in struct sp_demand, or SP_NEED_FIXED */
	const struct sp_terms *terms;
	const uint32_t *owner;	/* a cut that was made for all ranks, for each of the machine's CPUs; not trusted; NULL: none */
	const struct sp_cut *cut;	/* its figures */
};

/*
 * Whether GPUs count: all ranks of the node divide the set.  If only some do,
 * somebody has confined them, and GPUs and lists of CPUs are ignored.
 */
bool sp_portion_is_near_gpus(const struct sp_view *view, const struct sp_portion *portion);

/*
 * Whether a team of this rank that has several threads on each core of its share
 * (which sp_slots_release tests, not this)
 * would make these cores fuller, by more than a thirty-second, than all that the
 * ranks divide are on average: without splitpin its threads would use the emptier
 * ones, too.  Less is taken to be worth the local memory of pinned threads: a
 * guess, for large nodes (7 ranks of 36 threads on 128 cores).  Where no rank
 * announces threads it is so only beside other jobs: without any, runtimes
 * count the shares, which are equal, and without splitpin all CPUs.  Settings that
 * say which cores ranks get decide that as well.
 *
 *   cut   its figures
 */
bool sp_portion_is_uneven(const struct sp_view *view, const struct sp_portion *portion, const struct sp_cut *cut, const struct sp_cpus *share);

/*
 * Find the share of that rank, and the reason for it, a sentence that begins
 * with the cause.  share: zero-initialised by the caller; view->near: of all
 * ranks of the node, NULL unless sp_portion_is_near_gpus.
 *
 * Returns 0; -ENOSPC: too few CPUs, and the reason is written for the user; or
 * another error of sp_terms_share.
 */
int sp_portion_cut(const struct sp_view *view, const struct sp_portion *portion, const char *cause, struct sp_rank_share *share);

#endif
