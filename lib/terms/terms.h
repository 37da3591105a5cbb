/*
 * On which terms a job uses the node, and what share of it that gives a rank.
 * Pure.
 *
 *   alone    no other job has cores: the ranks divide all cores
 *   beside   others have: the ranks divide what is left, no more than they need,
 *            as long as there is a core for each thread; or, where threads are
 *            not announced, as long as that is half of an even part of the node
 *            (allowed cores / jobs) and a core for each rank
 *   shared   too little is left; or no other job has cores, the ranks have more
 *            threads than there are CPUs, not all of them as many, and a part of
 *            the CPUs would have more threads on it than all together have,
 *            unless the user's settings say which cores or places they get.
 *            Nothing is divided and nothing pinned: the kernel balances, now and
 *            when the others have ended
 *
 * A job leaves to others what its threads do not need: its claim are the cores
 * on which they are, or will be, pinned.
 */
#ifndef SP_TERMS_TERMS_H
#define SP_TERMS_TERMS_H

#include "board/board.h"
#include "cut/cut.h"
#include "machine.h"
#include "slots/slots.h"

/* Ranks that divide a set of CPUs.  Nothing is owned. */
struct sp_sharing {
	const struct sp_machine *machine;	/* the whole node */
	const struct sp_policy *policy;
	enum sp_bind bind;		/* how the ranks' threads lie in their shares */
	bool has_places;		/* their runtimes bind them: the kernel can balance none */
	const struct sp_near *near;	/* of a rank: beside its GPUs; NULL: no rank is to be beside any */
	const struct sp_cpus *cpus;	/* that they divide */
	bool is_confined;		/* others of the user's jobs may use CPUs beside these */
	uint32_t nranks;
	const uint32_t *need;		/* of each, as in struct sp_demand, or SP_NEED_FIXED */
};

/*
 * The terms beside other jobs.  taken is empty where the cpus are shared; so is
 * the claim there, unless the ranks are confined and no other job has cores: these
 * CPUs are then claimed as a whole; and where the cut fails.
 */
void sp_terms_find(const struct sp_sharing *sharing, const struct sp_other_jobs *others, struct sp_terms *terms);

/*
 * The share of a rank (below nranks; of fixed need: -EINVAL) on these terms, which
 * are not shared ones.  cut: what the cut came to.  Returns as sp_cut_by_need;
 * share and cut are untouched on error.
 */
int sp_terms_share(const struct sp_sharing *sharing, const struct sp_terms *terms, uint32_t rank,
		   struct sp_cpus *share, struct sp_cut *cut);

/*
 * The shares of all ranks at once: owner has an entry for each of sharing->machine->pu,
 * a rank or SP_NOBODY; undefined on error.  Else as sp_terms_share.
 */
int sp_terms_cut(const struct sp_sharing *sharing, const struct sp_terms *terms, uint32_t owner[], struct sp_cut *cut);

/* Add the cores of a share on which so many threads (0: not known) lie to a claim. */
void sp_claim_add(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t threads, enum sp_bind bind,
		  struct sp_cpus *claim);

/*
 * Narrow a share for a runtime that binds its threads itself to the cores that so
 * many threads (0: not known) take.
 *
 *   one_a_core   it takes one hardware thread after the other: it gets one of each
 *                core as long as there is a core for each thread
 */
void sp_terms_narrow(const struct sp_machine *machine, uint32_t threads, enum sp_bind bind, bool one_a_core, struct sp_cpus *share);

/* A rank that has a team for which it has not claimed cores.  Nothing is owned. */
struct sp_growth {
	const struct sp_machine *machine;
	enum sp_bind bind;
	const struct sp_cpus *open;	/* of which it may have more where nobody has claimed the core */
	const struct sp_cpus *taken;	/* that other jobs claim */
	uint32_t need;			/* threads for which it has claimed cores so far; 0: all of its share */
	uint32_t team;			/* threads that it has now */
};

/*
 * Claim cores for such a team: those of its share that no other rank has claimed
 * meanwhile, then the nearest idle ones.  Returns whether there are any; the
 * share and the terms (claim, threads) are untouched if not.
 */
bool sp_terms_grow(const struct sp_growth *growth, struct sp_terms *terms, struct sp_cpus *share);

#endif
