/*
 * Slots: where each thread of a share is pinned.
 *
 *   core, place, table  see table.h
 *   number              of a slot: a handle, the thread's own number if that
 *                       is free
 *
 * The table says where a thread belongs; which places are taken decides where
 * it goes, because threads of an earlier team may still be there.
 */
#include "slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define MOST_THREADS (1u << 20)	/* a thread number beyond is not believed */

struct core {
	uint32_t first;		/* its first CPU among those of the share */
	uint32_t taken;		/* slots */
};

struct cpu {
	uint32_t number;	/* of the operating system */
	uint32_t taken;		/* slots on this CPU alone */
};

struct slot {
	bool taken;
	bool makeshift;		/* on a core with more threads of its pool than its table has */
	bool guess;		/* the team for which it was taken was one */
	bool inner;		/* of a nested team */
	uint32_t thread;	/* its number in the teams of its pool */
	uint32_t team;		/* for which its table is made */
	int near;		/* of an inner thread: the slot that the outer one had */
	struct pool *pool;
	struct place place;
};

/* Lives as long as it has threads. */
struct pool {
	struct sp_pool name;
	uint32_t team;		/* the largest that was announced, guesses apart */
	bool arranged;		/* anew, for a smaller team */
	uint32_t nslots;
	uint32_t nthreads;	/* room of the next */
	uint32_t *slot_of;	/* by thread number, plus 1; 0: not there */
	uint32_t on_core[];	/* its threads, its root thread included */
};

struct sp_slots {
	struct sp_table table;
	struct sp_cpus share;
	bool in_turn;		/* smaller teams come too: neighbours no longer share cores */
	int moved;		/* by the last that was taken, or -1 */
	uint32_t npools;
	struct pool **pool;
	uint32_t nslots;
	struct slot *slot;
	struct cpu *cpu;
	struct core core[];
};

/* Make and destroy. */

static void
add_cpus(struct sp_slots *slots, const struct sp_machine *machine)
{
	struct sp_table *table = &slots->table;
	uint32_t last = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_place *place = &machine->place[i];

		if (!sp_cpus_has(&slots->share, place->cpu))
			continue;
		if (table->ncores == 0 || place->core != last)
			slots->core[table->ncores++].first = table->ncpus;
		last = place->core;
		table->cpus[table->ncores - 1]++;
		slots->cpu[table->ncpus++].number = place->cpu;
	}
}

struct sp_slots *
sp_slots_create(const struct sp_machine *machine, const struct sp_cpus *share, enum sp_bind bind)
{
	struct sp_cpus usable = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_cpus_has(share, machine->place[i].cpu))
			continue;
		sp_cpus_add(&usable, machine->place[i].cpu);
		n++;
	}
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
	add_cpus(slots, machine);
	return slots;
}

static void
remove_pool(struct sp_slots *slots, struct pool *pool)
{
	uint32_t i = 0;

	while (slots->pool[i] != pool)
		i++;
	slots->pool[i] = slots->pool[--slots->npools];
	free(pool->slot_of);
	free(pool);
}

void
sp_slots_destroy(struct sp_slots *slots)
{
	if (!slots)
		return;
	while (slots->npools)
		remove_pool(slots, slots->pool[0]);
	free(slots->pool);
	free(slots->slot);
	free(slots);
}

void
sp_slots_granularity(struct sp_slots *slots, enum sp_granularity granularity)
{
	slots->table.granularity = granularity;
}

/* What is taken. */

static struct cpu *
cpu_at(struct sp_slots *slots, struct place place)
{
	return &slots->cpu[slots->core[place.core].first + place.cpu];
}

static bool
is_root(const struct slot *slot)
{
	return slot->thread == 0 && !slot->inner;
}

/* The root thread of a pool is in the other pools of that root, too. */
static bool
counts_in(const struct slot *slot, const struct pool *pool)
{
	return slot->pool == pool || (is_root(slot) && slot->pool->name.root == pool->name.root);
}

/* Whether the table of numbers has room for this one; a number too wild has no place there. */
static bool
knows_thread(struct pool *pool, uint32_t thread)
{
	if (thread < pool->nthreads)
		return true;
	if (thread >= MOST_THREADS)
		return false;

	uint32_t n = 2 * pool->nthreads > thread ? 2 * pool->nthreads : thread + 1;
	uint32_t *more = realloc(pool->slot_of, n * sizeof(*more));

	if (!more)
		return false;
	memset(more + pool->nthreads, 0, (n - pool->nthreads) * sizeof(*more));
	pool->slot_of = more;
	pool->nthreads = n;
	return true;
}

