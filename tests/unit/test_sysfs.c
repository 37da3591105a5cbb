/* GPUs in /sys and /proc: small copies of these, made by each test. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies.h"
#include "base/sysfs_file.h"
#include "hardware/sysfs.h"
#include "gpus/whose.h"
#include "machines.h"
#include "suites.h"

static void
put_pci(const char *address, const char *class, const char *vendor, int node, const char *cpus)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/class", address);
	copies_put(path, "%s\n", class);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", address);
	copies_put(path, "%s\n", vendor);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", address);
	copies_put(path, "%d\n", node);
	if (!cpus)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/local_cpulist", address);
	copies_put(path, "%s\n", cpus);
}

/* 2 packages of 2 NUMA nodes of 2 L3 groups of 2 cores: CPUs 0 to 15. */
static struct sp_machine *
find(void)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .numas = 2, .l3s = 2, .cores = 2 });

	sp_sysfs_gpus(copies_root, machine);
	return machine;
}

START_TEST(gpus_are_in_the_order_of_the_bus)
{
	put_pci("0000:d6:00.0", "0x030200", "0x10de", 2, "8-11");
	put_pci("0000:05:00.0", "0x030000", "0x1a03", 0, "0-15");	/* the console's */
	put_pci("0000:17:00.0", "0x020000", "0x15b3", 0, "0-3");	/* a network card */
	put_pci("10000:01:00.0", "0x030200", "0x10de", 3, "12-15");
	put_pci("0000:07:00.0", "0x030200", "0x10de", 0, "0-1");
	put_pci("0000:0a:00.0", "0x120000", "0x10de", -1, "0-15");
	copies_put("/proc/driver/nvidia/gpus/0000:07:00.0/information",
	    "Model: \t\t NVIDIA A100\nIRQ:   \t\t 100\nGPU UUID: \t GPU-5a1e4e3c-1111-2222-3333-0123456789ab\nVideo BIOS: \t ??\n");
	struct sp_machine *machine = find();
	const struct sp_gpu *gpu = machine->gpus.gpu;

	ck_assert_uint_eq(machine->gpus.n, 4);
	ck_assert_str_eq(gpu[0].address, "0000:07:00.0");
	ck_assert_str_eq(gpu[0].uuid, "GPU-5a1e4e3c-1111-2222-3333-0123456789ab");
	ck_assert_uint_eq(gpu[0].near.l3, 0);
	ck_assert_uint_eq(gpu[0].tiles, 1);
	ck_assert_str_eq(gpu[1].address, "0000:0a:00.0");
	ck_assert_uint_eq(gpu[1].near.package, SP_ANYWHERE);
	ck_assert_str_eq(gpu[2].address, "0000:d6:00.0");
	ck_assert_str_eq(gpu[2].uuid, "");
	ck_assert_uint_eq(gpu[2].near.numa, 2);
	ck_assert_uint_eq(gpu[2].near.l3, SP_ANYWHERE);
	ck_assert_str_eq(gpu[3].address, "10000:01:00.0");
	free(machine);
}
END_TEST

START_TEST(the_numa_node_where_there_is_no_list)
{
	put_pci("0000:07:00.0", "0x030200", "0x10de", 1, NULL);
	put_pci("0000:08:00.0", "0x030200", "0x10de", -1, NULL);
	put_pci("0000:09:00.0", "0x030200", "0x10de", 3, "\n");
	put_pci("0000:0a:00.0", "0x030200", "0x10de", 1, "\n");
	copies_put("/sys/devices/system/node/node1/cpulist", "4-7\n");
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 4);
	ck_assert_uint_eq(machine->gpus.gpu[3].near.numa, 1);
	ck_assert_uint_eq(machine->gpus.gpu[0].near.numa, 1);
	ck_assert_uint_eq(machine->gpus.gpu[1].near.package, SP_ANYWHERE);
	ck_assert_uint_eq(machine->gpus.gpu[2].near.package, SP_ANYWHERE);
	free(machine);
}
END_TEST

static void
put_kfd(int node, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%d/properties", node);
	copies_put(path, "%s", text);
}

