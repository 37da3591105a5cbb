/*
 * A crowd: more ranks than cores.
 *
 * Ranks fill the cores evenly: a core gets one more rank than another only if
 * the other has no CPU for one more.  Units are CPUs here.
 */
#include "base/order.h"
#include "cut/cutter.h"

struct crowd {
	uint32_t most;		/* ranks on each of the fullest cores */
	uint32_t roomy;		/* cores with CPUs for `most` ranks */
	uint32_t full;		/* roomy cores that get `most` ranks */
	uint32_t each;		/* CPUs of a rank, unless its core has too few */
};

static uint32_t
core_end(const struct cutter *c, uint32_t from)
{
	return group_end(c, CORE, from, c->nunits);
}

/* The number of ranks that find room with at most this many on a core. */
static uint32_t
room_with(const struct cutter *c, uint32_t most)
{
	uint32_t ranks = 0;

	for (uint32_t from = 0, to; from < c->nunits; from = to) {
		to = core_end(c, from);
		ranks += (uint32_t)sp_smaller(to - from, most);
	}
	return ranks;
}

/* Find how many ranks the fullest cores have: the lowest number with which all ranks find room. */
static struct crowd
measure(const struct cutter *c)
{
	struct crowd crowd = { .most = 1 };
	uint32_t largest = 0;

	while (crowd.most < c->nunits && room_with(c, crowd.most) < c->nranks)
		crowd.most++;
	crowd.full = c->nranks - room_with(c, crowd.most - 1);
	for (uint32_t from = 0, to; from < c->nunits; from = to) {
		to = core_end(c, from);
		crowd.roomy += to - from >= crowd.most;
		largest = (uint32_t)sp_larger(largest, to - from);
	}
	crowd.each = largest / crowd.most;
	return crowd;
}

/* How many of the roomy cores before the nth are full; full cores are spread evenly. */
static uint32_t
full_before(struct crowd crowd, uint32_t nth)
{
	return crowd.roomy ? (uint32_t)((uint64_t)nth * crowd.full / crowd.roomy) : 0;
}

/* Divide a core among ranks: the same number of CPUs for each, or, with SP_SHARE_ALL, all CPUs of the core. */
static void
divide_core(struct cutter *c, uint32_t from, uint32_t size, uint32_t first, uint32_t ranks, uint32_t each)
{
	bool all = c->policy->share == SP_SHARE_ALL;

	if (ranks == 0)
		return;
	each = (uint32_t)sp_smaller(each, size / ranks);
	for (uint32_t i = 0; i < ranks; i++) {
		uint32_t start = all ? i * size / ranks : i * each;
		uint32_t end = all ? (i + 1) * size / ranks : start + each;

		for (uint32_t cpu = start; cpu < end; cpu++)
			c->rank[from + cpu] = first + i;
	}
}

void
sp_cut_share_cores(struct cutter *c)
{
	struct crowd crowd = measure(c);
	uint32_t rank = 0, nth = 0;	/* nth: among the roomy cores */

	for (uint32_t i = 0; i < c->nunits; i++)
		c->rank[i] = SP_NOBODY;
	for (uint32_t from = 0, to; from < c->nunits; from = to) {
		to = core_end(c, from);

		uint32_t size = to - from, ranks = (uint32_t)sp_smaller(size, crowd.most - 1);

		if (size >= crowd.most) {
			ranks += full_before(crowd, nth + 1) - full_before(crowd, nth);
			nth++;
		}
		divide_core(c, from, size, rank, ranks, crowd.each);
		rank += ranks;
	}
}
