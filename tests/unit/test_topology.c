/* Machines of hwloc's synthetic syntax, recorded ones, and this one, as flat arrays. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hardware/private_env.h"
#include "hardware/synthetic.h"
#include "suites.h"
#include "topology.h"

/* Objects of hwloc's XML. */
#define SETS(cpus) "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"0x1\" complete_nodeset=\"0x1\""
#define BOTH SETS("0x3")
#define ALLOWED " allowed_cpuset=\"0x3\" allowed_nodeset=\"0x1\""
#define NODE(number) "<object type=\"NUMANode\" " number " " BOTH " gp_index=\"2\" local_memory=\"1024\"/>"
#define PU(number, cpus) "<object type=\"PU\" os_index=\"" number "\" " SETS(cpus) " gp_index=\"3" number "\"/>"
#define CPU0 PU("0", "0x1")
#define CPU1 PU("1", "0x2")
#define CORE(number, cpus, cpu) "<object type=\"Core\" os_index=\"" number "\" " SETS(cpus) " gp_index=\"4" number "\">" cpu "</object>"

static struct sp_machine *
read_machine(const char *source, const struct sp_cpus *allowed)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_eq(sp_topology_read(source, allowed, &machine), 0);
	return machine;
}

START_TEST(levels_are_numbered_in_topology_order)
{
	struct sp_machine *machine = read_machine("pack:2 numa:2 l3:2 l2:2 core:2 pu:4", NULL);

	ck_assert_uint_eq(machine->ncpus, 128);
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		ck_assert_uint_eq(pu->cpu, i);
		ck_assert_uint_eq(pu->core, i / 4);
		ck_assert_uint_eq(pu->l2, i / 8);
		ck_assert_uint_eq(pu->l3, i / 16);
		ck_assert_uint_eq(pu->numa, i / 32);
		ck_assert_uint_eq(pu->package, i / 64);
	}
	free(machine);
}
END_TEST

START_TEST(a_missing_level_draws_no_boundary)
{
	struct sp_machine *machine = read_machine("numa:2 core:3 pu:1", NULL);

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		ck_assert_uint_eq(pu->numa, i / 3);
		ck_assert_uint_eq(pu->l3, pu->numa);
		ck_assert_uint_eq(pu->l2, pu->l3);
		ck_assert_uint_eq(pu->package, 0);
	}
	free(machine);
}
END_TEST

START_TEST(cpus_that_are_not_allowed_are_left_out)
{
	struct sp_cpus allowed = { 0 };

	ck_assert_int_eq(sp_cpus_parse("1,6-7", &allowed), 0);
	struct sp_machine *machine = read_machine("numa:2 core:2 pu:2", &allowed);

	ck_assert_uint_eq(machine->ncpus, 3);
	ck_assert_uint_eq(machine->pu[0].cpu, 1);
	ck_assert_uint_eq(machine->pu[0].core, 0);
	ck_assert_uint_eq(machine->pu[1].cpu, 6);
	ck_assert_uint_eq(machine->pu[2].core, 3);
	free(machine);
}
END_TEST

START_TEST(this_machine_has_the_cpus_that_the_kernel_gives)
{
	struct sp_machine *machine = read_machine(NULL, NULL);
	struct sp_cpus cpus = { 0 };
	cpu_set_t mask;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&cpus, machine->pu[i].cpu);
	ck_assert_uint_eq(sp_cpus_count(&cpus), machine->ncpus);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(mask), &mask), 0);
	for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mask))
			ck_assert_msg(sp_cpus_has(&cpus, cpu), "CPU %u is missing", cpu);
	free(machine);
}
END_TEST

