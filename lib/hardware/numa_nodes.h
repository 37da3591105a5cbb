/* Finds the NUMA nodes of a CPU, by hwloc. */
#ifndef SP_NUMA_NODES_H
#define SP_NUMA_NODES_H

#include <hwloc.h>

#include "machine.h"

/* OS number of the node with the ordinary memory nearest to a CPU, though it may be of size 0; SP_NO_NODE: the CPU is in no node. */
uint32_t sp_node_of(hwloc_obj_t cpu);

/*
 * OS number of the node with the high-bandwidth memory nearest to a CPU whose
 * ordinary memory is node numa; numa if there is none.  It is recognised by
 * hwloc's name for it, else by the bandwidths that the firmware states, and by
 * its size only on a Knights Landing.
 */
uint32_t sp_node_hbm(hwloc_topology_t topology, hwloc_obj_t cpu, uint32_t numa);

/*
 * Set the node of each CPU to the one of these nodes in whose list the kernel
 * has it; unchanged where no list has it.  hwloc's tree has no place for nodes
 * that cut across packages, as in a badly configured virtual machine: each of
 * them is beside all CPUs then.
 *
 *   root   prefix of /sys: "", or the folder of a copy
 *   nodes  by OS number
 */
void sp_nodes_read(const char *root, const struct sp_cpus *nodes, struct sp_machine *machine);

/*
 * Set the node of each CPU's ordinary memory: its own, or where that has no
 * memory, or the CPU no node, the nearest of these nodes that has memory: by the
 * distances that the firmware states, else in the CPU's package, else the lowest.
 */
void sp_nodes_find_memory(hwloc_topology_t topology, const struct sp_cpus *nodes, struct sp_machine *machine);

/*
 * Fill in machine->gpu_memory and machine->far_memory.  beside: the nodes of all
 * CPUs, including CPUs that this job may not use.
 */
void sp_nodes_find(hwloc_topology_t topology, const struct sp_cpus *beside, struct sp_machine *machine);

#endif
