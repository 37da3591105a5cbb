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
	bool makeshift;		/* on a core with more threads than its table has */
	bool in_turn;		/* the table is that of a guess */
	uint32_t team;		/* size of that table */
	struct place place;
};

struct sp_slots {
	struct sp_table table;
	struct sp_cpus share;
	uint32_t team;		/* the largest that was announced, guesses apart */
	bool in_turn;		/* smaller teams come too: neighbours no longer share cores */
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
	slots->share = usable;
	slots->cpu = (struct cpu *)(slots->core + n);
	slots->table.cpus = (uint32_t *)(slots->cpu + n);
	add_cpus(slots, machine);
	return slots;
}

void
sp_slots_destroy(struct sp_slots *slots)
{
	if (slots)
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

static void
occupy(struct sp_slots *slots, struct slot *slot, struct place place)
{
	struct core *core = &slots->core[place.core];

	slot->taken = true;
	slot->place = place;
	core->taken++;
	if (place.cpu != WHOLE)
		cpu_at(slots, place)->taken++;
	slot->makeshift = core->taken > sp_table_most_on(&slots->table, place.core, slot->team);
}

static void
leave(struct sp_slots *slots, struct slot *slot)
{
	slot->taken = false;
	slots->core[slot->place.core].taken--;
	if (slot->place.cpu != WHOLE)
		cpu_at(slots, slot->place)->taken--;
}

static bool
is_free(struct sp_slots *slots, const struct seat *seat)
{
	const struct core *core = &slots->core[seat->place.core];

	if (core->taken >= seat->core_threads)
		return false;
	return seat->place.cpu == WHOLE || cpu_at(slots, seat->place)->taken < seat->cpu_threads;
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a < b ? b - a : a - b;
}

/* Whether core a is the better one to join, for a thread that belongs near a core. */
static bool
better_core(const struct sp_slots *slots, uint32_t a, uint32_t b, uint32_t near)
{
	const struct core *x = &slots->core[a], *y = &slots->core[b];
	uint32_t on_cpu_x = x->taken / slots->table.cpus[a], on_cpu_y = y->taken / slots->table.cpus[b];

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
least_taken(const struct sp_slots *slots, uint32_t team, struct place near)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < slots->table.ncores; i++)
		if (better_core(slots, i, best, near.core))
			best = i;
	return place_on(slots, best, team, near.cpu == WHOLE ? 0 : near.cpu);
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

/*
 * The number of the slot for a thread.  One whose own number is taken gets a
 * number that no other thread of the team will ask for.
 */
static uint32_t
number_for(const struct sp_slots *slots, const struct sp_wish *wish, uint32_t team)
{
	if (wish->thread < 0)
		return free_number(slots, 0);

	uint32_t thread = (uint32_t)wish->thread;

	if (thread < MOST_THREADS && (thread >= slots->nslots || !slots->slot[thread].taken))
		return thread;
	return free_number(slots, team < MOST_THREADS ? team : 0);
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

static bool
near_is_known(const struct sp_slots *slots, const struct sp_wish *wish)
{
	return wish->near >= 0 && (uint32_t)wish->near < slots->nslots &&
		slots->slot[wish->near].taken;
}

/*
 * A thread without a number whose slot's number lies beyond its team, since
 * another runtime's threads have the lower ones, is some worker of it: not
 * thread 0, which opens the team.
 */
static uint32_t
thread_of(const struct sp_wish *wish, uint32_t number, uint32_t team)
{
	if (wish->thread >= 0)
		return (uint32_t)wish->thread % team;
	return number < team || team == 1 ? number % team : 1 + (number - team) % (team - 1);
}

static struct place
choose(struct sp_slots *slots, const struct sp_wish *wish, uint32_t thread, uint32_t team)
{
	if (near_is_known(slots, wish))
		return least_taken(slots, team, slots->slot[wish->near].place);

	struct seat seat = (wish->guess || slots->in_turn) && team > slots->table.ncores ?
		sp_table_seat_in_turn(&slots->table, thread, team) :
		sp_table_seat(&slots->table, thread, team);

	return is_free(slots, &seat) ? seat.place : least_taken(slots, team, seat.place);
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

int
sp_slots_take(struct sp_slots *slots, const struct sp_wish *wish, struct sp_cpus *cpus)
{
	if (wish->team == 0)
		return -EINVAL;

	uint32_t most = wish->team > slots->team ? wish->team : slots->team;
	uint32_t number = number_for(slots, wish, most);
	int rc = make_room(slots, number);

	if (rc)
		return rc;
	/* A guess is not kept: a table too large would crowd the real team. */
	if (!wish->guess)
		slots->team = most;
	/*
	 * A new thread without a number is one of libgomp's, which has no others
	 * than this team's; a runtime with numbers keeps those of the largest.
	 */
	uint32_t team = wish->thread < 0 ? wish->team : most;
	uint32_t thread = thread_of(wish, number, team);

	slots->slot[number].team = team;
	slots->slot[number].in_turn = wish->guess && team > slots->table.ncores;
	occupy(slots, &slots->slot[number], choose(slots, wish, thread, team));
	cpus_of(slots, slots->slot[number].place, cpus);
	return (int)number;
}

/* Give. */

/* Threads fewer on its core if this slot moved to the freed one; 0 if it is there already. */
static uint32_t
gain(const struct sp_slots *slots, const struct slot *slot, uint32_t freed)
{
	uint32_t here = slots->core[slot->place.core].taken;
	uint32_t there = slots->core[freed].taken + 1;

	return slot->place.core != freed && here > there ? here - there : 0;
}

/* Whether a slot could do better on the core that it has. */
static bool
cramped(struct sp_slots *slots, const struct slot *slot)
{
	const struct core *core = &slots->core[slot->place.core];

	if (slot->place.cpu == WHOLE)
		return false;
	if (core->taken == 1)
		return sp_table_whole_cores(&slots->table, slot->team) && sp_table_whole_cores(&slots->table, slots->team);

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
	uint32_t most = 0;

	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (!slot->taken)
			continue;
		uint32_t wins = gain(slots, slot, freed);

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

	uint32_t freed = slots->slot[number].place.core;

	leave(slots, &slots->slot[number]);

	struct slot *mover = find_mover(slots, freed);

	if (!mover || slots->table.bind == SP_NO_BIND)
		return -1;
	leave(slots, mover);
	if (mover->team < slots->team)
		mover->team = slots->team;
	occupy(slots, mover, place_on(slots, freed, mover->team, 0));
	cpus_of(slots, mover->place, cpus);
	return (int)(mover - slots->slot);
}

/* Threads of the team by their numbers, then those of nested teams, wherever there is room. */
bool
sp_slots_smaller_team(struct sp_slots *slots, uint32_t team)
{
	if (slots->in_turn || team >= slots->team || slots->team <= slots->table.ncores)
		return false;
	slots->in_turn = true;

	for (uint32_t i = 0; i < slots->nslots; i++) {
		struct slot *slot = &slots->slot[i];

		if (!slot->taken)
			continue;
		leave(slots, slot);
		slot->team = slots->team;
		occupy(slots, slot, i < slots->team ? sp_table_seat_in_turn(&slots->table, i, slots->team).place :
		       least_taken(slots, slots->team, slot->place));
	}
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
		.team = slot->team,
		.ncores = slots->table.ncores,
		.ncpus = slots->table.ncpus,
		.on_core = threads_beside(slots, slot),
		.core_cpus = slots->table.cpus[slot->place.core],
		.whole = slot->place.cpu == WHOLE,
		.makeshift = slot->makeshift,
		.in_turn = slot->in_turn,
	};
	return 0;
}