static void
put_partition(int node, unsigned location)
{
	char text[64];

	snprintf(text, sizeof(text), "simd_count 8\nlocation_id %u\ndomain 0\n", location);
	put_kfd(node, text);
}

/* Node 0 is the CPUs'; GPU b1 is kept from this process; a1 is in two partitions. */
START_TEST(kfd_has_the_order_and_the_partitions)
{
	put_pci("0000:a1:00.0", "0x120000", "0x1002", 0, "0-3");
	put_pci("0000:b1:00.0", "0x120000", "0x1002", 1, "4-7");
	put_pci("0000:c1:00.0", "0x120000", "0x1002", 2, "8-11");
	put_kfd(0, "cpu_cores_count 16\nsimd_count 0\ndomain 0\nlocation_id 0\n");
	put_kfd(1, "cpu_cores_count 0\nsimd_count 440\nlocation_id 49408\ndomain 0\nunique_id 1311768467463790320\n");
	put_kfd(2, "simd_count 76\nlocation_id 41216\ndomain 0\nunique_id 255\n");
	put_kfd(3, "simd_count 76\nlocation_id 41217\ndomain 0\nunique_id 255\n");
	put_kfd(4, "");
	struct sp_machine *machine = find();
	struct sp_gpu_list list;

	ck_assert_uint_eq(machine->gpus.n, 3);
	ck_assert_str_eq(machine->gpus.gpu[0].address, "0000:c1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[0].uuid, "GPU-123456789abcdef0");
	ck_assert_str_eq(machine->gpus.gpu[1].address, "0000:a1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[2].address, "0000:a1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[2].uuid, "GPU-00000000000000ff");
	sp_gpus_visible((char *[]){ "ROCR_VISIBLE_DEVICES=GPU-1234", NULL }, &machine->gpus, &list);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_uint_eq(list.gpu[0], 0);
	free(machine);
}
END_TEST

/* The order of the driver counts for its own GPUs; others stand behind them as on the bus, the first too. */
START_TEST(gpus_of_two_makers)
{
	put_pci("0000:01:00.0", "0x030200", "0x10de", 0, "0-3");
	put_pci("0000:a1:00.0", "0x120000", "0x1002", 0, "0-3");
	put_pci("0000:b1:00.0", "0x120000", "0x1002", 1, "4-7");
	put_pci("0000:d1:00.0", "0x030200", "0x10de", 1, "4-7");
	put_kfd(0, "simd_count 0\ndomain 0\nlocation_id 0\n");
	put_kfd(1, "simd_count 440\nlocation_id 45312\ndomain 0\nunique_id 1\n");
	put_kfd(2, "simd_count 440\nlocation_id 41216\ndomain 0\nunique_id 2\n");
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 4);
	ck_assert_str_eq(machine->gpus.gpu[0].address, "0000:b1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[1].address, "0000:a1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[2].address, "0000:01:00.0");
	ck_assert_str_eq(machine->gpus.gpu[3].address, "0000:d1:00.0");
	free(machine);
}
END_TEST