static void
enter_pool(const struct sp_slots *slots, struct pool *pool, const struct slot *slot)
{
	uint32_t number = (uint32_t)(slot - slots->slot);

	pool->on_core[slot->place.core]++;
	if (!slot->inner && knows_thread(pool, slot->thread) && !pool->slot_of[slot->thread])
		pool->slot_of[slot->thread] = number + 1;
}

static void
leave_pool(const struct sp_slots *slots, struct pool *pool, const struct slot *slot)
{
	uint32_t number = (uint32_t)(slot - slots->slot);

	pool->on_core[slot->place.core]--;
	if (!slot->inner && slot->thread < pool->nthreads && pool->slot_of[slot->thread] == number + 1)
		pool->slot_of[slot->thread] = 0;
}

static struct pool *
find_pool(const struct sp_slots *slots, struct sp_pool name)
{
	for (uint32_t i = 0; i < slots->npools; i++)
		if (slots->pool[i]->name.root == name.root && slots->pool[i]->name.runtime == name.runtime)
			return slots->pool[i];
	return NULL;
}

static struct pool *
add_pool(struct sp_slots *slots, struct sp_pool name)
{
	struct pool **more = realloc(slots->pool, (slots->npools + 1) * sizeof(*more));
	struct pool *pool = calloc(1, sizeof(*pool) + slots->table.ncores * sizeof(uint32_t));

	if (more)
		slots->pool = more;
	if (!more || !pool) {
		free(pool);
		return NULL;
	}
	pool->name = name;
	slots->pool[slots->npools++] = pool;
	for (uint32_t i = 0; i < slots->nslots; i++)
		if (slots->slot[i].taken && counts_in(&slots->slot[i], pool))
			enter_pool(slots, pool, &slots->slot[i]);
	return pool;
}

static void
occupy(struct sp_slots *slots, struct slot *slot, struct place place)
{
	struct core *core = &slots->core[place.core];

	slot->place = place;
	core->taken++;
	if (place.cpu != WHOLE)
		cpu_at(slots, place)->taken++;
	for (uint32_t i = 0; i < slots->npools; i++)
		if (counts_in(slot, slots->pool[i]))
			enter_pool(slots, slots->pool[i], slot);
	slot->makeshift = slot->pool->on_core[place.core] > sp_table_most_on(&slots->table, place.core, slot->team);
}

static void
leave(struct sp_slots *slots, struct slot *slot)
{
	slots->core[slot->place.core].taken--;
	if (slot->place.cpu != WHOLE)
		cpu_at(slots, slot->place)->taken--;
	for (uint32_t i = 0; i < slots->npools; i++)
		if (counts_in(slot, slots->pool[i]))
			leave_pool(slots, slots->pool[i], slot);
}

/* Choose a place. */

static uint32_t
others_on(const struct sp_slots *slots, const struct pool *pool, uint32_t core)
{
	return slots->core[core].taken - pool->on_core[core];
}

/*
 * A thread whose number lies beyond its team, since threads of an earlier one
 * are still there, is some worker of it: not thread 0, which opens the team.
 */
static uint32_t
number_in_table(const struct slot *slot)
{
	uint32_t thread = slot->thread, team = slot->team;

	return thread < team || team == 1 ? thread % team : 1 + (thread - team) % (team - 1);
}

static bool
goes_in_turn(const struct sp_slots *slots, const struct slot *slot)
{
	return (slot->guess || slots->in_turn) && slot->team > slots->table.ncores;
}

static struct seat
seat_of(const struct sp_slots *slots, const struct slot *slot)
{
	uint32_t thread = number_in_table(slot);

	return goes_in_turn(slots, slot) ? sp_table_seat_in_turn(&slots->table, thread, slot->team) :
		sp_table_seat(&slots->table, thread, slot->team);
}

/* In turn: whether the core has one of the pool that should be on another one before a second comes here. */
static bool
is_early(const struct sp_slots *slots, const struct slot *slot, const struct seat *seat)
{
	uint32_t before = 0;

	if (!goes_in_turn(slots, slot) || slots->npools == 1)
		return false;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		const struct slot *other = &slots->slot[i];

		before += other->taken && counts_in(other, slot->pool) && other->place.core == seat->place.core &&
			  other->thread < slot->thread;
	}
	return before > number_in_table(slot) / slots->table.ncores;
}

