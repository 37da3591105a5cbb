/* Machines described in hwloc's XML: what devices are called and count for, and which cores are fast. */
#include <check.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"
#include "topology.h"

#define SETS(cpus, nodes) "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"" nodes "\" complete_nodeset=\"" nodes "\""
#define PU(n, cpu, node) "<object type=\"PU\" os_index=\"" n "\" " SETS(cpu, node) "/>"
#define PACKAGE(n, cpus, node) "<object type=\"Package\" os_index=\"" n "\" " SETS(cpus, node) ">" \
	"<object type=\"NUMANode\" os_index=\"" n "\" local_memory=\"1024\" " SETS(cpus, node) "/>"
#define BRIDGE(domain) "<object type=\"Bridge\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"" domain ":[00-ff]\">"
#define END "</object>"

/* A device; the names that it has for the system and for libraries follow, and END. */
#define DEVICE(address, class, vendor, speed) "<object type=\"PCIDev\" pci_busid=\"" address "\" " \
	"pci_type=\"" class " [" vendor ":0001] [0000:0000] 00\" pci_link_speed=\"" speed "\">"
#define GPU(address) DEVICE(address, "0302", "10de", "1.000000")
#define NIC(address, speed) DEVICE(address, "0200", "15b3", speed)
#define INFO(name, value) "<info name=\"" name "\" value=\"" value "\"/>"
/* By hwloc's numbers: a disk, a GPU, a network, InfiniBand, a coprocessor. */
#define NAMED(name, type, infos) "<object type=\"OSDev\" name=\"" name "\" osdev_type=\"" type "\">" infos END
#define OF_LIBRARY(name, type, library) "<object type=\"OSDev\" name=\"" name "\" osdev_type=\"" type "\" subtype=\"" library "\"/>"

#define KIND(cpus, infos) "<cpukind cpuset=\"" cpus "\">" infos "</cpukind>"

static char path[] = "/tmp/splitpin-described-XXXXXX.xml";

/* Each object has a number of its own. */
static void
write_objects(FILE *file, const char *text)
{
	static const char object[] = "<object ";
	static unsigned number;

	for (const char *at; (at = strstr(text, object)); text = at + strlen(object))
		fprintf(file, "%.*s%sgp_index=\"%u\" ", (int)(at - text), text, object, ++number);
	fputs(text, file);
}

/* CPUs 0 and 1 in one package and NUMA node, 2 and 3 in another one, which has the devices. */
static struct sp_machine *
described(const char *devices, const char *kinds)
{
	struct sp_machine *machine = NULL;

	strcpy(path + sizeof(path) - sizeof("XXXXXX.xml"), "XXXXXX.xml");
	int fd = mkstemps(path, 4);
	FILE *file = fdopen(fd, "w");

	ck_assert_ptr_nonnull(file);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n", file);
	write_objects(file, "<object type=\"Machine\" os_index=\"0\" allowed_cpuset=\"0xf\" allowed_nodeset=\"0x3\" " SETS("0xf", "0x3") ">"
		      PACKAGE("0", "0x3", "0x1") PU("0", "0x1", "0x1") PU("1", "0x2", "0x1") END
		      PACKAGE("1", "0xc", "0x2") PU("2", "0x4", "0x2") PU("3", "0x8", "0x2"));
	write_objects(file, devices);
	fprintf(file, END END "%s</topology>\n", kinds);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	ck_assert_uint_eq(machine->ncpus, 4);
	return machine;
}

static void
release(struct sp_machine *machine)
{
	unlink(path);
	free(machine);
}

/* Devices. */

static const struct {
	enum sp_devices what;
	const char *names, *name;
} named[] = {
	{ SP_DEVICES_GPU, GPU("0000:0a:1b.2"), "0000:0a:1b.2" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") NAMED("card1", "1", ""), "card1" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") NAMED("card1", "1", "") NAMED("card2", "1", ""), "card1" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") NAMED("card1", "1", "") OF_LIBRARY("opencl0d0", "5", "OpenCL"), "opencl0d0" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") OF_LIBRARY("opencl0d0", "5", "OpenCL") NAMED("card1", "1", ""), "opencl0d0" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") OF_LIBRARY("opencl0d0", "5", "OpenCL") OF_LIBRARY("nvml0", "1", "NVML"), "nvml0" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") OF_LIBRARY("rsmi0", "1", "RSMI") OF_LIBRARY("opencl0d0", "5", "OpenCL"), "rsmi0" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") OF_LIBRARY("nvml0", "1", "NVML") OF_LIBRARY("cuda0", "5", "CUDA"), "cuda0" },
	{ SP_DEVICES_GPU, GPU("0000:01:00.0") OF_LIBRARY("cuda0", "5", "CUDA") OF_LIBRARY("nvml0", "1", "NVML"), "cuda0" },
	{ SP_DEVICES_NIC, NIC("0000:01:00.0", "1.000000") NAMED("sda", "0", ""), "sda" },
	{ SP_DEVICES_NIC, NIC("0000:01:00.0", "1.000000") NAMED("sda", "0", "") NAMED("ens1", "2", ""), "ens1" },
	{ SP_DEVICES_NIC, NIC("0000:01:00.0", "1.000000") NAMED("ib0", "2", "") NAMED("mlx5_0", "3", ""), "mlx5_0" },
	{ SP_DEVICES_NIC, NIC("0000:01:00.0", "1.000000") NAMED("mlx5_0", "3", "") NAMED("ib0", "2", ""), "mlx5_0" },
};

