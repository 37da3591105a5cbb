/*
 * A rank meets the others of its node: opens the job's board, or makes it.
 * The one that makes it discovers the machine for all.
 */
#ifndef SP_MEET_H
#define SP_MEET_H

#include "board/board.h"
#include "settings/config.h"
#include "cpus.h"
#include "launcher/launcher.h"
#include "machine.h"

/* machine and board are the caller's; either may be NULL after an error. */
struct sp_meeting {
	struct sp_machine *machine;	/* the whole node */
	struct sp_board *board;		/* NULL: decide without one */
	struct sp_cpus taken;		/* by other jobs, to be left to them */
	const char *note;		/* for those who ask why, or NULL */
	bool node_is_shared;		/* with other jobs, for want of free cores; known to the one that made the board */
	bool discovered;		/* this rank read the topology */
	const char *problem;		/* why there is no board; NULL: nothing is wrong, or another rank tells */
};

/*
 * allowed: NULL means all CPUs of the machine (a dry run for another one).
 * bound: the mask of this rank is narrower than allowed, so that it cannot
 * tell what the job will take.
 *
 * Returns 0, or a negative errno: the machine cannot be read (meeting->problem
 * says why, as a static text or one of dlerror).
 */
int sp_meet(const struct sp_rank *rank, const struct sp_config *config, char *const environment[],
	    const struct sp_cpus *allowed, bool bound, struct sp_meeting *meeting);

#endif
