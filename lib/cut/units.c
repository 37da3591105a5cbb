/* Units: the CPUs that may be dealt, and their numbers. */
#include "base/order.h"
#include "cut/cutter.h"

/*
 * Cores are told apart by top speed only if the policy selects the fastest or
 * the slowest alone: otherwise fast cores that are too few for all ranks would
 * stay idle.
 */
static bool
counts_speed(const struct sp_policy *policy)
{
	return policy->kinds == SP_KINDS_PERFORMANCE || policy->kinds == SP_KINDS_EFFICIENCY;
}

static uint32_t
kind_of(const struct sp_pu *pu, bool by_speed)
{
	if (!by_speed)
		return (uint32_t)sp_smaller(pu->kind, KINDS - 1);
	return (uint32_t)(sp_smaller(pu->kind, KINDS / SPEEDS - 1) * SPEEDS + sp_smaller(pu->speed, SPEEDS - 1));
}

struct usable
sp_cut_mark_usable(const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cpus *taken,
		   uint32_t kinds, uint32_t owner[])
{
	struct usable usable = { 0, 0, { 0 } };
	uint32_t nth_core = 0, threads = 0;	/* number of the core in its NUMA node; usable threads of the core */
	uint32_t reserve = policy->reserve, smt = policy->smt ? policy->smt : UINT32_MAX, cpus = 0;
	/* NULL where no CPU is reserved, as on most machines: each CPU would be looked up in the set. */
	const struct sp_cpus *reserved = sp_cpus_empty(&policy->reserved) ? NULL : &policy->reserved;
	bool by_speed = counts_speed(policy);

	taken = taken && !sp_cpus_empty(taken) ? taken : NULL;
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];
		const struct sp_pu *before = i ? pu - 1 : pu;
		bool is_next_core = pu->core != before->core;

		nth_core = pu->numa != before->numa ? 0 : nth_core + is_next_core;
		threads = is_next_core ? 0 : threads;
		owner[i] = SP_NOBODY;
		if (nth_core < reserve || threads == smt || (reserved && sp_cpus_has(reserved, pu->cpu)) || (taken && sp_cpus_has(taken, pu->cpu)))
			continue;
		uint32_t kind = kind_of(pu, by_speed);
		if (!(kinds >> kind & 1))
			continue;
		if (threads++ == 0)
			usable.of_kind[kind]++;
		cpus++;
		owner[i] = 0;
	}
	for (uint32_t kind = 0; kind < KINDS; kind++)
		usable.cores += usable.of_kind[kind];
	usable.cpus = cpus;
	return usable;
}

void
sp_cut_number_units(const struct sp_machine *machine, bool by_cpu, uint32_t owner[], uint32_t place[])
{
	uint32_t units = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (owner[i] == SP_NOBODY)
			continue;
		if (units == 0 || by_cpu ||
		    machine->pu[i].core != machine->pu[place[units - 1]].core)
			place[units++] = i;
		owner[i] = units - 1;
	}
}