START_TEST(a_source_that_is_none_is_an_error)
{
	struct sp_machine *machine = NULL;
	struct sp_cpus none = { 0 };
	char garbage[] = "/tmp/splitpin-test-XXXXXX";
	int fd = mkostemp(garbage, O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "<topology>", 10), 10);
	close(fd);
	ck_assert_int_eq(sp_topology_read("/nowhere/at/all.xml", NULL, &machine), -ENOENT);
	ck_assert_int_eq(sp_topology_read("tables:2 chairs:4", NULL, &machine), -EINVAL);
	ck_assert_int_eq(sp_topology_read(garbage, NULL, &machine), -EINVAL);
	ck_assert_int_eq(sp_topology_read("core:2 pu:1", &none, &machine), -ENODEV);
	ck_assert_ptr_null(machine);
	unlink(garbage);
}
END_TEST

/* hwloc would work for minutes on the first. */
START_TEST(a_machine_that_is_too_large_is_refused_at_once)
{
	struct sp_machine *machine = NULL;
	struct sp_cpus low = { 0 };

	ck_assert_int_eq(sp_topology_read("pack:100 core:1000 pu:2", NULL, &machine), -E2BIG);
	ck_assert_uint_eq(sp_topology_described("pack:100 core:1000 pu:2"), 200000);
	ck_assert_uint_eq(sp_topology_described("2 4 2"), 16);
	ck_assert_uint_eq(sp_topology_described("pack:2 [numa(memory=1GB)] l3:2(size=8 MB) core:4 pu:2(indexes=0,9)"), 32);
	ck_assert_uint_gt(sp_topology_described("pack:99999999999999999999 pu:0 core:99999"), 0xffffffffu);
	ck_assert_uint_gt(sp_topology_described("pack:65536 core:65536"), 0xffffffffu);
	ck_assert_uint_eq(sp_topology_described("/pack:2"), 0);
	ck_assert_uint_eq(sp_topology_described("pu:2.xml"), 0);
	ck_assert_uint_eq(sp_topology_described(".xml"), 0);
	ck_assert_uint_eq(sp_topology_described(NULL), 0);
	ck_assert_int_eq(sp_topology_read("pack:8 core:512 pu:2", NULL, &machine), 0);
	ck_assert_uint_eq(machine->ncpus, SP_CPUS_MAX);
	free(machine);
	machine = NULL;
	ck_assert_int_eq(sp_topology_read("core:2 pu:2(indexes=0,1,8191,8192)", NULL, &machine), -E2BIG);
	ck_assert_ptr_null(machine);
	sp_cpus_add(&low, 8191);
	ck_assert_int_eq(sp_topology_read("core:2 pu:2(indexes=0,1,8191,8192)", &low, &machine), 0);
	ck_assert_uint_eq(machine->ncpus, 1);
	free(machine);
}
END_TEST

START_TEST(the_environment_never_describes_another_machine)
{
	char **before;
	struct sp_machine *own = read_machine(NULL, NULL), *machine;

	setenv("HWLOC_SYNTHETIC", "pack:3 core:7 pu:2", 1);
	setenv("HWLOC_XMLFILE", "/nowhere/at/all.xml", 1);
	before = environ;
	machine = read_machine(NULL, NULL);
	ck_assert_uint_eq(machine->ncpus, own->ncpus);
	ck_assert_ptr_eq(environ, before);
	ck_assert_str_eq(getenv("HWLOC_SYNTHETIC"), "pack:3 core:7 pu:2");
	ck_assert_ptr_null(getenv("HWLOC_PLUGINS_PATH"));
	free(machine);
	free(own);
}
END_TEST

