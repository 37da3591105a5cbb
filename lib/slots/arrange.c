/* Places the threads again: on another share, and for a team of another size. */
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

/* Collect, in order, the slots of this pool; NULL: of all pools. */
static uint32_t
find_taken(struct sp_slots *slots, const struct pool *pool, struct slot *order[])
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

/* Make an empty table with room for as many slots, and with the same pools.  NULL: as sp_slots_create. */
static struct sp_slots *
create_like(const struct sp_slots *slots, const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_slots *made = sp_slots_create(machine, share, slots->table.bind);
	if (made)
		made->table.granularity = slots->table.granularity;
	if (made) {
		made->claimed = slots->claimed;
		made->is_strict = slots->is_strict;
		made->announced = slots->announced;
		made->changes = slots->changes;
		made->is_stopped = slots->is_stopped;
	}
	bool is_whole = made && (!slots->nslots || sp_slots_make_room(made, slots->nslots - 1) == 0);

	for (uint32_t i = 0; is_whole && i < slots->npools; i++) {
		struct pool *pool = sp_slots_add_pool(made, slots->pool[i]->name);

		is_whole = pool != NULL;
		if (pool) {
			pool->team = slots->pool[i]->team;
			pool->latest = slots->pool[i]->latest;
			pool->nslots = slots->pool[i]->nslots;
			pool->nested = slots->pool[i]->nested;
		}
	}
	if (is_whole)
		return made;
	sp_slots_destroy(made);
	return NULL;
}

struct sp_slots *
sp_slots_on(struct sp_slots *slots, const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_slots *made = create_like(slots, machine, share);
	struct slot **order = calloc(slots->nslots + 1, sizeof(struct slot *));
	uint32_t n = 0;

	if (!made || !order) {
		sp_slots_destroy(made);
		free(order);
		return NULL;
	}
	made->in_turn = slots->in_turn;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		if (!slots->slot[i].taken)
			continue;
		made->slot[i] = slots->slot[i];
		made->slot[i].pool = sp_slots_find_pool(made, slots->slot[i].pool->name);
		order[n++] = &made->slot[i];
	}
	qsort(order, n, sizeof(struct slot *), compare_slots);
	for (uint32_t i = 0; i < n; i++)
		sp_slots_occupy(made, order[i], sp_slots_choose(made, order[i]));
	free(order);
	made->is_unpinned = slots->is_unpinned;
	sp_slots_refit(made);
	sp_slots_destroy(slots);
	return made;
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

	uint32_t n = find_taken(slots, slots->in_turn ? pool : NULL, order);	/* the first time those of all pools */

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
		if (slots->slot[i].taken && sp_slots_is_unclaimed(slots, slots->slot[i].place.core))
			return false;
	return true;
}

bool
sp_slots_place_on_claim(struct sp_slots *slots)
{
	if (are_on_claim(slots))
		return true;

	struct slot **order = malloc(slots->nslots * sizeof(struct slot *));

	if (!order)
		return false;

	uint32_t n = find_taken(slots, NULL, order);

	for (uint32_t i = 0; i < n; i++)
		if (order[i]->pool->latest)
			order[i]->team = order[i]->pool->latest;
	place_anew(slots, order, n);
	free(order);
	return true;
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
