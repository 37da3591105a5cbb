/* Opens a topology of hwloc, for the files that read one. */
#ifndef SP_HWLOC_OPEN_H
#define SP_HWLOC_OPEN_H

#include <hwloc.h>

#include "cpus.h"

/*
 * Load the topology of a source (include/topology.h).  io: which PCI devices,
 * with what belongs to them, it is to have.  Returns 0, and the caller destroys
 * the topology; or a negative errno as sp_topology_read.
 */
int sp_hwloc_open(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology);

/* The same, to which Misc objects can be added, and without caches that group nothing. */
int sp_hwloc_open_to_draw(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology);

/* The numbers in a bitmap as a set, without those from SP_CPUS_MAX on. */
struct sp_cpus sp_hwloc_cpus(hwloc_const_bitmap_t bitmap);

#endif
