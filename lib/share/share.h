/*
 * Finds the share of this rank from the masks, the machine and the other ranks.
 *
 *   the mask is as wide as allowed,   the launcher did not bind: all ranks of
 *   and as the launcher's             the node cut the allowed set
 *   it is narrower                    the ranks agree (agree.h)
 */
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "node/situation.h"
#include "decide/portion.h"

/*
 * Find the share of this rank.  If the mask is narrower than allowed, this rank
 * writes its record on the board, and waits for ranks that are about to start.
 *
 * A process that a rank has started, or that runs beside it under the same
 * number, finds the rank's seat taken: it gets the rank's share, unless its mask
 * lacks a part of that share; it then keeps the mask.  A rank
 * that had a share before it started or executed another program keeps that
 * share.
 *
 * Returns 0; -ENOSPC: fewer CPUs than ranks, nothing is to be changed (why is
 * the message for the user); or another negative errno of the cut.
 */
int sp_share_find(const struct sp_situation *situation, struct sp_rank_share *share);

/* Fill in the CPUs that all ranks of the node divide.  False: there are none, since ranks or groups of them have their own. */
bool sp_share_domain(const struct sp_situation *situation, struct sp_cpus *cpus);

/*
 * Find the share again once all ranks have come, on the terms in the
 * situation.  Returns as sp_share_find; or 1: the share does not change, and
 * share is untouched.
 */
int sp_share_again(const struct sp_situation *situation, struct sp_rank_share *share);

#endif
