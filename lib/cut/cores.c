/*
 * Chooses the kinds of cores, deals each kind by itself, and tries other cuts
 * where threads are left without a core.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cut/cutter.h"

static uint32_t
fastest(uint32_t kinds)
{
	return UINT32_C(1) << (31 - __builtin_clz(kinds));
}

uint32_t
sp_cut_asked_kinds(const struct sp_policy *policy, const struct usable *usable)
{
	uint32_t there = 0;

	for (uint32_t kind = 0; kind < KINDS; kind++)
		there |= (uint32_t)(usable->of_kind[kind] > 0) << kind;
	if (there && policy->kinds == SP_KINDS_PERFORMANCE)
		return fastest(there);
	if (there && policy->kinds == SP_KINDS_EFFICIENCY)
		return there & -there;
	return EVERY_KIND;
}

/*
 * The kinds to deal, by the policy.  Several kinds are dealt one by one, unless
 * there are too few of the fastest cores: slower ones alone would leave these
 * idle.
 */
static uint32_t
choose_kinds(const struct sp_policy *policy, const struct usable *usable, uint32_t nranks)
{
	uint32_t there = 0, enough = 0;

	if (policy->kinds != SP_KINDS_AUTO)
		return sp_cut_asked_kinds(policy, usable);
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		there |= (uint32_t)(usable->of_kind[kind] > 0) << kind;
		enough |= (uint32_t)(usable->of_kind[kind] >= nranks) << kind;
	}
	return enough && (enough & fastest(there)) ? enough : EVERY_KIND;
}

/* Fast cores first. */

/* The cores that all ranks take: what their threads need, or an even part where that is not known. */
static uint64_t
cores_taken(const struct cutting *cutting, uint32_t cores)
{
	uint32_t fair = cores / cutting->nranks, limit = cutting->policy->cores;
	uint64_t taken = 0;

	for (uint32_t rank = 0; rank < cutting->nranks; rank++) {
		uint32_t need = need_of(cutting->demand, rank);

		taken += limit ? sp_smaller(fair, limit) : need ? need : fair;
	}
	return taken;
}

/* Take cores of one kind into `enough`, in the order of the machine, until none is to be taken any more. */
static void
take_kind(const struct sp_machine *machine, const uint32_t owner[], uint32_t kind, uint64_t *left, struct sp_cpus *enough)
{
	for (uint32_t from = 0, to; from < machine->ncpus && *left; from = to) {
		bool is_usable = false;

		for (to = from; to < machine->ncpus && machine->pu[to].core == machine->pu[from].core; to++)
			is_usable |= owner[to] != SP_NOBODY;
		if (!is_usable || sp_smaller(machine->pu[from].kind, KINDS - 1) != kind)
			continue;
		for (uint32_t i = from; i < to; i++)
			sp_cpus_add(enough, machine->pu[i].cpu);
		--*left;
	}
}

/*
 * Where both kinds are dealt as if they were alike and not all cores are
 * needed, the slowest ones are those that stay free: they are taken, in a set
 * for sp_demand.  owner: which CPUs are usable.  False: none is to stay free.
 */
static bool
leave_slow_cores(const struct cutting *cutting, const struct usable *usable, const uint32_t owner[], struct sp_cpus *taken)
{
	uint64_t left = cores_taken(cutting, usable->cores);
	struct sp_cpus enough = { 0 };

	if (left >= usable->cores || cutting->policy->share == SP_SHARE_ALL)
		return false;
	for (uint32_t kind = KINDS; kind-- > 0;)
		take_kind(cutting->machine, owner, kind, &left, &enough);
	sp_machine_cpus(cutting->machine, taken);
	sp_cpus_sub(taken, &enough);
	return true;
}

static void
merge(const struct sp_machine *machine, const uint32_t of_kind[], uint32_t owner[])
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (of_kind[i] != SP_NOBODY)
			owner[i] = of_kind[i];
}

