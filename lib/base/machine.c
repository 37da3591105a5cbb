#include <stdbool.h>
#include <stdlib.h>

#include "machine.h"

void
sp_machine_cpus(const struct sp_machine *machine, struct sp_cpus *cpus)
{
	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(cpus, machine->pu[i].cpu);
}

struct sp_machine *
sp_machine_restrict(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_machine *made = malloc(sp_machine_size(machine->ncpus));

	if (!made)
		return NULL;
	made->ncpus = 0;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (sp_cpus_has(cpus, machine->pu[i].cpu))
			made->pu[made->ncpus++] = machine->pu[i];
	return made;
}

uint32_t
sp_machine_extent(const struct sp_machine *machine, const struct sp_cpus *cpus,
		  struct sp_cpus *cores, struct sp_cpus *nodes)
{
	*cores = *nodes = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_cpus_has(cpus, machine->pu[i].cpu))
			continue;
		sp_cpus_add(cores, machine->pu[i].core);
		sp_cpus_add(nodes, machine->pu[i].numa);
	}
	return sp_cpus_count(cores);
}

uint32_t
sp_machine_cores(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_cpus cores, nodes;

	return sp_machine_extent(machine, cpus, &cores, &nodes);
}

void
sp_machine_fill_cores(const struct sp_machine *machine, struct sp_cpus *cpus)
{
	for (uint32_t i = 0, end; i < machine->ncpus; i = end) {
		bool touched = false;

		for (end = i; end < machine->ncpus && machine->pu[end].core == machine->pu[i].core; end++)
			touched |= sp_cpus_has(cpus, machine->pu[end].cpu);
		for (uint32_t j = i; touched && j < end; j++)
			sp_cpus_add(cpus, machine->pu[j].cpu);
	}
}
