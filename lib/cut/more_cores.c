/* Widening: a rank that has a share gets more cores. */
#include <string.h>

#include "cut/cut.h"

/* The groups that a share touches, by their numbers. */
struct groups {
	struct sp_cpus l3, numa, package;
};

enum { FAR, SAME_PACKAGE, SAME_NUMA, SAME_L3 };

static struct groups
groups_of(const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct groups groups;

	memset(&groups, 0, sizeof(groups));
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(share, pu->cpu))
			continue;
		sp_cpus_add(&groups.l3, pu->l3);
		sp_cpus_add(&groups.numa, pu->numa);
		sp_cpus_add(&groups.package, pu->package);
	}
	return groups;
}

static int
nearness(const struct groups *groups, const struct sp_pu *pu)
{
	return sp_cpus_has(&groups->l3, pu->l3) ? SAME_L3 : sp_cpus_has(&groups->numa, pu->numa) ? SAME_NUMA :
		sp_cpus_has(&groups->package, pu->package) ? SAME_PACKAGE : FAR;
}

/* Fill in the open CPUs of the core whose first CPU has this index.  Returns the index of the next core. */
static uint32_t
core_at(const struct sp_machine *machine, uint32_t from, const struct sp_cpus *open, struct sp_cpus *core)
{
	uint32_t to = from;

	*core = (struct sp_cpus){ 0 };
	for (; to < machine->ncpus && machine->pu[to].core == machine->pu[from].core; to++)
		sp_cpus_add(core, machine->pu[to].cpu);
	sp_cpus_and(core, open);
	return to;
}

uint32_t
sp_cut_widen(const struct sp_machine *machine, const struct sp_cpus *open, uint32_t cores, struct sp_cpus *share)
{
	const struct groups groups = groups_of(machine, share);
	uint32_t has = sp_machine_cores(machine, share);

	for (int near = SAME_L3; near >= FAR; near--) {
		for (uint32_t from = 0, to; from < machine->ncpus && has < cores; from = to) {
			struct sp_cpus core;

			to = core_at(machine, from, open, &core);
			if (nearness(&groups, &machine->pu[from]) != near || sp_cpus_within(&core, share))
				continue;
			has += !sp_cpus_intersect(share, &core);
			sp_cpus_or(share, &core);
		}
	}
	return has;
}
