/*
 * The place for a thread.  The table of its team assigns one; which places are
 * taken decides, because threads of an earlier team may still be there.
 * Nothing is changed.
 */
#ifndef SP_SLOTS_CHOOSE_H
#define SP_SLOTS_CHOOSE_H

#include "slots/occupancy.h"

/* What the table of its team assigns to a slot's thread. */
struct assignment sp_slots_assignment(const struct sp_slots *slots, const struct slot *slot);

/* The place on a core for a thread of a team: all of it if it can be had, else the CPU with the fewest threads. */
struct place sp_slots_place_on(const struct sp_slots *slots, uint32_t core, uint32_t team, uint32_t near);

/* The place for a slot that has none. */
struct place sp_slots_choose(struct sp_slots *slots, const struct slot *slot);

#endif