/* A machine in XML with these objects inside, on CPUs 0-1. */
static int
read_xml(const char *objects, struct sp_machine **machine)
{
	char path[] = "/tmp/splitpin-machine-XXXXXX.xml";
	int fd = mkostemps(path, 4, O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_gt(dprintf(fd, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
				     "<topology version=\"2.0\"><object type=\"Machine\" os_index=\"0\" " BOTH ALLOWED " gp_index=\"1\">%s</object></topology>\n",
				 objects), 0);
	close(fd);
	int error = sp_topology_read(path, NULL, machine);
	unlink(path);
	return error;
}

START_TEST(a_node_without_a_number_is_refused)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_eq(read_xml(NODE("os_index=\"0\"") CORE("0", "0x1", CPU0) CORE("1", "0x2", CPU1), &machine), 0);
	ck_assert_uint_eq(machine->pu[1].numa, 0);
	free(machine);
	machine = NULL;
	ck_assert_int_eq(read_xml(NODE("") CORE("0", "0x1", CPU0) CORE("1", "0x2", CPU1), &machine), -EPROTO);
	ck_assert_ptr_null(machine);
}
END_TEST

/* Its number among the CPUs may be that of another core. */
START_TEST(a_cpu_without_a_core_is_one_by_itself)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_eq(read_xml(NODE("os_index=\"0\"") CPU0 CORE("1", "0x2", CPU1), &machine), 0);
	ck_assert_uint_eq(machine->ncpus, 2);
	ck_assert_uint_ne(machine->pu[0].core, machine->pu[1].core);
	free(machine);
}
END_TEST

/* libxml2 resolves entities, which crashes hwloc 2.9. */
START_TEST(an_entity_in_xml_is_an_error)
{
	char path[] = "/tmp/splitpin-entity-XXXXXX.xml";
	static const char text[] = "<?xml version=\"1.0\"?><!DOCTYPE topology [<!ENTITY a \"b\">]><topology>&a;</topology>";
	struct sp_machine *machine = NULL;
	int fd = mkostemps(path, 4, O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, sizeof(text) - 1), (int)sizeof(text) - 1);
	close(fd);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), -EINVAL);
	ck_assert_ptr_null(machine);
	unlink(path);
}
END_TEST

/* "CPU:node/memory" for each CPU. */
static void
check_memory(const char *path, const char *expected)
{
	char text[256] = "", nodes[SP_CPUS_TEXT];
	struct sp_machine *machine = read_machine(path, NULL);
	struct sp_cpus all, cores, touched;
	size_t length = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		snprintf(nodes, sizeof(nodes), pu->numa == SP_NO_NODE ? "-" : "%u", pu->numa);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u:%s/%u", length ? " " : "", pu->cpu, nodes, pu->memory);
	}
	ck_assert_str_eq(text, expected);
	sp_machine_cpus(machine, &all);
	sp_machine_extent(machine, &all, &cores, &touched);
	ck_assert(!sp_cpus_has(&touched, SP_NO_NODE));
	free(machine);
}

START_TEST(cpus_without_memory_use_the_nearest)
{
	/* By distance: node 0 is nearer to 2 than to 1, which shares its package. */
	check_memory("tests/data/topologies/nodes-without-memory.xml", "0:0/2 1:0/2 2:1/1 3:1/1 4:2/2 5:2/2 6:3/1 7:3/1");
	/* By package. */
	check_memory("tests/data/topologies/cpus-without-node.xml", "0:-/1 1:-/1 2:1/1 3:1/1 4:2/2 5:2/2 6:-/2 7:-/2");
	/* Of a description no sizes are known. */
	check_memory("pack:2 [numa] core:2 pu:1", "0:0/0 1:0/0 2:1/1 3:1/1");
}
END_TEST

/* The high-bandwidth node of each ordinary one, "0:4 1:5"; nothing for those that have none. */
static void
check_hbm(const char *file, const char *expected)
{
	char path[128], text[128] = "";
	struct sp_cpus seen = { 0 };
	size_t length = 0;

	snprintf(path, sizeof(path), "tests/data/topologies/%s", file);
	struct sp_machine *machine = read_machine(path, NULL);
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (pu->hbm == pu->numa || sp_cpus_has(&seen, pu->numa))
			continue;
		sp_cpus_add(&seen, pu->numa);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u:%u", length ? " " : "",
					   pu->numa, pu->hbm);
	}
	ck_assert_msg(strcmp(text, expected) == 0, "%s: %s, not %s", file, text, expected);
	free(machine);
}

