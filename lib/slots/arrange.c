/* Places the threads again for a team of another size, and pins or releases all. */
#include <stdlib.h>

#include "base/order.h"
#include "slots/choose.h"
#include "slots/occupancy.h"

/* Outer teams first, in the order of their numbers. */
static int
compare_slots(const void *a, const void *b)
{
	const struct slot *x = *(struct slot *const *)a, *y = *(struct slot *const *)b;

	return sp_order_all((uint64_t[]){ x->inner, x->thread, (uintptr_t)x }, (uint64_t[]){ y->inner, y->thread, (uintptr_t)y }, 3);
}

static void
place_anew(struct sp_slots *slots, struct slot *const order[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sp_slots_leave(slots, order[i]);
	for (uint32_t i = 0; i < n; i++)
		sp_slots_occupy(slots, order[i], sp_slots_choose(slots, order[i]));
}

uint32_t
sp_slots_order(struct sp_slots *slots, const struct pool *pool, struct slot *order[])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && (!pool || slots->slot[i].pool == pool))
			order[n++] = &slots->slot[i];
	qsort(order, n, sizeof(struct slot *), compare_slots);
	return n;
}

/* Threads of the team on a core. */
static uint32_t
team_on(const struct sp_slots *slots, const struct pool *pool, uint32_t team, uint32_t core)
{
	uint32_t n = 0;

	for (uint32_t thread = 0; thread < team && thread < pool->nthreads; thread++)
		n += pool->slot_of[thread] && slots->slot[pool->slot_of[thread] - 1].place.core == core;
	return n;
}

/* Whether one core has at least two threads of the team more than another. */
static bool
is_crowded(const struct sp_slots *slots, const struct pool *pool, uint32_t team)
{
	uint32_t most = 0, least = UINT32_MAX;

	for (uint32_t core = 0; core < slots->table.ncores; core++) {
		uint32_t n = team_on(slots, pool, team, core);

		most = (uint32_t)sp_larger(most, n);
		least = (uint32_t)sp_smaller(least, n);
	}
	return most > least + 1;
}

/* Place a smaller team again if it is crowded, one thread on each core before a second on any.  Returns whether it was. */
static bool
spread_out(struct sp_slots *slots, struct pool *pool, uint32_t team)
{
	if (team >= pool->team || !is_crowded(slots, pool, team))
		return false;

	struct slot **order = malloc(slots->nslots * sizeof(struct slot *));

	if (!order)
		return false;

	uint32_t n = sp_slots_order(slots, slots->in_turn ? pool : NULL, order);	/* the first time those of all pools */

	slots->in_turn |= pool->team > slots->table.ncores;
	for (uint32_t i = 0; i < n; i++)
		order[i]->team = (uint32_t)sp_larger(order[i]->team, order[i]->pool->team);
	place_anew(slots, order, n);
	free(order);
	return true;
}

static bool
are_on_claim(const struct sp_slots *slots)
{
	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && (slots->slot[i].provisional || sp_slots_is_unclaimed(slots, slots->slot[i].place.core)))
			return false;
	return true;
}

/*
 * Threads that are about to be pinned go to claimed cores if any is elsewhere, or on a
 * core with another: as long as they were not, they had places by the table of a larger
 * team, or on the cores of a smaller claim.  Returns false if memory is short, and
 * nothing has changed.
 */
static bool
place_on_claim(struct sp_slots *slots)
{
	if (are_on_claim(slots))
		return true;

	struct slot **order = malloc(slots->nslots * sizeof(struct slot *));

	if (!order)
		return false;

	uint32_t n = sp_slots_order(slots, NULL, order);

	for (uint32_t i = 0; i < n; i++)
		if (order[i]->pool->latest)
			order[i]->team = order[i]->pool->latest;
	place_anew(slots, order, n);
	free(order);
	return true;
}

uint32_t
sp_slots_changes(const struct sp_slots *slots)
{
	return slots->changes;
}

bool
sp_slots_refit(struct sp_slots *slots)
{
	bool is_pinned = sp_slots_are_to_be_pinned(slots);

	if (is_pinned != slots->is_unpinned || (is_pinned && (slots->changes >= ARRANGEMENTS_MAX || !place_on_claim(slots))))
		return false;
	slots->is_unpinned = !is_pinned;
	slots->changes++;
	return true;
}

void
sp_slots_stop(struct sp_slots *slots, bool is_stopped)
{
	slots->is_stopped = is_stopped;
	sp_slots_refit(slots);
}

void
sp_slots_release(struct sp_slots *slots, uint32_t full, const struct sp_cpus *unpinned)
{
	slots->is_strict = true;
	slots->full = full;
	slots->unpinned = *unpinned;
	sp_slots_refit(slots);
}

void
sp_slots_claim(struct sp_slots *slots, uint32_t team)
{
	slots->claimed = team;
	sp_slots_refit(slots);
}

bool
sp_slots_resize(struct sp_slots *slots, struct sp_pool name, uint32_t team)
{
	struct pool *pool = sp_slots_find_pool(slots, name);

	if (!pool)
		return false;
	pool->latest = team;
	bool are_new = sp_slots_refit(slots);

	are_new |= pool->arranged < ARRANGEMENTS_MAX && spread_out(slots, pool, team);
	pool->arranged += are_new;
	return are_new;
}
