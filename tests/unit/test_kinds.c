/* Fast and slow cores: what is a class, and what is noise. */
#include <check.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "cut/cut.h"
#include "cut/explain.h"
#include "hardware/kinds.h"
#include "hardware/numa_nodes.h"
#include "machines.h"
#include "suites.h"
#include "topology.h"

#define MOST 16

static const struct {
	uint32_t n, number[MOST];
	const char *classes;
} classes[] = {
	{ 4, { 3000, 3000, 3000, 3000 }, "0000" },
	/* preferred cores of Intel's, and AMD's ranks of cores */
	{ 6, { 5200, 5300, 5200, 5500, 5200, 5300 }, "000000" },
	{ 8, { 236, 231, 221, 211, 206, 201, 191, 181 }, "00000000" },
	/* SST-TF; a GB10 by capacity and by performance */
	{ 6, { 46, 46, 30, 30, 46, 30 }, "110010" },
	{ 5, { 718, 731, 997, 1017, 1024 }, "00111" },
	{ 6, { 108, 110, 150, 153, 154, 108 }, "001110" },
	{ 4, { 1000, 2000, 4000, 1000 }, "0120" },
	{ 2, { 100, 110 }, "00" }, { 2, { 100, 111 }, "01" }, { 1, { 7 }, "0" },
};

START_TEST(a_tenth_makes_a_class)
{
	uint32_t number[MOST];
	char text[MOST + 1] = "";

	memcpy(number, classes[_i].number, sizeof(number));
	sp_kinds_classify(number, classes[_i].n);
	for (uint32_t i = 0; i < classes[_i].n; i++)
		text[i] = (char)('0' + number[i]);
	ck_assert_str_eq(text, classes[_i].classes);
}
END_TEST

static struct sp_machine *
recorded(const char *file)
{
	struct sp_machine *machine = NULL;
	char path[128];

	snprintf(path, sizeof(path), "tests/data/topologies/%s.xml", file);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	return machine;
}

/* As no processor is, and a file may say. */
START_TEST(a_core_is_of_one_kind)
{
	char text[1 << 17], path[256];
	FILE *file = fopen("tests/data/topologies/hybrid-pe-20.xml", "re");
	struct sp_machine *machine = NULL;

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	char *slow = strstr(text, "\"0x000ff000\""), *fast = strstr(text, "<cpukind cpuset=\"0x00000fff\"");

	ck_assert(slow && fast);
	memcpy(strstr(slow, "000\""), "002", 3);
	memcpy(strstr(fast, "fff\""), "ffd", 3);
	copies_put("/machine.xml", "%s", text);
	snprintf(path, sizeof(path), "%s/machine.xml", copies_root);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert_uint_eq(machine->pu[i].kind, machine->pu[i].cpu < 12);
	free(machine);
}
END_TEST

/* hwloc 2.9 tells five capacities apart, one of which a single core has. */
START_TEST(a_gb10_has_two_kinds)
{
	struct sp_machine *machine = recorded("arm-gb10");

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		ck_assert_uint_eq(machine->pu[i].kind, machine->pu[i].cpu % 10 > 4);
		ck_assert_uint_eq(machine->pu[i].speed, 0);
	}
	free(machine);
}
END_TEST

static const struct {
	enum sp_kinds kinds;
	const char *first, *last;	/* shares of the first and the last of 4 ranks */
	const char *said;
} picks[] = {
	{ SP_KINDS_AUTO, "0-15,64-79", "48-63,112-127", "; some cores have a higher top speed, which placement ignores" },
	{ SP_KINDS_ALL, "0-15,64-79", "48-63,112-127", "; some cores have a higher top speed, which placement ignores" },
	{ SP_KINDS_PERFORMANCE, "0-3,64-67", "36-39,100-103", "; only the cores with the highest top speed" },
	{ SP_KINDS_EFFICIENCY, "8-19,72-83", "52-63,116-127", "; only the cores with the lowest top speed" },
};

START_TEST(top_speed_decides_where_it_is_asked_for)
{
	struct sp_machine *machine = recorded("gpus/xeon-fast-cores");
	struct sp_policy policy = { .kinds = picks[_i].kinds };
	uint32_t owner[128];
	struct sp_cut cut;
	struct sp_cpus share;
	char list[64], why[512];

	ck_assert_int_eq(sp_cut(machine, &policy, 4, owner, &cut), 0);
	sp_cut_share(machine, owner, 0, &share);
	ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), picks[_i].first);
	sp_cut_share(machine, owner, 3, &share);
	ck_assert_str_eq(sp_cpus_format(&share, list, sizeof(list)), picks[_i].last);
	ck_assert_ptr_nonnull(strstr(sp_explain_cut(machine, &policy, 4, &cut, why, sizeof(why)), picks[_i].said));
	ck_assert_ptr_nonnull(strstr(sp_explain_share(machine, owner, 0, why, sizeof(why)), " with a higher top speed"));
	free(machine);
}
END_TEST

