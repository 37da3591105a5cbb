/*
 * Discovers the machine and its devices: the only functions that call hwloc.
 */
#ifndef SP_TOPOLOGY_H
#define SP_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cpus.h"
#include "machine.h"

enum sp_devices {
	SP_DEVICES_OFF,
	SP_DEVICES_AUTO,	/* as SP_DEVICES_GPU where the job was given GPUs or the program uses a GPU runtime */
	SP_DEVICES_GPU,		/* each rank beside the GPUs that it will use */
	SP_DEVICES_NIC,		/* ranks go to NUMA nodes by the network cards near them */
	SP_DEVICES_GPU_NIC,	/* as SP_DEVICES_GPU; where that decides nothing, as SP_DEVICES_NIC */
};

/*
 * Read the machine, restricted to the CPUs in allowed.  NULL: with all its
 * CPUs; for an XML file of another machine, with all that were allowed on that
 * machine.
 *
 *   source   NULL: this machine; else the path of a file in hwloc's XML or of a
 *            text that lscpu, lstopo or numactl printed
 *            (lib/hardware/tool_text.h), or a description in hwloc's synthetic
 *            syntax ("pack:2 core:8 pu:2"); a source is a path if it has a '/' or
 *            ends in ".xml"
 *   machine  the caller's, to free(); untouched on error
 *
 * Returns 0; -ENOENT (the file cannot be read), -EINVAL (hwloc does not
 * understand the source), -ENODATA (a tool's text that does not say which CPUs
 * share a core, or has no OS numbers), -E2BIG (it has CPUs numbered SP_CPUS_MAX or above,
 * and allowed is NULL, or it is described as larger than that), -ENXIO (its
 * indexes= names no level above, see below), -EPROTO (it is understood, but
 * has numbers that no machine has: sp_machine_fault), -ENODEV (no CPU is left),
 * -ELIBBAD (the hwloc found in this process is not the one splitpin was built
 * for), -ENOMEM.
 */
int sp_topology_read(const char *source, const struct sp_cpus *allowed,
		     struct sp_machine **machine);

/*
 * Keep what hwloc says, which is otherwise hidden: for a process of one thread,
 * whose standard error is turned aside while hwloc works.  To be called before
 * any other of these functions, since hwloc reads its environment once.
 */
void sp_topology_listen(void);

/* hwloc's words on the last source that it was given, one line; "": it said nothing, or nobody listens. */
const char *sp_topology_said(void);

/* Whether a source is a text of a tool, which says nothing of devices and caches. */
bool sp_topology_is_text(const char *source);

/*
 * The number of CPUs that a source in the synthetic syntax describes, see
 * lib/hardware/synthetic.h; 0: the source is not in that syntax.
 */
uint64_t sp_topology_described(const char *source);

/*
 * The first name in the "indexes=" attribute of a description that is not one
 * of the levels above; it points into source.  NULL: there is no such name.
 */
const char *sp_topology_strange_order(const char *source);

/* A device near which ranks may want to be placed. */
struct sp_device {
	char name[32];		/* as the system or its driver calls it: "cuda0", "hsi0" */
	enum sp_devices what;	/* SP_DEVICES_GPU or SP_DEVICES_NIC */
	struct sp_cpus near;	/* the CPUs of its NUMA node or package, of the whole machine */
};

/*
 * Find the devices of a kind, and count them in machine->pu[].devices.  A
 * device near CPUs of several NUMA nodes counts for each of these nodes; a
 * device near all CPUs counts for none.
 *
 *   source   as for sp_topology_read
 *   machine  as read by sp_topology_read
 *   what     SP_DEVICES_GPU or SP_DEVICES_NIC
 *   devices  the caller's, to free(); NULL: only count them
 *
 * Returns the number of devices, or a negative errno as sp_topology_read does.
 */
int sp_topology_devices(const char *source, enum sp_devices what, struct sp_machine *machine,
			struct sp_device **devices);

/*
 * Find the GPUs as programs number them: fill machine->gpus.  GPUs of one
 * vendor are in the order of its runtime; partitions count as GPUs.  No runtime
 * is started: the GPUs of this machine are read from /sys and /proc.
 *
 * Returns 0, or a negative errno as sp_topology_read does: machine->gpus is
 * then empty.
 */
int sp_topology_gpus(const char *source, struct sp_machine *machine);

/*
 * What is written on a picture of the machine: the colour of an object, or a
 * name in a box of its own inside the object.
 */
struct sp_mark {
	const char *device;	/* address of a PCI device; NULL: cpu says where */
	uint32_t cpu;		/* number of the OS */
	bool is_core;		/* the whole core of this CPU */
	char name[32];		/* "": the object itself gets the colour */
	const char *colour;	/* "#a6cee3"; NULL: as it is drawn without us */
};

/*
 * Write the machine in hwloc's XML with these marks, which lstopo draws; marks
 * on what the machine does not have are left out.  The source is as for
 * sp_topology_read.  PCI devices are there only if a mark names one.
 *
 * Returns 0, or a negative errno as sp_topology_read does; -EIO: to cannot be
 * written.
 */
int sp_topology_draw(const char *source, const struct sp_mark *mark, size_t nmarks, FILE *to);

#endif
