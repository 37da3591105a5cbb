/*
 * Devices: deals ranks to the parts of the machine beside their devices, or,
 * where only the numbers of devices are known, to the NUMA nodes that have
 * devices.
 */
#include "base/order.h"
#include "cut/cutter.h"

static uint32_t
devices_of(const struct cutter *c, const struct part *part)
{
	return c->machine->pu[c->place[part->from]].devices;
}

/*
 * The node with the most devices per rank after one more rank, and with a free
 * unit for that rank; NULL where there is none.
 */
static struct part *
node_for_rank(const struct cutter *c, struct part *part, uint32_t n)
{
	struct part *best = NULL;

	for (struct part *p = part; p < part + n; p++) {
		if (p->n == part_size(p) || devices_of(c, p) == 0)
			continue;
		if (!best || (uint64_t)devices_of(c, p) * (best->n + 1) >
			     (uint64_t)devices_of(c, best) * (p->n + 1))
			best = p;
	}
	return best;
}

static bool
deal_by_devices(const struct cutter *c, struct part *part, uint32_t n)
{
	for (uint32_t left = c->nranks; left; left--) {
		struct part *node = node_for_rank(c, part, n);

		if (!node)
			return false;
		node->n++;
	}
	return true;
}

static uint32_t
smallest_fair(const struct part *part, uint32_t n)
{
	uint32_t fair = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++)
		if (part[i].n)
			fair = (uint32_t)sp_smaller(fair, part_size(&part[i]) / part[i].n);
	return fair;
}

bool
sp_cut_follow_devices(struct cutter *c)
{
	int level = OUTER;
	struct part *part;

	while (level < INNER && c->order[level] != 1)
		level++;

	uint32_t n = sp_cut_split(c, level, 0, c->nunits, &part);

	if (!deal_by_devices(c, part, n))
		return false;
	sp_cut_aim_at(c, smallest_fair(part, n));
	for (uint32_t i = 0; i < n; i++)
		if (part[i].n)
			sp_cut_descend(c, level + 1, part[i].from, part[i].to, part[i].n);
	return true;
}

/* Ranks with a part of the machine each; several ranks may have the same part. */

/* How far a rank's part may grow.  A part is too small if it has less than a quarter of an even share for the rank. */
enum { EXACT, WITHOUT_L3, WITHOUT_NUMA, WIDTHS };	/* the next width would be the whole machine */
#define SMALLEST 4

struct placing {
	struct cutter *c;
	bool deal;		/* false: only measure */
	uint32_t smallest;	/* units that each rank can have */
};

static struct sp_near
widen(struct sp_near near, int width)
{
	if (width >= WITHOUT_L3)
		near.l3 = SP_ANYWHERE;
	if (width >= WITHOUT_NUMA)
		near.numa = SP_ANYWHERE;
	if (width >= WIDTHS)
		near.package = SP_ANYWHERE;
	return near;
}

static bool
is_anywhere(const struct sp_near *near)
{
	return near->package == SP_ANYWHERE && near->numa == SP_ANYWHERE && near->l3 == SP_ANYWHERE;
}

/* The first unit of a range that is in a part; to, if there is none. */
static uint32_t
first_unit(const struct cutter *c, const struct sp_near *near, uint32_t from, uint32_t to)
{
	while (from < to && !sp_pu_is_near(&c->machine->pu[c->place[from]], near))
		from++;
	return from;
}

/*
 * Fill near[] with the parts at this width; beyond it only parts without usable
 * CPUs are widened.  Returns whether any rank has a part.
 */
static bool
find_near(struct cutter *c, int width)
{
	bool any = false;

	for (uint32_t rank = 0; rank < c->nranks; rank++) {
		struct sp_near *near = &c->near[rank];

		*near = widen(c->demand->near[rank], width);
		for (int wider = width; wider < WIDTHS && first_unit(c, near, 0, c->nunits) == c->nunits;)
			*near = widen(c->demand->near[rank], ++wider);
		any |= !is_anywhere(near);
	}
	return any;
}