static void
put_performance(uint32_t cpu, uint32_t performance)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/acpi_cppc/highest_perf", cpu);
	copies_put(path, "%u\n", performance);
}

/* A system without a driver for frequencies. */
/* hwloc puts all CPUs on node 0 then, and counts node 1 as memory without CPUs. */
START_TEST(nodes_are_those_of_the_kernel)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .cores = 4 });
	struct sp_cpus nodes = cpus_of_list("0-2"), one = cpus_of_list("0");
	char text[SP_TEXT_MAX];

	copies_put("/sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
	copies_put("/sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
	copies_put("/sys/devices/system/node/node2/cpulist", "\n");
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].numa = machine->pu[i].memory = machine->pu[i].hbm = 0;
	sp_nodes_read(copies_root, &one, machine);
	ck_assert_str_eq(sp_machine_name_memory(machine, text, sizeof(text)), "");
	sp_nodes_read(copies_root, &nodes, machine);
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		ck_assert_uint_eq(machine->pu[i].numa, machine->pu[i].cpu / 2 % 2);
		ck_assert_uint_eq(machine->pu[i].hbm, machine->pu[i].numa);
	}
	ck_assert_str_eq(sp_machine_name_memory(machine, text, sizeof(text)),
			 "NUMA nodes 0-1 cut across packages, as in a badly configured virtual machine");
	free(machine);
}
END_TEST

START_TEST(speeds_by_the_firmware)
{
	struct sp_machine *machine = machine_uniform(4, 2);

	for (uint32_t cpu = 0; cpu < 7; cpu++)
		put_performance(cpu, cpu % 4 == 1 ? 46 : 30);
	sp_kinds_read_speeds(copies_root, machine);
	ck_assert(!sp_machine_has_speeds(machine));	/* one says nothing */
	put_performance(7, 30);
	sp_kinds_read_speeds(copies_root, machine);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert_uint_eq(machine->pu[i].speed, machine->pu[i].cpu % 4 == 1);
	ck_assert(sp_machine_has_speeds(machine) && !sp_machine_has_kinds(machine));
	free(machine);
}
END_TEST

/* Whatever their numbers, and whichever hwloc has first. */
START_TEST(ordinary_memory_is_what_a_cpu_has)
{
	static char *const tiers[] = { "MCDRAM", "HBM", "NVM", "SPM", "CXL-DRAM", "GPUMemory" };

	for (size_t i = 0; i < 2 * sizeof(tiers) / sizeof(tiers[0]); i++) {
		struct hwloc_obj special = { .type = HWLOC_OBJ_NUMANODE, .os_index = 3, .subtype = tiers[i / 2] };
		struct hwloc_obj ordinary = { .type = HWLOC_OBJ_NUMANODE, .os_index = 4 };
		struct hwloc_obj *first = i % 2 ? &special : &ordinary, *second = i % 2 ? &ordinary : &special;
		struct hwloc_obj package = { .type = HWLOC_OBJ_PACKAGE, .memory_first_child = first };
		struct hwloc_obj cpu = { .type = HWLOC_OBJ_PU, .parent = &package };

		first->next_sibling = second;
		ck_assert_uint_eq(sp_node_of(&cpu), 4);
	}
}
END_TEST

START_TEST(a_cpu_may_have_no_memory)
{
	struct hwloc_obj package = { .type = HWLOC_OBJ_PACKAGE }, cpu = { .type = HWLOC_OBJ_PU, .parent = &package };

	ck_assert_uint_eq(sp_node_of(&cpu), SP_NO_NODE);
}
END_TEST

/* Two NUMA nodes beside all CPUs, 0 of 4 GiB. */
static hwloc_topology_t
two_memories(const char *second)
{
	hwloc_topology_t topology;
	char text[128];

	snprintf(text, sizeof(text), "[numa(memory=4GiB)] [numa(memory=%s)] pack:1 pu:2", second);
	ck_assert_int_eq(hwloc_topology_init(&topology), 0);
	ck_assert_int_eq(hwloc_topology_set_synthetic(topology, text), 0);
	ck_assert_int_eq(hwloc_topology_load(topology), 0);
	ck_assert_int_eq(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), 2);
	return topology;
}

