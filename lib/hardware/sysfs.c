#include "hardware/sysfs.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/sysfs_file.h"

#define PATH 512
#define FOLDER 128		/* of a device, without the root */
#define TEXT 4096		/* of a file; more of it is not read */
#define DEVICES_MAX 4096	/* entries of the bus; further ones are ignored */
#define NODES_MAX 1024		/* of KFD */
#define TILES_MAX 8

#define CLASS_DISPLAY 0x03
#define CLASS_ACCELERATOR 0x12

/* Whether graphics of this vendor are the console of a service processor or of a virtual machine. */
static bool
is_console(uint32_t vendor)
{
	static const uint32_t consoles[] = {
		0x102b /* Matrox */, 0x1a03 /* ASPEED */, 0x19e5 /* Huawei */, 0x18ca /* XGI */, 0x1013 /* Cirrus */,
		0x1234 /* Bochs */, 0x1b36 /* Red Hat */, 0x1af4 /* virtio */, 0x15ad /* VMware */, 0x1414 /* Hyper-V */,
	};

	for (size_t i = 0; i < sizeof(consoles) / sizeof(consoles[0]); i++)
		if (vendor == consoles[i])
			return true;
	return false;
}

bool
sp_is_gpu(uint32_t class, uint32_t vendor)
{
	return (class >> 16 == CLASS_DISPLAY && !is_console(vendor)) || class >> 16 == CLASS_ACCELERATOR;
}

/* Files. */

static bool
read_number(const char *root, const char folder[FOLDER], const char *name, long *number)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return sp_sysfs_number(root, path, number);
}

static bool
read_list(const char *root, const char *path, struct sp_cpus *cpus)
{
	char text[TEXT];

	return sp_sysfs_text(root, path, text, sizeof(text)) && sp_cpus_parse(text, cpus) == 0 && !sp_cpus_empty(cpus);
}

/* The value after a name at the beginning of a line, or NULL. */
static const char *
value_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0)
			return line + length + strspn(line + length, ": \t");
	}
	return NULL;
}

/* PCI. */

struct address {
	uint32_t domain, bus, device, function;
};

static bool
parse_address(const char *text, struct address *a)
{
	return sscanf(text, "%" SCNx32 ":%" SCNx32 ":%" SCNx32 ".%" SCNx32, &a->domain, &a->bus, &a->device, &a->function) == 4;
}

static int
compare(const void *a, const void *b)
{
	struct address one = { 0 }, other = { 0 };

	parse_address(((const struct sp_gpu *)a)->address, &one);
	parse_address(((const struct sp_gpu *)b)->address, &other);
	const uint64_t left[] = { one.domain, one.bus, one.device, one.function };
	const uint64_t right[] = { other.domain, other.bus, other.device, other.function };

	return sp_order_all(left, right, 4);
}

/* The part of the machine near a device.  Firmware may state only the NUMA node, or nothing (-1). */
static struct sp_near
place_of(const char *root, const char folder[FOLDER], const struct sp_machine *machine)
{
	struct sp_near nowhere = { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE };
	char path[PATH];
	struct sp_cpus near;
	long node;

	snprintf(path, sizeof(path), "%s/local_cpulist", folder);
	if (read_list(root, path, &near))
		return sp_machine_part(machine, &near);
	if (!read_number(root, folder, "numa_node", &node) || node < 0)
		return nowhere;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%ld/cpulist", node);
	return read_list(root, path, &near) ? sp_machine_part(machine, &near) : nowhere;
}

/* The number of folders of a device that are named name0, name1, ... */
static uint32_t
count_folders(const char *root, const char folder[FOLDER], const char *name)
{
	char path[PATH];
	uint32_t n = 0;

	for (; n < TILES_MAX; n++) {
		snprintf(path, sizeof(path), "%s/%s%u", folder, name, n);
		if (!sp_sysfs_is_there(root, path))
			break;
	}
	return n;
}

/* Tiles of an Intel GPU: the driver xe has a folder for each in that of the device, i915 in that of the card. */
static uint32_t
tiles_of(const char *root, const char folder[FOLDER])
{
	uint32_t tiles = count_folders(root, folder, "tile");
	char name[32];

	for (int card = 0; card < SP_GPUS_MAX && !tiles; card++) {
		snprintf(name, sizeof(name), "drm/card%d/gt/gt", card);
		tiles = count_folders(root, folder, name);
	}
	return tiles ? tiles : 1;
}