START_TEST(tiles_of_both_drivers_are_counted)
{
	put_pci("0000:18:00.0", "0x038000", "0x8086", 0, "0-7");
	copies_put("/sys/bus/pci/devices/0000:18:00.0/drm/card1/gt/gt0/id", "0\n");
	copies_put("/sys/bus/pci/devices/0000:18:00.0/drm/card1/gt/gt1/id", "1\n");
	put_pci("0000:42:00.0", "0x038000", "0x8086", 0, "0-7");
	copies_put("/sys/bus/pci/devices/0000:42:00.0/tile0/gt0/id", "0\n");
	copies_put("/sys/bus/pci/devices/0000:42:00.0/tile1/gt0/id", "0\n");
	put_pci("0000:43:00.0", "0x038000", "0x8086", 0, "0-7");
	put_pci("0000:44:00.0", "0x038000", "0x8086", 0, "0-7");
	copies_put("/sys/bus/pci/devices/0000:44:00.0/drm/card0/gt/gt0/id", "0\n");
	put_pci("0000:47:00.0", "0x038000", "0x8086", 0, "0-7");
	copies_put("/sys/bus/pci/devices/0000:47:00.0/drm/card0/gt/gt0/id", "0\n");
	copies_put("/sys/bus/pci/devices/0000:47:00.0/drm/card0/gt/gt1/id", "1\n");
	put_pci("0000:48:00.0", "0x038000", "0x8086", 0, "0-7");	/* a card that no number is for */
	copies_put("/sys/bus/pci/devices/0000:48:00.0/drm/card64/gt/gt0/id", "0\n");
	copies_put("/sys/bus/pci/devices/0000:48:00.0/drm/card64/gt/gt1/id", "1\n");
	for (int i = 0; i < 9; i++) {	/* more than there are on any */
		char path[128];

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:45:00.0/tile%d/id", i);
		copies_put(path, "0\n");
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/0000:46:00.0/drm/card63/gt/gt%d/id", i);
		copies_put(path, "0\n");
	}
	put_pci("0000:45:00.0", "0x038000", "0x8086", 0, "0-7");
	put_pci("0000:46:00.0", "0x038000", "0x8086", 0, "0-7");
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 8);
	ck_assert_uint_eq(machine->gpus.gpu[6].tiles, 2);
	ck_assert_uint_eq(machine->gpus.gpu[7].tiles, 1);
	ck_assert_uint_eq(machine->gpus.gpu[3].tiles, 1);
	ck_assert_uint_eq(machine->gpus.gpu[4].tiles, 8);
	ck_assert_uint_eq(machine->gpus.gpu[5].tiles, 8);
	ck_assert_uint_eq(machine->gpus.gpu[0].tiles, 2);
	ck_assert_uint_eq(machine->gpus.gpu[1].tiles, 2);
	ck_assert_uint_eq(machine->gpus.gpu[2].tiles, 1);
	free(machine);
}
END_TEST

START_TEST(what_is_a_gpu)
{
	static const struct { uint32_t class, vendor; bool is; } cases[] = {
		{ 0x030000, 0x10de, true }, { 0x030200, 0x10de, true }, { 0x038000, 0x8086, true }, { 0x120000, 0x1002, true },
		{ 0x030000, 0x102b, false }, { 0x030000, 0x1a03, false }, { 0x030000, 0x1414, false }, { 0x120000, 0x1a03, true },
		{ 0x020000, 0x10de, false }, { 0x040300, 0x10de, false }, { 0x110000, 0x10de, false }, { 0x130000, 0x10de, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(sp_is_gpu(cases[i].class, cases[i].vendor) == cases[i].is, "%zu", i);
}
END_TEST

START_TEST(the_bus_is_ordered_by_each_part_of_an_address)
{
	static const char *const order[] = {
		"0000:01:00.0", "0000:01:00.1", "0000:01:01.0", "0000:0a:00.0", "0000:10:00.0", "0001:00:00.0", "10000:00:00.0",
	};

	for (int i = 6; i >= 0; i--)
		put_pci(order[i * 3 % 7], "0x030200", "0x10de", 0, "0-3");
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 7);
	for (int i = 0; i < 7; i++)
		ck_assert_str_eq(machine->gpus.gpu[i].address, order[i]);
	free(machine);
}
END_TEST

START_TEST(the_first_numa_node_is_a_place)
{
	put_pci("0000:07:00.0", "0x030200", "0x10de", 0, NULL);
	copies_put("/sys/devices/system/node/node0/cpulist", "0-3\n");
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 1);
	ck_assert_uint_eq(machine->gpus.gpu[0].near.numa, 0);
	free(machine);
}
END_TEST

START_TEST(an_identifier_is_whole_or_unknown)
{
	static const struct { const char *said, *uuid; } cases[] = {
		{ "GPU UUID: GPU-5a1e4e3c-1111-2222-3333-0123456789ab\n", "GPU-5a1e4e3c-1111-2222-3333-0123456789ab" },
		{ "GPU UUID: GPU-", "GPU-" },
		{ "GPU UUID: GPU-01234567890123456789012345678901234567x\n", "GPU-01234567890123456789012345678901234567x" },
		{ "GPU UUID: GPU-01234567890123456789012345678901234567xx\n", "" },
		{ "GPU UUID: G-5a1e\n", "" },
		{ "Old GPU UUID: GPU-5a1e\n", "" },
		{ "Model: A\n", "" },
	};

	put_pci("0000:07:00.0", "0x030200", "0x10de", 0, "0-3");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		copies_put("/proc/driver/nvidia/gpus/0000:07:00.0/information", "%s", cases[i].said);
		struct sp_machine *machine = find();

		ck_assert_str_eq(machine->gpus.gpu[0].uuid, cases[i].uuid);
		free(machine);
	}
}
END_TEST

