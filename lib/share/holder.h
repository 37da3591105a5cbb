/* The share that other processes of the same rank, or its earlier programs, have on its seat. */
#ifndef SP_HOLDER_H
#define SP_HOLDER_H

#include "node/situation.h"
#include "decide/portion.h"

/*
 * The share of the process that has the rank's seat; waits for one that is about
 * to settle.  Returns 1: no other process has the seat, which is in *seat then, or
 * untouched where nobody ever had it; otherwise as sp_share_find.
 */
int sp_share_of_holder(const struct sp_situation *situation, struct sp_seat *seat, struct sp_rank_share *share);

/*
 * Whether an earlier program of the rank, with the same list of CPUs if any, has
 * left a share, around which the other ranks' shares are cut.  *share is that then.
 */
bool sp_share_is_fixed(const struct sp_situation *situation, const struct sp_seat *seat, struct sp_rank_share *share);

/*
 * Whether splitpin, not the launcher, narrowed the mask: an OpenMP program has
 * executed this one, or has started it and ended.  Fills in whether others have it too.
 */
bool sp_share_is_of_before(const struct sp_situation *situation, const struct sp_seat *seat, struct sp_rank_share *share);

/* Record a refusal on the seat, so that other processes of the rank need neither compute nor report it again. */
void sp_share_refuse(const struct sp_situation *situation, const struct sp_rank_share *share);

#endif
