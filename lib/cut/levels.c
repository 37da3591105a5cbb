/* Levels: where the groups of each level begin, and the groups of a range. */
#include "cut/cutter.h"

/* Order the fields by their number of boundaries, fewest first: L3 groups contain NUMA nodes on some machines, and lie inside them on others. */
static void
order_fields(const struct sp_machine *machine, int order[RESPECTED])
{
	uint32_t groups[RESPECTED] = { 0 };

	for (const struct sp_pu *pu = machine->pu + 1; pu < machine->pu + machine->ncpus; pu++) {
		groups[0] += field(pu, 0) != field(pu - 1, 0);
		groups[1] += field(pu, 1) != field(pu - 1, 1);
		groups[2] += field(pu, 2) != field(pu - 1, 2);
	}
	for (int which = 0; which < RESPECTED; which++) {
		int before = 0;

		for (int other = 0; other < RESPECTED; other++) {
			bool is_smaller = groups[other] < groups[which], is_equal = groups[other] == groups[which];

			before += is_smaller || (is_equal && other < which);
		}
		order[before] = which;
	}
}

/* The coarsest level with a boundary between two neighbours. */
static int
boundary_between(const struct sp_pu *a, const struct sp_pu *b, const int order[RESPECTED])
{
	for (int level = OUTER; level < RESPECTED; level++)
		if (field(a, order[level]) != field(b, order[level]))
			return level;
	return a->l2 != b->l2 ? TILE : a->core != b->core ? CORE : UNIT;
}

void
sp_cut_find_boundaries(struct cutter *c)
{
	const struct sp_pu *pu = c->machine->pu;

	order_fields(c->machine, c->order);
	for (int level = 0; level < LEVELS; level++)
		c->next[level][c->nunits] = c->nunits;
	for (uint32_t i = c->nunits; i-- > 0;) {
		int coarsest = i == 0 ? OUTER :
			boundary_between(&pu[c->place[i - 1]], &pu[c->place[i]], c->order);

		for (int level = 0; level < LEVELS; level++)
			c->next[level][i] = level >= coarsest ? i : c->next[level][i + 1];
	}
}

uint32_t
sp_cut_split(struct cutter *c, int level, uint32_t from, uint32_t to, struct part **parts)
{
	struct part *part = *parts = c->part[level] + from;
	uint32_t n = 0;

	for (; from < to; from = part[n++].to)
		part[n] = (struct part){ .from = from, .to = group_end(c, level, from, to) };
	return n;
}