START_TEST(a_device_has_the_name_that_programs_use)
{
	struct sp_device *device;
	char devices[1024];

	snprintf(devices, sizeof(devices), BRIDGE("0000") "%s" END END, named[_i].names);
	struct sp_machine *machine = described(devices, "");

	ck_assert_int_eq(sp_topology_devices(path, named[_i].what, machine, &device), 1);
	ck_assert_str_eq(device->name, named[_i].name);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert_uint_eq(machine->pu[i].devices, i >= 2);
	free(device);
	release(machine);
}
END_TEST

/* The network for messages is at least half as quick as the quickest; of GPUs all count. */
START_TEST(slow_networks_are_left_out)
{
	struct sp_machine *machine = described(BRIDGE("0000")
		NIC("0000:01:00.0", "7.900000") NAMED("slow", "2", "") END NIC("0000:02:00.0", "16.000000") NAMED("fast", "2", "") END
		NIC("0000:03:00.0", "8.000000") NAMED("half", "2", "") END NIC("0000:04:00.0", "0.000000") NAMED("unknown", "2", "") END
		GPU("0000:05:00.0") END DEVICE("0000:06:00.0", "0302", "10de", "64.000000") END END, "");
	struct sp_device *devices;

	ck_assert_int_eq(sp_topology_devices(path, SP_DEVICES_NIC, machine, &devices), 2);
	ck_assert_str_eq(devices[0].name, "fast");
	ck_assert_str_eq(devices[1].name, "half");
	free(devices);
	ck_assert_int_eq(sp_topology_devices(path, SP_DEVICES_GPU, machine, NULL), 2);
	ck_assert_uint_eq(machine->pu[3].devices, 2);
	release(machine);
	/* Where no speed is known all count. */
	machine = described(BRIDGE("0000") NIC("0000:01:00.0", "0.000000") END NIC("0000:02:00.0", "0.000000") END END, "");
	ck_assert_int_eq(sp_topology_devices(path, SP_DEVICES_NIC, machine, NULL), 2);
	/* What is returned is to be freed, also where there is nothing in it. */
	struct sp_device *none = (struct sp_device *)machine;
	ck_assert_int_eq(sp_topology_devices(path, SP_DEVICES_GPU, machine, &none), 0);
	ck_assert_ptr_ne(none, machine);
	free(none);
	release(machine);
}
END_TEST

/* The buses are not in order; what a library tells of a device stands at any of its names. */
START_TEST(gpus_have_identifiers_and_tiles)
{
	static const struct { const char *address, *uuid; uint32_t vendor, tiles; } expected[] = {
		{ "0000:02:00.0", "", SP_INTEL, 1 }, { "0000:03:00.0", "", SP_INTEL, 1 }, { "0000:04:00.0", "", SP_INTEL, 2 },
		{ "0000:05:00.0", "GPU-5a1e", SP_NVIDIA, 1 }, { "0000:06:00.0", "GPU-77", SP_NVIDIA, 1 }, { "0000:07:1f.3", "GPU-ab", SP_AMD, 1 },
	};
	struct sp_machine *machine = described(BRIDGE("0000")
		DEVICE("0000:07:1f.3", "1200", "1002", "1.000000") NAMED("rsmi0", "1", INFO("AMDUUID", "ab")) END
		GPU("0000:06:00.0") NAMED("card0", "1", "") NAMED("cuda0", "5", INFO("NVIDIAUUID", "77")) END
		GPU("0000:05:00.0") NAMED("nvml0", "1", INFO("NVIDIAUUID", "GPU-5a1e")) END
		DEVICE("0000:04:00.0", "0380", "8086", "1.000000") NAMED("ze0", "5", INFO("LevelZeroSubdevices", "2")) END
		DEVICE("0000:03:00.0", "0380", "8086", "1.000000") NAMED("ze1", "5", INFO("LevelZeroSubdevices", "0")) END
		DEVICE("0000:02:00.0", "0380", "8086", "1.000000") END END, "");

	ck_assert_int_eq(sp_topology_gpus(path, machine), 0);
	ck_assert_uint_eq(machine->gpus.n, 6);
	for (uint32_t i = 0; i < 6; i++) {
		const struct sp_gpu *gpu = &machine->gpus.gpu[i];

		ck_assert_str_eq(gpu->address, expected[i].address);
		ck_assert_str_eq(gpu->uuid, expected[i].uuid);
		ck_assert_uint_eq(gpu->vendor, expected[i].vendor);
		ck_assert_uint_eq(gpu->tiles, expected[i].tiles);
		ck_assert_uint_eq(gpu->near.package, 1);
	}
	release(machine);
}
END_TEST

