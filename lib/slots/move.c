#include "base/order.h"
#include "slots/choose.h"
#include "slots/move.h"

/*
 * What this slot would win by a move to the freed core: first threads of its
 * pool fewer on its core, then threads at all.  0: nothing.
 */
static uint64_t
gain(const struct sp_slots *slots, const struct slot *slot, uint32_t freed)
{
	const uint32_t *own = sp_slots_rivals(slot);
	uint32_t core = slot->place.core;
	uint32_t here = slots->core[core].taken, there = slots->core[freed].taken + 1;
	uint64_t wins = sp_beyond(here, there);

	if (core == freed || own[core] < own[freed] + 1)
		return 0;
	return ((uint64_t)(own[core] - own[freed] - 1) << 32) + wins;
}

/* Whether a slot could do better on the core that it has. */
static bool
cramped(struct sp_slots *slots, const struct slot *slot)
{
	const struct core *core = &slots->core[slot->place.core];

	if (slot->place.cpu == WHOLE)
		return false;
	if (core->taken == 1)
		return sp_table_whole_cores(&slots->table, slot->team) && sp_table_whole_cores(&slots->table, slot->pool->team);

	struct place best = sp_slots_place_on(slots, slot->place.core, UINT32_MAX, slot->place.cpu);

	return sp_slots_cpu_at(slots, best)->taken + 1 < sp_slots_cpu_at(slots, slot->place)->taken;
}

/* Of two that gain alike: a makeshift one, then one that shares its CPU, then the later one. */
static bool
suits_better(struct sp_slots *slots, const struct slot *later, const struct slot *earlier)
{
	bool shared = later->place.cpu != WHOLE && sp_slots_cpu_at(slots, later->place)->taken > 1;
	bool was_shared = earlier->place.cpu != WHOLE && sp_slots_cpu_at(slots, earlier->place)->taken > 1;

	if (later->makeshift != earlier->makeshift)
		return later->makeshift;
	return shared >= was_shared;
}

struct slot *
sp_slots_find_mover(struct sp_slots *slots, uint32_t freed)
{
	struct slot *mover = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (!slot->taken)
			continue;
		uint64_t wins = gain(slots, slot, freed);

		if (wins > most || (mover && wins && wins == most && suits_better(slots, slot, mover))) {
			most = wins;
			mover = slot;
		} else if (!mover && slot->makeshift && slot->place.core == freed && cramped(slots, slot)) {
			mover = slot;
		}
	}
	return mover;
}
