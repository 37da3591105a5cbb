#ifndef SHOW_OTHERS_H
#define SHOW_OTHERS_H

#include "cmd/show/running.h"

/*
 * The jobs that run without splitpin: those of a user, or of all (owner
 * NULL), after the jobs with splitpin have been read; once more for what is busy;
 * and then what collides.
 */
void others_read(const uid_t *owner, struct show *show);
void others_read_again(struct show *show);
void others_find_faults(struct show *show);
void others_release(struct show *show);
/* What people call the job of a rank that lives: by its launcher and program, or its number in Slurm; the caller's. */
char *others_job_name(pid_t rank, const char *program);

#endif
