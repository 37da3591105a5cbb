#ifndef SHOW_JOBS_WITHOUT_H
#define SHOW_JOBS_WITHOUT_H

#include "cmd/show/running.h"

/*
 * The jobs that run without splitpin, of a user or of all (owner NULL): read
 * after the jobs with splitpin, once more to see which threads are busy, and
 * then checked for collisions.
 */
void jobs_without_read(const uid_t *owner, struct show *show);
void jobs_without_read_again(struct show *show);
void jobs_without_find_faults(struct show *show);
void jobs_without_release(struct show *show);

/*
 * Look at one process, and read its threads once.  Returns the job to which it was
 * added as the last one, in show until another is added; NULL: it belongs to no
 * job, or not yet.
 */
struct show_other *jobs_without_add(struct show *show, pid_t pid);
void jobs_without_release_one(struct show_other *other);

/* How many of its threads were busy when they were read last. */
uint32_t jobs_without_busy(const struct show_other *other);

/* What people call the job of a rank that lives: by its launcher and program, or its number in Slurm; the caller's. */
char *jobs_without_job_name(pid_t rank, const char *program);

#endif
