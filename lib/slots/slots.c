/* The interface of slots.h: take a slot, and give it back. */
#include "slots/slots.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/order.h"
#include "slots/occupancy.h"
#include "slots/choose.h"

/* Make and destroy. */

/* How many CPUs the core of the machine's CPU i has: they stand side by side. */
static uint32_t
threads_of_core(const struct sp_machine *machine, uint32_t i)
{
	const uint32_t core = machine->pu[i].core;
	uint32_t end = i + 1;

	while (i && machine->pu[i - 1].core == core)
		i--;
	while (end < machine->ncpus && machine->pu[end].core == core)
		end++;
	return end - i;
}

/* Enter the cores and CPUs of the share, in the order of the machine.  room: the number of these CPUs. */
static void
add_cpus(struct sp_slots *slots, const struct sp_machine *machine, uint32_t room)
{
	struct sp_table *table = &slots->table;
	uint32_t last = 0;	/* machine's number of the core that was entered last */

	for (uint32_t i = 0; i < machine->ncpus && table->ncpus < room; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(&slots->share, pu->cpu))
			continue;
		if (table->ncores == 0 || pu->core != last)
			slots->core[table->ncores++] = (struct core){ .first = table->ncpus, .threads = threads_of_core(machine, i) };
		last = pu->core;
		table->cpus[table->ncores - 1]++;
		slots->cpu[table->ncpus++].number = pu->cpu;
	}
}

struct sp_slots *
sp_slots_create(const struct sp_machine *machine, const struct sp_cpus *share, enum sp_bind bind)
{
	struct sp_cpus usable;

	sp_machine_cpus(machine, &usable);
	sp_cpus_and(&usable, share);
	uint32_t n = sp_cpus_count(&usable);
	if (n == 0)
		return NULL;

	struct sp_slots *slots = calloc(1, sizeof(*slots) +
					n * (sizeof(struct core) + sizeof(struct cpu) + sizeof(uint32_t)));

	if (!slots)
		return NULL;
	slots->table.bind = bind;
	slots->moved = -1;
	slots->share = slots->unpinned = usable;
	slots->cpu = (struct cpu *)(slots->core + n);
	slots->table.cpus = (uint32_t *)(slots->cpu + n);
	add_cpus(slots, machine, n);
	return slots;
}

void
sp_slots_destroy(struct sp_slots *slots)
{
	if (!slots)
		return;
	while (slots->npools)
		sp_slots_remove_pool(slots, slots->pool[0]);
	free(slots->pool);
	free(slots->slot);
	free(slots);
}

void
sp_slots_granularity(struct sp_slots *slots, enum sp_granularity granularity)
{
	slots->table.granularity = granularity;
}

/* Take. */

/* Lowest number from `from` upwards that is not taken. */
static uint32_t
free_number(const struct sp_slots *slots, uint32_t from)
{
	while (from < slots->nslots && slots->slot[from].taken)
		from++;
	return from;
}

static uint32_t
largest_team(const struct sp_slots *slots)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < slots->npools; i++)
		most = (uint32_t)sp_larger(most, slots->pool[i]->team);
	return most;
}

static bool
near_is_known(const struct sp_slots *slots, const struct sp_request *request)
{
	return request->near >= 0 && (uint32_t)request->near < slots->nslots &&
		slots->slot[request->near].taken;
}

/*
 * The number of the slot for a thread: the thread's own, if that is free.
 * Otherwise, and for an inner thread, one for which no thread of an outer team
 * will ask.
 */
static uint32_t
number_for(const struct sp_slots *slots, const struct sp_request *request)
{
	uint32_t most = largest_team(slots), thread = (uint32_t)request->thread;

	if (request->thread < 0 && request->near < 0)
		return free_number(slots, 0);
	if (!near_is_known(slots, request) && thread < THREADS_MAX &&
	    (thread >= slots->nslots || !slots->slot[thread].taken))
		return thread;
	most = (uint32_t)sp_larger(most, request->team);
	return free_number(slots, most < THREADS_MAX ? most : 0);
}

