/*
 * Two processes that count as one rank: a script gave both the same number, or
 * the node has two names for their launcher.
 */
#ifndef SP_DOUBLE_H
#define SP_DOUBLE_H

#include "engine/state.h"

/*
 * Warn of another process that has this rank's seat, where neither of the two
 * processes has started the other.
 */
void sp_double_report(const struct sp_state *self);

#endif
