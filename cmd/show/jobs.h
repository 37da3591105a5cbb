#ifndef SHOW_JOBS_H
#define SHOW_JOBS_H

#include "cmd/show/running.h"

/*
 * Read the living jobs of a user (of all users if owner is NULL) and their
 * threads, twice within a twentieth of a second to see which are busy.  There
 * is a warning for a job that cannot be read.  Returns 0, or a negative errno where /dev/shm
 * cannot be listed.
 */
int jobs_read(const uid_t *owner, struct show *show);
void jobs_release(struct show *show);

#endif
