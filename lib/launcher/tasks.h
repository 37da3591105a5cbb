/*
 * How many ranks of a job are on this node, where its launcher tells only how
 * many there are on all nodes (Flux): its children on this node are counted.
 */
#ifndef SP_TASKS_H
#define SP_TASKS_H

#include <sys/types.h>

#include "rank.h"

/*
 * Correct the local size of a rank of Flux's on several nodes.
 *
 *   pid          the process; where it is the caller, its launcher may still be
 *                starting tasks, and is waited for: until there are as many as on
 *                nodes that have equally many, or the last began a fifth of a
 *                second ago; for 2 s at most
 *   environment  its own, as sp_launcher_rank was given it
 *   rank         as sp_launcher_rank filled it in; unchanged on one node, and
 *                where the processes above it cannot be read
 */
void sp_tasks_count(pid_t pid, char *const environment[], struct sp_rank *rank);

#endif
