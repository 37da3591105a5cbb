/*
 * The cut of a machine.  The steps are in the other files of this folder;
 * cutter.h says which.
 */
#include "cut/cut.h"

#include <errno.h>

#include "cut/cutter.h"

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
		{ policy->cores || policy->share != SP_SHARE_EQUAL, "SPLITPIN_CORES" },
		{ policy->kinds != SP_KINDS_AUTO, "SPLITPIN_KINDS" },
		{ policy->distribution != SP_BLOCK, "SPLITPIN_DISTRIBUTION" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i].is_set)
			return settings[i].name;
	return NULL;
}

int
sp_cut_by_need(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	       const struct sp_demand *demand, uint32_t owner[], struct sp_cut *cut)
{
	struct cutting cutting = { .machine = machine, .policy = policy, .demand = demand, .nranks = nranks };
	struct sp_cut figures = { 0 };

	if (nranks == 0)
		return -EINVAL;

	int error = policy->domain == SP_DOMAIN_AUTO ? sp_cut_cores(&cutting, owner, &figures) :
						       sp_cut_domains(&cutting, owner, &figures);

	if (!error && cut) {
		count_beside(machine, demand->near, owner, nranks, &figures);
		*cut = figures;
	}
	return error;
}

int
sp_cut_near(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	    const struct sp_near near[], uint32_t owner[], struct sp_cut *cut)
{
	return sp_cut_by_need(machine, policy, nranks, &(struct sp_demand){ .near = near }, owner, cut);
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
