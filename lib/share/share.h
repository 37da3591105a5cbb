/*
 * Whose CPUs: from masks, machine and the other ranks to the share of this one.
 *
 *   the mask is as wide as allowed,   the launcher did not bind: all ranks of
 *   and as the launcher's             the node cut the allowed set
 *   it is narrower                    the ranks agree (agree.h)
 */
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "node/situation.h"
#include "share/shared.h"

/*
 * Find the share of this rank.  Where the mask is narrower than allowed the
 * own record is written, and ranks that are about to come are waited for.
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

/* The CPUs that all ranks of the node divide, filled in; false: each has some of its own. */
bool sp_share_domain(const struct sp_situation *situation, struct sp_cpus *cpus);

/*
 * The same once all ranks have come, on the terms in the situation.  1: it stays
 * what it is, and shared is untouched.
 */
int sp_share_again(const struct sp_situation *situation, struct sp_shared *shared);

#endif
