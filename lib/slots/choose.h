/*
 * Choose the place of a thread: the one that the table of its team assigns,
 * unless threads of an earlier team, or of other pools, occupy it; and the thread
 * that is to move to a place which is free again.  Changes nothing.
 */
#ifndef SP_SLOTS_CHOOSE_H
#define SP_SLOTS_CHOOSE_H

#include "slots/occupancy.h"

/* What the table of its team assigns to a slot's thread. */
struct assignment sp_slots_assignment(const struct sp_slots *slots, const struct slot *slot);

/*
 * The best place on a core for a thread of a team: the core as a whole, if that
 * is free and the team has whole cores; else the CPU with the fewest threads,
 * and of these the nearest to CPU `near` of the core, from 0.
 */
struct place sp_slots_place_on(const struct sp_slots *slots, uint32_t core, uint32_t team, uint32_t near);

/* The place for a slot that occupies none. */
struct place sp_slots_choose(struct sp_slots *slots, const struct slot *slot);

/* Whether threads may not be pinned to a core, since the rank has not claimed it. */
bool sp_slots_is_unclaimed(const struct sp_slots *slots, uint32_t core);

/*
 * Find the slot whose thread gains most on the freed core.  Of equals a
 * provisional one is preferred, then the last, since the first thread of a team is
 * the one that has memory where it is.  Threads on the freed core itself change
 * their place only if that is provisional.  NULL: none gains.
 */
struct slot *sp_slots_find_mover(struct sp_slots *slots, uint32_t freed);

#endif
