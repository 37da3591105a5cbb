#include "base/order.h"
#include "slots/choose.h"

/*
 * What a thread gains on the freed core: how many fewer threads would be there,
 * itself included, than are on its own core.  Threads of its pool decide first
 * and are in the upper 32 bits, those of all pools in the lower.  0: nothing.
 */
static uint64_t
gain(const struct sp_slots *slots, const struct slot *slot, uint32_t freed)
{
	const uint32_t *rivals = sp_slots_rivals(slot);
	uint32_t core = slot->place.core;
	uint32_t rivals_here = rivals[core], rivals_there = rivals[freed] + 1;
	uint32_t all_here = slots->core[core].taken, all_there = slots->core[freed].taken + 1;

	if (core == freed || rivals_here < rivals_there)
		return 0;
	return ((uint64_t)(rivals_here - rivals_there) << 32) + sp_excess(all_here, all_there);
}

/*
 * Whether a thread could have a better place on its own core: if it is alone
 * there, the core as a whole; otherwise a CPU with fewer threads.
 */
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

/* Of two slots that gain alike a provisional one is preferred, then one that shares its CPU, then the later one. */
static bool
suits_better(struct sp_slots *slots, const struct slot *later, const struct slot *earlier)
{
	bool shared = later->place.cpu != WHOLE && sp_slots_cpu_at(slots, later->place)->taken > 1;
	bool was_shared = earlier->place.cpu != WHOLE && sp_slots_cpu_at(slots, earlier->place)->taken > 1;

	if (later->provisional != earlier->provisional)
		return later->provisional;
	return shared >= was_shared;
}

static struct slot *
find_most_gaining(struct sp_slots *slots, uint32_t freed)
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
		}
	}
	return mover;
}

/* A provisional slot on the freed core that could have a better place there. */
static struct slot *
find_cramped(struct sp_slots *slots, uint32_t freed)
{
	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (slot->taken && slot->provisional && slot->place.core == freed && cramped(slots, slot))
			return slot;
	}
	return NULL;
}

struct slot *
sp_slots_find_mover(struct sp_slots *slots, uint32_t freed)
{
	struct slot *mover = find_most_gaining(slots, freed);

	return mover ? mover : find_cramped(slots, freed);
}