int
sp_slots_make_room(struct sp_slots *slots, uint32_t number)
{
	struct slot *slot = sp_array_grow(slots->slot, &slots->nslots, number, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	slots->slot = slot;
	return 0;
}

/* The lowest number that no thread of the pool has. */
static uint32_t
free_thread(const struct pool *pool)
{
	uint32_t thread = 0;

	while (thread < pool->nthreads && pool->slot_of[thread])
		thread++;
	return thread;
}

static void
cpus_of(const struct sp_slots *slots, const struct slot *slot, struct sp_cpus *cpus)
{
	const struct place place = slot->place;
	const struct core *core = &slots->core[place.core];

	if (slots->table.bind == SP_NO_BIND || slots->is_unpinned) {
		*cpus = slots->is_unpinned ? slots->unpinned : slots->share;
		return;
	}
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < slots->table.cpus[place.core]; i++)
		if (place.cpu == WHOLE || place.cpu == i || slots->table.granularity == SP_GRANULARITY_CORE)
			sp_cpus_add(cpus, slots->cpu[core->first + i].number);
}

/*
 * A thread without a number is libgomp's, which keeps no threads but those of
 * its present team; a runtime that numbers them keeps those of the largest one.
 * A guess does not count as the pool's largest team: a table that is too large
 * would crowd the real team.  Nor does an inner team, which says nothing about
 * the outer ones.
 */
static void
fill_slot(const struct sp_slots *slots, struct pool *pool, const struct sp_request *request, struct slot *slot)
{
	bool inner = near_is_known(slots, request);
	uint32_t most = inner ? pool->team : (uint32_t)sp_larger(pool->team, request->team);

	if (!request->guess)
		pool->team = most;
	pool->nslots++;
	*slot = (struct slot){
		.pool = pool,
		.thread = request->thread < 0 ? free_thread(pool) : (uint32_t)request->thread,
		.team = request->thread < 0 || !most ? request->team : most,
		.inner = inner,
		.near = request->near,
		.guess = request->guess,
	};
}

/*
 * An inner thread that came before the outer team was complete, and occupies
 * the core that the table assigns to this outer thread.  NULL: none.
 */
static struct slot *
in_the_way(struct sp_slots *slots, const struct slot *slot)
{
	struct assignment assigned = sp_slots_assignment(slots, slot);

	if (slot->inner || slot->pool->on_core[assigned.place.core] < assigned.core_threads)
		return NULL;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *inner = &slots->slot[i];

		if (inner->taken && inner->inner && inner->pool == slot->pool && inner->place.core == assigned.place.core)
			return inner;
	}
	return NULL;
}

/* Put a new thread in its place, and move an inner thread out of its way. */
static void
place_slot(struct sp_slots *slots, struct slot *slot)
{
	struct slot *inner = in_the_way(slots, slot);

	slots->moved = -1;
	if (inner)
		sp_slots_leave(slots, inner);
	sp_slots_occupy(slots, slot, sp_slots_choose(slots, slot));
	slot->taken = true;
	if (!inner)
		return;

	struct place before = inner->place;

	sp_slots_occupy(slots, inner, sp_slots_choose(slots, inner));
	if (inner->place.core != before.core || inner->place.cpu != before.cpu)
		slots->moved = (int)(inner - slots->slot);
}

int
sp_slots_take(struct sp_slots *slots, const struct sp_request *request, struct sp_cpus *cpus)
{
	if (request->team == 0)
		return -EINVAL;

	uint32_t number = number_for(slots, request);
	int rc = sp_slots_make_room(slots, number);

	if (rc)
		return rc;

	struct pool *pool = sp_slots_find_pool(slots, request->pool);

	if (!pool)
		pool = sp_slots_add_pool(slots, request->pool);
	if (!pool)
		return -ENOMEM;

	struct slot *slot = &slots->slot[number];

	fill_slot(slots, pool, request, slot);
	place_slot(slots, slot);
	if (slot->inner)
		pool->nested = (uint32_t)sp_larger(pool->nested, pool->latest * request->team);
	else
		pool->latest = request->team;
	slots->others_moved = sp_slots_refit(slots);
	cpus_of(slots, slot, cpus);
	return (int)number;
}

bool
sp_slots_others_moved(const struct sp_slots *slots)
{
	return slots->others_moved;
}

