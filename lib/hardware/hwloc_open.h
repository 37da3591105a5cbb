/* Opens a topology of hwloc, for the files that read one. */
#ifndef SP_HWLOC_OPEN_H
#define SP_HWLOC_OPEN_H

#include <hwloc.h>

#include "cpus.h"

/*
 * Load the topology of a source (include/topology.h), with or without PCI and
 * what is on it.  Returns 0, and the topology is the caller's to destroy, or
 * an errno as sp_topology_read does.
 */
int sp_hwloc_open(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology);

/* The numbers of a bitmap as a set; numbers from SP_CPUS_MAX on are left out, as by sp_cpus_add. */
struct sp_cpus sp_hwloc_cpus(hwloc_const_bitmap_t bitmap);

#endif
