/* Discovers the machine with hwloc, as one flat array of CPUs. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hardware/hwloc_open.h"
#include "hardware/private_env.h"
#include "topology.h"

static bool
is_path(const char *source)
{
	size_t length = strlen(source);

	return strchr(source, '/') || (length > 4 && strcmp(source + length - 4, ".xml") == 0);
}

static int
set_source(hwloc_topology_t topology, const char *source)
{
	if (!source)
		return 0;
	if (!is_path(source))
		return hwloc_topology_set_synthetic(topology, source) ? -EINVAL : 0;
	if (access(source, R_OK) != 0)
		return -ENOENT;
	return hwloc_topology_set_xml(topology, source) ? -EINVAL : 0;
}

/*
 * The x86 backend runs on every CPU in turn to ask it; Linux has told the same
 * already.  Only CPUs are wanted: no I/O, and memory with the default filter.
 */
static int
load(hwloc_topology_t topology, const char *source, enum hwloc_type_filter_e io)
{
	int error = set_source(topology, source);

	if (error)
		return error;
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	hwloc_topology_set_io_types_filter(topology, io);
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return hwloc_topology_load(topology) ? -EINVAL : 0;
}

int
sp_hwloc_open(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology)
{
	/* A program may bring a hwloc of its own whose functions come first. */
	if (hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
		return -ELIBBAD;
	struct sp_private_env env;
	sp_private_env_begin(&env, io != HWLOC_TYPE_FILTER_KEEP_NONE);
	int error = hwloc_topology_init(topology) != 0 ? -ENOMEM : 0;
	if (!error) {
		error = load(*topology, source, io);
		if (error)
			hwloc_topology_destroy(*topology);
	}
	sp_private_env_end(&env);
	return error;
}

/* Kinds of cores. */

static const char *
info_of_kind(hwloc_topology_t topology, int kind, const char *name)
{
	struct hwloc_info_s *info;
	unsigned n = 0;

	if (hwloc_cpukinds_get_info(topology, (unsigned)kind, NULL, NULL, &n, &info, 0) != 0)
		return "";
	for (unsigned i = 0; i < n; i++)
		if (strcmp(info[i].name, name) == 0)
			return info[i].value;
	return "";
}

/*
 * A few cores of many servers may run a little faster than the others; these
 * are no other kind of core.  Those differ in more than their highest frequency.
 */
static bool
kinds_differ(hwloc_topology_t topology, int a, int b)
{
	static const char *const names[] = { "CoreType", "LinuxCapacity", "FrequencyBaseMHz" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(info_of_kind(topology, a, names[i]), info_of_kind(topology, b, names[i])) != 0)
			return true;
	return false;
}

/* 0 for the slowest; hwloc has them in that order where it knows one. */
static uint32_t
kind_of(hwloc_topology_t topology, hwloc_obj_t cpu)
{
	int own = hwloc_cpukinds_get_by_cpuset(topology, cpu->cpuset, 0), efficiency = -1;
	uint32_t kind = 0;

	if (own < 0 || hwloc_cpukinds_get_info(topology, (unsigned)own, NULL, &efficiency, NULL, NULL, 0) != 0 ||
	    efficiency < 0)
		return 0;
	for (int i = 1; i <= own; i++)
		kind += kinds_differ(topology, i - 1, i);
	return kind;
}

/* Number of the next larger object of this type, or fallback where there is none. */
static uint32_t
above(hwloc_topology_t topology, hwloc_obj_t cpu, hwloc_obj_type_t type, uint32_t fallback)
{
	hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(topology, type, cpu);

	return object ? object->logical_index : fallback;
}

/* The NUMA node inside of a memory child, which may be a memory-side cache around it. */
static hwloc_obj_t
node_in(hwloc_obj_t memory)
{
	while (memory && memory->type != HWLOC_OBJ_NUMANODE)
		memory = memory->memory_first_child;
	return memory;
}

static bool
is_gpu_memory(hwloc_obj_t node)
{
	return node->subtype && strcmp(node->subtype, "GPUMemory") == 0;
}

/*
 * Memory hangs beside the tree.  Where several nodes are as near (ordinary and
 * high-bandwidth memory), the ordinary one has the lower number.
 */
static uint32_t
numa_of(hwloc_obj_t cpu)
{
	uint32_t lowest = UINT32_MAX;

	for (hwloc_obj_t at = cpu; at && lowest == UINT32_MAX; at = at->parent)
		for (hwloc_obj_t m = at->memory_first_child; m; m = m->next_sibling) {
			hwloc_obj_t node = node_in(m);

			if (node && node->os_index < lowest && !is_gpu_memory(node))
				lowest = node->os_index;
		}
	return lowest == UINT32_MAX ? 0 : lowest;
}

static bool
has_info(hwloc_obj_t object, const char *name, const char *value)
{
	const char *text = object ? hwloc_obj_get_info_by_name(object, name) : NULL;

	return text && strcmp(text, value) == 0;
}

/* Or Knights Mill. */
static bool
is_knights_landing(hwloc_topology_t topology, hwloc_obj_t cpu)
{
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, cpu);

	return has_info(package, "CPUFamilyNumber", "6") &&
	       (has_info(package, "CPUModelNumber", "87") || has_info(package, "CPUModelNumber", "133"));
}

