/*
 * The machine as one flat array of CPUs, in the order of its topology.
 *
 * CPUs that share a core, a cache, a NUMA node or a package stand side by
 * side.  The fields are identifiers to compare: two CPUs share a core if and
 * only if their core fields are equal.  Where the machine lacks a level (no L3
 * cache, say), the field has the value of the next larger level that exists, so
 * that it draws no boundary of its own.
 *
 * The array has no pointers: it can be written to shared memory as it is.
 *
 * A machine is checked by sp_machine_fault where it enters: when hwloc has read
 * it (lib/hardware) and when it is read from a board (lib/board).  All other
 * code may rely on the promises of sp_machine_fault for any struct sp_machine
 * that it is given.
 */
#ifndef SP_MACHINE_H
#define SP_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"
#include "gpus.h"

struct sp_pu {
	uint32_t cpu;		/* OS number of the hardware thread */
	uint32_t core;		/* number of the core on the whole machine, in topology order, from 0 */
	uint32_t l2;		/* L2 group: the tile of a Knights Landing */
	uint32_t l3;		/* L3 group */
	uint32_t numa;		/* OS number of its NUMA node, or SP_NO_NODE */
	uint32_t memory;	/* the NUMA node with its ordinary memory: another than numa where that has no memory */
	uint32_t hbm;		/* the NUMA node with the high-bandwidth memory beside numa; equal to numa where there is none */
	uint32_t package;	/* package (socket), from 0 */
	uint32_t kind;		/* kind of core: 0 for the slowest, higher for faster kinds; 0 for all where the cores are alike */
	uint32_t speed;		/* top speed within its kind: 0 for the slowest, higher for faster cores; 0 for all where none is much faster */
	uint32_t devices;	/* number of devices near its NUMA node; 0 unless sp_topology_devices has counted them */
};

/* The NUMA node of a CPU that belongs to none: to compare, as other numbers, but in no set of nodes. */
#define SP_NO_NODE (SP_CPUS_MAX - 1)

struct sp_machine {
	uint32_t ncpus;
	struct sp_gpus gpus;	/* none unless sp_topology_gpus has filled them in */
	/* NUMA nodes that take part in no memory policy, by OS number. */
	struct sp_cpus gpu_memory;	/* a GPU's own */
	struct sp_cpus far_memory;	/* other memory, neither beside a CPU nor high-bandwidth: CXL, persistent memory */
	struct sp_pu pu[];
};

static inline size_t
sp_machine_size(uint32_t ncpus)
{
	return sizeof(struct sp_machine) + ncpus * sizeof(struct sp_pu);
}

/*
 * Why a machine cannot be used, as a static text; NULL: the machine has
 *
 *   1 to SP_CPUS_MAX CPUs, each number below SP_CPUS_MAX and used once
 *   CPUs of a core side by side, and of one kind
 *   every other field of a CPU below SP_CPUS_MAX, so that it fits into a set and is no sentinel (SP_ANYWHERE, hwloc's "not known")
 *   SP_GPUS_MAX GPUs at most, whose texts are NUL-terminated
 *
 * Nothing more is promised: NUMA nodes, caches and packages may nest in any
 * order, have gaps, and divide a core.
 */
const char *sp_machine_fault(const struct sp_machine *machine);

/* Whether a CPU is in a part of the machine. */
static inline bool
sp_pu_is_near(const struct sp_pu *pu, const struct sp_near *near)
{
	return (near->package == SP_ANYWHERE || near->package == pu->package) &&
	       (near->numa == SP_ANYWHERE || near->numa == pu->numa) &&
	       (near->l3 == SP_ANYWHERE || near->l3 == pu->l3);
}

/* Whether some cores are faster than others: by their kind, or by their top speed alone. */
bool sp_machine_has_kinds(const struct sp_machine *machine);
bool sp_machine_has_speeds(const struct sp_machine *machine);

/*
 * "NUMA nodes 4,12 are GPU memory, and node 2 has no CPU of its own: no memory
 * policy uses them", "NUMA nodes 0-1 cut across packages, ...", and where CPUs
 * without memory of their own have theirs; empty where there is nothing of the
 * kind.  Returns text.
 */
char *sp_machine_name_memory(const struct sp_machine *machine, char *text, size_t size);

/* The CPUs in a part of the machine.  Returns false where the part has all CPUs of the machine, or none. */
bool sp_machine_near(const struct sp_machine *machine, const struct sp_near *near, struct sp_cpus *cpus);

/* The smallest part of the machine that holds a set; SP_ANYWHERE in all fields where the set has no CPU of the machine. */
struct sp_near sp_machine_part(const struct sp_machine *machine, const struct sp_cpus *cpus);

/* All CPUs of the machine. */
void sp_machine_cpus(const struct sp_machine *machine, struct sp_cpus *cpus);

/* Whether all CPUs of the machine are in a set, so that sp_machine_restrict would change nothing. */
bool sp_machine_is_within(const struct sp_machine *machine, const struct sp_cpus *cpus);

/* A copy of the machine with only those of its CPUs that are in cpus; the caller's, to free().  NULL: memory is short. */
struct sp_machine *sp_machine_restrict(const struct sp_machine *machine, const struct sp_cpus *cpus);

/* The cores and NUMA nodes that a set touches.  Returns the number of cores. */
uint32_t sp_machine_extent(const struct sp_machine *machine, const struct sp_cpus *cpus,
			   struct sp_cpus *cores, struct sp_cpus *nodes);

/* How many cores a set touches. */
uint32_t sp_machine_cores(const struct sp_machine *machine, const struct sp_cpus *cpus);

/* The largest number of hardware threads that a core has. */
uint32_t sp_machine_threads_of_core(const struct sp_machine *machine);

/* Add the other CPUs of each core that a set touches. */
void sp_machine_fill_cores(const struct sp_machine *machine, struct sp_cpus *cpus);

#endif
