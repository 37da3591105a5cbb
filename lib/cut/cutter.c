/* The cutter: one cut of cores that count as alike, its memory and its steps in order. */
#include "cut/cutter.h"

#include <errno.h>
#include <stdlib.h>

#define ARRAYS_MAX 32

/* All that the cut writes: an allocation an array, so that a memory checker sees where each ends. */
struct memory {
	void *array[ARRAYS_MAX];
	uint32_t n;
	bool is_short;
};

static void *
make(struct memory *memory, size_t count, size_t size)
{
	void *array = calloc(count, size);

	memory->is_short |= !array;
	memory->array[memory->n++] = array;
	return array;
}

static void
release(struct memory *memory)
{
	while (memory->n)
		free(memory->array[--memory->n]);
}

static struct tally *
make_all(struct cutter *c, struct memory *memory)
{
	size_t units = c->nunits, ranks = c->nranks;

	c->place = make(memory, units, sizeof(*c->place));
	c->rank = make(memory, units, sizeof(*c->rank));
	c->heap = make(memory, units, sizeof(*c->heap));
	for (int level = 0; level < LEVELS; level++)
		c->next[level] = make(memory, units + 1, sizeof(uint32_t));
	for (int level = 0; level < RESPECTED; level++) {
		c->room[level] = make(memory, units + 1, sizeof(uint32_t));
		c->part[level] = make(memory, units, sizeof(struct part));
	}
	c->territory = make(memory, ranks, sizeof(*c->territory));
	c->segment = make(memory, ranks, sizeof(*c->segment));
	c->turn = make(memory, ranks, sizeof(*c->turn));
	c->number = make(memory, ranks, sizeof(*c->number));
	c->where = make(memory, ranks, sizeof(*c->where));
	c->spot = make(memory, ranks, sizeof(*c->spot));
	return make(memory, ranks, sizeof(struct tally));
}

static void
cut_cores(struct cutter *c)
{
	sp_cut_aim_at(c, c->nunits / c->nranks);
	if (c->near && sp_cut_follow_near(c))
		;
	else if (c->policy->devices != SP_DEVICES_OFF && sp_cut_follow_devices(c))
		;
	else if (c->nranks == 1)	/* nobody would gain by what it leaves */
		sp_cut_add_segment(c, 0, c->nunits, 1, c->nunits);
	else
		sp_cut_descend(c, OUTER, 0, c->nunits, c->nranks);
	sp_cut_lay_out(c);
	sp_cut_take_shares(c);
}

static void
cut_units(struct cutter *c)
{
	sp_cut_find_boundaries(c);
	if (c->by_cpu)
		sp_cut_share_cores(c);
	else
		cut_cores(c);
	if (c->is_numbered)
		sp_cut_number_by_near(c);
	else if (c->policy->distribution == SP_CYCLIC)
		sp_cut_deal_round_nodes(c);
}

/* Cut the units that are marked; their numbers become owners. */
static void
cut_marked(struct cutter *c, struct tally *tally, uint32_t owner[], struct sp_cut *cut)
{
	sp_cut_number_units(c->machine, c->by_cpu, owner, c->place);
	cut_units(c);
	for (uint32_t i = 0; i < c->machine->ncpus; i++)
		if (owner[i] != SP_NOBODY)
			owner[i] = c->rank[owner[i]];
	sp_cut_fill_figures(c, tally, cut);
}

int
sp_cut_kinds(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t kinds,
	     uint32_t nranks, const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	struct cutter c = { .machine = machine, .policy = policy, .near = near, .nranks = nranks };
	struct memory memory = { .is_short = false };
	struct usable usable = sp_cut_mark_usable(machine, policy, kinds, owner);

	c.by_cpu = usable.cores < nranks;
	c.nunits = c.by_cpu ? usable.cpus : usable.cores;
	if (c.nunits < nranks)
		return -ENOSPC;

	struct tally *tally = make_all(&c, &memory);

	if (!memory.is_short)
		cut_marked(&c, tally, owner, cut);
	release(&memory);
	return memory.is_short ? -ENOMEM : 0;
}