/* Whether a core has room for the thread that the table has there, and no core has fewer of other pools. */
static bool
core_fits(const struct sp_slots *slots, const struct slot *slot, const struct seat *seat)
{
	const struct pool *pool = slot->pool;
	uint32_t others = others_on(slots, pool, seat->place.core);

	if (pool->on_core[seat->place.core] >= seat->core_threads || is_early(slots, slot, seat))
		return false;
	for (uint32_t i = 0; others && i < slots->table.ncores; i++)
		if (others_on(slots, pool, i) < others)
			return false;
	return true;
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a < b ? b - a : a - b;
}

/* Whether core a is the better one to join, for a thread that belongs near a core. */
static bool
better_core(const struct sp_slots *slots, const struct pool *pool, uint32_t a, uint32_t b, uint32_t near)
{
	const struct core *x = &slots->core[a], *y = &slots->core[b];
	uint32_t on_cpu_x = x->taken / slots->table.cpus[a], on_cpu_y = y->taken / slots->table.cpus[b];

	if (pool->on_core[a] != pool->on_core[b])
		return pool->on_core[a] < pool->on_core[b];
	if (x->taken != y->taken)
		return x->taken < y->taken;
	if (on_cpu_x != on_cpu_y)
		return on_cpu_x < on_cpu_y;
	return distance(a, near) < distance(b, near);
}

/* The place on a core: all of it if it can be had, else the CPU with the fewest threads. */
static struct place
place_on(const struct sp_slots *slots, uint32_t core, uint32_t team, uint32_t near)
{
	const struct core *c = &slots->core[core];
	const struct cpu *cpu = &slots->cpu[c->first];
	uint32_t best = 0;

	if (c->taken == 0 && sp_table_whole_cores(&slots->table, team))
		return (struct place){ core, WHOLE };
	for (uint32_t i = 1; i < slots->table.cpus[core]; i++)
		if (cpu[i].taken < cpu[best].taken ||
		    (cpu[i].taken == cpu[best].taken && distance(i, near) < distance(best, near)))
			best = i;
	return (struct place){ core, best };
}

static struct place
least_taken(const struct sp_slots *slots, const struct slot *slot, struct place near)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < slots->table.ncores; i++)
		if (better_core(slots, slot->pool, i, best, near.core))
			best = i;
	return place_on(slots, best, slot->team, near.cpu == WHOLE ? 0 : near.cpu);
}

/* On the core of its seat; on the CPU, too, unless another there has fewer threads. */
static struct place
place_at(struct sp_slots *slots, const struct slot *slot, const struct seat *seat)
{
	struct place other = place_on(slots, seat->place.core, slot->team, seat->place.cpu == WHOLE ? 0 : seat->place.cpu);

	if (seat->place.cpu == WHOLE || cpu_at(slots, seat->place)->taken >= seat->cpu_threads)
		return other;
	return seat->place;
}

static struct place
choose(struct sp_slots *slots, const struct slot *slot)
{
	const struct slot *outer = slot->inner ? &slots->slot[slot->near] : NULL;

	if (outer)
		return least_taken(slots, slot, outer->taken ? outer->place : slot->place);

	struct seat seat = seat_of(slots, slot);

	return core_fits(slots, slot, &seat) ? place_at(slots, slot, &seat) : least_taken(slots, slot, seat.place);
}

/*
 * An inner thread that has come before the outer team was complete, and sits
 * where this thread of it belongs.
 */
static struct slot *
in_the_way(struct sp_slots *slots, const struct slot *slot)
{
	struct seat seat = seat_of(slots, slot);

	if (slot->inner || core_fits(slots, slot, &seat))
		return NULL;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *inner = &slots->slot[i];

		if (inner->taken && inner->inner && inner->pool == slot->pool && inner->place.core == seat.place.core)
			return inner;
	}
	return NULL;
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
		if (slots->pool[i]->team > most)
			most = slots->pool[i]->team;
	return most;
}

static bool
near_is_known(const struct sp_slots *slots, const struct sp_wish *wish)
{
	return wish->near >= 0 && (uint32_t)wish->near < slots->nslots &&
		slots->slot[wish->near].taken;
}

