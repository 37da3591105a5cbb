/*
 * A node that has two names for its launcher, or two of its daemons: the
 * launcher counts the ranks of each from 0, so that two ranks have the same
 * number, or are on two boards.
 */
#ifndef SP_TWO_NAMES_H
#define SP_TWO_NAMES_H

#include <sys/types.h>

#include "report/node.h"

/* A process of the same launch that is on another board of this node; 0: none, or unknown. */
pid_t sp_names_find(const struct sp_node *node);

/* Warn of it, once for all boards of the launch: the calling rank and this process are on one node. */
void sp_names_warn(const struct sp_node *node, pid_t other);

#endif