START_TEST(nodes_of_high_bandwidth_memory_are_found)
{
	check_hbm("knl-quad-flat.xml", "0:1");
	check_hbm("knl-quad-cache.xml", "");
	check_hbm("knl-snc4-flat.xml", "0:4 1:5 2:6 3:7");
	check_hbm("knl-snc4-hybrid-small.xml", "0:7 1:4 2:5 3:6");
	check_hbm("knl-a2a-cache-small.xml", "");
	check_hbm("gpus/aurora-6xpvc.xml", "0:2 1:3");
	/* A GPU's memory, and CXL memory that is smaller than the rest. */
	check_hbm("gpus/gh200-4.xml", "");
	check_hbm("gpus/xeon-cxl.xml", "");
	check_hbm("heteromem-tiers.xml", "1:4");
	check_hbm("power9-lassen.xml", "");
	check_hbm("power9-gpu-numa.xml", "");
	check_hbm("xeon-ht-pascal.xml", "");
	check_hbm("epyc-mi250x-tioga.xml", "");
}
END_TEST

static const struct {
	const char *file, *gpu, *far;
} special[] = {
	{ "gpus/gh200-4.xml", "4,12,20,28", "" }, { "gpus/gh200-1.xml", "1-8", "" }, { "gpus/xeon-cxl.xml", "", "2-3" }, { "gpus/aurora-6xpvc.xml", "", "" },
	{ "heteromem-tiers.xml", "", "6,8-9" }, { "knl-snc4-flat.xml", "", "" }, { "power9-lassen.xml", "", "" },
	{ "epyc-mi250x-tioga.xml", "", "" }, { "arm-gb10.xml", "", "" },
};

/* They stay what they are where their CPUs may not be used. */
START_TEST(memory_that_takes_no_part_is_named)
{
	struct sp_cpus first = { 0 };
	char path[128], list[64];

	sp_cpus_add(&first, 0);
	snprintf(path, sizeof(path), "tests/data/topologies/%s", special[_i].file);
	for (int part = 0; part < 2; part++) {
		struct sp_machine *machine = read_machine(path, part && strcmp(special[_i].file, "power9-lassen.xml") ? &first : NULL);

		ck_assert_str_eq(sp_cpus_format(&machine->gpu_memory, list, sizeof(list)), special[_i].gpu);
		ck_assert_str_eq(sp_cpus_format(&machine->far_memory, list, sizeof(list)), special[_i].far);
		free(machine);
	}
}
END_TEST

/* A GPU beside each of four NUMA nodes. */
START_TEST(devices_count_for_all_cpus_of_their_node)
{
	static const char path[] = "tests/data/topologies/gpus/perlmutter-4xa100.xml";
	struct sp_machine *machine = read_machine(path, NULL);

	ck_assert_int_gt(sp_topology_devices(path, SP_DEVICES_GPU, machine, NULL), 0);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert_uint_eq(machine->pu[i].devices, 1);
	free(machine);
}
END_TEST

/* They are counted anew: of another kind there may be none. */
START_TEST(devices_that_were_counted_before_are_forgotten)
{
	struct sp_machine *machine;

	ck_assert_int_eq(sp_topology_read("core:4 pu:2", NULL, &machine), 0);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].devices = 9;
	ck_assert_int_eq(sp_topology_devices("core:4 pu:2", SP_DEVICES_NIC, machine, NULL), 0);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert_uint_eq(machine->pu[i].devices, 0);
	free(machine);
}
END_TEST

