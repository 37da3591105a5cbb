/* Lacks: what a cut leaves to be desired, by what the ranks need. */
#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "cut/cutter.h"

/* What one rank has. */
struct holding {
	uint32_t groups;	/* groups of the level that is examined in which it has a core */
	bool is_beside;		/* another rank has a core of one of these groups */
	bool crossing;
};

static uint32_t
group_to(const struct sp_machine *machine, uint32_t from, int which)
{
	uint32_t to = from + 1;

	while (to < machine->ncpus && field(&machine->pu[to], which) == field(&machine->pu[from], which))
		to++;
	return to;
}

/* Count a group for each rank that has a core of it.  Returns how many cores of the group have an owner. */
static uint32_t
count_group(const struct sp_machine *machine, uint32_t from, uint32_t to, const uint32_t owner[], uint32_t last[], struct holding holding[])
{
	uint32_t first = SP_NOBODY, cores = 0;
	bool is_shared = false;

	for (uint32_t i = from; i < to; i++) {
		if (owner[i] == SP_NOBODY)
			continue;
		is_shared |= first != SP_NOBODY && owner[i] != first;
		first = owner[i];
		cores += i == from || machine->pu[i].core != machine->pu[i - 1].core;
	}
	for (uint32_t i = from; i < to; i++) {
		if (owner[i] == SP_NOBODY)
			continue;
		holding[owner[i]].is_beside |= is_shared;
		holding[owner[i]].groups += last[owner[i]] != from + 1;
		last[owner[i]] = from + 1;
	}
	return cores;
}

/* Mark the ranks that are crossing (struct lacks) at one level.  last: for each rank, the group in which it was counted last, plus 1. */
static void
find_crossing(const struct cutting *cutting, int which, const uint32_t owner[], uint32_t last[], struct holding holding[])
{
	uint32_t largest = 0;

	for (uint32_t rank = 0; rank < cutting->nranks; rank++) {
		holding[rank].groups = last[rank] = 0;
		holding[rank].is_beside = false;
	}
	for (uint32_t from = 0, to; from < cutting->machine->ncpus; from = to) {
		to = group_to(cutting->machine, from, which);
		largest = (uint32_t)sp_larger(largest, count_group(cutting->machine, from, to, owner, last, holding));
	}
	for (uint32_t rank = 0; rank < cutting->nranks; rank++) {
		uint32_t need = need_of(cutting->demand, rank);

		holding[rank].crossing |= need && need <= largest && holding[rank].groups > 1 && holding[rank].is_beside;
	}
}

uint64_t
sp_cut_all_threads(const struct cutting *cutting)
{
	uint64_t threads = 0;

	for (uint32_t rank = 0; rank < cutting->nranks; rank++)
		threads += sp_larger(need_of(cutting->demand, rank), 1);
	return threads;
}

int
sp_cut_count_lacks(const struct cutting *cutting, uint32_t cores, uint32_t cpus, const uint32_t owner[], struct lacks *lacks)
{
	uint32_t *last = calloc(cutting->nranks, sizeof(*last)), *units = calloc(cutting->nranks, sizeof(*units));
	struct holding *holding = calloc(cutting->nranks, sizeof(*holding));
	bool by_core = sp_cut_all_threads(cutting) <= cores || cores == cpus;
	int error = last && units && holding ? 0 : -ENOMEM;

	*lacks = (struct lacks){ 0 };
	if (!error) {
		if (by_core)
			sp_cut_count_cores(cutting->machine, owner, units);
		else
			sp_cut_count_cpus(cutting->machine, owner, units);
		find_crossing(cutting, 0, owner, last, holding);
		find_crossing(cutting, 1, owner, last, holding);
		find_crossing(cutting, 2, owner, last, holding);
	}
	for (uint32_t rank = 0; !error && rank < cutting->nranks; rank++) {
		lacks->threads += sp_excess(need_of(cutting->demand, rank), units[rank]);
		lacks->crossing += holding[rank].crossing;
	}
	free(last);
	free(units);
	free(holding);
	return error;
}
