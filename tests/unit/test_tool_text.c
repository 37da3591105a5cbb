/* Machines as other tools print them: the same as from hwloc's XML, or an error that says what is missing. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/said.h"
#include "hardware/tool_text.h"
#include "machines.h"
#include "suites.h"
#include "topology.h"

static struct sp_machine *
read_file(const char *folder, const char *name)
{
	struct sp_machine *machine = NULL;
	char path[128];

	snprintf(path, sizeof(path), "tests/data/%s/%s", folder, name);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
	return machine;
}

static struct sp_machine *
read_text(const char *text)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_eq(sp_tool_text_read(text, &machine), 0);
	return machine;
}

/* One letter a CPU, in the order of the machine: two have the same where they share an object. */
static const char *
groups(const struct sp_machine *machine, size_t offset)
{
	static char text[64];

	for (uint32_t i = 0; i < machine->ncpus && i + 1 < sizeof(text); i++) {
		uint32_t number = *(const uint32_t *)(const void *)((const char *)&machine->pu[i] + offset), k = 0;

		while (*(const uint32_t *)(const void *)((const char *)&machine->pu[k] + offset) != number)
			k++;
		text[i] = k == i ? (char)('a' + i) : text[k];
		text[i + 1] = '\0';
	}
	return text;
}

#define GROUPS(machine, level) groups(machine, offsetof(struct sp_pu, level))

static const char *
cpus_in_order(const struct sp_machine *machine)
{
	static char text[256];
	int n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%u", i ? " " : "", machine->pu[i].cpu);
	return text;
}

/* Caches have other numbers, but the same boundaries. */
static void
check_same(const struct sp_machine *a, const struct sp_machine *b)
{
	ck_assert_uint_eq(a->ncpus, b->ncpus);
	for (uint32_t i = 0; i < a->ncpus; i++) {
		const struct sp_pu *one = &a->pu[i], *other = &b->pu[i];
		const struct sp_pu *before = i ? one - 1 : one, *other_before = i ? other - 1 : other;

		ck_assert_uint_eq(one->cpu, other->cpu);
		ck_assert_uint_eq(one->core, other->core);
		ck_assert_uint_eq(one->numa, other->numa);
		ck_assert_uint_eq(one->hbm, other->hbm);
		ck_assert_uint_eq(one->package, other->package);
		ck_assert_int_eq(one->l2 == before->l2, other->l2 == other_before->l2);
		ck_assert_int_eq(one->l3 == before->l3, other->l3 == other_before->l3);
	}
}

static const struct {
	const char *text, *folder, *xml;
} same[] = {
	{ "four-dies.lscpu-e", "texts", "four-dies.xml" }, { "four-dies.lstopo", "texts", "four-dies.xml" },
	{ "power9-lassen.lstopo", "topologies", "power9-lassen.xml" },
	{ "knl-snc4-hybrid-small.lstopo", "topologies", "knl-snc4-hybrid-small.xml" },
};

START_TEST(a_text_says_the_same_as_xml)
{
	struct sp_machine *text = read_file("texts", same[_i].text), *xml = read_file(same[_i].folder, same[_i].xml);

	check_same(text, xml);
	free(text);
	free(xml);
}
END_TEST

/* hwloc's tree has no place for such nodes. */
START_TEST(lscpu_says_which_nodes_cut_across_packages)
{
	struct sp_machine *machine = read_file("texts", "crossed.lscpu-p");

	ck_assert_str_eq(GROUPS(machine, package), "aaaaeeee");
	ck_assert_str_eq(GROUPS(machine, numa), "aaccaacc");
	ck_assert_str_eq(GROUPS(machine, l3), "aaaaeeee");
	ck_assert_uint_eq(machine->pu[2].numa, 1);
	free(machine);
}
END_TEST

/* The first package is that of CPU 0, and within it the second thread of a core follows the first. */
START_TEST(cpus_stand_as_in_hwloc)
{
	struct sp_machine *machine = read_text("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n"
					       "0,4,1,1,,4,4,4,1\n1,0,0,0,,0,0,0,0\n2,5,1,1,,5,5,5,1\n3,1,0,0,,1,1,1,0\n"
					       "4,4,1,1,,4,4,4,1\n5,0,0,0,,0,0,0,0\n6,5,1,1,,5,5,5,1\n7,1,0,0,,1,1,1,0\n");

	ck_assert_str_eq(cpus_in_order(machine), "0 4 2 6 1 5 3 7");
	ck_assert_str_eq(GROUPS(machine, core), "aacceegg");
	ck_assert_uint_eq(machine->pu[0].numa, 1);
	ck_assert_uint_eq(machine->pu[0].package, 0);
	ck_assert_uint_eq(machine->pu[7].core, 3);
	free(machine);
}
END_TEST

