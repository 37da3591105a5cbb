/* Which threads are loose: they may use the whole share, or more. */
#include "slots/occupancy.h"

/* If the user set "close" or a granularity, that holds for every team. */
static bool
is_too_large(const struct sp_slots *slots, uint32_t team)
{
	return slots->table.bind == SP_SPREAD && slots->table.granularity == SP_GRANULARITY_AUTO && team > slots->table.ncpus;
}

/* On a single CPU no thread can move. */
bool
sp_slots_are_loose(const struct sp_slots *slots, uint32_t team)
{
	return slots->table.ncpus > 1 && is_too_large(slots, team);
}

bool
sp_slots_are_beyond(const struct sp_slots *slots, const struct pool *pool)
{
	return pool->name.runtime == slots->runtime && !sp_cpus_empty(&slots->beyond);
}

bool
sp_slots_pool_is_loose(const struct sp_slots *slots, const struct pool *pool, uint32_t threads)
{
	return is_too_large(slots, threads) && (slots->table.ncpus > 1 || sp_slots_are_beyond(slots, pool));
}

bool
sp_slots_is_loose(const struct sp_slots *slots, const struct slot *slot)
{
	return slot->pool->stays_loose || sp_slots_pool_is_loose(slots, slot->pool, slot->pool->latest) ||
	       ((slot->inner || slot->has_inner) && slot->pool->is_crowded);
}

/* A pool that was placed again too often stays loose once it is loose. */
bool
sp_slots_loosen(struct sp_slots *slots, struct pool *pool)
{
	bool has_changed = false;

	if (pool->arranged >= ARRANGEMENTS_MAX)
		pool->stays_loose |= sp_slots_pool_is_loose(slots, pool, pool->latest);
	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (!slot->taken || slot->pool != pool || slot->is_loose == sp_slots_is_loose(slots, slot) ||
		    (slot->is_loose && pool->arranged >= ARRANGEMENTS_MAX))
			continue;
		slot->is_loose = !slot->is_loose;
		has_changed = true;
	}
	return has_changed;
}

void
sp_slots_beyond(struct sp_slots *slots, uint32_t runtime, const struct sp_cpus *wider)
{
	slots->runtime = runtime;
	slots->beyond = *wider;
	for (uint32_t i = 0; i < slots->npools; i++) {
		struct pool *pool = slots->pool[i];

		pool->is_crowded |= sp_slots_pool_is_loose(slots, pool, sp_slots_threads(slots, pool->on_core));
		sp_slots_loosen(slots, pool);
	}
}
