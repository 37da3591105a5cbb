/* The sruns of this node that may have started a task: they are no ancestors of it. */
#ifndef SP_SRUNS_H
#define SP_SRUNS_H

#include <stddef.h>
#include <sys/types.h>

#include "launcher/ancestors.h"

/*
 * Those of this user that run in the job of this task, or in none while no other
 * does; at most max.  Returns how many were filled in; sp_ancestors_release
 * releases them.
 */
size_t sp_sruns_read(pid_t rank, struct sp_ancestor ancestor[], size_t max);

#endif
