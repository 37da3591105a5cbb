#include "engine/double.h"

#include "base/log.h"
#include "launcher/launchers.h"
#include "report/two_names.h"

/* pid 0: there is none, or there is no board or launcher. */
static struct sp_process
find(const struct sp_state *self)
{
	const struct sp_process none = { 0 };
	struct sp_seat seat;
	struct sp_process own;

	if (!self->joined.board || sp_launcher_find(self->rank.from) == SP_LAUNCHERS ||
	    sp_board_read(self->joined.board, self->rank.local_rank, &seat) != 0 || seat.state <= SP_SEAT_LEFT ||
	    sp_board_is_own(self->joined.board, &seat) || sp_process_self(&own) != 0 ||
	    sp_process_is_ancestor(seat.process.pid, &own) || sp_process_is_ancestor(own.pid, &seat.process))
		return none;
	return seat.process;
}

/* Warn that two processes have one number: a job script that sets the number of a rank sets it for all ranks. */
static void
warn_of_number(const struct sp_state *self, pid_t other)
{
	if (self->rank.local_size > 1 && sp_say_once(self, NULL, SP_OF_RANKS, "SPLITPIN_LOCAL_RANK"))
		sp_warn_rank(&self->who, "SPLITPIN_LOCAL_RANK=%u is set in processes %d and %d of this job, which count as one rank: give each a number of its own, or unset it if the launcher gives one",
			     self->rank.local_rank, (int)other, (int)self->pid);
}

void
sp_double_report(const struct sp_state *self)
{
	const struct sp_process other = find(self);

	if (!other.pid)
		return;
	const struct sp_node of_rank = sp_state_node(self);
	if (sp_launcher_find(self->rank.from) == SP_LAUNCHER_USER)
		warn_of_number(self, other.pid);
	else if (sp_process_here(&other))
		sp_names_warn(&of_rank, sp_process_here(&other));
}
