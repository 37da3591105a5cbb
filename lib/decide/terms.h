/*
 * The terms on which a job uses the node, and the share that a rank has by
 * them.  Pure.
 *
 *   alone    no other job has cores: the ranks divide all cores
 *   beside   others have: the ranks divide what is left, no more than they need,
 *            as long as there is a core for each thread; or, where threads are
 *            not announced, as long as that is half of an even part of the node
 *            (allowed cores / jobs) and a core for each rank
 *   shared   too little is left for these threads and those of other jobs that
 *            share; or a job that is starting may be about to pin threads to any
 *            of these cores, and no runtime binds this job's own.
 *            Nothing is divided and nothing pinned: the kernel balances, now and
 *            when the others have ended
 *
 * Where runtimes would bind the threads of all ranks to the same places, nothing
 * is shared: the ranks divide free cores and those that the fewest jobs claim (is_crowded).
 *
 * A job leaves to others what its threads do not need: its claim are the cores
 * on which they are, or will be, pinned.
 */
#ifndef SP_TERMS_TERMS_H
#define SP_TERMS_TERMS_H

#include "cut/cut.h"
#include "decide/division.h"
#include "decide/job_terms.h"
#include "decide/others.h"

/* A set of CPUs and the ranks that divide it.  Nothing is owned. */
struct sp_group {
	const struct sp_cpus *cpus;	/* other than view->allowed: other jobs of the user may use CPUs outside of this set */
	uint32_t nranks;		/* view->near counts where these are all ranks of the view */
	const uint32_t *need;		/* of each, as in struct sp_demand, or SP_NEED_FIXED */
};

/*
 * Find the terms beside other jobs.  With SP_TERMS_SHARED taken is empty, and
 * so is the claim, unless the ranks are confined, and no other job has cores or
 * there is a thread for each core that others leave: these cores are then claimed,
 * or the whole set if there is a thread for each of its cores, since threads of
 * other jobs may be elsewhere.  The claim is also empty where the cut fails.
 *
 *   owner   the shares of all ranks: for each of view->machine->pu a rank or
 *           SP_NOBODY; undefined on an error; NULL: not wanted
 *   cut     its figures, where owner is wanted; there are none with SP_TERMS_SHARED
 *
 * Returns 0, or as sp_terms_share.
 */
int sp_terms_find(const struct sp_view *view, const struct sp_group *group, const struct sp_other_jobs *others, struct sp_terms *terms,
		  uint32_t owner[], struct sp_cut *cut);

/* What the terms of a job are for those of its ranks that divide these CPUs; sp_terms_on: the same, by which their shares are cut. */
enum sp_terms_how sp_terms_how_on(const struct sp_terms *terms, const struct sp_cpus *cpus);
void sp_terms_on(const struct sp_terms *terms, const struct sp_cpus *cpus, struct sp_terms *on);

/*
 * Find the share of a rank (below nranks) on these terms, which must not be
 * SP_TERMS_SHARED.  cut: figures of the cut.  Returns as sp_cut_by_need, and
 * -EINVAL for a rank of fixed need; share and cut are untouched on error.
 */
int sp_terms_share(const struct sp_view *view, const struct sp_group *group, const struct sp_terms *terms, uint32_t rank,
		   struct sp_cpus *share, struct sp_cut *cut);

/* Whether threads that were on the cores claimed for `before` threads of a share are still there where it is for `now`. */
bool sp_claim_stays(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t before, uint32_t now, enum sp_bind bind);

/* Add to a claim the cores of a share on which this many threads (0: not known) run. */
void sp_claim_add(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t threads, enum sp_bind bind,
		  struct sp_cpus *claim);

/*
 * Narrow a share to the cores that this many threads (0: not known) take, for a
 * runtime that binds its threads itself.  A single thread is bound to the first core;
 * the share stays, or a team that comes nevertheless would be bound to that one, too.
 *
 *   one_a_core   the runtime uses one hardware thread after the other: the share
 *                has one of each core as long as there is a core for each thread
 */
void sp_terms_narrow(const struct sp_machine *machine, uint32_t threads, enum sp_bind bind, bool one_a_core, struct sp_cpus *share);

/*
 * Claim a core for each thread of view->grown: first those of the rank's share
 * that nobody else has claimed meanwhile, then the nearest idle ones.  Returns
 * whether there are enough; otherwise share and terms are untouched.
 */
bool sp_terms_grow(const struct sp_view *view, const struct sp_other_jobs *others, struct sp_terms *terms);

#endif
