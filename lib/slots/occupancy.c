#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "slots/occupancy.h"

struct cpu *
sp_slots_cpu_at(struct sp_slots *slots, struct place place)
{
	return &slots->cpu[slots->core[place.core].first + place.cpu];
}

const uint32_t *
sp_slots_rivals(const struct slot *slot)
{
	return slot->inner ? slot->pool->on_core : slot->pool->outer_on;
}

bool
sp_slots_is_root(const struct slot *slot)
{
	return slot->thread == 0 && !slot->inner;
}

/* The root thread of a pool is in the other pools of that root, too. */
bool
sp_slots_counts_in(const struct slot *slot, const struct pool *pool)
{
	return slot->pool == pool || (sp_slots_is_root(slot) && slot->pool->name.root == pool->name.root);
}

uint32_t
sp_slots_threads(const struct sp_slots *slots, const uint32_t by_core[])
{
	uint32_t threads = 0;

	for (uint32_t core = 0; core < slots->table.ncores; core++)
		threads += by_core[core];
	return threads;
}

/* Make room for a thread number in the pool's table.  False: memory is short, or the number is absurd. */
static bool
knows_thread(struct pool *pool, uint32_t thread)
{
	uint32_t *all = thread < THREADS_MAX ? sp_array_grow(pool->slot_of, &pool->nthreads, thread, sizeof(*all)) : NULL;

	if (!all)
		return false;
	pool->slot_of = all;
	return true;
}

static void
enter_pool(const struct sp_slots *slots, struct pool *pool, const struct slot *slot)
{
	uint32_t number = (uint32_t)(slot - slots->slot);

	pool->on_core[slot->place.core]++;
	pool->outer_on[slot->place.core] += !slot->inner;
	if (!slot->inner && knows_thread(pool, slot->thread) && !pool->slot_of[slot->thread])
		pool->slot_of[slot->thread] = number + 1;
}

static void
leave_pool(const struct sp_slots *slots, struct pool *pool, const struct slot *slot)
{
	uint32_t number = (uint32_t)(slot - slots->slot);

	pool->on_core[slot->place.core]--;
	pool->outer_on[slot->place.core] -= !slot->inner;
	if (!slot->inner && slot->thread < pool->nthreads && pool->slot_of[slot->thread] == number + 1)
		pool->slot_of[slot->thread] = 0;
}

static bool
is_named(const struct pool *pool, const struct sp_pool *name)
{
	return pool->name.root == name->root && pool->name.runtime == name->runtime && pool->name.instance == name->instance;
}

struct pool *
sp_slots_find_pool(const struct sp_slots *slots, struct sp_pool name)
{
	for (uint32_t i = 0; i < slots->npools; i++)
		if (is_named(slots->pool[i], &name))
			return slots->pool[i];
	return NULL;
}

struct pool *
sp_slots_add_pool(struct sp_slots *slots, struct sp_pool name)
{
	struct pool **more = realloc(slots->pool, (slots->npools + 1) * sizeof(*more));
	struct pool *pool = calloc(1, sizeof(*pool) + 2 * slots->table.ncores * sizeof(uint32_t));

	if (more)
		slots->pool = more;
	if (!pool)
		return NULL;
	if (!more) {
		free(pool);
		return NULL;
	}
	pool->name = name;
	pool->outer_on = pool->on_core + slots->table.ncores;
	slots->pool[slots->npools++] = pool;
	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && sp_slots_counts_in(&slots->slot[i], pool))
			enter_pool(slots, pool, &slots->slot[i]);
	return pool;
}

void
sp_slots_occupy(struct sp_slots *slots, struct slot *slot, struct place place)
{
	struct core *core = &slots->core[place.core];

	slot->place = place;
	core->taken++;
	if (place.cpu != WHOLE)
		sp_slots_cpu_at(slots, place)->taken++;
	for (uint32_t i = 0; i < slots->npools; i++)
		if (sp_slots_counts_in(slot, slots->pool[i]))
			enter_pool(slots, slots->pool[i], slot);
	slot->provisional = sp_slots_rivals(slot)[place.core] > sp_table_most_on(&slots->table, place.core, slot->team);
}

void
sp_slots_leave(struct sp_slots *slots, struct slot *slot)
{
	slots->core[slot->place.core].taken--;
	if (slot->place.cpu != WHOLE)
		sp_slots_cpu_at(slots, slot->place)->taken--;
	for (uint32_t i = 0; i < slots->npools; i++)
		if (sp_slots_counts_in(slot, slots->pool[i]))
			leave_pool(slots, slots->pool[i], slot);
}

void
sp_slots_remove_pool(struct sp_slots *slots, struct pool *pool)
{
	uint32_t i = 0;

	while (i < slots->npools && slots->pool[i] != pool)
		i++;
	if (i == slots->npools)
		return;
	slots->pool[i] = slots->pool[--slots->npools];
	free(pool->slot_of);
	free(pool);
}