/* Whether neither this level nor a finer one restricts where the rank is placed. */
static bool
is_indifferent(const struct cutter *c, int level, uint32_t rank)
{
	const struct sp_near *near = &c->near[rank];
	const uint32_t value[] = { near->package, near->numa, near->l3 };

	for (; level < RESPECTED; level++)
		if (value[c->order[level]] != SP_ANYWHERE)
			return false;
	return true;
}

static bool
all_indifferent(const struct cutter *c, int level, const uint32_t rank[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_indifferent(c, level, rank[i]))
			return false;
	return true;
}

static uint32_t
roomiest(const struct part *part, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < n; i++)
		if ((uint64_t)part_size(&part[i]) * (part[best].n + 1) >
		    (uint64_t)part_size(&part[best]) * (part[i].n + 1))
			best = i;
	return best;
}

static uint32_t
part_around(const struct part *part, uint32_t n, uint32_t unit)
{
	uint32_t i = 0;

	while (i + 1 < n && part[i].to <= unit)
		i++;
	return i;
}

/* Fill where[] with the part of the range for each of these ranks; ranks without a preference go where there is room. */
static void
choose_parts(struct cutter *c, int level, struct part *part, uint32_t nparts, const uint32_t rank[], uint32_t n)
{
	uint32_t from = part[0].from, to = part[nparts - 1].to;

	for (uint32_t i = 0; i < n; i++) {
		if (is_indifferent(c, level, rank[i]))
			continue;
		c->where[rank[i]] = part_around(part, nparts, first_unit(c, &c->near[rank[i]], from, to));
		part[c->where[rank[i]]].n++;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!is_indifferent(c, level, rank[i]))
			continue;
		c->where[rank[i]] = roomiest(part, nparts);
		part[c->where[rank[i]]].n++;
	}
}

/* Put the ranks in the order of their parts. */
static void
sort_by_part(struct cutter *c, uint32_t nparts, uint32_t rank[], uint32_t n)
{
	uint32_t sorted = 0;

	for (uint32_t i = 0; i < nparts; i++)
		for (uint32_t k = 0; k < n; k++)
			if (c->where[rank[k]] == i)
				c->heap[sorted++] = rank[k];
	for (uint32_t k = 0; k < n; k++)
		rank[k] = c->heap[k];
}

/* Deal, or only measure, ranks for which any place in a range is as good. */
static void
place_together(struct placing *p, int level, uint32_t from, uint32_t to, const uint32_t rank[], uint32_t n)
{
	struct cutter *c = p->c;

	p->smallest = (uint32_t)sp_smaller(p->smallest, (to - from) / n);
	if (!p->deal)
		return;
	for (uint32_t i = 0; i < n; i++)
		c->rank_at[c->placed + i] = rank[i];
	sp_cut_descend(c, level, from, to, n);
}

/* Split a range until the ranks in each part have no further preference inside it. */
static void
ranks_place(struct placing *p, int level, uint32_t from, uint32_t to, uint32_t rank[], uint32_t n)
{
	struct part *part;

	if (all_indifferent(p->c, level, rank, n)) {
		place_together(p, level, from, to, rank, n);
		return;
	}
	uint32_t nparts = sp_cut_split(p->c, level, from, to, &part);

	choose_parts(p->c, level, part, nparts, rank, n);
	sort_by_part(p->c, nparts, rank, n);
	for (uint32_t i = 0; i < nparts; rank += part[i++].n)
		if (part[i].n)
			ranks_place(p, level + 1, part[i].from, part[i].to, rank, part[i].n);
}

static uint32_t
place_all(struct cutter *c, bool deal)
{
	struct placing p = { .c = c, .deal = deal, .smallest = UINT32_MAX };

	for (uint32_t rank = 0; rank < c->nranks; rank++)
		c->turn[rank] = rank;
	ranks_place(&p, OUTER, 0, c->nunits, c->turn, c->nranks);
	return p.smallest;
}

bool
sp_cut_follow_near(struct cutter *c)
{
	uint32_t fair = c->nunits / c->nranks, each = 0;

	for (int width = EXACT; width < WIDTHS && !each; width++) {
		if (!find_near(c, width))
			return false;
		each = place_all(c, false);
		if (each * SMALLEST < fair)
			each = 0;
	}
	if (!each)
		return false;
	sp_cut_aim_at(c, each);
	place_all(c, true);
	c->is_near = true;
	return true;
}