/* The parts of a place are the domain, the bus and the device; the function says which partition. */
START_TEST(kfd_finds_a_device_by_its_place)
{
	put_pci("0001:a1:00.0", "0x120000", "0x1002", 0, "0-3");
	put_pci("0000:a1:1f.0", "0x120000", "0x1002", 1, "4-7");
	put_pci("0000:a1:00.0", "0x030200", "0x10de", 2, "8-11");
	put_kfd(0, "simd_count 8\nlocation_id 41216\ndomain 1\n");	/* a1:00.0 */
	put_kfd(1, "simd_count 8\nlocation_id 41464\ndomain 0\n");	/* a1:1f.0 */
	put_kfd(2, "simd_count 8\nlocation_id 41216\ndomain 0\n");	/* not AMD's */
	put_kfd(3, "simd_count 8\nlocation_id 41472\ndomain 1\n");	/* a2:00.0 */
	put_kfd(4, "simd_count 8\nlocation_id 41224\ndomain 1\n");	/* a1:01.0 */
	put_kfd(5, "simd_count 0\nlocation_id 41216\ndomain 1\n");	/* no GPU, wherever it is */
	put_kfd(6, "location_id 41216\ndomain 1\n");	/* nor this one */
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 3);
	ck_assert_str_eq(machine->gpus.gpu[0].address, "0001:a1:00.0");
	ck_assert_str_eq(machine->gpus.gpu[0].uuid, "");
	ck_assert_str_eq(machine->gpus.gpu[1].address, "0000:a1:1f.0");
	ck_assert_str_eq(machine->gpus.gpu[2].address, "0000:a1:00.0");
	free(machine);
}
END_TEST

START_TEST(no_more_gpus_than_there_is_room_for)
{
	char address[32];

	for (int i = 0; i < SP_GPUS_MAX + 2; i++) {
		snprintf(address, sizeof(address), "0000:%02x:00.0", i + 1);
		put_pci(address, "0x120000", "0x1002", 0, "0-3");
	}
	struct sp_machine *machine = find();
	ck_assert_uint_eq(machine->gpus.n, SP_GPUS_MAX);
	/* Nor by partitions: all of one device. */
	unsigned bus;
	ck_assert_int_eq(sscanf(machine->gpus.gpu[0].address, "0000:%x", &bus), 1);
	free(machine);
	put_partition(0, 0xff00);	/* of none of them */
	for (int i = 1; i < SP_GPUS_MAX + 3; i++)
		put_partition(i, bus << 8);
	machine = find();
	ck_assert_uint_eq(machine->gpus.n, SP_GPUS_MAX);
	for (int i = 0; i < SP_GPUS_MAX; i++)
		ck_assert_str_eq(machine->gpus.gpu[i].address, machine->gpus.gpu[0].address);
	free(machine);
}
END_TEST

/* Of another maker's, which stand behind partitions, some are left out then. */
START_TEST(no_more_gpus_behind_partitions)
{
	put_pci("0000:01:00.0", "0x120000", "0x1002", 0, "0-3");
	put_pci("0000:02:00.0", "0x030200", "0x10de", 0, "0-3");
	put_pci("0000:03:00.0", "0x030200", "0x10de", 0, "0-3");
	for (int i = 0; i < SP_GPUS_MAX - 1; i++)
		put_partition(i, 0x100);
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, SP_GPUS_MAX);
	ck_assert_str_eq(machine->gpus.gpu[SP_GPUS_MAX - 2].address, "0000:01:00.0");
	ck_assert_str_eq(machine->gpus.gpu[SP_GPUS_MAX - 1].address, "0000:02:00.0");
	free(machine);
}
END_TEST

