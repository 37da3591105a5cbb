/*
 * Discovers the machine, and the devices in it: the only functions that call
 * hwloc.
 */
#ifndef SP_TOPOLOGY_H
#define SP_TOPOLOGY_H

#include "cpus.h"
#include "machine.h"

enum sp_devices {
	SP_DEVICES_OFF,
	SP_DEVICES_AUTO,	/* as SP_DEVICES_GPU where the job was given GPUs or the program is of a GPU runtime */
	SP_DEVICES_GPU,		/* each rank beside the GPUs that it will use */
	SP_DEVICES_NIC,		/* ranks go to NUMA nodes by the network cards near them */
	SP_DEVICES_GPU_NIC,	/* as SP_DEVICES_GPU; where that decides nothing, as SP_DEVICES_NIC */
};

/*
 * Read the machine, without the CPUs that are not in allowed (NULL: with all,
 * of another machine with all that were allowed there).
 *
 *   source   NULL: this machine; else the path of a file in hwloc's XML, or a
 *            description in hwloc's synthetic syntax ("pack:2 core:8 pu:2");
 *            a text with a '/' or that ends in ".xml" is a path
 *   machine  the caller's, to free(); untouched on error
 *
 * Returns 0; -ENOENT (the file cannot be read), -EINVAL (hwloc does not
 * understand the source), -E2BIG (it has CPUs numbered SP_CPUS_MAX or above,
 * and allowed is NULL, or it is described as larger than that), -ENXIO (its
 * indexes= names no level above, see below), -EPROTO (hwloc accepts it, but it
 * has numbers that no machine has: sp_machine_fault), -ENODEV (no CPU is left),
 * -ELIBBAD (the hwloc found in this process is not the one splitpin was built
 * for), -ENOMEM.
 */
int sp_topology_read(const char *source, const struct sp_cpus *allowed,
		     struct sp_machine **machine);

/* How many CPUs a source describes that is in the synthetic syntax, see lib/hardware/synthetic.h; 0: it is not. */
uint64_t sp_topology_described(const char *source);

/*
 * Where a description orders numbers by the names of levels ("indexes=") and
 * one of them is no level above, that name, which lies in source; else NULL.
 */
const char *sp_topology_strange_order(const char *source);

/* A device that ranks may want to be near to. */
struct sp_device {
	char name[32];		/* as the system or its driver calls it: "cuda0", "hsi0" */
	enum sp_devices what;	/* SP_DEVICES_GPU or SP_DEVICES_NIC */
	struct sp_cpus near;	/* the CPUs of its NUMA node or package, of the whole machine */
};

/*
 * Find the devices of a kind, and count them in machine->pu[].devices.
 * A device that is near to CPUs of several NUMA nodes counts for each of them,
 * one that is near to all CPUs for none.
 *
 *   source   as for sp_topology_read
 *   machine  what that has read
 *   what     SP_DEVICES_GPU or SP_DEVICES_NIC
 *   devices  the caller's, to free(); NULL: only count them
 *
 * Returns how many there are, or a negative errno as sp_topology_read does.
 */
int sp_topology_devices(const char *source, enum sp_devices what, struct sp_machine *machine,
			struct sp_device **devices);

/*
 * Find the GPUs as programs number them: fill machine->gpus.  Those of one
 * vendor are in the order of its runtime, partitions are GPUs of their own.
 * No runtime is started for that: this machine's are read from /sys and /proc.
 *
 * Returns 0, or a negative errno as sp_topology_read does: there are none then.
 */
int sp_topology_gpus(const char *source, struct sp_machine *machine);

/* What pictures show besides: NUMA nodes of all kinds, and sizes of caches. */
struct sp_memory_node {
	uint32_t number;	/* of the OS */
	char kind[16];		/* "MCDRAM", "HBM", "GPU memory", "CXL", ...; "" where hwloc names none */
	uint64_t bytes;		/* 0: not known */
	struct sp_cpus near;	/* the CPUs beside it */
};

struct sp_parts {
	uint32_t kib[3][SP_CPUS_MAX];	/* size of the L1 (data), L2 and L3 cache of each CPU; 0: it has none */
	uint32_t nnodes;
	struct sp_memory_node node[];
};

/*
 * Read these, with the source as for sp_topology_read; *parts is the caller's,
 * to free().  Returns 0, or a negative errno as that does.
 */
int sp_topology_parts(const char *source, struct sp_parts **parts);

#endif