static uint32_t
hbm_of(hwloc_topology_t topology)
{
	return sp_node_hbm(topology, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 1), 0);
}

static void
set_bandwidth(hwloc_topology_t topology, uint32_t node, uint64_t bandwidth)
{
	struct hwloc_location from = {
		.type = HWLOC_LOCATION_TYPE_CPUSET, .location.cpuset = hwloc_get_root_obj(topology)->cpuset };

	ck_assert_int_eq(hwloc_memattr_set_value(topology, HWLOC_MEMATTR_ID_BANDWIDTH, hwloc_get_numanode_obj_by_os_index(topology, node),
						 &from, 0, bandwidth), 0);
}

START_TEST(more_bandwidth_is_high_bandwidth)
{
	hwloc_topology_t topology = two_memories("4GiB");

	ck_assert_uint_eq(hbm_of(topology), 0);
	set_bandwidth(topology, 1, 100);	/* that of the other node is not known */
	ck_assert_uint_eq(hbm_of(topology), 0);
	set_bandwidth(topology, 0, 100);
	ck_assert_uint_eq(hbm_of(topology), 0);
	set_bandwidth(topology, 1, 101);
	ck_assert_uint_eq(hbm_of(topology), 1);
	set_bandwidth(topology, 1, 99);
	ck_assert_uint_eq(hbm_of(topology), 0);
	/* A node that is not there has none beside it. */
	ck_assert_uint_eq(sp_node_hbm(topology, hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0), 7), 7);
	hwloc_topology_destroy(topology);
}
END_TEST

/* By size on a Knights Landing or Mill alone, which has less of it. */
START_TEST(less_memory_is_high_bandwidth_on_some)
{
	static const struct { const char *memory, *family, *model; uint32_t hbm; } cases[] = {
		{ "1GiB", "6", "87", 1 }, { "1GiB", "6", "133", 1 }, { "4GiB", "6", "87", 0 }, { "8GiB", "6", "87", 0 },
		{ "1GiB", "6", "85", 0 }, { "1GiB", "25", "87", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hwloc_topology_t topology = two_memories(cases[i].memory);
		hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);

		ck_assert_uint_eq(hbm_of(topology), 0);
		hwloc_obj_add_info(package, "CPUFamilyNumber", cases[i].family);
		hwloc_obj_add_info(package, "CPUModelNumber", cases[i].model);
		ck_assert_msg(hbm_of(topology) == cases[i].hbm, "%s of model %s", cases[i].memory, cases[i].model);
		hwloc_topology_destroy(topology);
	}
}
END_TEST

/* A node that no CPU is beside, and one that no memory is in. */
START_TEST(memory_that_is_far)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	hwloc_topology_t topology = two_memories("1GiB");
	struct sp_cpus beside = cpus_of_list("0"), far = cpus_of_list("1");

	sp_nodes_find(topology, &beside, machine);
	ck_assert(sp_cpus_equal(&machine->far_memory, &far));
	ck_assert(sp_cpus_empty(&machine->gpu_memory));
	machine->far_memory = (struct sp_cpus){ 0 };
	hwloc_get_numanode_obj_by_os_index(topology, 1)->attr->numanode.local_memory = 0;
	sp_nodes_find(topology, &beside, machine);
	ck_assert(sp_cpus_empty(&machine->far_memory));
	hwloc_topology_destroy(topology);
	free(machine);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

Suite *
suite_kinds(void)
{
	Suite *suite = suite_create("kinds");
	TCase *facts = tcase_create("facts");

	tcase_add_checked_fixture(facts, copies_make, copies_remove);
	tcase_add_loop_test(facts, a_tenth_makes_a_class, 0, COUNT(classes));
	tcase_add_loop_test(facts, top_speed_decides_where_it_is_asked_for, 0, COUNT(picks));
	tcase_add_test(facts, speeds_by_the_firmware);
	tcase_add_test(facts, nodes_are_those_of_the_kernel);
	tcase_add_test(facts, ordinary_memory_is_what_a_cpu_has);
	tcase_add_test(facts, a_cpu_may_have_no_memory);
	/* hwloc 2.4 orders kinds of cores by their type alone, and takes no two memories in a description. */
	if (hwloc_get_api_version() > 0x00020400) {
		tcase_add_test(facts, a_gb10_has_two_kinds);
		tcase_add_test(facts, a_core_is_of_one_kind);
		tcase_add_test(facts, more_bandwidth_is_high_bandwidth);
		tcase_add_test(facts, less_memory_is_high_bandwidth_on_some);
		tcase_add_test(facts, memory_that_is_far);
	}
	suite_add_tcase(suite, facts);
	return suite;
}