static const struct {
	const char *text, *cpus, *cores, *l2;
} tables[] = {
	/* Core numbers begin anew in each socket (lscpu -y). */
	{ "# CPU,Core,Socket\n0,0,0\n1,1,0\n2,0,1\n3,1,1\n", "0 1 2 3", "abcd", "aacc" },
	/* CPU 1 is offline. */
	{ "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n  0    0      0    0 0:0:0:0          yes\n"
	  "  1    -      -    - -                 no\n  2    0      0    1 1:1:1:0          yes\n", "0 2", "ab", "ab" },
	{ "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,,,,,,,,\n2,1,0,0,,1,1,1,0\n", "0 2", "ab", "ab" },
	/* In a report, indented, with a comma in numbers, and more behind it. */
	{ "$ lscpu -e\r\n    CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ\r\n      0    0      0    0 0:0:0:0          oui 4100,0000\r\n"
	  "      1    0      0    0 0:0:0:0          oui 4100,0000\r\n\r\n1 cat\r\n", "0 1", "aa", "aa" },
	/* Some versions leave out caches of small cores. */
	{ "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n 0 0 0 0 0:0:0:0 yes\n 1 0 0 1 2:0 yes\n", "0 1", "ab", "aa" },
	/* A virtual machine without caches. */
	{ "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,,,,\n1,1,1,0,,,,,\n", "0 1", "ab", "ab" },
};

START_TEST(tables_of_lscpu)
{
	struct sp_machine *machine = read_text(tables[_i].text);

	ck_assert_str_eq(cpus_in_order(machine), tables[_i].cpus);
	ck_assert_str_eq(GROUPS(machine, core), tables[_i].cores);
	ck_assert_str_eq(GROUPS(machine, l2), tables[_i].l2);
	free(machine);
}
END_TEST

START_TEST(trees_of_hwloc_1)
{
	struct sp_machine *machine = read_text("[user@n1 ~]$ lstopo --no-io\nMachine (64GB)\n"
					       "  NUMANode L#0 (P#0 32GB) + Socket L#0 + L3 L#0 (20MB)\n"
					       "    L2 L#0 (256KB) + L1 L#0 (32KB) + Core L#0\n      PU L#0 (P#0)\n      PU L#1 (P#4)\n"
					       "    L2 L#1 (256KB) + L1 L#1 (32KB) + Core L#1\n      PU L#2 (P#1)\n      PU L#3 (P#5)\n"
					       "  NUMANode L#1 (P#1 32GB) + Socket L#1 + L3 L#1 (20MB)\n"
					       "    L2 L#2 (256KB) + L1 L#2 (32KB) + Core L#2\n      PU L#4 (P#2)\n      PU L#5 (P#6)\n"
					       "    L2 L#3 (256KB) + L1 L#3 (32KB) + Core L#3 + PU L#6 (P#3)\n[user@n1 ~]$\n");

	ck_assert_str_eq(cpus_in_order(machine), "0 4 1 5 2 6 3");
	ck_assert_str_eq(GROUPS(machine, core), "aacceeg");
	ck_assert_str_eq(GROUPS(machine, numa), "aaaaeee");
	ck_assert_str_eq(GROUPS(machine, l3), "aaaaeee");
	free(machine);
}
END_TEST

/* Where a core has one hardware thread the lists of nodes say enough. */
START_TEST(lists_of_nodes)
{
	struct sp_machine *machine = read_file("texts", "two-packages.lscpu");

	ck_assert_str_eq(GROUPS(machine, core), "abcdefgh");
	ck_assert_str_eq(GROUPS(machine, numa), "aaaaeeee");
	free(machine);
	machine = read_text("Thread(s) per core:  1\nNUMA node0 CPU(s): 0,2\nNUMA node1 CPU(s): 1,3\n"
			    "available: 2 nodes (0-1)\nnode 0 cpus: 0 2\nnode 0 size: 1006 MB\nnode 1 cpus: 1 3\n");
	ck_assert_str_eq(cpus_in_order(machine), "0 2 1 3");
	free(machine);
}
END_TEST

static const struct {
	const char *text;
	int error;
} wrong[] = {
	{ "", -ENOMSG }, { "hello", -ENOMSG }, { "CPU op-mode(s):   32-bit, 64-bit\nCPU family: 6\n", -ENOMSG }, { "Machine (64GB)\n", -ENOMSG },
	{ "node 0 cpus: 0 1 2 3\n", -ENODATA }, { "NUMA node0 CPU(s): 0-3\nThread(s) per core: 2\n", -ENODATA },
	{ "# CPU,Node\n0,0\n1,0\n", -ENODATA }, { "# CPU,Core,Socket\n", -ENODATA }, { "Machine\n  Core L#0 + PU L#0\n", -ENODATA },
	{ "# CPU,Core\n8192,0\n", -E2BIG }, { "Machine\n  PU L#0 (P#8192)\n", -E2BIG }, { "Thread(s) per core: 1\nnode 0 cpus: 9000\n", -E2BIG },
	{ "# CPU,Core\n1,0\n1,0\n", -EPROTO }, { "# CPU,Core,Node\n1,0,8192\n", -EPROTO },
};

START_TEST(what_does_not_say_enough_is_an_error)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_eq(sp_tool_text_read(wrong[_i].text, &machine), wrong[_i].error);
	ck_assert_ptr_null(machine);
}
END_TEST

