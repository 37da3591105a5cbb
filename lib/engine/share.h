/*
 * Whose CPUs: from masks, machine and the other ranks to the share of this one.
 *
 *   the mask is as wide as allowed   the launcher did not bind: all ranks of
 *                                    the node cut the allowed set
 *   it is narrower                   the ranks that inherited the same mask
 *                                    are a group, which cuts it; one that is
 *                                    alone with its mask keeps it
 *
 * All but sp_share_find is pure.
 */
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "board/board.h"
#include "settings/config.h"
#include "cpus.h"
#include "launcher/launcher.h"
#include "machine.h"

/* What a rank knows when it looks for its share; nothing is owned. */
struct sp_situation {
	const struct sp_config *config;
	const struct sp_rank *rank;
	const struct sp_machine *machine;	/* the whole node */
	const struct sp_cpus *inherited, *allowed;
	const struct sp_cpus *taken;	/* by other jobs, to be left to them */
	struct sp_board *board;		/* NULL: no other rank can be seen */
	bool spawned;			/* beside ranks that a board of another job has */
};

struct sp_shared {
	struct sp_cpus share;
	char why[SP_WHY];	/* one sentence */
	struct sp_process child_of;	/* another process that is this rank already; pid 0: none */
	bool may_be_others;	/* other ranks may have the same CPUs: threads are better left unpinned */
	bool speaks;		/* on -ENOSPC: of the ranks to which it happens this is the first */
	bool waited_in_vain;	/* not all ranks of the node came, and this is the first to give up */
};

/*
 * Find the share of this rank.  Where the mask is narrower than allowed the
 * own seat is written and the others are waited for, config->wait_ms at most.
 *
 * A process that a rank has started, or that runs beside it under the same
 * number, finds that one's seat taken: it gets that one's share, unless it was
 * given a mask that leaves out a part of it, which it keeps.  A rank that had
 * a share before it started or executed another program has it still.
 *
 * Returns 0; -ENOSPC: fewer CPUs than ranks, nothing is to be changed (why
 * says it for the user); or another negative errno of the cut.
 */
int sp_share_find(const struct sp_situation *situation, struct sp_shared *shared);

/*
 * What a job that is about to start takes, all ranks together, if none is
 * bound: of what is allowed, without what is taken where that leaves a core
 * for each rank; else taken is emptied: the node is shared.
 */
int sp_share_claim(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		   const struct sp_cpus *allowed, struct sp_cpus *taken, struct sp_cpus *claim);

#endif