START_TEST(no_more_partitions_than_there_is_room_for)
{
	static char devices[(SP_GPUS_MAX + 4) * 64 + 256] = BRIDGE("0000") DEVICE("0000:01:00.0", "1200", "1002", "1.000000");

	for (int i = 0; i < SP_GPUS_MAX + 2; i++)
		strcat(devices, NAMED("rsmi0", "1", ""));
	strcat(devices, END END);
	struct sp_machine *machine = described(devices, "");

	ck_assert_int_eq(sp_topology_gpus(path, machine), 0);
	ck_assert_uint_eq(machine->gpus.n, SP_GPUS_MAX);
	release(machine);
}
END_TEST

/* Kinds. */

#define TYPE(type) INFO("CoreType", type)
#define TOP(mhz) INFO("FrequencyMaxMHz", mhz)
#define BASE(mhz) INFO("FrequencyBaseMHz", mhz)

static const struct {
	const char *kinds, *kind, *speed;	/* of CPUs 0 to 3 */
} kinds[] = {
	{ KIND("0xf", TYPE("IntelCore") TOP("3000")), "0000", "0000" },
	/* From here on what hwloc 2.4 puts in no order. */
	{ KIND("0x3", TYPE("IntelAtom")) KIND("0xc", TYPE("IntelCore")), "0011", "0000" },
	{ KIND("0x1", TYPE("IntelCore")) KIND("0xe", TYPE("IntelAtom")), "1000", "0000" },
	/* What hwloc can put in no order counts alike, and so does a top speed that some lack. */
	{ KIND("0x3", TYPE("Small")) KIND("0xc", TYPE("Large")), "0000", "0000" },
	{ KIND("0x1", TYPE("IntelCore")) KIND("0xe", TYPE("IntelCore") TOP("3000")), "0000", "0000" },
	{ KIND("0x3", BASE("3000")) KIND("0xc", BASE("3300")), "0000", "0000" },
	{ KIND("0x3", BASE("3000")) KIND("0xc", BASE("3301")), "0011", "0000" },
	{ KIND("0x5", TOP("3000")) KIND("0xa", TOP("4000")), "0000", "0101" },
	{ KIND("0x1", TYPE("IntelAtom") TOP("2000")) KIND("0x2", TYPE("IntelAtom") TOP("3000"))
	  KIND("0x4", TYPE("IntelCore") TOP("4000")) KIND("0x8", TYPE("IntelCore") TOP("5000")), "0011", "0101" },
};
#define ALIKE 1

START_TEST(kinds_and_speeds_of_cores)
{
	struct sp_machine *machine = described("", kinds[_i].kinds);
	char kind[5] = "", speed[5] = "";

	for (uint32_t i = 0; i < 4; i++) {
		kind[i] = (char)('0' + machine->pu[i].kind);
		speed[i] = (char)('0' + machine->pu[i].speed);
	}
	ck_assert_str_eq(kind, kinds[_i].kind);
	ck_assert_str_eq(speed, kinds[_i].speed);
	release(machine);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_described(void)
{
	Suite *suite = suite_create("described");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, a_device_has_the_name_that_programs_use, 0, COUNT(named));
	tcase_add_test(facts, slow_networks_are_left_out);
	tcase_add_test(facts, gpus_have_identifiers_and_tiles);
	tcase_add_test(facts, no_more_partitions_than_there_is_room_for);
	tcase_add_loop_test(facts, kinds_and_speeds_of_cores, 0, hwloc_get_api_version() > 0x00020400 ? COUNT(kinds) : ALIKE);
	suite_add_tcase(suite, facts);
	return suite;
}
