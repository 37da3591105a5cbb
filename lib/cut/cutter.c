/* The cutter: one cut of cores that count as alike, its memory and its steps in order. */
#include "cut/cutter.h"

#include <errno.h>
#include <stdlib.h>

#define ARRAYS_MAX 32

/* All memory that the cut writes: one allocation for each array, so that a memory checker detects writes past its end. */
struct memory {
	void *array[ARRAYS_MAX];
	uint32_t n;
	bool is_short;
};

static void *
make(struct memory *memory, size_t count, size_t size)
{
	void *array = calloc(count, size);

	if (!array || memory->n == ARRAYS_MAX) {
		memory->is_short = true;
		free(array);
		return NULL;
	}
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
	c->bin = make(memory, units, sizeof(*c->bin));
	c->fresh = make(memory, units, sizeof(*c->fresh));
	for (int level = 0; level < LEVELS; level++)
		c->next[level] = make(memory, units + 1, sizeof(uint32_t));
	for (int level = 0; level < RESPECTED; level++)
		c->part[level] = make(memory, units, sizeof(struct part));
	c->want = make(memory, ranks, sizeof(*c->want));
	c->least = make(memory, ranks, sizeof(*c->least));
	c->units = make(memory, ranks, sizeof(*c->units));
	c->rank_at = make(memory, ranks, sizeof(*c->rank_at));
	c->key = make(memory, ranks, sizeof(*c->key));
	c->territory = make(memory, ranks, sizeof(*c->territory));
	c->segment = make(memory, ranks, sizeof(*c->segment));
	c->turn = make(memory, ranks, sizeof(*c->turn));
	c->number = make(memory, ranks, sizeof(*c->number));
	c->where = make(memory, ranks, sizeof(*c->where));
	c->near = make(memory, ranks, sizeof(*c->near));
	return make(memory, ranks, sizeof(struct tally));
}

static void
cut_cores(struct cutter *c)
{
	sp_cut_weigh(c);
	if (c->demand->near && sp_cut_follow_near(c))
		;
	else if (c->policy->devices != SP_DEVICES_OFF && sp_cut_follow_devices(c))
		;
	else if (c->nranks == 1 && !c->demand->compact)	/* no other rank would gain by units that it leaves */
		sp_cut_add_segment(c, 0, c->nunits, 1, (struct surrender){ 0 });
	else
		sp_cut_descend(c, OUTER, 0, c->nunits, c->nranks);
	sp_cut_level_units(c);
	sp_cut_lay_out(c);
	sp_cut_take_shares(c);
}

/* Territories belong to the ranks in the order of their numbers. */
static void
number_by_order(struct cutter *c)
{
	for (uint32_t i = 0; i < c->nunits; i++)
		if (c->rank[i] != SP_NOBODY)
			c->rank[i] = c->rank_at[c->rank[i]];
}

/* Only a compact cut reads fresh[]. */
static void
find_fresh(struct cutter *c)
{
	const struct sp_machine *machine = c->machine;

	for (uint32_t from = 0, to, unit = 0; c->demand->compact && from < machine->ncpus; from = to) {
		bool is_fresh = true;

		for (to = from; to < machine->ncpus && machine->pu[to].l3 == machine->pu[from].l3; to++)
			is_fresh &= !c->demand->taken || !sp_cpus_has(c->demand->taken, machine->pu[to].cpu);
		for (; unit < c->nunits && c->place[unit] < to; unit++)
			c->fresh[unit] = is_fresh;
	}
}

static void
cut_units(struct cutter *c, bool is_crowd)
{
	sp_cut_find_boundaries(c);
	if (is_crowd) {
		sp_cut_aim_at(c, 1);
		sp_cut_share_cores(c);
	} else {
		find_fresh(c);
		cut_cores(c);
	}
	if (c->policy->distribution == SP_CYCLIC && !c->is_near && !c->is_unequal)
		sp_cut_deal_round_nodes(c);
	else
		number_by_order(c);
}

/* Cut the units that are marked; their numbers become owners. */
static void
cut_marked(struct cutter *c, bool is_crowd, struct tally *tally, uint32_t owner[], struct sp_cut *cut)
{
	sp_cut_number_units(c->machine, c->by_cpu, owner, c->place);
	cut_units(c, is_crowd);
	for (uint32_t i = 0; i < c->machine->ncpus; i++)
		if (owner[i] != SP_NOBODY)
			owner[i] = c->rank[owner[i]];
	sp_cut_fill_figures(c, tally, cut);
}

int
sp_cut_kinds(const struct cutting *cutting, const struct sp_policy *policy, uint32_t kinds, uint32_t owner[],
	     struct sp_cut *cut)
{
	struct cutter c = { .machine = cutting->machine, .policy = policy, .demand = cutting->demand,
			    .nranks = cutting->nranks, .is_strict = cutting->is_strict };
	struct memory memory = { .is_short = false };
	struct usable usable = sp_cut_mark_usable(c.machine, policy, c.demand->taken, kinds, owner);
	bool is_crowd = usable.cores < c.nranks;

	c.by_cpu = is_crowd || cutting->by_cpu;
	c.nunits = c.by_cpu ? usable.cpus : usable.cores;
	if (c.nunits < c.nranks)
		return -ENOSPC;

	struct tally *tally = make_all(&c, &memory);

	if (!memory.is_short)
		cut_marked(&c, is_crowd, tally, owner, cut);
	release(&memory);
	return memory.is_short ? -ENOMEM : 0;
}
