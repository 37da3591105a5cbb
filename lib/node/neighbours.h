/*
 * Finds who else uses the node: the user's other jobs, by their boards; and
 * threads of other users, of containers and of programs without splitpin, by
 * the CPUs to which these threads are pinned; and ranks of these that are
 * starting, by their masks.
 */
#ifndef SP_NEIGHBOURS_H
#define SP_NEIGHBOURS_H

#include <sys/types.h>

#include "decide/others.h"
#include "node/situation.h"

/*
 * Fill in *others.  Of the situation the job, rank, config, machine and allowed
 * are read; launcher: that of the calling process; 0: it is searched for;
 * SP_NO_LAUNCHER: none can be seen.
 * Nothing is found where the setting is to ignore other jobs
 * (SPLITPIN_NEIGHBOURS), or in a dry run.
 *
 * All pinned threads together count as one more job.  Processes started by the
 * launcher of the calling process do not count; nor, where no launcher is an
 * ancestor, processes started by what started the ranks (sp_job_starter).
 *
 * Reads /proc, which takes longer the more processes there are: the rank that
 * makes the board calls it, under the lock of all jobs (boards of dead jobs are
 * removed then) and again when it has its mask, and later a rank whose terms do
 * not tell what was found, or name cores that no job claims any more.
 *
 * Returns 0 or -E2BIG: there are more boards than are examined.
 */
#define SP_NO_LAUNCHER (-1)
int sp_others_find(const struct sp_situation *situation, pid_t launcher, struct sp_other_jobs *others);

#endif
