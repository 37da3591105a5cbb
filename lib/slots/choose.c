#include "slots/choose.h"

#include "base/order.h"

/* Threads of other pools on a core. */
static uint32_t
others_on(const struct sp_slots *slots, const struct pool *pool, uint32_t core)
{
	return slots->core[core].taken - pool->on_core[core];
}

/*
 * A thread whose number lies beyond its team, because threads of an earlier team
 * remain, is placed as one of the workers: never as thread 0, which opens the team.
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

/* A smaller team than the one whose cores are claimed is spread over the places of that one. */
static bool
is_part_of_claim(const struct sp_slots *slots, const struct slot *slot)
{
	return slots->table.bind == SP_SPREAD && slot->team < slots->claimed && slots->claimed <= slots->table.ncores;
}

/*
 * The nearest of these places to the thread's own: rounded, a half up, so that
 * of two threads the second is in the second half of an odd number, too, and so
 * on the other package.
 */
static uint32_t
part_of_claim(const struct sp_slots *slots, const struct slot *slot, uint32_t thread)
{
	return (uint32_t)((2 * (uint64_t)thread * slots->claimed + slot->team) / (2 * (uint64_t)slot->team));
}

struct assignment
sp_slots_assignment(const struct sp_slots *slots, const struct slot *slot)
{
	uint32_t thread = number_in_table(slot);

	if (goes_in_turn(slots, slot))
		return sp_table_assign_in_turn(&slots->table, thread, slot->team);
	if (is_part_of_claim(slots, slot))
		return sp_table_assign(&slots->table, part_of_claim(slots, slot, thread), slots->claimed);
	return sp_table_assign(&slots->table, thread, slot->team);
}

/*
 * Whether a higher-priority thread belongs elsewhere first.  Where threads are
 * dealt in turn, each round before a thread's own leaves one of a lower number,
 * that is higher priority, on its core; if there are more, one of them will move.
 */
static bool
is_early(const struct sp_slots *slots, const struct slot *slot, const struct assignment *assigned)
{
	uint32_t before = 0;

	if (!goes_in_turn(slots, slot) || slots->npools == 1)
		return false;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		const struct slot *other = &slots->slot[i];

		before += other->taken && sp_slots_counts_in(other, slot->pool) && other->place.core == assigned->place.core &&
			  other->thread < slot->thread;
	}
	return before > number_in_table(slot) / slots->table.ncores;
}

/*
 * Other root threads on a core, which count only for a thread that is a root
 * itself: between their teams root threads work alone, so each should have a
 * core of its own where its team leaves one.
 */
static uint32_t
roots_on(const struct sp_slots *slots, const struct slot *slot, uint32_t core)
{
	uint32_t roots = 0;

	if (slots->npools == 1 || !sp_slots_is_root(slot))
		return 0;
	for (uint32_t i = 0; i < slots->nslots; i++) {
		const struct slot *other = &slots->slot[i];

		roots += other->taken && other->place.core == core && sp_slots_is_root(other) &&
			 other->pool->name.root != slot->pool->name.root;
	}
	return roots;
}

/* Whether the assigned core has room for the thread; and, if threads of other pools are there, no core has fewer of them. */
static bool
core_fits(const struct sp_slots *slots, const struct slot *slot, const struct assignment *assigned)
{
	const struct pool *pool = slot->pool;
	uint32_t others = others_on(slots, pool, assigned->place.core), roots = roots_on(slots, slot, assigned->place.core);

	if (sp_slots_rivals(slot)[assigned->place.core] >= assigned->core_threads || is_early(slots, slot, assigned))
		return false;
	for (uint32_t i = 0; others && i < slots->table.ncores; i++)
		if (others_on(slots, pool, i) < others || roots_on(slots, slot, i) < roots)
			return false;
	return true;
}

static uint32_t
distance(uint32_t a, uint32_t b)
{
	return a < b ? b - a : a - b;
}

