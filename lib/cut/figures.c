/* Figures of a finished cut. */
#include "cut/cutter.h"

#include <string.h>

#include "base/order.h"

/* Units of the largest NUMA node or L3 group. */
static uint32_t
largest_group(const struct cutter *c, int which)
{
	uint32_t largest = 1, size = 1;

	for (uint32_t i = 1; i < c->nunits; i++) {
		const struct sp_pu *pu = &c->machine->pu[c->place[i]], *last = &c->machine->pu[c->place[i - 1]];

		size = field(pu, which) == field(last, which) ? size + 1 : 1;
		largest = (uint32_t)sp_larger(largest, size);
	}
	return largest;
}

static void
count_units(const struct cutter *c, struct tally *tally)
{
	memset(tally, 0, c->nranks * sizeof(*tally));
	for (uint32_t i = 0; i < c->nunits; i++) {
		if (c->rank[i] == SP_NOBODY)
			continue;

		struct tally *t = &tally[c->rank[i]];

		if (t->units++) {
			const struct sp_pu *a = &c->machine->pu[c->place[t->last]];
			const struct sp_pu *b = &c->machine->pu[c->place[i]];

			t->nodes |= a->numa != b->numa;
			t->caches |= a->l3 != b->l3;
		}
		t->last = i;
	}
}

static void
count_core(const struct cutter *c, uint32_t from, uint32_t to, struct sp_crowd *crowd)
{
	uint32_t ranks = 0, last = SP_NOBODY;

	for (uint32_t i = from; i < to; i++) {
		ranks += c->rank[i] != SP_NOBODY && c->rank[i] != last;
		last = c->rank[i];
	}
	if (crowd->cores++ == 0)
		*crowd = (struct sp_crowd){ 1, ranks, ranks, to - from, 0 };
	crowd->fewest = (uint32_t)sp_smaller(crowd->fewest, ranks);
	crowd->most = (uint32_t)sp_larger(crowd->most, ranks);
	if (to - from != crowd->threads)
		crowd->threads = 0;
}

static struct sp_crowd
count_crowd(const struct cutter *c, const struct tally *tally)
{
	struct sp_crowd crowd = { 0 };

	for (uint32_t from = 0, to; c->by_cpu && from < c->nunits; from = to) {
		to = group_end(c, CORE, from, c->nunits);
		count_core(c, from, to, &crowd);
	}
	for (uint32_t i = 0; c->by_cpu && i < c->nranks; i++)
		crowd.largest = (uint32_t)sp_larger(crowd.largest, tally[i].units);
	return crowd;
}

void
sp_cut_fill_figures(const struct cutter *c, struct tally *tally, struct sp_cut *cut)
{
	uint32_t node = largest_group(c, 1), cache = largest_group(c, 2);

	count_units(c, tally);
	*cut = (struct sp_cut){
		.fair = c->nunits / c->nranks, .units = UINT32_MAX, .idle = c->nunits,
		.by_cpu = c->by_cpu, .crowd = count_crowd(c, tally),
	};
	for (uint32_t i = 0; i < c->nranks; i++) {
		const struct tally *t = &tally[i];

		cut->idle -= t->units;
		cut->units = (uint32_t)sp_smaller(cut->units, t->units);
		cut->largest = (uint32_t)sp_larger(cut->largest, t->units);
		cut->crossing += (t->nodes && t->units <= node) || (t->caches && t->units <= cache);
	}
}

uint32_t
sp_cut_count_cores(const struct sp_machine *machine, const uint32_t owner[], uint32_t cores[])
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		bool is_used = false, is_counted = false;

		if (owner[i] == SP_NOBODY)
			continue;
		if (i && machine->pu[i - 1].core == machine->pu[i].core && owner[i - 1] == owner[i])
			continue;
		for (uint32_t k = i; k-- > 0 && machine->pu[k].core == machine->pu[i].core; ) {
			is_used |= owner[k] != SP_NOBODY;
			is_counted |= owner[k] == owner[i];
		}
		used += !is_used;
		cores[owner[i]] += !is_counted;
	}
	return used;
}

uint32_t
sp_cut_count_cpus(const struct sp_machine *machine, const uint32_t owner[], uint32_t cpus[])
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (owner[i] == SP_NOBODY)
			continue;
		cpus[owner[i]]++;
		used++;
	}
	return used;
}