/* Deal the fastest kind first, so that policy.cores takes the fastest cores. */
static int
cut_each_kind(const struct cutting *cutting, uint32_t kinds, uint32_t owner[], struct sp_cut *cut)
{
	const struct sp_machine *machine = cutting->machine;
	const struct sp_policy *policy = cutting->policy;
	uint32_t *of_kind = calloc(machine->ncpus, sizeof(*of_kind));
	struct sp_policy left = *policy;
	int error = of_kind ? 0 : -ENOMEM;

	if (policy->cores)
		left.share = SP_SHARE_EQUAL;
	*cut = (struct sp_cut){ .units = UINT32_MAX };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = SP_NOBODY;
	for (; !error && kinds; kinds -= fastest(kinds)) {
		struct sp_cut part = { 0 };

		error = sp_cut_kinds(cutting, &left, fastest(kinds), of_kind, &part);
		if (error)
			break;
		merge(machine, of_kind, owner);
		cut->crossing = (uint32_t)sp_larger(cut->crossing, part.crossing);
		if (!policy->cores)
			continue;
		if (part.units >= left.cores)
			break;
		left.cores -= part.units;
	}
	free(of_kind);
	return error;
}

/*
 * Figures over all kinds.  The smallest share is counted anew: the smallest
 * share of each kind may be that of a different rank.
 */
static int
count_all_kinds(const struct cutting *cutting, const uint32_t owner[], uint32_t usable, struct sp_cut *cut)
{
	uint32_t *cores = calloc(cutting->nranks, sizeof(*cores));

	if (!cores)
		return -ENOMEM;
	cut->idle = usable - sp_cut_count_cores(cutting->machine, owner, cores);
	cut->units = UINT32_MAX;
	cut->largest = 0;
	for (uint32_t rank = 0; rank < cutting->nranks; rank++) {
		cut->units = (uint32_t)sp_smaller(cut->units, cores[rank]);
		cut->largest = (uint32_t)sp_larger(cut->largest, cores[rank]);
	}
	free(cores);
	return 0;
}

/* Whether there are several kinds, so that each is dealt by itself. */
static bool
are_several(const struct cutting *cutting, uint32_t kinds, const struct usable *usable)
{
	return kinds != EVERY_KIND && cutting->policy->kinds == SP_KINDS_AUTO &&
	       usable->cores != usable->of_kind[__builtin_ctz(kinds)];
}

/* Cores of a rank if each kind is divided evenly. */
static uint32_t
even_parts(const struct usable *usable, uint32_t kinds, uint32_t nranks)
{
	uint32_t cores = 0;

	for (uint32_t kind = 0; kind < KINDS; kind++)
		cores += kinds >> kind & 1 ? usable->of_kind[kind] / nranks : 0;
	return cores;
}

static int
cut_by_kinds(const struct cutting *cutting, const struct usable *usable, uint32_t owner[], struct sp_cut *cut)
{
	uint32_t kinds = cutting->all_kinds ? EVERY_KIND : choose_kinds(cutting->policy, usable, cutting->nranks);
	bool several = are_several(cutting, kinds, usable);
	int error = several ? cut_each_kind(cutting, kinds, owner, cut) :
			      sp_cut_kinds(cutting, cutting->policy, kinds, owner, cut);

	cut->all_kinds = kinds == EVERY_KIND && cutting->policy->kinds == SP_KINDS_AUTO;
	if (error || cut->by_cpu)
		return error;
	if (several)
		cut->fair = even_parts(usable, kinds, cutting->nranks);
	uint32_t dealt = several || kinds == EVERY_KIND ? usable->cores : usable->of_kind[__builtin_ctz(kinds)];
	return count_all_kinds(cutting, owner, dealt, cut);
}

/* By need. */

static bool
is_better(const struct lacks *a, const struct lacks *b)
{
	return a->threads != b->threads ? a->threads < b->threads : a->crossing < b->crossing;
}

