/*
 * Invented machines, so that tests pass on a laptop.  Everything that is
 * returned is the caller's to free(); running out of memory aborts.
 */
#ifndef SP_TEST_MACHINES_H
#define SP_TEST_MACHINES_H

#include "cpus.h"
#include "machine.h"

enum numbering {
	THREADS_LAST,		/* CPU = core + thread * cores, as on x86 */
	THREADS_FIRST,		/* CPU = core * threads + thread, as on POWER */
};

enum l3_place {
	L3_IN_NUMA,		/* .l3s groups in each NUMA node */
	L3_OVER_NUMA,		/* one in each package, around its NUMA nodes */
	L3_ABSENT,		/* the field is that of the NUMA node */
};

/* A regular machine.  Counts are in one of the next larger; 0 means 1. */
struct shape {
	uint32_t packages, numas, l3s, l2s, cores, threads;
	enum numbering numbering;
	enum l3_place l3;
};

struct sp_machine *machine_of(struct shape shape);

/* cores cores of threads hardware threads, nothing else. */
struct sp_machine *machine_uniform(uint32_t cores, uint32_t threads);

/* Knights Landing 7250: 68 cores of 4 threads in tiles of 2, CPUs c, c + 68, ... */
struct sp_machine *machine_knl(void);
/* The same in SNC-4 mode: NUMA nodes of 18, 18, 16 and 16 cores. */
struct sp_machine *machine_knl_snc4(void);
/* EPYC: 2 packages of 4 NUMA nodes of 2 L3 groups of 4 cores of 2 threads. */
struct sp_machine *machine_epyc(void);
/* POWER9: 2 packages of 20 cores of 4 threads in pairs; CPU numbers have gaps, NUMA nodes are 0 and 8. */
struct sp_machine *machine_power9(void);
/* A64FX: 4 NUMA nodes of 12 cores that share their L2 cache. */
struct sp_machine *machine_a64fx(void);
/* Hybrid: 4 cores of 2 threads (CPUs 0-7), then 8 of one in L2 groups of 4 (CPUs 8-15). */
struct sp_machine *machine_hybrid(void);

/* Two of the CPUs that the calling thread may use, as a core each; NULL where it has but one. */
struct sp_machine *machine_at_hand(void);

/* The part of a machine that lies in a set. */
struct sp_machine *machine_within(const struct sp_machine *machine, const struct sp_cpus *set);
/* The part outside a list; frees the whole. */
struct sp_machine *machine_without(struct sp_machine *machine, const char *list);

uint32_t count_cores(const struct sp_machine *machine);

/* The set that a list names, which must be one; "": the empty one. */
struct sp_cpus cpus_of_list(const char *list);

/* The list of a set, in room that the next call uses too. */
const char *list_of_cpus(const struct sp_cpus *set);

#endif