bool
sp_slots_is_unclaimed(const struct sp_slots *slots, uint32_t core)
{
	return slots->is_strict && sp_slots_claimed_cores(slots) < slots->table.ncores &&
	       !sp_table_threads_on(&slots->table, core, slots->claimed);
}

/* Whether core a suits a thread better than core b, by these criteria in order; near: the core that it should be close to. */
static bool
better_core(const struct sp_slots *slots, const struct slot *slot, uint32_t a, uint32_t b, uint32_t near)
{
	const uint32_t *rivals = sp_slots_rivals(slot), *own = slot->pool->on_core;
	uint32_t in_a = slots->core[a].taken, in_b = slots->core[b].taken;
	const uint64_t x[] = { sp_slots_is_unclaimed(slots, a), rivals[a], own[a], roots_on(slots, slot, a), in_a, in_a / slots->table.cpus[a], distance(a, near) };
	const uint64_t y[] = { sp_slots_is_unclaimed(slots, b), rivals[b], own[b], roots_on(slots, slot, b), in_b, in_b / slots->table.cpus[b], distance(b, near) };

	return sp_order_all(x, y, sizeof(x) / sizeof(x[0])) < 0;
}

struct place
sp_slots_place_on(const struct sp_slots *slots, uint32_t core, uint32_t team, uint32_t near)
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
		if (better_core(slots, slot, i, best, near.core))
			best = i;
	return sp_slots_place_on(slots, best, slot->team, near.cpu == WHOLE ? 0 : near.cpu);
}

/* The place on the assigned core: the assigned CPU, unless that has all the threads that the table puts on a CPU. */
static struct place
place_at(struct sp_slots *slots, const struct slot *slot, const struct assignment *assigned)
{
	struct place other = sp_slots_place_on(slots, assigned->place.core, slot->team, assigned->place.cpu == WHOLE ? 0 : assigned->place.cpu);

	if (assigned->place.cpu == WHOLE || sp_slots_cpu_at(slots, assigned->place)->taken >= assigned->cpu_threads)
		return other;
	return assigned->place;
}

/* An outer thread of a pool on a core; NULL: there is none. */
static const struct slot *
outer_thread_on(const struct sp_slots *slots, const struct pool *pool, uint32_t core)
{
	for (uint32_t i = 0; i < slots->nslots; i++) {
		const struct slot *slot = &slots->slot[i];

		if (slot->taken && !slot->inner && slot->place.core == core && sp_slots_counts_in(slot, pool))
			return slot;
	}
	return NULL;
}

/*
 * The place of the thread that has the assigned one.  Threads of a smaller team
 * keep theirs when a larger one starts, in whose table these may belong to
 * others.  If these get what the table assigns to the former, the team has the
 * cores of its table, which are those that the rank has claimed.  The thread
 * there may be such a one, too.  Returns whether a free core is found, without
 * inner threads, either; only then assigned counts.
 */
static bool
exchange(const struct sp_slots *slots, const struct slot *slot, struct assignment *assigned)
{
	struct slot other = *slot;

	for (uint32_t i = 0; i < slot->team && slot->team <= slots->table.ncores; i++) {
		uint32_t core = assigned->place.core;
		const struct slot *there = outer_thread_on(slots, slot->pool, core);

		if (!there || there->thread >= slot->team)
			return false;
		other.thread = there->thread;
		*assigned = sp_slots_assignment(slots, &other);
		if (assigned->place.core == core)
			return false;
		if (slot->pool->on_core[assigned->place.core] == 0 && core_fits(slots, slot, assigned))
			return true;
	}
	return false;
}

struct place
sp_slots_choose(struct sp_slots *slots, const struct slot *slot)
{
	const struct slot *outer = slot->inner ? &slots->slot[slot->near] : NULL;

	if (outer)
		return least_taken(slots, slot, outer->taken ? outer->place : slot->place);

	const struct assignment own = sp_slots_assignment(slots, slot);
	struct assignment assigned = own;

	if (core_fits(slots, slot, &assigned) || exchange(slots, slot, &assigned))
		return place_at(slots, slot, &assigned);
	return least_taken(slots, slot, own.place);
}
