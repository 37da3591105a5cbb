/*
 * What hwloc prints about a source.  It prints on standard error, and only if
 * variables ask for that when it first looks (private_env.h).
 *
 * The state belongs to sp_topology_listen: ranks never call it, and all of this
 * does nothing then.
 */
#ifndef SP_SAID_H
#define SP_SAID_H

#include <stdbool.h>

bool sp_said_listens(void);

/* Turn standard error aside before hwloc works, and back afterwards, when what it printed is kept for sp_topology_said. */
void sp_said_begin(void);
void sp_said_end(void);

/* Keep for sp_topology_said what is wrong, one line, of what any hwloc of version 2 prints. */
void sp_said_keep(const char *text);

#endif
