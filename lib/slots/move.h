/* Which thread is to move to a place that fell free.  Nothing is changed. */
#ifndef SP_SLOTS_MOVE_H
#define SP_SLOTS_MOVE_H

#include "slots/occupancy.h"

/*
 * The slot to which a place on the freed core helps most: a makeshift one
 * before others, and of these the last, since the first thread of a team is the
 * one whose memory is there.  On that core itself only a makeshift one moves.
 * NULL: none.
 */
struct slot *sp_slots_find_mover(struct sp_slots *slots, uint32_t freed);

#endif
