/*
 * Topology, in a shared object of its own, libsplitpin-hardware.so, which links
 * hwloc.
 *
 * The object is opened only by the rank that discovers the machine for its
 * node.  Opening hwloc takes as long as everything else that another rank does.
 */
#ifndef SP_HARDWARE_H
#define SP_HARDWARE_H

#include "cpus.h"
#include "machine.h"
#include "topology.h"

#define SP_HARDWARE_VERSION 7
#define SP_HARDWARE_SYMBOL "sp_hardware"

/* The one symbol that the object exports has this type. */
struct sp_hardware {
	uint32_t version;	/* SP_HARDWARE_VERSION */
	uint32_t size;		/* sizeof(struct sp_hardware) */
	int (*topology_read)(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine);
	int (*topology_devices)(const char *source, enum sp_devices what, struct sp_machine *machine,
				struct sp_device **devices);
	int (*topology_gpus)(const char *source, struct sp_machine *machine);
};

/*
 * The object's table; the first call opens the object.  NULL if it cannot be
 * opened: *problem is then a text that lives until the next call.
 */
const struct sp_hardware *sp_hardware_open(const char **problem);

#endif
