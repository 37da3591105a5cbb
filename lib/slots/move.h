/* Which thread should move to a freed place.  Changes nothing. */
#ifndef SP_SLOTS_MOVE_H
#define SP_SLOTS_MOVE_H

#include "slots/occupancy.h"

/*
 * Find the slot whose thread gains most on the freed core.  Of equals a
 * provisional one is preferred, then the last, since the first thread of a team is
 * the one that has memory where it is.  Threads on the freed core itself change
 * their place only if that is provisional.  NULL: none gains.
 */
struct slot *sp_slots_find_mover(struct sp_slots *slots, uint32_t freed);

#endif
