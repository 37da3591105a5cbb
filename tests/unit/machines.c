/* Invented machines. */
#include "machines.h"

#include <stdlib.h>

#include "base/pin.h"

static struct sp_machine *
make(uint32_t ncpus)
{
	struct sp_machine *machine = calloc(1, sp_machine_size(ncpus));

	if (!machine)
		abort();
	machine->ncpus = ncpus;
	return machine;
}

static uint32_t
least_one(uint32_t n)
{
	return n ? n : 1;
}

struct sp_machine *
machine_of(struct shape s)
{
	uint32_t l2 = least_one(s.cores);	/* cores in each */
	uint32_t l3 = l2 * least_one(s.l2s);
	uint32_t numa = l3 * least_one(s.l3s);
	uint32_t package = numa * least_one(s.numas);
	uint32_t cores = package * least_one(s.packages);
	uint32_t threads = least_one(s.threads);
	struct sp_machine *machine = make(cores * threads);

	if (s.l3 == L3_OVER_NUMA)
		l3 = package;
	else if (s.l3 == L3_ABSENT)
		l3 = numa;
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint32_t core = i / threads, thread = i % threads;

		machine->pu[i] = (struct sp_pu){
			.cpu = s.numbering == THREADS_FIRST ? i : core + thread * cores,
			.core = core,
			.l2 = core / l2,
			.l3 = core / l3,
			.numa = core / numa,
			.memory = core / numa,
			.hbm = core / numa,
			.package = core / package,
		};
	}
	return machine;
}

struct sp_machine *
machine_uniform(uint32_t cores, uint32_t threads)
{
	return machine_of((struct shape){ .l2s = cores, .threads = threads });
}

struct sp_machine *
machine_knl(void)
{
	return machine_of((struct shape){ .l2s = 34, .cores = 2, .threads = 4, .l3 = L3_ABSENT });
}

struct sp_machine *
machine_knl_snc4(void)
{
	struct sp_machine *machine = machine_knl();

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->numa = pu->core < 36 ? pu->core / 18 : 2 + (pu->core - 36) / 16;
		pu->memory = pu->l3 = pu->numa;
	}
	return machine;
}

struct sp_machine *
machine_epyc(void)
{
	return machine_of((struct shape){
		.packages = 2, .numas = 4, .l3s = 2, .l2s = 4, .threads = 2 });
}

struct sp_machine *
machine_power9(void)
{
	struct sp_machine *machine = machine_of((struct shape){
		.packages = 2, .l2s = 10, .cores = 2, .threads = 4, .numbering = THREADS_FIRST });

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->l3 = pu->l2;
		pu->numa *= 8;
		pu->memory = pu->numa;
		/* of 24 cores a package some are fused off */
		pu->cpu += pu->core / 5 * 4 + pu->package * 8;
	}
	return machine;
}

struct sp_machine *
machine_a64fx(void)
{
	return machine_of((struct shape){ .numas = 4, .cores = 12, .l3 = L3_ABSENT });
}

struct sp_machine *
machine_hybrid(void)
{
	struct sp_machine *machine = make(16);

	for (uint32_t i = 0; i < 16; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->cpu = i;
		pu->core = i < 8 ? i / 2 : i - 4;
		pu->l2 = pu->core < 4 ? pu->core : 4 + (pu->core - 4) / 4;
	}
	return machine;
}

struct sp_machine *
machine_within(const struct sp_machine *machine, const struct sp_cpus *set)
{
	struct sp_machine *part = sp_machine_restrict(machine, set);

	if (!part)
		abort();
	return part;
}

struct sp_machine *
machine_without(struct sp_machine *machine, const char *list)
{
	struct sp_cpus gone = cpus_of_list(list), left;
	struct sp_machine *part;

	sp_machine_cpus(machine, &left);
	sp_cpus_sub(&left, &gone);
	part = machine_within(machine, &left);
	free(machine);
	return part;
}

struct sp_cpus
cpus_of_list(const char *list)
{
	struct sp_cpus set = { 0 };

	if (*list && sp_cpus_parse(list, &set))
		abort();
	return set;
}

const char *
list_of_cpus(const struct sp_cpus *set)
{
	static char list[SP_CPUS_TEXT];

	return sp_cpus_format(set, list, sizeof(list));
}

uint32_t
count_cores(const struct sp_machine *machine)
{
	uint32_t cores = machine->ncpus > 0;

	for (uint32_t i = 1; i < machine->ncpus; i++)
		cores += machine->pu[i].core != machine->pu[i - 1].core;
	return cores;
}

struct sp_machine *
machine_at_hand(void)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	struct sp_cpus mask;
	uint32_t cpu = sp_pin_get(0, &mask) == 0 ? sp_cpus_next(&mask, 0) : SP_NO_CPU;

	for (uint32_t i = 0; i < 2 && cpu != SP_NO_CPU; i++) {
		machine->pu[i].cpu = cpu;
		if (i == 1)
			return machine;
		cpu = sp_cpus_next(&mask, cpu + 1);
	}
	free(machine);
	return NULL;
}
