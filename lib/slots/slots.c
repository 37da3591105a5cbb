/* What others call: take a slot, give it back, place all anew. */
#include "slots/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "slots/occupancy.h"
#include "slots/choose.h"
#include "slots/move.h"

#define ARRANGEMENTS_MAX 16	/* of a pool; beyond, its threads stay where they are */

/* Make and destroy. */

/* room: CPUs of the share, each of which the machine has once. */
static void
add_cpus(struct sp_slots *slots, const struct sp_machine *machine, uint32_t room)
{
	struct sp_table *table = &slots->table;
	uint32_t last = 0;	/* the core so far of the share */
	uint32_t threads = 0;		/* so far of the machine's core */

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (i && pu->core != pu[-1].core)
			threads = 0;
		threads++;
		if (table->ncores && pu->core == last)
			slots->core[table->ncores - 1].threads = threads;
		if (!sp_cpus_has(&slots->share, pu->cpu) || table->ncpus == room)
			continue;
		if (table->ncores == 0 || pu->core != last)
			slots->core[table->ncores++].first = table->ncpus;
		last = pu->core;
		slots->core[table->ncores - 1].threads = threads;
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
	slots->share = usable;
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
 * The number of the slot for a thread.  One whose own number is taken, and an
 * inner one, gets a number that no thread of an outer team will ask for.
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

static int
make_room(struct sp_slots *slots, uint32_t number)
{
	struct slot *slot = sp_array_reach(slots->slot, &slots->nslots, number, sizeof(*slot));

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

/* What a user has named, "close" or a granularity, is done. */
bool
sp_slots_are_loose(const struct sp_slots *slots, uint32_t team)
{
	return slots->table.bind == SP_SPREAD && slots->table.granularity == SP_GRANULARITY_AUTO &&
		team > slots->table.ncpus && team % slots->table.ncpus != 0;
}

static void
cpus_of(const struct sp_slots *slots, const struct slot *slot, struct sp_cpus *cpus)
{
	const struct place place = slot->place;
	const struct core *core = &slots->core[place.core];

	if (slots->table.bind == SP_NO_BIND || slot->is_loose) {
		*cpus = slots->share;
		return;
	}
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < slots->table.cpus[place.core]; i++)
		if (place.cpu == WHOLE || place.cpu == i || slots->table.granularity == SP_GRANULARITY_CORE)
			sp_cpus_add(cpus, slots->cpu[core->first + i].number);
}

/*
 * A new thread without a number is one of libgomp's, which has no others than
 * this team's; a runtime with numbers keeps those of the largest.  A guess is
 * not kept: a table too large would crowd the real team.  An inner team says
 * nothing of the outer ones.
 */
static void
fill_slot(const struct sp_slots *slots, struct pool *pool, const struct sp_request *request, struct slot *slot)
{
	bool inner = near_is_known(slots, request);
	uint32_t most = inner ? pool->team : (uint32_t)sp_larger(pool->team, request->team);

	if (!request->guess)
		pool->team = most;
	if (!inner)
		pool->latest = request->team;
	*slot = (struct slot){
		.pool = pool,
		.thread = request->thread < 0 ? free_thread(pool) : (uint32_t)request->thread,
		.team = request->thread < 0 || !most ? request->team : most,
		.inner = inner,
		.is_loose = sp_slots_are_loose(slots, pool->latest),
		.near = request->near,
		.guess = request->guess,
	};
	pool->nslots++;
}

/*
 * An inner thread that came before the outer team was complete, and has the
 * core that is assigned to this thread of it.
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
	int rc = make_room(slots, number);

	if (rc)
		return rc;

	struct pool *pool = sp_slots_find_pool(slots, request->pool);

	if (!pool)
		pool = sp_slots_add_pool(slots, request->pool);
	if (!pool)
		return -ENOMEM;
	fill_slot(slots, pool, request, &slots->slot[number]);
	place_slot(slots, &slots->slot[number]);
	cpus_of(slots, &slots->slot[number], cpus);
	return (int)number;
}

int
sp_slots_moved(const struct sp_slots *slots, struct sp_cpus *cpus)
{
	if (slots->moved >= 0)
		cpus_of(slots, &slots->slot[slots->moved], cpus);
	return slots->moved;
}

/* Give. */

int
sp_slots_give(struct sp_slots *slots, int number, struct sp_cpus *cpus)
{
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -1;

	struct slot *slot = &slots->slot[number];
	uint32_t freed = slot->place.core;

	sp_slots_leave(slots, slot);
	slot->taken = false;
	if (--slot->pool->nslots == 0)
		sp_slots_remove_pool(slots, slot->pool);

	struct slot *mover = sp_slots_find_mover(slots, freed);

	if (!mover || slots->table.bind == SP_NO_BIND)
		return -1;
	sp_slots_leave(slots, mover);
	mover->team = (uint32_t)sp_larger(mover->team, mover->pool->team);
	sp_slots_occupy(slots, mover, sp_slots_place_on(slots, freed, mover->team, 0));
	cpus_of(slots, mover, cpus);
	return (int)(mover - slots->slot);
}

/* Place all anew. */

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
	for (uint32_t i = 0; i < n; i++) {
		order[i]->team = (uint32_t)sp_larger(order[i]->team, order[i]->pool->team);
		sp_slots_occupy(slots, order[i], sp_slots_choose(slots, order[i]));
	}
}

