/* Finds the NUMA nodes of a CPU, by hwloc. */
#ifndef SP_NUMA_NODES_H
#define SP_NUMA_NODES_H

#include <hwloc.h>

#include "machine.h"

/* OS number of the node with the ordinary memory nearest to a CPU. */
uint32_t sp_node_of(hwloc_obj_t cpu);

/*
 * The high-bandwidth memory nearest to a CPU whose ordinary memory is node
 * numa: its OS number, or numa where there is none.  hwloc's names decide, then
 * the bandwidths that the firmware tells; size does on a Knights Landing alone.
 */
uint32_t sp_node_hbm(hwloc_topology_t topology, hwloc_obj_t cpu, uint32_t numa);

/*
 * Fill machine->gpu_memory and machine->far_memory.  beside: the nodes of all
 * CPUs, including CPUs that this job may not use.
 */
void sp_nodes_find(hwloc_topology_t topology, const struct sp_cpus *beside, struct sp_machine *machine);

#endif
