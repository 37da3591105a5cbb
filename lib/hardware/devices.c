/* Finds the devices of a machine with hwloc. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/hwloc_open.h"
#include "hardware/sysfs.h"
#include "topology.h"

#define CLASS_NETWORK 0x02

static bool
is_a(const struct hwloc_pcidev_attr_s *pci, enum sp_devices what)
{
	if (what == SP_DEVICES_NIC)
		return pci->class_id >> 8 == CLASS_NETWORK;
	return sp_is_gpu((uint32_t)pci->class_id << 8, pci->vendor_id);
}

/* In hwloc 3 an object may have several types. */
static bool
is_of_type(hwloc_obj_t object, unsigned long type)
{
#if HWLOC_API_VERSION >= 0x00030000
	return object->attr->osdev.types & type;
#else
	return object->attr->osdev.type == type;
#endif
}

static bool
is_of_subtype(hwloc_obj_t object, const char *subtype)
{
	return object->subtype && strcmp(object->subtype, subtype) == 0;
}

/* Who named a device, in ascending order of preference: best is the name that the programs' own library uses. */
enum namer { NOBODY, ANYBODY, SYSTEM, OPENCL, NETWORK, VENDOR, RUNTIME };

static enum namer
namer_of(hwloc_obj_t object)
{
	if (is_of_subtype(object, "OpenCL"))
		return OPENCL;
	if (is_of_subtype(object, "NVML") || is_of_subtype(object, "RSMI") ||
	    is_of_type(object, HWLOC_OBJ_OSDEV_OPENFABRICS))
		return VENDOR;
	if (is_of_type(object, HWLOC_OBJ_OSDEV_COPROC))
		return RUNTIME;
	if (is_of_type(object, HWLOC_OBJ_OSDEV_GPU))
		return object->subtype ? VENDOR : SYSTEM;
	return is_of_type(object, HWLOC_OBJ_OSDEV_NETWORK) ? NETWORK : ANYBODY;
}

static void
name_device(hwloc_obj_t pci, char name[32])
{
	const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
	enum namer best = NOBODY;

	snprintf(name, 32, "%04x:%02x:%02x.%x", (unsigned)attr->domain, attr->bus, attr->dev, attr->func);
	for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
		if (child->type != HWLOC_OBJ_OS_DEVICE || !child->name || namer_of(child) <= best)
			continue;
		best = namer_of(child);
		snprintf(name, 32, "%s", child->name);
	}
}

static struct sp_device
device_of(hwloc_topology_t topology, hwloc_obj_t pci, enum sp_devices what)
{
	hwloc_obj_t around = hwloc_get_non_io_ancestor_obj(topology, pci);
	struct sp_device device = { .what = what };

	if (around)
		device.near = sp_hwloc_cpus(around->cpuset);
	name_device(pci, device.name);
	return device;
}

/*
 * The speed from which a network counts: half of the fastest, since the network
 * for messages is far faster than that for logging in.
 */
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

static int
no_devices(struct sp_machine *machine, struct sp_device **devices)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = 0;
	if (devices)
		*devices = calloc(1, sizeof(**devices));
	return devices && !*devices ? -ENOMEM : 0;
}

int
sp_topology_devices(const char *source, enum sp_devices what, struct sp_machine *machine,
		    struct sp_device **devices)
{
	hwloc_topology_t topology;
	struct sp_device *found = NULL;

	if (sp_topology_is_text(source))
		return no_devices(machine, devices);
	int error = sp_hwloc_open(source, HWLOC_TYPE_FILTER_KEEP_IMPORTANT, &topology);
	if (error)
		return error;
	int n = find_devices(topology, what, &found);

	hwloc_topology_destroy(topology);
	if (n < 0)
		return n;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = 0;
	for (int i = 0; i < n; i++)
		count_device(&found[i], machine);
	if (devices)
		*devices = found;
	else
		free(found);
	return n;
}

/* GPUs as runtimes number them. */

static const char *
info_of(hwloc_obj_t pci, const char *name)
{
	for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
		const char *value = hwloc_obj_get_info_by_name(child, name);

		if (value)
			return value;
	}
	return NULL;
}

/* The number of partitions of an AMD GPU, each of which has a name, rsmi0, rsmi1, ...; 1 for others. */
static uint32_t
partitions_of(hwloc_obj_t pci)
{
	uint32_t n = 0;

	for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling)
		n += child->name && strncmp(child->name, "rsmi", 4) == 0;
	return n ? n : 1;
}

static void
set_uuid(hwloc_obj_t pci, struct sp_gpu *gpu)
{
	const char *nvidia = info_of(pci, "NVIDIAUUID"), *amd = info_of(pci, "AMDUUID");

	if (nvidia)
		snprintf(gpu->uuid, sizeof(gpu->uuid), "%s%s", strncmp(nvidia, "GPU-", 4) == 0 ? "" : "GPU-", nvidia);
	else if (amd)
		snprintf(gpu->uuid, sizeof(gpu->uuid), "GPU-%s", amd);
}

static struct sp_gpu
gpu_of(hwloc_topology_t topology, hwloc_obj_t pci, const struct sp_machine *machine)
{
	const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
	struct sp_device device = device_of(topology, pci, SP_DEVICES_GPU);
	struct sp_gpu gpu = { .vendor = attr->vendor_id, .near = sp_machine_part(machine, &device.near) };
	const char *tiles = info_of(pci, "LevelZeroSubdevices");

	gpu.tiles = tiles && atoi(tiles) > 1 ? (uint32_t)atoi(tiles) : 1;
	snprintf(gpu.address, sizeof(gpu.address), "%04x:%02x:%02x.%x", (unsigned)attr->domain, attr->bus, attr->dev, attr->func);
	set_uuid(pci, &gpu);
	return gpu;
}

static int
compare(const void *a, const void *b)
{
	return strcmp(((const struct sp_gpu *)a)->address, ((const struct sp_gpu *)b)->address);
}

/* Sorted by PCI address, as ROCm and Level Zero number them, and CUDA if they are of one model. */
static void
find_gpus(hwloc_topology_t topology, struct sp_machine *machine)
{
	struct sp_gpus *gpus = &machine->gpus;

	for (hwloc_obj_t pci = NULL; (pci = hwloc_get_next_pcidev(topology, pci)); ) {
		uint32_t n = is_a(&pci->attr->pcidev, SP_DEVICES_GPU) ? partitions_of(pci) : 0;

		for (; n && gpus->n < SP_GPUS_MAX; n--)
			gpus->gpu[gpus->n++] = gpu_of(topology, pci, machine);
	}
	qsort(gpus->gpu, gpus->n, sizeof(gpus->gpu[0]), compare);
}

int
sp_topology_gpus(const char *source, struct sp_machine *machine)
{
	hwloc_topology_t topology;

	machine->gpus.n = 0;
	if (!source) {
		sp_sysfs_gpus("", machine);
		return 0;
	}
	if (sp_topology_is_text(source))
		return 0;
	int error = sp_hwloc_open(source, HWLOC_TYPE_FILTER_KEEP_IMPORTANT, &topology);
	if (error)
		return error;
	find_gpus(topology, machine);
	hwloc_topology_destroy(topology);
	return 0;
}
