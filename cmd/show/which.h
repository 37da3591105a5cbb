#ifndef SHOW_WHICH_H
#define SHOW_WHICH_H

#include <sys/types.h>

#include "cmd/show/running.h"

/* The name of what this process starts, or is: "mpirun-4711"; the caller's, to free(). */
char *jobs_name(const char *program, pid_t pid);

/*
 * The name of a job as one word, which jobs_pick takes and every shell leaves as
 * it is: "mpirun-4711", "slurm-17.0"; the caller's, to free().
 */
char *jobs_word(const char *name);

/*
 * Want the jobs that a word of the user's names: by a part of their name, a
 * rank's process or thread, or else by what has started them (mpirun, srun, a
 * script).  "mpirun[4711]" is "mpirun-4711".  NULL: all.  Returns whether there is any.
 */
bool jobs_pick(struct show *show, const char *which);

#endif