START_TEST(a_file_may_be_long)
{
	char text[8192] = "7";
	long number = 0;

	memset(text + 1, ' ', sizeof(text) - 2);
	copies_put("/sys/number", "%s", text);
	ck_assert(sp_sysfs_number(copies_root, "/sys/number", &number));
	ck_assert_int_eq(number, 7);
}
END_TEST

/* What was read before is not what is read now. */
START_TEST(a_file_may_be_short_or_missing)
{
	char root[512], path[] = "/sys/number1";
	long number = 0;

	copies_put("/sys/number", "7");
	ck_assert(sp_sysfs_number(copies_root, "/sys/number", &number));
	ck_assert_int_eq(number, 7);
	ck_assert(!sp_sysfs_number(copies_root, "/sys/none", &number));
	copies_put("/sys/none", "");
	ck_assert(!sp_sysfs_number(copies_root, "/sys/none", &number));
	/* A path of which there is room for all but one letter is not one without that letter. */
	snprintf(root, sizeof(root), "%s", copies_root);
	while (strlen(root) + strlen(path) < 512)
		strcat(root, "/");
	ck_assert(!sp_sysfs_number(root, path, &number));
	path[strlen(path) - 1] = '\0';
	ck_assert(sp_sysfs_number(root, path, &number));
}
END_TEST

/* A device is one with an address that has room, a class and a vendor; what another one has is not its own. */
START_TEST(devices_that_are_none)
{
	struct sp_machine *machine;

	put_pci("0000:07:00.0", "0x030200", "0x10de", 0, "0-3");
	put_pci("nonsense", "0x030200", "0x10de", 0, "0-3");
	put_pci("0000:08:00.00000", "0x030200", "0x10de", 0, "0-3");
	copies_put("/sys/bus/pci/devices/0000:09:00.0/class", "0x030200\n");
	copies_put("/sys/bus/pci/devices/0000:0a:00.0/vendor", "0x10de\n");
	machine = find();
	sp_sysfs_gpus(copies_root, machine);
	ck_assert_uint_eq(machine->gpus.n, 1);
	ck_assert_str_eq(machine->gpus.gpu[0].address, "0000:07:00.0");
	free(machine);
}
END_TEST

START_TEST(nothing_there)
{
	struct sp_machine *machine = find();

	ck_assert_uint_eq(machine->gpus.n, 0);
	copies_put("/sys/bus/pci/devices/nonsense/class", "x\n");
	copies_put("/sys/bus/pci/devices/0000:07:00.0/class", "");
	sp_sysfs_gpus(copies_root, machine);
	ck_assert_uint_eq(machine->gpus.n, 0);
	free(machine);
}
END_TEST

Suite *
suite_sysfs(void)
{
	Suite *suite = suite_create("sysfs");
	TCase *facts = tcase_create("facts");

	tcase_add_checked_fixture(facts, copies_make, copies_remove);
	tcase_add_test(facts, gpus_are_in_the_order_of_the_bus);
	tcase_add_test(facts, the_numa_node_where_there_is_no_list);
	tcase_add_test(facts, kfd_has_the_order_and_the_partitions);
	tcase_add_test(facts, gpus_of_two_makers);
	tcase_add_test(facts, tiles_of_both_drivers_are_counted);
	tcase_add_test(facts, what_is_a_gpu);
	tcase_add_test(facts, the_bus_is_ordered_by_each_part_of_an_address);
	tcase_add_test(facts, the_first_numa_node_is_a_place);
	tcase_add_test(facts, an_identifier_is_whole_or_unknown);
	tcase_add_test(facts, kfd_finds_a_device_by_its_place);
	tcase_add_test(facts, no_more_gpus_than_there_is_room_for);
	tcase_add_test(facts, no_more_gpus_behind_partitions);
	tcase_add_test(facts, a_file_may_be_long);
	tcase_add_test(facts, a_file_may_be_short_or_missing);
	tcase_add_test(facts, devices_that_are_none);
	tcase_add_test(facts, nothing_there);
	suite_add_tcase(suite, facts);
	return suite;
}
