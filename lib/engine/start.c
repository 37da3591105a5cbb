#include "engine/start.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/starters.h"
#include "base/text.h"
#include "launcher/ancestors.h"
#include "launcher/job.h"

/* Whether the calling process is a launcher, or a program that starts others, as these say. */
static bool
is_starter(unsigned starts)
{
	size_t length;
	char *arguments = sp_process_arguments(getpid(), &length);
	const char *name = arguments && length ? sp_last_part(arguments) : "";
	bool is = (sp_starts(name, strlen(name)) & starts) || (*name && sp_ancestors_name(arguments, length));

	free(arguments);
	return is;
}

/* Whether the rank was bound to CPUs of which another job of the user has claimed some. */
static bool
is_on_claimed_cores(const struct sp_rank *rank, char *const environment[])
{
	static struct sp_other_jobs others;	/* used by the one thread that settles; its stack may be small */
	struct sp_cpus mask, allowed;
	char job[SP_JOB_NAME];

	if (sp_pin_get(0, &mask) != 0 || sp_job_name(rank, environment, job) != 0)
		return false;
	sp_board_other_jobs(job, &others);
	return sp_cpus_intersect(&mask, &others.taken) && sp_pin_allowed(&allowed) == 0 && !sp_cpus_within(&allowed, &mask);
}

bool
sp_start_is_later(const struct sp_rank *rank, char *const environment[])
{
	/* A shell may set variables for what it starts, by which more cores are due. */
	if (rank->is_bound_alone)
		return is_starter(UINT_MAX) || !is_on_claimed_cores(rank, environment);
	return rank->from_start && is_starter(SP_STARTS_ONE);
}

void
sp_start_undo(struct sp_state *self)
{
	struct sp_seat seat;

	if (self->config.dry_run || !self->joined.board ||
	    sp_board_read(self->joined.board, self->rank.local_rank, &seat) != 0 || !seat.keeper.pid ||
	    !sp_board_is_own(self->joined.board, &seat) || !sp_cpus_equal(&seat.kept, &self->inherited) ||
	    sp_pin_process(&seat.kept, &seat.inherited) != 0)
		return;
	self->inherited = seat.inherited;
	self->before = seat.kept;
}

void
sp_start_leave(struct sp_state *self)
{
	if (self->pid == getpid() && sp_state_has_seat(self))
		sp_board_leave(self->joined.board, self->rank.local_rank, 0);
}

void
sp_start_end(struct sp_state *self, enum sp_by by)
{
	pthread_mutex_lock(&self->changing);
	self->by = by;
	sp_state_write_seat(self, self->is_ready ? SP_SEAT_READY : SP_SEAT_SETTLED);
	pthread_mutex_unlock(&self->changing);
}