int
sp_slots_moved(const struct sp_slots *slots, struct sp_cpus *cpus)
{
	if (slots->moved >= 0)
		cpus_of(slots, &slots->slot[slots->moved], cpus);
	return slots->moved;
}

/* Give. */

/* libgomp does not announce a smaller team, but ends the threads that it no longer needs. */
static void
follow_end(struct sp_slots *slots, struct pool *pool)
{
	uint32_t outer = sp_slots_threads(slots, pool->outer_on);

	pool->latest = (uint32_t)sp_smaller(pool->latest, outer);
	if (sp_slots_threads(slots, pool->on_core) == outer)
		pool->nested = 0;
}

int
sp_slots_give(struct sp_slots *slots, int number, struct sp_cpus *cpus)
{
	slots->others_moved = false;
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -1;

	struct slot *slot = &slots->slot[number];
	uint32_t freed = slot->place.core;

	sp_slots_leave(slots, slot);
	slot->taken = false;
	if (--slot->pool->nslots == 0)
		sp_slots_remove_pool(slots, slot->pool);
	else
		follow_end(slots, slot->pool);
	slots->others_moved = sp_slots_refit(slots);

	struct slot *mover = sp_slots_find_mover(slots, freed);

	if (!mover || slots->table.bind == SP_NO_BIND)
		return -1;
	sp_slots_leave(slots, mover);
	mover->team = (uint32_t)sp_larger(mover->team, mover->pool->team);
	sp_slots_occupy(slots, mover, sp_slots_place_on(slots, freed, mover->team, 0));
	if (slots->is_unpinned)
		return -1;
	cpus_of(slots, mover, cpus);
	return (int)(mover - slots->slot);
}

/* Change the share. */

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
		made->full = slots->full;
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
	}

	uint32_t n = sp_slots_order(made, NULL, order);

	for (uint32_t i = 0; i < n; i++)
		sp_slots_occupy(made, order[i], sp_slots_choose(made, order[i]));
	free(order);
	made->is_unpinned = slots->is_unpinned;
	sp_slots_refit(made);
	sp_slots_destroy(slots);
	return made;
}

/* Look up. */

int
sp_slots_cpus(const struct sp_slots *slots, int number, struct sp_cpus *cpus)
{
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -EINVAL;
	cpus_of(slots, &slots->slot[number], cpus);
	return 0;
}

void
sp_slots_team_cores(const struct sp_slots *slots, uint32_t team, struct sp_cpus *cpus)
{
	for (uint32_t core = 0; core < slots->table.ncores; core++)
		for (uint32_t i = 0; i < slots->table.cpus[core] && sp_table_threads_on(&slots->table, core, team); i++)
			sp_cpus_add(cpus, slots->cpu[slots->core[core].first + i].number);
}

/* Threads on a slot's core once its team is complete: as many as its table puts there, or as are there already, if these are more. */
static uint32_t
threads_beside(const struct sp_slots *slots, const struct slot *slot)
{
	uint32_t threads = sp_table_threads_on(&slots->table, slot->place.core, slot->team);
	uint32_t taken = slots->core[slot->place.core].taken;

	return (uint32_t)sp_larger(threads, taken);
}

int
sp_slots_facts(const struct sp_slots *slots, int number, struct sp_slot_facts *facts)
{
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -EINVAL;

	const struct slot *slot = &slots->slot[number];
	*facts = (struct sp_slot_facts){
		.bind = slots->table.bind,
		.granularity = slots->table.granularity,
		.thread = slot->thread,
		.team = slot->team,
		.ncores = slots->table.ncores,
		.ncpus = slots->table.ncpus,
		.on_core = threads_beside(slots, slot),
		.core_cpus = slots->table.cpus[slot->place.core],
		.core_threads = slots->core[slot->place.core].threads,
		.is_unpinned = slots->is_unpinned,
		.is_uneven = slots->full == SP_UNEVEN,
		.is_stopped = slots->is_stopped,
		.claimed = sp_slots_claimed_cores(slots),
		.whole = slot->place.cpu == WHOLE,
		.provisional = slot->provisional,
		.in_turn = slot->guess && slot->team > slots->table.ncores,
	};
	return 0;
}
