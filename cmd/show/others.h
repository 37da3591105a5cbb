#ifndef SHOW_OTHERS_H
#define SHOW_OTHERS_H

#include "cmd/show/running.h"

/*
 * The jobs that run without splitpin, of a user or of all (owner NULL): read
 * after the jobs with splitpin, once more to see which threads are busy, and
 * then checked for collisions.
 */
void others_read(const uid_t *owner, struct show *show);
void others_read_again(struct show *show);
void others_find_faults(struct show *show);
void others_release(struct show *show);
/* What people call the job of a rank that lives: by its launcher and program, or its number in Slurm; the caller's. */
char *others_job_name(pid_t rank, const char *program);

#endif
