/*
 * The name of the job that a rank belongs to, alike in all its ranks on a node
 * and in no other job's.
 */
#ifndef SP_JOB_H
#define SP_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "rank.h"

#define SP_JOB_NAME 320		/* room for a name */

/*
 * Write the name into text: that of PMIx's name space, of Slurm's step or of
 * the manager's job, if the rank is read from its variables; else of the nearest
 * ancestor process that is no rank of the job, by pid and start time.  The
 * number of ranks is a part of it: one process may start two jobs (a shell,
 * with SPLITPIN_LOCAL_RANK).
 *
 * A shell that sets SPLITPIN_LOCAL_RANK for itself alone, and then starts the
 * program instead of executing it, is taken for the launcher.
 *
 * Returns 0, or a negative errno where /proc cannot be read.
 */
int sp_job_name(const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME]);

/* The same for another process of this user: its rank, its environment. */
int sp_job_name_of(pid_t pid, const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME]);

/*
 * The number or name that the batch system gave the job of this environment,
 * as its users know it ("4711"); NULL: there is none.  Several launches of one
 * batch job have the same.
 */
const char *sp_job_batch_id(char *const environment[]);

/* Whether a name is that of an ancestor process (or, of a job without a launcher, of the process itself). */
bool sp_job_is_named_by_ancestor(const char *name);

/*
 * Whether MPI_Comm_spawn started this process: it then counts its ranks anew,
 * beside those of its parents.
 */
bool sp_job_is_spawned(char *const environment[]);

#endif