/*
 * Memory that hwloc has not named is compared by bandwidth where the firmware
 * tells it.  Size tells something of a Knights Landing alone, which has a node
 * of less memory beside each ordinary one: elsewhere it is CXL memory.
 */
static bool
is_hbm(hwloc_topology_t topology, hwloc_obj_t cpu, hwloc_obj_t node, hwloc_obj_t ordinary)
{
	struct hwloc_location from = { .type = HWLOC_LOCATION_TYPE_CPUSET, .location.cpuset = cpu->cpuset };
	hwloc_uint64_t own, other;

	if (node->subtype)
		return strcmp(node->subtype, "MCDRAM") == 0 || strcmp(node->subtype, "HBM") == 0;
	if (hwloc_memattr_get_value(topology, HWLOC_MEMATTR_ID_BANDWIDTH, node, &from, 0, &own) == 0 &&
	    hwloc_memattr_get_value(topology, HWLOC_MEMATTR_ID_BANDWIDTH, ordinary, &from, 0, &other) == 0)
		return own > other;
	return is_knights_landing(topology, cpu) &&
	       node->attr->numanode.local_memory < ordinary->attr->numanode.local_memory;
}

/* The nearest one beside the ordinary memory; its number, or that of the ordinary node. */
static uint32_t
hbm_of(hwloc_topology_t topology, hwloc_obj_t cpu, uint32_t numa)
{
	hwloc_obj_t ordinary = hwloc_get_numanode_obj_by_os_index(topology, numa);
	uint32_t lowest = UINT32_MAX;

	for (hwloc_obj_t at = cpu; ordinary && at && lowest == UINT32_MAX; at = at->parent)
		for (hwloc_obj_t m = at->memory_first_child; m; m = m->next_sibling) {
			hwloc_obj_t node = node_in(m);

			if (node && node != ordinary && node->os_index < lowest &&
			    is_hbm(topology, cpu, node, ordinary))
				lowest = node->os_index;
		}
	return lowest == UINT32_MAX ? numa : lowest;
}

/*
 * A level that the machine lacks gets the number of the next larger one, so
 * that it draws no boundary of its own.  Numbers of different levels are never
 * compared.
 */
static struct sp_pu
pu_of(hwloc_topology_t topology, hwloc_obj_t cpu)
{
	struct sp_pu pu = { .cpu = cpu->os_index };

	pu.package = above(topology, cpu, HWLOC_OBJ_PACKAGE, 0);
	pu.numa = numa_of(cpu);
	pu.hbm = hbm_of(topology, cpu, pu.numa);
	pu.l3 = above(topology, cpu, HWLOC_OBJ_L3CACHE, pu.numa);
	pu.l2 = above(topology, cpu, HWLOC_OBJ_L2CACHE, pu.l3);
	pu.core = above(topology, cpu, HWLOC_OBJ_CORE, cpu->logical_index);
	pu.kind = kind_of(topology, cpu);
	return pu;
}

static bool
is_wanted(hwloc_topology_t topology, hwloc_obj_t cpu, const struct sp_cpus *allowed)
{
	if (cpu->os_index >= SP_CPUS_MAX)
		return false;
	if (allowed)
		return sp_cpus_has(allowed, cpu->os_index);
	return hwloc_topology_is_thissystem(topology) ||
	       hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology), cpu->os_index);
}

static int
flatten(hwloc_topology_t topology, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	struct sp_machine *made = n > 0 ? malloc(sp_machine_size((uint32_t)n)) : NULL;

	if (!made)
		return n > 0 ? -ENOMEM : -ENODEV;
	made->ncpus = made->gpus.n = 0;
	for (int i = 0; i < n; i++) {
		hwloc_obj_t cpu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)i);

		if (is_wanted(topology, cpu, allowed))
			made->pu[made->ncpus++] = pu_of(topology, cpu);
	}
	if (!made->ncpus) {
		free(made);
		return -ENODEV;
	}
	*machine = made;
	return 0;
}

int
sp_topology_read(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	hwloc_topology_t topology;
	int error = sp_hwloc_open(source, HWLOC_TYPE_FILTER_KEEP_NONE, &topology);

	if (error)
		return error;
	error = flatten(topology, allowed, machine);
	hwloc_topology_destroy(topology);
	return error;
}