/* The text has none, so that there is nothing to be near to. */
START_TEST(a_text_has_no_devices)
{
	static const char path[] = "tests/data/texts/four-dies.lstopo";
	struct sp_machine *machine = read_file("texts", "four-dies.lstopo");
	struct sp_device *devices = NULL;

	ck_assert(sp_topology_is_text(path));
	ck_assert(!sp_topology_is_text("tests/data/texts/four-dies.xml"));
	ck_assert(!sp_topology_is_text("pack:2 pu:2"));
	ck_assert_int_eq(sp_topology_devices(path, SP_DEVICES_NIC, machine, &devices), 0);
	ck_assert_int_eq(sp_topology_gpus(path, machine), 0);
	ck_assert_uint_eq(machine->gpus.n, 0);
	free(devices);
	free(machine);
}
END_TEST

START_TEST(a_text_is_restricted_to_allowed_cpus)
{
	struct sp_machine *machine = NULL;
	struct sp_cpus allowed = cpus_of_list("4-7"), none = cpus_of_list("99");

	ck_assert_int_eq(sp_topology_read("tests/data/texts/crossed.lscpu-p", &allowed, &machine), 0);
	ck_assert_uint_eq(machine->ncpus, 4);
	ck_assert_uint_eq(machine->pu[0].core, 4);
	free(machine);
	machine = NULL;
	ck_assert_int_eq(sp_topology_read("tests/data/texts/crossed.lscpu-p", &none, &machine), -ENODEV);
	ck_assert_ptr_null(machine);
}
END_TEST

/* hwloc looks at its environment once: so this is asked first, in a process of its own.  hwloc 2.12 reads versions up to 3.0. */
static const struct {
	const char *source, *said;
} reasons[] = {
	{ "pack:2 core:2", "Synthetic string cannot use non-PU type for last level" },
	{ "tables:2 chairs:4", "Synthetic string with unknown object type at 'tables:2 chairs:4'" },
	{ "tests/data/texts/newer.xml", "cannot import XML version 9.0 > " },
	{ "tests/data/texts/power9-lassen.lstopo.none", "" }, { "core:2 pu:2", "" },
};

START_TEST(hwloc_says_why)
{
	struct sp_machine *machine = NULL;

	sp_topology_listen();
	ck_assert_int_eq(sp_topology_read(reasons[_i].source, NULL, &machine) == 0, !reasons[_i].said[0] && !strchr(reasons[_i].source, '/'));
	const char *said = reasons[_i].said;
	if (strlen(said) > 2 && strcmp(said + strlen(said) - 2, "> ") == 0)
		ck_assert_int_eq(strncmp(sp_topology_said(), said, strlen(said)), 0);
	else
		ck_assert_str_eq(sp_topology_said(), said);
	free(machine);
}
END_TEST

/* What each version of hwloc prints of a machine that contradicts itself is one line. */
START_TEST(a_report_of_hwloc_is_one_line)
{
	static const char stars[] = "****************************************************************************\n";
	static const char *const reports[] = {
		"* hwloc 2.9.0 received invalid information from the operating system.\n*\n"
		"* Failed with: intersection without inclusion\n"
		"* while inserting Group0 (cpuset 0x33) at Package (P#0 cpuset 0xf)\n* coming from: linux:sysfs:numa\n*\n",
		"* hwloc 2.12.0 received invalid information.\n*\n"
		"* Failed with error: intersection without inclusion\n"
		"* while inserting Group0 (cpuset 0x33)\n* at Package (P#0 cpuset 0xf)\n* coming from: linux:sysfs:numa\n*\n",
	};
	char text[1024];

	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%s%s%s", stars, reports[i], stars);
		sp_said_keep(text);
		ck_assert_str_eq(sp_topology_said(), "intersection without inclusion while inserting Group0 (cpuset 0x33) at Package (P#0 cpuset 0xf)");
	}
	sp_said_keep("");
	ck_assert_str_eq(sp_topology_said(), "");
}
END_TEST

#define LENGTH(table) ((int)(sizeof(table) / sizeof((table)[0])))

Suite *
suite_tool_text(void)
{
	Suite *suite = suite_create("tool_text");
	TCase *tests = tcase_create("texts");

	tcase_add_loop_test(tests, a_text_says_the_same_as_xml, 0, LENGTH(same));
	tcase_add_test(tests, lscpu_says_which_nodes_cut_across_packages);
	tcase_add_test(tests, cpus_stand_as_in_hwloc);
	tcase_add_loop_test(tests, tables_of_lscpu, 0, LENGTH(tables));
	tcase_add_test(tests, trees_of_hwloc_1);
	tcase_add_test(tests, lists_of_nodes);
	tcase_add_loop_test(tests, what_does_not_say_enough_is_an_error, 0, LENGTH(wrong));
	tcase_add_test(tests, a_text_has_no_devices);
	tcase_add_test(tests, a_text_is_restricted_to_allowed_cpus);
	tcase_add_loop_test(tests, hwloc_says_why, 0, LENGTH(reasons));
	tcase_add_test(tests, a_report_of_hwloc_is_one_line);
	suite_add_tcase(suite, tests);
	return suite;
}
