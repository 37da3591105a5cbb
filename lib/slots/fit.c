/* Whether the threads of a table are to be pinned: all of them, or none. */
#include "base/order.h"
#include "slots/occupancy.h"

/* If the user set "close" or a granularity, that holds for every team; and on a single CPU, with no other, no thread can move. */
static bool
is_always_pinned(const struct sp_slots *slots)
{
	return slots->table.bind != SP_SPREAD || slots->table.granularity != SP_GRANULARITY_AUTO ||
	       (slots->table.ncpus == 1 && sp_cpus_equal(&slots->unpinned, &slots->share));
}

uint32_t
sp_slots_claimed_cores(const struct sp_slots *slots)
{
	uint32_t ncores = slots->table.ncores;

	return slots->claimed ? (uint32_t)sp_smaller(slots->claimed, ncores) : ncores;
}

static bool
is_one_root(const struct sp_slots *slots)
{
	for (uint32_t i = 1; i < slots->npools; i++)
		if (slots->pool[i]->name.root != slots->pool[0]->name.root)
			return false;
	return true;
}

static bool
fits(const struct sp_slots *slots, uint64_t threads)
{
	uint32_t ncpus = slots->table.ncpus, full = slots->full ? slots->full : ncpus;

	if (!slots->is_strict || threads > ncpus)
		return threads <= ncpus;
	return threads <= sp_slots_claimed_cores(slots) ||
	       (threads == full && threads % slots->table.ncores == 0 && is_one_root(slots));
}

bool
sp_slots_fit(const struct sp_slots *slots, uint32_t team)
{
	return is_always_pinned(slots) || fits(slots, team);
}

/*
 * The cores that a pool's threads want.  A runtime keeps the threads of a larger
 * team that was; they sleep while a smaller one works, and lie beside it.  But
 * where other threads have places as well, that is known of none.
 *
 *   is_expected   all threads of nested teams are there
 */
static uint32_t
wanted_by(const struct sp_slots *slots, const struct pool *pool, bool is_alone, bool is_expected)
{
	uint32_t outer = sp_slots_threads(slots, pool->outer_on), all = sp_slots_threads(slots, pool->on_core);

	if (is_alone && all == outer)
		return pool->latest;
	return (uint32_t)sp_larger(sp_larger(all, pool->latest), is_expected ? pool->nested : 0);
}

/* Of several pools of one root thread, which works in one of them at a time, only the largest counts. */
static bool
is_counted_before(const struct sp_slots *slots, uint32_t pool)
{
	for (uint32_t i = 0; i < pool; i++)
		if (slots->pool[i]->name.root == slots->pool[pool]->name.root)
			return true;
	return false;
}

static uint32_t
wanted(const struct sp_slots *slots, bool is_expected)
{
	bool is_alone = is_one_root(slots);
	uint64_t threads = 0;

	for (uint32_t i = 0; i < slots->npools && threads <= slots->table.ncpus; i++) {	/* with thousands of roots, too, no more are looked at */
		uint32_t most = 0;

		if (is_counted_before(slots, i))
			continue;
		for (uint32_t k = i; k < slots->npools; k++)
			if (slots->pool[k]->name.root == slots->pool[i]->name.root)
				most = (uint32_t)sp_larger(most, wanted_by(slots, slots->pool[k], is_alone, is_expected));
		threads += most;
	}
	return (uint32_t)sp_smaller(threads, UINT32_MAX);
}

uint32_t
sp_slots_wanted(const struct sp_slots *slots)
{
	return wanted(slots, true);
}

bool
sp_slots_are_to_be_pinned(const struct sp_slots *slots)
{
	return is_always_pinned(slots) || (!slots->is_stopped && fits(slots, wanted(slots, false)));
}
