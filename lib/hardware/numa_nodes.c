#include "hardware/numa_nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/sysfs_file.h"

#define LIST 4096		/* of the CPUs of a node; a longer list is not used */

/* The NUMA node in a memory object, which may be a memory-side cache around it; NULL: none. */
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

/* Whether a node is of another tier than the memory that programs get by default. */
static bool
is_special(hwloc_obj_t node)
{
	static const char *const names[] = { "MCDRAM", "HBM", "NVM", "SPM", "CXL-" };

	for (size_t i = 0; node->subtype && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(node->subtype, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool
is_more_ordinary(hwloc_obj_t node, hwloc_obj_t other)
{
	if (is_special(node) != is_special(other))
		return is_special(other);
	return node->os_index < other->os_index;
}

/*
 * Memory objects are attached to the side of the tree.  Where several nodes are
 * equally near (ordinary and high-bandwidth memory) and hwloc does not name
 * them, the ordinary one has the lower number.
 */
uint32_t
sp_node_of(hwloc_obj_t cpu)
{
	hwloc_obj_t best = NULL;

	for (hwloc_obj_t at = cpu; at && !best; at = at->parent)
		for (hwloc_obj_t m = at->memory_first_child; m; m = m->next_sibling) {
			hwloc_obj_t node = node_in(m);

			if (node && !is_gpu_memory(node) && (!best || is_more_ordinary(node, best)))
				best = node;
		}
	return best ? best->os_index : SP_NO_NODE;
}

static bool
has_info(hwloc_obj_t object, const char *name, const char *value)
{
	const char *text = object ? hwloc_obj_get_info_by_name(object, name) : NULL;

	return text && strcmp(text, value) == 0;
}

/* Knights Mill counts, too. */
static bool
is_knights_landing(hwloc_topology_t topology, hwloc_obj_t cpu)
{
	hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, cpu);

	return has_info(package, "CPUFamilyNumber", "6") &&
	       (has_info(package, "CPUModelNumber", "87") || has_info(package, "CPUModelNumber", "133"));
}

/*
 * Memory that hwloc does not name is compared by bandwidth if the firmware
 * states that.  Size decides only on a Knights Landing, where the smaller node
 * beside each ordinary one is MCDRAM: elsewhere it may be CXL memory.
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

uint32_t
sp_node_hbm(hwloc_topology_t topology, hwloc_obj_t cpu, uint32_t numa)
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

void
sp_nodes_find(hwloc_topology_t topology, const struct sp_cpus *beside, struct sp_machine *machine)
{
	for (hwloc_obj_t node = NULL; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)); )
		if (is_gpu_memory(node))
			sp_cpus_add(&machine->gpu_memory, node->os_index);
		else if (!sp_cpus_has(beside, node->os_index) && node->attr->numanode.local_memory)
			sp_cpus_add(&machine->far_memory, node->os_index);
}

/* Those of these nodes that have memory. */
static struct sp_cpus
with_memory(hwloc_topology_t topology, const struct sp_cpus *nodes)
{
	struct sp_cpus with = { 0 };

	for (hwloc_obj_t node = NULL; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)); )
		if (sp_cpus_has(nodes, node->os_index) && node->attr->numanode.local_memory)
			sp_cpus_add(&with, node->os_index);
	return with;
}

/* The nearest by distance; of equally near ones the first.  SP_NO_NODE: no distances are known. */
static uint32_t
nearest_to_node(const struct hwloc_distances_s *distances, uint32_t node, const struct sp_cpus *nodes)
{
	uint32_t best = SP_NO_NODE;
	hwloc_uint64_t least = 0;

	for (unsigned from = 0; distances && from < distances->nbobjs; from++) {
		if (!distances->objs[from] || distances->objs[from]->os_index != node)
			continue;
		for (unsigned to = 0; to < distances->nbobjs; to++) {
			hwloc_uint64_t value = distances->values[from * distances->nbobjs + to];

			if (!distances->objs[to] || !sp_cpus_has(nodes, distances->objs[to]->os_index) || (best != SP_NO_NODE && value >= least))
				continue;
			best = distances->objs[to]->os_index;
			least = value;
		}
	}
	return best;
}

/* The lowest of these nodes in the CPU's package, else the lowest. */
static uint32_t
nearest_to_cpu(hwloc_topology_t topology, uint32_t cpu, const struct sp_cpus *nodes)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, cpu);
	hwloc_obj_t package = pu ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu) : NULL;

	for (uint32_t node = sp_cpus_next(nodes, 0); package && node != SP_NO_CPU; node = sp_cpus_next(nodes, node + 1))
		if (package->nodeset && hwloc_bitmap_isset(package->nodeset, node))
			return node;
	return sp_cpus_next(nodes, 0);
}

void
sp_nodes_find_memory(hwloc_topology_t topology, const struct sp_cpus *nodes, struct sp_machine *machine)
{
	const struct sp_cpus with = with_memory(topology, nodes);
	struct hwloc_distances_s *distances = NULL;
	unsigned n = 1;

	/* Where no node has a size, none was recorded. */
	if (sp_cpus_empty(&with))
		return;
	if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &n, &distances, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 || n == 0)
		distances = NULL;
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		pu->memory = sp_cpus_has(&with, pu->numa) ? pu->numa : nearest_to_node(distances, pu->numa, &with);
		if (pu->memory == SP_NO_NODE)
			pu->memory = nearest_to_cpu(topology, pu->cpu, &with);
	}
	if (distances)
		hwloc_distances_release(topology, distances);
}

static void
set_node(struct sp_machine *machine, const struct sp_cpus *cpus, uint32_t node)
{
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(cpus, pu->cpu))
			continue;
		pu->hbm = pu->hbm == pu->numa ? node : pu->hbm;
		pu->numa = pu->memory = node;
	}
}

void
sp_nodes_read(const char *root, const struct sp_cpus *nodes, struct sp_machine *machine)
{
	if (sp_cpus_count(nodes) < 2)
		return;
	for (uint32_t node = sp_cpus_next(nodes, 0); node != SP_NO_CPU; node = sp_cpus_next(nodes, node + 1)) {
		char path[64], list[LIST];
		struct sp_cpus cpus;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist", node);
		if (sp_sysfs_text(root, path, list, sizeof(list)) && strlen(list) + 1 < sizeof(list) && sp_cpus_parse(list, &cpus) == 0)
			set_node(machine, &cpus, node);
	}
}
