/* Shares: the units that a rank takes out of its territory. */
#include "base/order.h"
#include "cut/cutter.h"

/* Reduce a row of parts that together hold enough units to the fewest parts that do. */
static uint32_t
fewest_parts(struct part **parts, uint32_t n, uint32_t enough)
{
	struct part *part = *parts;
	uint32_t fewest = n;

	for (uint32_t first = 0, last = 0; last < n; last++) {
		for (; first <= last && part[last].to - part[first].from >= enough; first++) {
			if (last + 1 - first < fewest) {
				fewest = last + 1 - first;
				*parts = part + first;
			}
		}
	}
	return fewest;
}

/* Whether part a gives up units before part b: parts give up evenly, the larger one first. */
static bool
gives_before(const struct part *a, const struct part *b)
{
	uint32_t given_a = part_size(a) - a->n, given_b = part_size(b) - b->n;

	return given_a < given_b || (given_a == given_b && a->n > b->n);
}

/* How many units to free at the end of a part: a whole tile, if the part ends in one and that many may be freed. */
static uint32_t
free_at_end(const struct cutter *c, const struct part *part, uint32_t surplus)
{
	uint32_t end = part->from + part->n;
	uint32_t tile = boundary_before(c, TILE, end - 1);

	if (tile <= part->from)
		return 1;
	return (uint32_t)sp_smaller(end - tile, surplus);
}

/* Free units evenly from the ends of the parts. */
static void
free_evenly(const struct cutter *c, struct part *part, uint32_t n, uint32_t surplus)
{
	for (uint32_t i = 0; i < n; i++)
		part[i].n = part_size(&part[i]);
	while (surplus) {
		struct part *giver = NULL;

		for (uint32_t i = 0; i < n; i++)
			if (part[i].n && (!giver || gives_before(&part[i], giver)))
				giver = &part[i];
		if (!giver)
			return;

		uint32_t given = free_at_end(c, giver, surplus);

		giver->n -= given;
		surplus -= given;
	}
}

/* Take units for a rank out of a range. */
static void
units_take(struct cutter *c, int level, uint32_t from, uint32_t to, uint32_t units, uint32_t rank)
{
	/* Of a single group, of whatever level, the first units are taken. */
	if (level == RESPECTED || group_end(c, RESPECTED - 1, from, to) == to) {
		for (uint32_t i = from; i < to && i < from + units; i++)
			c->rank[i] = rank;
		return;
	}

	struct part *part = NULL;
	uint32_t n = sp_cut_split(c, level, from, to, &part);

	n = fewest_parts(&part, n, units);

	if (n == 0)
		return;
	free_evenly(c, part, n, (uint32_t)sp_excess(part[n - 1].to - part[0].from, units));
	for (uint32_t i = 0; i < n; i++)
		if (part[i].n)
			units_take(c, level + 1, part[i].from, part[i].to, part[i].n, rank);
}

/* policy.cores: keep only so many of the rank's units in its territory, evenly spaced. */
static void
thin_out(struct cutter *c, const struct territory *t)
{
	uint32_t units = 0, seen = 0;
	uint64_t keep = c->policy->cores;

	for (uint32_t i = t->from; i < t->to; i++)
		units += c->rank[i] != SP_NOBODY;
	if (keep >= units)
		return;
	for (uint32_t i = t->from; i < t->to; i++) {
		if (c->rank[i] == SP_NOBODY)
			continue;
		if ((seen * keep + units - 1) / units == ((seen + 1) * keep + units - 1) / units)
			c->rank[i] = SP_NOBODY;
		seen++;
	}
}

void
sp_cut_take_shares(struct cutter *c)
{
	for (uint32_t i = 0; i < c->nunits; i++)
		c->rank[i] = SP_NOBODY;
	for (uint32_t i = 0; i < c->nranks; i++) {
		const struct territory *t = &c->territory[i];
		uint32_t units = deals_all(c) ? t->to - t->from : units_of(c, i);

		units_take(c, OUTER, t->from, t->to, units, i);
		if (c->policy->cores)
			thin_out(c, t);
	}
}
