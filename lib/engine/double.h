/*
 * Two processes that count as one rank: a script gave both the same number, or
 * the node has two names for their launcher.
 */
#ifndef SP_DOUBLE_H
#define SP_DOUBLE_H

#include "engine/state.h"
#include "process/process.h"
#include "report/node.h"

/*
 * Find another process that has this rank's seat, where neither of the two
 * processes has started the other; pid 0: there is none, or there is no board
 * or launcher.
 */
struct sp_process sp_double_find(const struct sp_state *self);

/* Warn of the other process, once for the job. */
void sp_double_warn(const struct sp_state *self, const struct sp_node *of_rank, const struct sp_process *other);

#endif
