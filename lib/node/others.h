/*
 * Who else uses the node: the user's other jobs, by their boards, and threads of
 * other users, of containers and of programs without splitpin, by the CPUs to
 * which they are pinned.
 */
#ifndef SP_OTHERS_H
#define SP_OTHERS_H

#include <sys/types.h>

#include "board/board.h"
#include "machine.h"
#include "settings/config.h"

/* Who asks. */
struct sp_asker {
	const char *job;		/* its own board does not count */
	const struct sp_config *config;
	const struct sp_machine *machine;
	const struct sp_cpus *allowed;
	pid_t launcher;			/* of the calling process; 0: it is looked for */
};

/*
 * Fill in *others.  Nothing is found where the user shares the node with his
 * other jobs (SPLITPIN_NEIGHBOURS) or only plans.
 *
 * Threads that are pinned count as one more job.  What the launcher of the
 * calling process has started does not, nor, where no launcher is an ancestor,
 * what its parent has.
 *
 * One rank of a job asks, under the lock under which boards are made; boards of
 * dead jobs are removed on the way.
 *
 * Returns 0 or -E2BIG: there are more boards than are looked at.
 */
int sp_others_find(const struct sp_asker *asker, struct sp_other_jobs *others);

#endif