/*
 * The number of the slot for a thread.  One whose own number is taken, and an
 * inner one, gets a number that no thread of an outer team will ask for.
 */
static uint32_t
number_for(const struct sp_slots *slots, const struct sp_wish *wish)
{
	uint32_t most = largest_team(slots), thread = (uint32_t)wish->thread;

	if (wish->thread < 0 && wish->near < 0)
		return free_number(slots, 0);
	if (!near_is_known(slots, wish) && thread < MOST_THREADS &&
	    (thread >= slots->nslots || !slots->slot[thread].taken))
		return thread;
	if (wish->team > most)
		most = wish->team;
	return free_number(slots, most < MOST_THREADS ? most : 0);
}

static int
make_room(struct sp_slots *slots, uint32_t number)
{
	if (number < slots->nslots)
		return 0;

	uint32_t n = 2 * slots->nslots > number ? 2 * slots->nslots : number + 1;
	struct slot *slot = realloc(slots->slot, n * sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	memset(slot + slots->nslots, 0, (n - slots->nslots) * sizeof(*slot));
	slots->slot = slot;
	slots->nslots = n;
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
cpus_of(const struct sp_slots *slots, struct place place, struct sp_cpus *cpus)
{
	const struct core *core = &slots->core[place.core];

	if (slots->table.bind == SP_NO_BIND) {
		*cpus = slots->share;
		return;
	}
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < slots->table.cpus[place.core]; i++)
		if (place.cpu == WHOLE || place.cpu == i || slots->table.granularity == SP_BY_CORE)
			sp_cpus_add(cpus, slots->cpu[core->first + i].number);
}

/*
 * A new thread without a number is one of libgomp's, which has no others than
 * this team's; a runtime with numbers keeps those of the largest.  A guess is
 * not kept: a table too large would crowd the real team.  An inner team says
 * nothing of the outer ones.
 */
static void
fill_slot(const struct sp_slots *slots, struct pool *pool, const struct sp_wish *wish, struct slot *slot)
{
	bool inner = near_is_known(slots, wish);
	uint32_t most = wish->team > pool->team && !inner ? wish->team : pool->team;

	if (!wish->guess)
		pool->team = most;
	*slot = (struct slot){
		.pool = pool,
		.thread = wish->thread < 0 ? free_thread(pool) : (uint32_t)wish->thread,
		.team = wish->thread < 0 || !most ? wish->team : most,
		.inner = inner,
		.near = wish->near,
		.guess = wish->guess,
	};
	pool->nslots++;
}

static void
seat_slot(struct sp_slots *slots, struct slot *slot)
{
	struct slot *inner = in_the_way(slots, slot);

	slots->moved = -1;
	if (inner)
		leave(slots, inner);
	occupy(slots, slot, choose(slots, slot));
	slot->taken = true;
	if (!inner)
		return;

	struct place before = inner->place;

	occupy(slots, inner, choose(slots, inner));
	if (inner->place.core != before.core || inner->place.cpu != before.cpu)
		slots->moved = (int)(inner - slots->slot);
}

int
sp_slots_take(struct sp_slots *slots, const struct sp_wish *wish, struct sp_cpus *cpus)
{
	if (wish->team == 0)
		return -EINVAL;

	uint32_t number = number_for(slots, wish);
	int rc = make_room(slots, number);

	if (rc)
		return rc;

	struct pool *pool = find_pool(slots, wish->pool);

	if (!pool)
		pool = add_pool(slots, wish->pool);
	if (!pool)
		return -ENOMEM;
	fill_slot(slots, pool, wish, &slots->slot[number]);
	seat_slot(slots, &slots->slot[number]);
	cpus_of(slots, slots->slot[number].place, cpus);
	return (int)number;
}

int
sp_slots_moved(const struct sp_slots *slots, struct sp_cpus *cpus)
{
	if (slots->moved >= 0)
		cpus_of(slots, slots->slot[slots->moved].place, cpus);
	return slots->moved;
}

/* Give. */

/*
 * What this slot would win by a move to the freed core: first threads of its
 * pool fewer on its core, then threads at all.  0: nothing.
 */
static uint64_t
gain(const struct sp_slots *slots, const struct slot *slot, uint32_t freed)
{
	const uint32_t *own = slot->pool->on_core;
	uint32_t core = slot->place.core;
	uint32_t here = slots->core[core].taken, there = slots->core[freed].taken + 1;
	uint64_t wins = here > there ? here - there : 0;

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

	struct place best = place_on(slots, slot->place.core, UINT32_MAX, slot->place.cpu);

	return cpu_at(slots, best)->taken + 1 < cpu_at(slots, slot->place)->taken;
}

/* Of two that gain alike: a makeshift one, then one that shares its CPU, then the later one. */
static bool
suits_better(struct sp_slots *slots, const struct slot *later, const struct slot *earlier)
{
	bool shared = later->place.cpu != WHOLE && cpu_at(slots, later->place)->taken > 1;
	bool was_shared = earlier->place.cpu != WHOLE && cpu_at(slots, earlier->place)->taken > 1;

	if (later->makeshift != earlier->makeshift)
		return later->makeshift;
	return shared >= was_shared;
}

/*
 * The slot to which a place on the freed core helps most: a makeshift one
 * before others, and of these the last, since the first thread of a team is the
 * one whose memory is there.  On that core itself only a makeshift one moves.
 */
static struct slot *
find_mover(struct sp_slots *slots, uint32_t freed)
{
	struct slot *mover = NULL;
	uint64_t most = 0;

	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (!slot->taken)
			continue;
		uint64_t wins = gain(slots, slot, freed);

		if (wins > most || (wins && wins == most && suits_better(slots, slot, mover))) {
			most = wins;
			mover = slot;
		} else if (!mover && slot->makeshift && slot->place.core == freed && cramped(slots, slot)) {
			mover = slot;
		}
	}
	return mover;
}

