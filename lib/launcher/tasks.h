/*
 * Whether this node has as many ranks of a job as its launcher's variables let
 * expect.  Flux tells how many all nodes have; that is divided evenly, which is
 * wrong where nodes are unlike.
 */
#ifndef SP_TASKS_H
#define SP_TASKS_H

#include <stdbool.h>

#include "rank.h"

/* Whether the variables of the rank's launcher tell how many ranks this node has. */
bool sp_tasks_are_told(const struct sp_rank *rank, char *const environment[]);

/*
 * Whether the launcher of the calling process has so many children on this node.
 *
 * Waits while it starts them: until there are more, or it sleeps and the youngest
 * has executed the task; or until there is no progress (process/patience.h).
 * False also where its processes cannot be read, or a task has ended.
 */
bool sp_tasks_are(uint32_t local_size);

#endif
