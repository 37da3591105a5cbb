/* Memory and caches as pictures show them; nothing is decided by these. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/hwloc_open.h"
#include "topology.h"

/* hwloc names kinds of memory since 2.1, more of them since 2.10. */
static void
set_kind(hwloc_obj_t object, char kind[16])
{
	const char *name = object->subtype ? object->subtype : "";

	if (strcmp(name, "GPUMemory") == 0)
		name = "GPU memory";
	else if (strncmp(name, "CXL", 3) == 0)
		name = "CXL";
	snprintf(kind, 16, "%s", name);
}

static struct sp_memory_node
node_of(hwloc_obj_t object)
{
	struct sp_memory_node node = {
		.number = object->os_index, .bytes = object->attr->numanode.local_memory, .near = sp_hwloc_cpus(object->cpuset),
	};

	set_kind(object, node.kind);
	return node;
}

/* Fill in the size, in KiB, of each CPU's cache of this type. */
static void
read_caches(hwloc_topology_t topology, hwloc_obj_type_t type, uint32_t kib[SP_CPUS_MAX])
{
	for (hwloc_obj_t cpu = NULL; (cpu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, cpu)); ) {
		hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, type, cpu);

		if (cache && cpu->os_index < SP_CPUS_MAX)
			kib[cpu->os_index] = (uint32_t)(cache->attr->cache.size / 1024);
	}
}

int
sp_topology_parts(const char *source, struct sp_parts **parts)
{
	hwloc_topology_t topology;
	int error = sp_hwloc_open(source, HWLOC_TYPE_FILTER_KEEP_NONE, &topology);

	if (error)
		return error;
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
	size_t nnodes = n > 0 ? (size_t)n : 0;
	struct sp_parts *made = calloc(1, sizeof(*made) + nnodes * sizeof(made->node[0]));

	if (made) {
		for (hwloc_obj_t object = NULL; made->nnodes < nnodes &&
		     (object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)); )
			made->node[made->nnodes++] = node_of(object);
		read_caches(topology, HWLOC_OBJ_L1CACHE, made->kib[0]);
		read_caches(topology, HWLOC_OBJ_L2CACHE, made->kib[1]);
		read_caches(topology, HWLOC_OBJ_L3CACHE, made->kib[2]);
		*parts = made;
	}
	hwloc_topology_destroy(topology);
	return made ? 0 : -ENOMEM;
}