int
sp_slots_give(struct sp_slots *slots, int number, struct sp_cpus *cpus)
{
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -1;

	struct slot *slot = &slots->slot[number];
	uint32_t freed = slot->place.core;

	leave(slots, slot);
	slot->taken = false;
	if (--slot->pool->nslots == 0)
		remove_pool(slots, slot->pool);

	struct slot *mover = find_mover(slots, freed);

	if (!mover || slots->table.bind == SP_NO_BIND)
		return -1;
	leave(slots, mover);
	if (mover->team < mover->pool->team)
		mover->team = mover->pool->team;
	occupy(slots, mover, place_on(slots, freed, mover->team, 0));
	cpus_of(slots, mover->place, cpus);
	return (int)(mover - slots->slot);
}

/* Outer teams first, in the order of their numbers. */
static int
compare_slots(const void *a, const void *b)
{
	const struct slot *x = *(struct slot *const *)a, *y = *(struct slot *const *)b;

	if (x->inner != y->inner)
		return x->inner ? 1 : -1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x < y ? -1 : 1;
}

static void
place_anew(struct sp_slots *slots, struct slot *const order[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		leave(slots, order[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (order[i]->team < order[i]->pool->team)
			order[i]->team = order[i]->pool->team;
		occupy(slots, order[i], choose(slots, order[i]));
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

		most = n > most ? n : most;
		least = n < least ? n : least;
	}
	return most > least + 1;
}

bool
sp_slots_smaller_team(struct sp_slots *slots, struct sp_pool name, uint32_t team)
{
	struct pool *pool = find_pool(slots, name);

	if (!pool || pool->arranged || team >= pool->team || !is_crowded(slots, pool, team))
		return false;

	struct slot **order = malloc(slots->nslots * sizeof(struct slot *));

	if (!order)
		return false;

	uint32_t n = find_unarranged(slots, pool, order);

	pool->arranged = true;
	slots->in_turn |= pool->team > slots->table.ncores;
	place_anew(slots, order, n);
	free(order);
	return true;
}

int
sp_slots_cpus(const struct sp_slots *slots, int number, struct sp_cpus *cpus)
{
	if (number < 0 || (uint32_t)number >= slots->nslots || !slots->slot[number].taken)
		return -EINVAL;
	cpus_of(slots, slots->slot[number].place, cpus);
	return 0;
}

/* Threads that a slot's table has on its core, or that are there already, if these are more. */
static uint32_t
threads_beside(const struct sp_slots *slots, const struct slot *slot)
{
	uint32_t threads = sp_table_threads_on(&slots->table, slot->place.core, slot->team);
	uint32_t taken = slots->core[slot->place.core].taken;

	return threads > taken ? threads : taken;
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
		.whole = slot->place.cpu == WHOLE,
		.makeshift = slot->makeshift,
		.in_turn = slot->guess && slot->team > slots->table.ncores,
	};
	return 0;
}
