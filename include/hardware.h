/*
 * Topology and memory policy, in a shared object of their own,
 * libsplitpin-hardware.so, which links hwloc and libnuma.
 *
 * The object is opened only where it is needed: by the rank that discovers the
 * machine for its node, and where a memory policy is requested.  Opening hwloc
 * and libnuma takes four times as long as everything else that a rank does.
 */
#ifndef SP_HARDWARE_H
#define SP_HARDWARE_H

#include "cpus.h"
#include "machine.h"
#include "memory.h"
#include "topology.h"

#define SP_HARDWARE_VERSION 5
#define SP_HARDWARE_SYMBOL "sp_hardware"

/* The one symbol that the object exports has this type. */
struct sp_hardware {
	uint32_t version;	/* SP_HARDWARE_VERSION */
	uint32_t size;		/* sizeof(struct sp_hardware) */
	int (*topology_read)(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine);
	int (*topology_devices)(const char *source, enum sp_devices what, struct sp_machine *machine,
				struct sp_device **devices);
	int (*topology_gpus)(const char *source, struct sp_machine *machine);
	int (*memory_allowed)(struct sp_cpus *nodes);
	int (*memory_inherited)(char *text, size_t size);
	int (*memory_set)(enum sp_memory policy, const struct sp_cpus *nodes);
	int (*memory_move)(void);
};

/*
 * The object's table; the first call opens the object.  NULL if it cannot be
 * opened: *problem is then a text that lives until the next call.
 */
const struct sp_hardware *sp_hardware_open(const char **problem);

#endif