/* Try another variant of the cut; it is kept if it lacks less (struct lacks). */
static int
try(const struct cutting *cutting, const struct usable *usable, uint32_t other[], uint32_t owner[], struct sp_cut *cut,
    struct lacks *lacks)
{
	struct lacks left;
	struct sp_cut figures = { 0 };
	int error = cut_by_kinds(cutting, usable, other, &figures);

	if (!error)
		error = sp_cut_count_lacks(cutting, usable->cores, usable->cpus, other, &left);
	if (error || !is_better(&left, lacks))
		return error == -ENOSPC ? 0 : error;
	*lacks = left;
	*cut = figures;
	memcpy(owner, other, cutting->machine->ncpus * sizeof(*owner));
	return 0;
}

/*
 * Try other variants where the first cut, made by the rules for ranks of
 * unknown need, leaves threads without a core or ranks across a boundary.
 */
static int
improve(struct cutting *cutting, const struct usable *usable, uint32_t owner[], struct sp_cut *cut)
{
	struct lacks lacks;
	uint32_t *other = calloc(cutting->machine->ncpus, sizeof(*other));
	int error = other ? sp_cut_count_lacks(cutting, usable->cores, usable->cpus, owner, &lacks) : -ENOMEM;

	if (!error && (lacks.threads || lacks.crossing)) {
		cutting->is_strict = true;
		error = try(cutting, usable, other, owner, cut, &lacks);
	}
	/* Use kinds with fewer cores than ranks, too, which were left idle so far. */
	if (!error && lacks.threads && cutting->policy->kinds == SP_KINDS_AUTO && sp_machine_has_kinds(cutting->machine)) {
		cutting->all_kinds = true;
		error = try(cutting, usable, other, owner, cut, &lacks);
	}
	uint64_t threads = sp_cut_all_threads(cutting);

	if (!error && lacks.threads && threads > usable->cores && threads <= usable->cpus) {
		cutting->by_cpu = true;
		error = try(cutting, usable, other, owner, cut, &lacks);
	}
	free(other);
	return error;
}

/* Whether there are too few of the fastest cores for all ranks, but enough cores. */
static bool
is_fast_first(const struct cutting *cutting, const struct usable *usable)
{
	return cutting->policy->kinds == SP_KINDS_AUTO && usable->cores >= cutting->nranks &&
	       sp_machine_has_kinds(cutting->machine) &&
	       choose_kinds(cutting->policy, usable, cutting->nranks) == EVERY_KIND;
}

static bool
is_any_known(const struct sp_demand *demand, uint32_t nranks)
{
	bool any = false;

	for (uint32_t rank = 0; rank < nranks; rank++)
		any |= need_of(demand, rank) > 0;
	return any;
}

static int
cut_and_improve(struct cutting *cutting, struct usable *usable, uint32_t owner[], struct sp_cut *cut)
{
	int error = cut_by_kinds(cutting, usable, owner, cut);

	if (error || cut->by_cpu || (cutting->nranks == 1 && !cutting->demand->compact) || !is_any_known(cutting->demand, cutting->nranks))
		return error;
	error = improve(cutting, usable, owner, cut);
	cut->splits_cores = cut->by_cpu;
	cut->by_cpu = false;
	cut->by_need = cutting->demand->compact || cut->units != cut->largest;
	return error;
}

int
sp_cut_cores(struct cutting *cutting, uint32_t owner[], struct sp_cut *cut)
{
	if (cutting->nranks == 0)
		return -EINVAL;

	struct usable usable = sp_cut_mark_usable(cutting->machine, cutting->policy, cutting->demand->taken, EVERY_KIND, owner);
	struct sp_demand demand = *cutting->demand;
	struct cutting own = *cutting;
	struct sp_cpus taken;
	bool fast_first = is_fast_first(cutting, &usable);

	if (fast_first && leave_slow_cores(cutting, &usable, owner, &taken)) {
		demand.taken = &taken;
		own.demand = &demand;
	}
	int error = cut_and_improve(&own, &usable, owner, cut);
	own.demand = cutting->demand;
	*cutting = own;
	return error;
}
