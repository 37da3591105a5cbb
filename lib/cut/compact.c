/*
 * Compact: where other jobs use the node, the ranks are put into as few groups
 * as hold them.
 */
#include "base/order.h"
#include "cut/cutter.h"

/* Units of a part in whose L3 group nothing is taken. */
static uint32_t
fresh_units(const struct cutter *c, const struct part *part)
{
	uint32_t n = 0;

	for (uint32_t i = part->from; i < part->to; i++)
		n += c->fresh[i];
	return n;
}

/* A part in which the ranks need not share an L3 group with another job is best; among equals, the smallest. */
static bool
is_better(const struct cutter *c, const struct part *a, const struct part *b, uint64_t units)
{
	bool fresh_a = fresh_units(c, a) >= units, fresh_b = fresh_units(c, b) >= units;

	return fresh_a != fresh_b ? fresh_a : part_size(a) < part_size(b);
}

/* The best empty part that holds all of these ranks; NULL: there is none. */
static struct part *
best_for_all(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n)
{
	struct part *best = NULL;
	uint64_t units = 0;

	for (uint32_t i = 0; i < n; i++)
		units += c->least[rank[i]];
	for (struct part *p = part; p < part + nparts; p++)
		if (!p->n && sp_cut_has_room(c, level, p->from, p->to, rank, n) && (!best || is_better(c, p, best, units)))
			best = p;
	return best;
}

static struct part *
largest_empty(const struct cutter *c, struct part *part, uint32_t nparts)
{
	struct part *best = NULL;

	for (struct part *p = part; p < part + nparts; p++)
		if (!p->n && (!best || fresh_units(c, p) > fresh_units(c, best) ||
			      (fresh_units(c, p) == fresh_units(c, best) && part_size(p) > part_size(best))))
			best = p;
	return best;
}

/* How many of these ranks a part holds, counted from the first. */
static uint32_t
most_held(struct cutter *c, int level, const struct part *part, const uint32_t rank[], uint32_t n)
{
	uint32_t low = 0;

	while (low < n) {
		uint32_t middle = low + (n - low + 1) / 2;

		if (sp_cut_has_room(c, level, part->from, part->to, rank, middle))
			low = middle;
		else
			n = middle - 1;
	}
	return low;
}

static void
put(struct cutter *c, struct part *part, uint32_t at, const uint32_t rank[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		c->where[rank[i]] = at;
	part[at].n += n;
}

/* Put all ranks that are left into one part if there is one for them; otherwise as many as possible into the largest, and so on. */
bool
sp_cut_gather(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n)
{
	for (uint32_t next = 0; next < n;) {
		struct part *all = best_for_all(c, level, part, nparts, rank + next, n - next);
		struct part *p = all ? all : largest_empty(c, part, nparts);
		uint32_t held = all ? n - next : p ? most_held(c, level, p, rank + next, n - next) : 0;

		if (!held) {
			return false;
		}
		put(c, part, (uint32_t)(p - part), rank + next, held);
		next += held;
	}
	return true;
}