/* The slots that are to get places anew: this pool's, and the first time all others'. */
static uint32_t
find_unarranged(struct sp_slots *slots, const struct pool *pool, struct slot *order[])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && (!slots->in_turn || slots->slot[i].pool == pool))
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

/* Whether a core has two threads of it more than another one. */
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

/* Empty, with room for as many slots, and the same pools. */
static struct sp_slots *
create_like(const struct sp_slots *slots, const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_slots *made = sp_slots_create(machine, share, slots->table.bind);
	bool is_whole = made && (!slots->nslots || make_room(made, slots->nslots - 1) == 0);

	for (uint32_t i = 0; is_whole && i < slots->npools; i++) {
		struct pool *pool = sp_slots_add_pool(made, slots->pool[i]->name);

		is_whole = pool != NULL;
		if (pool) {
			pool->team = slots->pool[i]->team;
			pool->latest = slots->pool[i]->latest;
			pool->nslots = slots->pool[i]->nslots;
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
	made->table.granularity = slots->table.granularity;
	made->in_turn = slots->in_turn;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		if (!slots->slot[i].taken)
			continue;
		made->slot[i] = slots->slot[i];
		made->slot[i].pool = sp_slots_find_pool(made, slots->slot[i].pool->name);
		made->slot[i].is_loose = sp_slots_are_loose(made, made->slot[i].pool->latest);
		order[n++] = &made->slot[i];
	}
	qsort(order, n, sizeof(struct slot *), compare_slots);
	for (uint32_t i = 0; i < n; i++)
		sp_slots_occupy(made, order[i], sp_slots_choose(made, order[i]));
	free(order);
	sp_slots_destroy(slots);
	return made;
}

/* Those of the pool; what changes too often stays loose, as without a table. */
static bool
loosen(struct sp_slots *slots, struct pool *pool, uint32_t team)
{
	bool was_loose = sp_slots_are_loose(slots, pool->latest), is_loose = sp_slots_are_loose(slots, team);

	pool->latest = team;
	if (was_loose == is_loose)
		return false;
	is_loose |= pool->arranged + 1 == ARRANGEMENTS_MAX;
	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && slots->slot[i].pool == pool)
			slots->slot[i].is_loose = is_loose;
	return true;
}

/* One a core before a second on any. */
static bool
spread_out(struct sp_slots *slots, struct pool *pool, uint32_t team)
{
	if (team >= pool->team || !is_crowded(slots, pool, team))
		return false;

	struct slot **order = malloc(slots->nslots * sizeof(struct slot *));

	if (!order)
		return false;

	uint32_t n = find_unarranged(slots, pool, order);

	slots->in_turn |= pool->team > slots->table.ncores;
	place_anew(slots, order, n);
	free(order);
	return true;
}

bool
sp_slots_resize(struct sp_slots *slots, struct sp_pool name, uint32_t team)
{
	struct pool *pool = sp_slots_find_pool(slots, name);

	if (!pool || pool->arranged >= ARRANGEMENTS_MAX)
		return false;
	bool are_new = loosen(slots, pool, team);

	are_new |= spread_out(slots, pool, team);
	pool->arranged += are_new;
	return are_new;
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

/* Threads that a slot's table has on its core, or that are there already, if these are more. */
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
		.is_loose = slot->is_loose,
		.whole = slot->place.cpu == WHOLE,
		.makeshift = slot->makeshift,
		.in_turn = slot->guess && slot->team > slots->table.ncores,
	};
	return 0;
}
