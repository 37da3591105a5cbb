/*
 * The cut of a machine: which kinds of cores are dealt, and each kind by itself.
 *
 * What comes of one kind is in the other files of this folder; cutter.h says which.
 */
#include "cut/cut.h"

#include <errno.h>
#include <stdlib.h>

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

/* The kinds to deal, by the policy.  With several, each is dealt by itself. */
static uint32_t
choose_kinds(const struct sp_policy *policy, const struct usable *usable, uint32_t nranks)
{
	uint32_t enough = 0;

	if (policy->kinds != SP_KINDS_AUTO)
		return sp_cut_asked_kinds(policy, usable);
	for (uint32_t kind = 0; kind < KINDS; kind++)
		enough |= (uint32_t)(usable->of_kind[kind] >= nranks) << kind;
	return enough ? enough : EVERY_KIND;
}

static void
merge(const struct sp_machine *machine, const uint32_t of_kind[], uint32_t owner[])
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (of_kind[i] != SP_NOBODY)
			owner[i] = of_kind[i];
}

/* The fastest first, so that these are what policy.cores takes. */
static int
cut_each_kind(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t kinds,
	      uint32_t nranks, const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	uint32_t *of_kind = calloc(machine->ncpus, sizeof(*of_kind));
	struct sp_policy left = *policy;
	int error = of_kind ? 0 : -ENOMEM;

	if (policy->cores)
		left.share = SP_SHARE_EQUAL;
	*cut = (struct sp_cut){ .units = UINT32_MAX };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = SP_NOBODY;
	for (; !error && kinds; kinds -= fastest(kinds)) {
		struct sp_cut part;

		error = sp_cut_kinds(machine, &left, fastest(kinds), nranks, near, of_kind, &part);
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

/* The smallest share is not the sum of each kind's smallest, which may be another rank's. */
static int
count_all_kinds(const struct sp_machine *machine, const uint32_t owner[], uint32_t nranks, struct sp_cut *cut)
{
	uint32_t *cores = calloc(nranks, sizeof(*cores));

	if (!cores)
		return -ENOMEM;
	cut->idle -= sp_cut_count_cores(machine, owner, cores);
	for (uint32_t rank = 0; rank < nranks; rank++)
		cut->units = (uint32_t)sp_smaller(cut->units, cores[rank]);
	free(cores);
	return 0;
}

static bool
is_beside(const struct sp_machine *machine, const struct sp_near *near, const uint32_t owner[], uint32_t rank)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (owner[i] == rank && !sp_pu_is_near(&machine->pu[i], near))
			return false;
	return true;
}

static void
count_beside(const struct sp_machine *machine, const struct sp_near near[], const uint32_t owner[],
	     uint32_t nranks, struct sp_cut *cut)
{
	for (uint32_t rank = 0; near && rank < nranks; rank++) {
		struct sp_cpus cpus;
		bool beside = is_beside(machine, &near[rank], owner, rank);

		cut->foreign += !beside;
		cut->beside += beside && sp_machine_near(machine, &near[rank], &cpus);
	}
}

static int
cut_kinds(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	  const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	struct usable usable = sp_cut_mark_usable(machine, policy, EVERY_KIND, owner);
	uint32_t kinds = choose_kinds(policy, &usable, nranks);
	bool several = kinds != EVERY_KIND && policy->kinds == SP_KINDS_AUTO &&
		       (usable.cores != usable.of_kind[__builtin_ctz(kinds)]);
	int error = several ? cut_each_kind(machine, policy, kinds, nranks, near, owner, cut) :
			      sp_cut_kinds(machine, policy, kinds, nranks, near, owner, cut);

	if (error || !several)
		return error;
	cut->fair = usable.cores / nranks;
	cut->idle = usable.cores;
	return count_all_kinds(machine, owner, nranks, cut);
}

const char *
sp_policy_says(const struct sp_policy *policy)
{
	const struct {
		bool is_set;
		const char *name;
	} settings[] = {
		{ policy->domain != SP_DOMAIN_AUTO, "SPLITPIN_DOMAIN" },
		{ policy->reserve || !sp_cpus_empty(&policy->reserved), "SPLITPIN_RESERVE" },
		{ policy->smt, "SPLITPIN_SMT" },
		{ policy->cores, "SPLITPIN_CORES" },
		{ policy->kinds != SP_KINDS_AUTO, "SPLITPIN_KINDS" },
		{ policy->share != SP_SHARE_EQUAL, "SPLITPIN_SHARE" },
		{ policy->distribution != SP_BLOCK, "SPLITPIN_DISTRIBUTION" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i].is_set)
			return settings[i].name;
	return NULL;
}

int
sp_cut_near(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	    const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	struct sp_cut figures;

	if (nranks == 0)
		return -EINVAL;

	int error = policy->domain == SP_DOMAIN_AUTO ? cut_kinds(machine, policy, nranks, near, owner, &figures) :
						       sp_cut_domains(machine, policy, nranks, owner, &figures);

	if (!error && cut) {
		count_beside(machine, near, owner, nranks, &figures);
		*cut = figures;
	}
	return error;
}

int
sp_cut(const struct sp_machine *machine, const struct sp_policy *policy,
       uint32_t nranks, uint32_t owner[], struct sp_cut *cut)
{
	return sp_cut_near(machine, policy, nranks, NULL, owner, cut);
}

void
sp_cut_share(const struct sp_machine *machine, const uint32_t owner[],
	     uint32_t rank, struct sp_cpus *share)
{
	*share = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (owner[i] == rank)
			sp_cpus_add(share, machine->pu[i].cpu);
}