static void
read_nvidia(const char *root, struct sp_gpu *gpu)
{
	char path[PATH], text[TEXT];

	snprintf(path, sizeof(path), "/proc/driver/nvidia/gpus/%s/information", gpu->address);
	const char *uuid = sp_sysfs_text(root, path, text, sizeof(text)) ? value_of(text, "GPU UUID") : NULL;
	if (!uuid || strncmp(uuid, "GPU-", 4) != 0)
		return;
	size_t length = strcspn(uuid, " \t\n");

	if (length < sizeof(gpu->uuid))
		snprintf(gpu->uuid, sizeof(gpu->uuid), "%.*s", (int)length, uuid);
}

static bool
read_device(const char *root, const char *address, const struct sp_machine *machine, struct sp_gpu *gpu)
{
	char folder[FOLDER];
	long class, vendor;
	struct address parsed;
	size_t length = strlen(address);

	snprintf(folder, sizeof(folder), "/sys/bus/pci/devices/%.64s", address);
	if (length >= sizeof(gpu->address) || !parse_address(address, &parsed) ||
	    !read_number(root, folder, "class", &class) || !read_number(root, folder, "vendor", &vendor) ||
	    !sp_is_gpu((uint32_t)class, (uint32_t)vendor))
		return false;
	*gpu = (struct sp_gpu){ .vendor = (uint32_t)vendor, .tiles = 1, .near = place_of(root, folder, machine) };
	memcpy(gpu->address, address, length);
	if (gpu->vendor == SP_NVIDIA)
		read_nvidia(root, gpu);
	if (gpu->vendor == SP_INTEL)
		gpu->tiles = tiles_of(root, folder);
	return true;
}

static void
read_bus(const char *root, struct sp_machine *machine)
{
	char path[PATH];
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices", root);
	DIR *folder = opendir(path);

	for (int i = 0; folder && i < DEVICES_MAX && (entry = readdir(folder)) && machine->gpus.n < SP_GPUS_MAX; i++)
		machine->gpus.n += read_device(root, entry->d_name, machine, &machine->gpus.gpu[machine->gpus.n]);
	if (folder)
		closedir(folder);
	qsort(machine->gpus.gpu, machine->gpus.n, sizeof(machine->gpus.gpu[0]), compare);
}

/* KFD. */

/* The value of a property, or 0; name: with the blank after it. */
static uint64_t
property(const char *text, const char *name)
{
	const char *value = value_of(text, name);

	return value ? strtoull(value, NULL, 10) : 0;
}

/* The device of a node of KFD by its PCI location, without the function, in which partitions of one device differ. */
static const struct sp_gpu *
find_device(const struct sp_gpus *gpus, uint64_t domain, uint64_t location)
{
	for (uint32_t i = 0; i < gpus->n; i++) {
		struct address at;

		if (gpus->gpu[i].vendor == SP_AMD && parse_address(gpus->gpu[i].address, &at) &&
		    at.domain == domain && at.bus == (location >> 8 & 0xff) && at.device == (location >> 3 & 0x1f))
			return &gpus->gpu[i];
	}
	return NULL;
}

/* Add a node of KFD if it is a GPU that this process may use: the properties of others say 0, or cannot be read. */
static void
read_node(const char *root, int number, const struct sp_gpus *bus, struct sp_gpus *found)
{
	char path[PATH], text[TEXT];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%d/properties", number);
	if (!sp_sysfs_text(root, path, text, sizeof(text)) || property(text, "simd_count ") == 0)
		return;
	const struct sp_gpu *device = find_device(bus, property(text, "domain "), property(text, "location_id "));
	uint64_t id = property(text, "unique_id ");

	if (!device || found->n == SP_GPUS_MAX)
		return;
	struct sp_gpu *gpu = &found->gpu[found->n++];

	*gpu = *device;
	if (id)
		snprintf(gpu->uuid, sizeof(gpu->uuid), "GPU-%016" PRIx64, id);
}

/* Put AMD's GPUs first, in KFD's order, then the others in PCI's. */
static void
read_kfd(const char *root, struct sp_gpus *gpus)
{
	struct sp_gpus *bus = malloc(sizeof(*bus));
	char path[PATH];

	if (!bus)
		return;
	*bus = *gpus;
	gpus->n = 0;
	for (int i = 0; i < NODES_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%d", i);
		if (!sp_sysfs_is_there(root, path))
			break;
		read_node(root, i, bus, gpus);
	}
	uint32_t amd = gpus->n;

	for (uint32_t i = 0; i < bus->n && gpus->n < SP_GPUS_MAX; i++)
		if (bus->gpu[i].vendor != SP_AMD || !amd)
			gpus->gpu[gpus->n++] = bus->gpu[i];
	free(bus);
}

void
sp_sysfs_gpus(const char *root, struct sp_machine *machine)
{
	machine->gpus.n = 0;
	read_bus(root, machine);
	read_kfd(root, &machine->gpus);
}
