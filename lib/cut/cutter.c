/* The cutter: one cut of cores that count as alike, its memory and its steps in order. */
#include "cut/cutter.h"

#include <errno.h>
#include <stdlib.h>

/* So that the address sanitizer sees where each array ends. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GAP 32
#else
#define GAP 0
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)0)
#endif

/* One allocation holds all that the cut writes. */
struct memory {
	char *base;
	size_t used;
};

static void *
carve(struct memory *memory, size_t count, size_t size)
{
	char *piece = memory->base ? memory->base + memory->used : NULL;
	size_t its = count * size, whole = (its + GAP + 15) & ~(size_t)15;

	if (piece)
		ASAN_POISON_MEMORY_REGION(piece + its, whole - its);
	memory->used += whole;
	return piece;
}

static struct tally *
carve_all(struct cutter *c, struct memory *memory)
{
	size_t units = c->nunits, ranks = c->nranks;

	memory->used = 0;
	c->place = carve(memory, units, sizeof(*c->place));
	c->rank = carve(memory, units, sizeof(*c->rank));
	c->heap = carve(memory, units, sizeof(*c->heap));
	for (int level = 0; level < LEVELS; level++)
		c->next[level] = carve(memory, units + 1, sizeof(uint32_t));
	for (int level = 0; level < RESPECTED; level++) {
		c->room[level] = carve(memory, units + 1, sizeof(uint32_t));
		c->part[level] = carve(memory, units, sizeof(struct part));
	}
	c->territory = carve(memory, ranks, sizeof(*c->territory));
	c->segment = carve(memory, ranks, sizeof(*c->segment));
	c->turn = carve(memory, ranks, sizeof(*c->turn));
	c->number = carve(memory, ranks, sizeof(*c->number));
	c->where = carve(memory, ranks, sizeof(*c->where));
	c->spot = carve(memory, ranks, sizeof(*c->spot));
	return carve(memory, ranks, sizeof(struct tally));
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

int
sp_cut_kinds(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t kinds,
	     uint32_t nranks, const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	struct cutter c = { .machine = machine, .policy = policy, .near = near, .nranks = nranks };
	struct memory memory = { NULL, 0 };
	struct usable usable = sp_cut_mark_usable(machine, policy, kinds, owner);

	c.by_cpu = usable.cores < nranks;
	c.nunits = c.by_cpu ? usable.cpus : usable.cores;
	if (c.nunits < nranks)
		return -ENOSPC;

	carve_all(&c, &memory);
	memory.base = calloc(1, memory.used);
	if (!memory.base)
		return -ENOMEM;

	struct tally *tally = carve_all(&c, &memory);

	sp_cut_number_units(machine, c.by_cpu, owner, c.place);
	cut_units(&c);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (owner[i] != SP_NOBODY)
			owner[i] = c.rank[owner[i]];
	sp_cut_fill_figures(&c, tally, cut);
	free(memory.base);
	return 0;
}
