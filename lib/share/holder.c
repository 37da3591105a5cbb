#include "share/holder.h"

#include <errno.h>
#include <stdio.h>

#include "process/patience.h"

/*
 * Whether another process has this rank's seat, or this one was refused a share
 * before an exec.  Waits for a process that is about to settle.
 */
static bool
find_holder(const struct sp_situation *s, struct sp_seat *seat)
{
	struct sp_patience patience = sp_patience_begin(0, s->config->wait_ms);

	do {
		if (sp_board_read(s->board, s->rank->local_rank, seat) != 0)
			return false;
		if (sp_board_is_own(s->board, seat))
			return seat->state == SP_SEAT_REFUSED;
		if (seat->state >= SP_SEAT_REFUSED)
			return true;
		if (seat->state == SP_SEAT_LEFT && sp_board_arrive(s->board, s->rank->local_rank, false) != -EBUSY) {
			sp_board_read(s->board, s->rank->local_rank, seat);
			return false;
		}
		patience.pid = sp_process_here(&seat->process);
	} while (sp_patience_nap(&patience));
	return true;
}

/* Whether a process has the mask with which the rank's processes start: the launcher's, or that of the rank from its start. */
static bool
is_as_started(const struct sp_cpus *mask, const struct sp_seat *seat)
{
	return sp_cpus_equal(mask, &seat->inherited) || (seat->keeper.pid && sp_cpus_equal(mask, &seat->kept));
}

static void
share_of_other(const struct sp_situation *s, const struct sp_seat *seat, struct sp_rank_share *share)
{
	share->child_of = seat->process.pid;
	share->may_be_others = true;
	share->cpus = *s->inherited;
	if (seat->state < SP_SEAT_SETTLED) {
		snprintf(share->why, sizeof(share->why), "process %d already is this rank and has no share yet: the inherited mask is kept, and threads are not pinned",
			 (int)seat->process.pid);
	} else if (!sp_cpus_within(&seat->share, s->inherited) && !is_as_started(s->inherited, seat)) {
		snprintf(share->why, sizeof(share->why), "process %d already is this rank, and this process has another mask, which is kept: threads are not pinned",
			 (int)seat->process.pid);
	} else {
		share->cpus = seat->share;
		snprintf(share->why, sizeof(share->why), "process %d already is this rank: its share is used, and threads are not pinned",
			 (int)seat->process.pid);
	}
}

int
sp_share_of_holder(const struct sp_situation *s, struct sp_seat *seat, struct sp_rank_share *share)
{
	if (!find_holder(s, seat))
		return 1;
	if (seat->state == SP_SEAT_REFUSED) {
		snprintf(share->why, sizeof(share->why), "%s", seat->why);
		return -ENOSPC;
	}
	share_of_other(s, seat, share);
	return 0;
}

void
sp_share_refuse(const struct sp_situation *s, const struct sp_rank_share *share)
{
	struct sp_seat seat = { .state = SP_SEAT_REFUSED, .threads = s->threads, .inherited = *s->inherited };

	snprintf(seat.why, sizeof(seat.why), "%s", share->why);
	sp_board_write(s->board, s->rank->local_rank, &seat);
}

static void
read_ownership(const struct sp_seat *seat, struct sp_rank_share *share)
{
	share->may_be_others = seat->ownership == SP_MAY_BE_OTHERS || seat->ownership == SP_NODE_SHARED;
	share->is_node_shared = seat->ownership == SP_NODE_SHARED;
}

bool
sp_share_is_fixed(const struct sp_situation *s, const struct sp_seat *seat, struct sp_rank_share *share)
{
	if (s->need[s->rank->local_rank] != SP_NEED_FIXED || !sp_cpus_intersect(&seat->share, s->allowed) || seat->list != s->list)
		return false;
	share->cpus = seat->share;
	sp_cpus_and(&share->cpus, s->allowed);
	share->is_kept = true;
	read_ownership(seat, share);
	snprintf(share->why, sizeof(share->why), "the rank had this share in an earlier program");
	return true;
}

bool
sp_share_is_of_before(const struct sp_situation *s, const struct sp_seat *seat, struct sp_rank_share *share)
{
	if (!s->board || seat->keeper.pid || !sp_board_is_own(s->board, seat) || !sp_cpus_equal(&seat->share, s->inherited))
		return false;
	read_ownership(seat, share);
	return true;
}
