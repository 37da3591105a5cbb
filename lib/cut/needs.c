/* Needs: how many units each rank wants, and the least that it takes to respect a boundary. */
#include <stdlib.h>

#include "base/order.h"
#include "cut/cutter.h"

/* Sorting. */

/* The largest value first, then the lowest rank. */
static void
sort(struct cutter *c, const uint32_t value[], uint32_t rank[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		c->key[i] = (uint64_t)(UINT32_MAX - (value ? value[rank[i]] : 0)) << 32 | rank[i];
	qsort(c->key, n, sizeof(*c->key), sp_order_keys);
	for (uint32_t i = 0; i < n; i++)
		rank[i] = (uint32_t)c->key[i];
}

void
sp_cut_sort_by_want(struct cutter *c, uint32_t rank[], uint32_t n)
{
	if (c->is_unequal)
		sort(c, c->want, rank, n);
}

void
sp_cut_sort_by_number(struct cutter *c, uint32_t rank[], uint32_t n)
{
	if (c->is_unequal)
		sort(c, NULL, rank, n);
}

/* Weighing. */

static uint32_t
need(const struct cutter *c, uint32_t rank)
{
	return need_of(c->demand, rank);
}

/*
 * A rank gives up an eighth of its units for a boundary; or, where no thread
 * may lose its unit, all units that its threads do not use.
 */
static uint32_t
least_of(const struct cutter *c, uint32_t rank, uint32_t want)
{
	if (c->is_strict && need(c, rank))
		return (uint32_t)sp_smaller(want, need(c, rank));
	return want - want / 8;
}

static void
set_want(struct cutter *c, uint32_t rank, uint32_t want)
{
	c->want[rank] = want;
	c->least[rank] = least_of(c, rank, want);
}

void
sp_cut_aim_at(struct cutter *c, uint32_t fair)
{
	c->is_unequal = false;
	for (uint32_t rank = 0; rank < c->nranks; rank++) {
		c->rank_at[rank] = rank;
		set_want(c, rank, fair);
	}
}

/* Ranks are sorted with known needs first, and the most threads first: the index at which ranks of the next size begin. */
static uint32_t
size_end(const struct cutter *c, uint32_t from, uint32_t known)
{
	uint32_t to = from + 1;

	while (to < known && need(c, c->rank_at[to]) == need(c, c->rank_at[from]))
		to++;
	return to;
}

/*
 * The index of the first of those ranks of equal need that have the most
 * threads per unit and for each of which a unit is left; known: there are none.
 */
static uint32_t
most_crowded(const struct cutter *c, uint32_t known, uint32_t left)
{
	uint32_t best = known;

	for (uint32_t from = 0, to; from < known; from = to) {
		to = size_end(c, from, known);
		if (to - from > left)
			continue;
		uint32_t one = c->rank_at[from], other = best == known ? 0 : c->rank_at[best];

		if (best == known || (uint64_t)need(c, one) * c->want[other] > (uint64_t)need(c, other) * c->want[one])
			best = from;
	}
	return best;
}

/* More threads than units: each rank gets one unit, then further units go to the ranks with the most threads per unit. */
static void
share_shortage(struct cutter *c, uint32_t known, uint32_t units)
{
	uint32_t left = units - known, best;

	for (uint32_t i = 0; i < known; i++)
		c->want[c->rank_at[i]] = 1;
	while ((best = most_crowded(c, known, left)) < known) {
		uint32_t to = size_end(c, best, known);

		left -= to - best;
		while (best < to)
			c->want[c->rank_at[best++]]++;
	}
}

/*
 * Divide this many units among the ranks of known need; is_rest_free: they also
 * get units that they do not need, which no other rank would get.
 */
static void
share_units(struct cutter *c, uint32_t known, uint64_t threads, uint32_t units, bool is_rest_free)
{
	if (threads > units) {
		share_shortage(c, known, units);
		return;
	}
	for (uint32_t i = 0; i < known; i++) {
		uint32_t rank = c->rank_at[i];

		c->want[rank] = is_rest_free ? (uint32_t)((uint64_t)need(c, rank) * units / threads) : need(c, rank);
	}
}

/*
 * Ranks of known need (the first in rank_at) get what their threads need, as far
 * as each other rank keeps a unit; the other ranks get even parts of the rest.
 */
static void
weigh_unequal(struct cutter *c, uint32_t known, uint64_t threads)
{
	uint32_t unknown = c->nranks - known, others = c->nunits - unknown;
	uint32_t each = unknown ? (uint32_t)(c->nunits - sp_smaller(threads, others)) / unknown : 0;

	share_units(c, known, threads, c->nunits - each * unknown, !unknown && !c->demand->compact);
	for (uint32_t i = known; i < c->nranks; i++)
		c->want[c->rank_at[i]] = each;
	for (uint32_t rank = 0; rank < c->nranks; rank++)
		set_want(c, rank, c->want[rank]);
}

void
sp_cut_weigh(struct cutter *c)
{
	uint32_t known = 0, fair = c->nunits / c->nranks, first = need(c, 0);
	uint64_t threads = 0;

	sp_cut_aim_at(c, c->demand->compact && first ? (uint32_t)sp_smaller(fair, first) : fair);
	for (uint32_t rank = 0; rank < c->nranks; rank++) {
		c->is_unequal |= need(c, rank) != first;
		known += need(c, rank) > 0;
		threads += need(c, rank);
	}
	if (!c->is_unequal)
		return;
	sort(c, c->demand->need, c->rank_at, c->nranks);
	weigh_unequal(c, known, threads);
	sp_cut_sort_by_want(c, c->rank_at, c->nranks);
}
