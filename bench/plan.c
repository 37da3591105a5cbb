/*
 * CPU time of planning a large node: 4,096 ranks on 4,096 CPUs, and fewer
 * ranks with all their slots.
 *
 * One line each; the last column is the median of several runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cut/cut.h"
#include "slots/slots.h"

#define RUNS 21

/* 8 packages of 8 NUMA nodes of 4 L3 groups of 8 cores of 2 threads. */
#define CORES 2048u
#define THREADS 2u

static struct sp_machine *
make_machine(void)
{
	struct sp_machine *machine = calloc(1, sp_machine_size(CORES * THREADS));

	if (!machine)
		abort();
	machine->ncpus = CORES * THREADS;
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		uint32_t core = i / THREADS;

		machine->pu[i] = (struct sp_pu){
			.cpu = core + i % THREADS * CORES, .core = core, .l2 = core, .l3 = core / 8,
			.numa = core / 32, .package = core / 256 };
	}
	return machine;
}

static double
cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void
fill_slots(const struct sp_machine *machine, const uint32_t owner[], uint32_t nranks)
{
	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_cpus share, cpus;

		sp_cut_share(machine, owner, rank, &share);

		struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);
		uint32_t team = sp_cpus_count(&share);

		for (uint32_t i = 0; slots && i < team; i++)
			sp_slots_take(slots, &(struct sp_request){ (int)i, team, false, -1, { 0, 0, 0 } }, &cpus);
		sp_slots_destroy(slots);
	}
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
measure(const struct sp_machine *machine, uint32_t nranks, int with_slots)
{
	static const struct sp_policy policy;
	uint32_t *owner = malloc(machine->ncpus * sizeof(*owner));
	double ms[RUNS];

	if (!owner)
		abort();
	for (int i = 0; i < RUNS; i++) {
		double start = cpu_ms();

		if (sp_cut(machine, &policy, nranks, owner, NULL) != 0)
			abort();
		if (with_slots)
			fill_slots(machine, owner, nranks);
		ms[i] = cpu_ms() - start;
	}
	qsort(ms, RUNS, sizeof(ms[0]), compare);
	printf("%4u ranks on %u CPUs, %s: %.3f ms of CPU time\n", nranks, machine->ncpus,
	       with_slots ? "cut and the slots of all threads" : "cut", ms[RUNS / 2]);
	free(owner);
}

int
main(void)
{
	struct sp_machine *machine = make_machine();

	measure(machine, 4096, 0);
	measure(machine, 1024, 0);
	measure(machine, 64, 0);
	measure(machine, 64, 1);
	free(machine);
	return 0;
}
