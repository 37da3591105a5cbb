/* Finds the NUMA nodes of a CPU, by hwloc. */
#ifndef SP_NUMA_NODES_H
#define SP_NUMA_NODES_H

#include <hwloc.h>

#include "machine.h"

/* OS number of the node with the ordinary memory nearest to a CPU. */
uint32_t sp_node_of(hwloc_obj_t cpu);

/*
 * OS number of the node with the high-bandwidth memory nearest to a CPU whose
 * ordinary memory is node numa; numa if there is none.  It is recognised by
 * hwloc's name for it, else by the bandwidths that the firmware states, and by
 * its size only on a Knights Landing.
 */
uint32_t sp_node_hbm(hwloc_topology_t topology, hwloc_obj_t cpu, uint32_t numa);

/*
 * Fill in machine->gpu_memory and machine->far_memory.  beside: the nodes of all
 * CPUs, including CPUs that this job may not use.
 */
void sp_nodes_find(hwloc_topology_t topology, const struct sp_cpus *beside, struct sp_machine *machine);

#endif
