/* Devices: ranks to NUMA nodes by the devices near them. */
#include "cut/cutter.h"

static uint32_t
devices_of(const struct cutter *c, const struct part *part)
{
	return c->machine->pu[c->place[part->from]].devices;
}

/* The node that has most devices for a rank more, and a unit for it; NULL where there is none. */
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
		if (part[i].n && part_size(&part[i]) / part[i].n < fair)
			fair = part_size(&part[i]) / part[i].n;
	return fair;
}

bool
sp_cut_follow_devices(struct cutter *c)
{
	int level = OUTER;
	struct part *part;

	while (c->order[level] != 1)
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
