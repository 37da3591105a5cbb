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

bool
sp_machine_near(const struct sp_machine *machine, const struct sp_near *near, struct sp_cpus *cpus)
{
	uint32_t n = 0;

	*cpus = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (!sp_pu_is_near(&machine->pu[i], near))
			continue;
		sp_cpus_add(cpus, machine->pu[i].cpu);
		n++;
	}
	return n > 0 && n < machine->ncpus;
}

static void
join(uint32_t *field, uint32_t other)
{
	if (*field != other)
		*field = SP_ANYWHERE;
}

struct sp_near
sp_machine_part(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_near near = { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };
	bool first = true;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(cpus, pu->cpu))
			continue;
		if (first)
			near = (struct sp_near){ pu->package, pu->numa, pu->l3 };
		first = false;
		join(&near.package, pu->package);
		join(&near.numa, pu->numa);
		join(&near.l3, pu->l3);
	}
	return near;
}

struct sp_machine *
sp_machine_restrict(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_machine *made = malloc(sp_machine_size(machine->ncpus));

	if (!made)
		return NULL;
	made->ncpus = 0;
	made->gpus = machine->gpus;
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
