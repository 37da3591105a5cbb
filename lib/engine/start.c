#include "engine/start.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/starters.h"
#include "base/text.h"
#include "launcher/ancestors.h"

bool
sp_start_is_later(void)
{
	size_t length;
	char *arguments = sp_process_arguments(getpid(), &length);
	const char *name = arguments && length ? sp_last_part(arguments) : "";
	bool is = (sp_starts(name, strlen(name)) & SP_STARTS_ONE) || (*name && sp_ancestors_name(arguments, length));

	free(arguments);
	return is;
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