/* All but hwloc's own variables, which another machine may be described by. */
START_TEST(hwloc_has_an_environment_of_its_own)
{
	static char *some[] = { "FIRST=1", "HWLOC_SYNTHETIC=core:4", "HWLOC=2", "HWLOC_FSROOT=/x", "LAST=3", NULL };
	static char later[] = "LATER=4";
	static char *before[4096];	/* a copy: putenv frees the array that an earlier setenv made */
	struct sp_private_env env;

	for (size_t i = 0; environ[i]; i++) {
		ck_assert_uint_lt(i + 1, sizeof(before) / sizeof(before[0]));
		before[i] = environ[i];
	}
	environ = some;
	sp_private_env_begin(&env, false);
	ck_assert_ptr_ne(environ, some);
	ck_assert_str_eq(getenv("FIRST"), "1");
	ck_assert_str_eq(getenv("HWLOC"), "2");
	ck_assert_str_eq(getenv("LAST"), "3");
	ck_assert_ptr_null(getenv("HWLOC_SYNTHETIC"));
	ck_assert_ptr_null(getenv("HWLOC_FSROOT"));
	ck_assert_str_eq(getenv("HWLOC_LIBXML"), "0");
	ck_assert_str_eq(getenv("HWLOC_HIDE_ERRORS"), "2");
	ck_assert_str_eq(getenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES"), "1");
	ck_assert_ptr_nonnull(getenv("HWLOC_PLUGINS_PATH"));
	ck_assert_ptr_null(getenv("HWLOC_PLUGINS_BLACKLIST"));
	sp_private_env_end(&env);
	ck_assert_ptr_eq(environ, some);
	/* A variable that another thread sets meanwhile stays, and so do those of hwloc. */
	sp_private_env_begin(&env, true);
	ck_assert_ptr_nonnull(getenv("HWLOC_PLUGINS_BLACKLIST"));
	ck_assert_ptr_null(getenv("HWLOC_PLUGINS_PATH"));
	ck_assert_int_eq(putenv(later), 0);
	sp_private_env_end(&env);
	ck_assert_ptr_null(getenv("HWLOC_PLUGINS_BLACKLIST"));
	ck_assert_ptr_null(getenv("HWLOC_LIBXML"));
	ck_assert_str_eq(getenv("FIRST"), "1");
	ck_assert_str_eq(getenv("LAST"), "3");
	ck_assert_str_eq(getenv("LATER"), "4");
	ck_assert_str_eq(getenv("HWLOC_SYNTHETIC"), "core:4");
	ck_assert_str_eq(getenv("HWLOC_FSROOT"), "/x");
	environ = before;
}
END_TEST

START_TEST(a_machine_of_one_cpu)
{
	struct sp_machine *machine;

	ck_assert_int_eq(sp_topology_read("pu:1", NULL, &machine), 0);
	ck_assert_uint_eq(machine->ncpus, 1);
	/* Those of this system, whatever it has. */
	ck_assert_int_eq(sp_topology_gpus(NULL, machine), 0);
	free(machine);
}
END_TEST

/* Too many are as many as that: nobody waits for hwloc to make them. */
START_TEST(cpus_of_a_synthetic_machine)
{
	static const struct { const char *text; uint64_t cpus; } cases[] = {
		{ "pu:4", 4 }, { "pack:2 numa:3 l2:4 core:5 pu:6", 720 }, { "2 3 4", 24 }, { "pu:4294967295", 4294967295 },
		{ "core:65537 pu:65535", 4294967295 }, { "core:65536 pu:65536", SP_SYNTHETIC_FAR }, { "pu:4294967296", SP_SYNTHETIC_FAR },
		{ "core:99999999999999999999 pu:2", SP_SYNTHETIC_FAR }, { "[numa(memory=1)] pack:2 (x) pu:2", 4 }, { "[numa pack:2", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(sp_synthetic_cpus(cases[i].text) == cases[i].cpus, "%s: %llu", cases[i].text,
			      (unsigned long long)sp_synthetic_cpus(cases[i].text));
}
END_TEST

/* hwloc 2.9 aborts where an order names a level below, or reads what nobody has written. */
START_TEST(orders_name_levels_above)
{
	static const struct { const char *text, *strange; } cases[] = {
		{ "pu:4", NULL }, { "pu:4(indexes=0,2,1,3)", NULL }, { "pu:4(indexes=2*2:1*2)", NULL },
		{ "pack:2 core:2 pu:2(indexes=core:pack)", NULL }, { "pack:2(memory=1GB) [numa] core:2 pu:2(size=1 indexes=pack core)", NULL },
		{ "pack:3(indexes=core) core:2 pu:2", "core) core:2 pu:2" }, { "pack:3 core:2 pu:2(indexes=pack:pu)", "pu)" },
		{ "pack:2 pu:2(indexes=core)", "core)" }, { "pack:2 pu:2(indexes=pac)", "pac)" }, { "pack:2 pu:2(indexes=)", ")" },
		{ "pack:2 pu:2(indexes=pack:)", ")" }, { "pack:2 [numa(indexes=pack)] pu:2", "pack)] pu:2" }, { "(indexes=pack) pack:2 pu:2", "pack) pack:2 pu:2" },
		{ "pack:2(indexes=0,1 indexes=pu) pu:2", "pu) pu:2" }, { "pack:2 pu:2(indexes=x", "x" },
		{ "pack:2 (pack) pu:2(indexes=pu)", "pu)" }, { "l2.4 core:2 pu:4(indexes=core)", "core)" }, { "2 core:2 pu:4(indexes=core)", NULL }, { "pack:2 indexes=pu pu:2", NULL },
	};
	struct sp_machine *machine = NULL;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *strange = sp_topology_strange_order(cases[i].text);

		ck_assert_msg(cases[i].strange ? strange && strcmp(strange, cases[i].strange) == 0 : !strange, "%s: %s",
			      cases[i].text, strange ? strange : "none");
	}
	ck_assert_ptr_null(sp_topology_strange_order("/pack:3(indexes=core) core:2"));
	ck_assert_ptr_null(sp_topology_strange_order(NULL));
	ck_assert_int_eq(sp_topology_read("pack:3(indexes=core) core:2 pu:2", NULL, &machine), -ENXIO);
	ck_assert_ptr_null(machine);
}
END_TEST

Suite *
suite_topology(void)
{
	Suite *suite = suite_create("topology");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, levels_are_numbered_in_topology_order);
	tcase_add_test(facts, a_missing_level_draws_no_boundary);
	tcase_add_test(facts, cpus_that_are_not_allowed_are_left_out);
	tcase_add_test(facts, this_machine_has_the_cpus_that_the_kernel_gives);
	tcase_add_test(facts, a_source_that_is_none_is_an_error);
	tcase_add_test(facts, a_machine_of_one_cpu);
	tcase_add_test(facts, cpus_of_a_synthetic_machine);
	tcase_add_test(facts, a_machine_that_is_too_large_is_refused_at_once);
	tcase_add_test(facts, the_environment_never_describes_another_machine);
	tcase_add_test(facts, orders_name_levels_above);
	tcase_add_test(facts, a_node_without_a_number_is_refused);
	tcase_add_test(facts, cpus_without_memory_use_the_nearest);
	tcase_add_test(facts, a_cpu_without_a_core_is_one_by_itself);
	tcase_add_test(facts, an_entity_in_xml_is_an_error);
	tcase_add_test(facts, nodes_of_high_bandwidth_memory_are_found);
	tcase_add_loop_test(facts, memory_that_takes_no_part_is_named, 0, (int)(sizeof(special) / sizeof(special[0])));
	tcase_add_test(facts, hwloc_has_an_environment_of_its_own);
	tcase_add_test(facts, devices_count_for_all_cpus_of_their_node);
	tcase_add_test(facts, devices_that_were_counted_before_are_forgotten);
	suite_add_tcase(suite, facts);
	return suite;
}
