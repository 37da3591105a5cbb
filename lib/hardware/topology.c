/* Discovers the machine with hwloc, as one flat array of CPUs, and its devices. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* 0, with a loaded topology that is the caller's to destroy. */
static int
open_topology(const char *source, enum hwloc_type_filter_e io, hwloc_topology_t *topology)
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

			if (node && node->os_index < lowest)
				lowest = node->os_index;
		}
	return lowest == UINT32_MAX ? 0 : lowest;
}

/*
 * Memory that hwloc has not named is compared: by bandwidth where the firmware
 * tells it, else by size, since a Knights Landing has a node of less memory
 * beside each ordinary one.
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
	return node->attr->numanode.local_memory < ordinary->attr->numanode.local_memory;
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
	made->ncpus = 0;
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
	int error = open_topology(source, HWLOC_TYPE_FILTER_KEEP_NONE, &topology);

	if (error)
		return error;
	error = flatten(topology, allowed, machine);
	hwloc_topology_destroy(topology);
	return error;
}

/* Devices. */

#define CLASS_NETWORK 0x02
#define CLASS_DISPLAY 0x03
#define CLASS_ACCELERATOR 0x12

/* Graphics for the service processor's console: every server has one. */
static bool
is_console(const struct hwloc_pcidev_attr_s *pci)
{
	return pci->vendor_id == 0x102b /* Matrox */ || pci->vendor_id == 0x1a03 /* ASPEED */;
}

static bool
is_a(const struct hwloc_pcidev_attr_s *pci, enum sp_devices what)
{
	uint32_t class = pci->class_id >> 8;

	if (what == SP_DEVICES_NIC)
		return class == CLASS_NETWORK;
	return (class == CLASS_DISPLAY && !is_console(pci)) || class == CLASS_ACCELERATOR;
}

/* Which of a device's names is the better one: that of the library that programs use. */
static int
rank_of_name(hwloc_obj_t object)
{
	switch (object->attr->osdev.type) {
	case HWLOC_OBJ_OSDEV_COPROC:
		return object->subtype && strcmp(object->subtype, "OpenCL") == 0 ? 2 : 5;
	case HWLOC_OBJ_OSDEV_OPENFABRICS:
		return 4;
	case HWLOC_OBJ_OSDEV_GPU:
		return object->subtype ? 4 : 1;
	case HWLOC_OBJ_OSDEV_NETWORK:
		return 3;
	default:
		return 0;
	}
}

static void
name_device(hwloc_obj_t pci, char name[32])
{
	const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
	int best = -1;

	snprintf(name, 32, "%04x:%02x:%02x.%x", (unsigned)attr->domain, attr->bus, attr->dev, attr->func);
	for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
		if (child->type != HWLOC_OBJ_OS_DEVICE || !child->name || rank_of_name(child) <= best)
			continue;
		best = rank_of_name(child);
		snprintf(name, 32, "%s", child->name);
	}
}

static struct sp_device
device_of(hwloc_topology_t topology, hwloc_obj_t pci, enum sp_devices what)
{
	hwloc_obj_t around = hwloc_get_non_io_ancestor_obj(topology, pci);
	struct sp_device device = { .what = what };
	unsigned cpu;

	name_device(pci, device.name);
	hwloc_bitmap_foreach_begin(cpu, around->cpuset)
		sp_cpus_add(&device.near, cpu);
	hwloc_bitmap_foreach_end();
	return device;
}

/* The network for messages is far quicker than that for logging in: half of the best is quick. */
static float
quick_enough(hwloc_topology_t topology, enum sp_devices what)
{
	float best = 0;

	for (hwloc_obj_t pci = NULL; what == SP_DEVICES_NIC && (pci = hwloc_get_next_pcidev(topology, pci)); )
		if (is_a(&pci->attr->pcidev, what) && pci->attr->pcidev.linkspeed > best)
			best = pci->attr->pcidev.linkspeed;
	return best / 2;
}

static int
find_devices(hwloc_topology_t topology, enum sp_devices what, struct sp_device **devices)
{
	float quick = quick_enough(topology, what);
	int n = 0, most = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PCI_DEVICE);
	struct sp_device *found = calloc(most > 0 ? (size_t)most : 1, sizeof(*found));

	if (!found)
		return -ENOMEM;
	for (hwloc_obj_t pci = NULL; (pci = hwloc_get_next_pcidev(topology, pci)); )
		if (is_a(&pci->attr->pcidev, what) && pci->attr->pcidev.linkspeed >= quick && n < most)
			found[n++] = device_of(topology, pci, what);
	*devices = found;
	return n;
}

static bool
is_near_all(const struct sp_device *device, const struct sp_machine *machine)
{
	struct sp_cpus all;

	sp_machine_cpus(machine, &all);
	return sp_cpus_within(&all, &device->near);
}

static void
count_device(const struct sp_device *device, struct sp_machine *machine)
{
	struct sp_cpus cores, nodes;

	if (is_near_all(device, machine))
		return;
	sp_machine_extent(machine, &device->near, &cores, &nodes);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices += sp_cpus_has(&nodes, machine->pu[i].numa);
}

int
sp_topology_devices(const char *source, enum sp_devices what, struct sp_machine *machine,
		    struct sp_device **devices)
{
	hwloc_topology_t topology;
	struct sp_device *found;
	int error = open_topology(source, HWLOC_TYPE_FILTER_KEEP_IMPORTANT, &topology);

	if (error)
		return error;
	int n = find_devices(topology, what == SP_DEVICES_NIC ? SP_DEVICES_NIC : SP_DEVICES_GPU, &found);
	if (n == 0 && what == SP_DEVICES_AUTO) {
		free(found);
		n = find_devices(topology, SP_DEVICES_NIC, &found);
	}
	hwloc_topology_destroy(topology);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = 0;
	for (int i = 0; i < n; i++)
		count_device(&found[i], machine);
	if (n >= 0 && devices)
		*devices = found;
	else if (n >= 0)
		free(found);
	return n;
}
