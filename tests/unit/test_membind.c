/* Where the memory of a rank is to lie, and how what lies there is counted. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/membind.h"
#include "machines.h"
#include "base/numa_maps.h"
#include "suites.h"
#include "topology.h"

#define RECORDED "tests/data/topologies/"

static char why[SP_MEMBIND_WHY];

/* 4 nodes of 4 cores; with high-bandwidth memory nodes 4 to 7 are that of 0 to 3. */
static struct sp_machine *
machine_of_nodes(bool has_hbm)
{
	struct sp_machine *machine = machine_of((struct shape){ .numas = 4, .cores = 4, .threads = 1 });

	for (uint32_t i = 0; has_hbm && i < machine->ncpus; i++)
		machine->pu[i].hbm = machine->pu[i].numa + 4;
	return machine;
}

/* The nodes as a list, or the error's number. */
static const char *
choose(enum sp_memory policy, bool has_hbm, const char *share_list, const char *allowed_list)
{
	static char text[64];
	struct sp_machine *machine = machine_of_nodes(has_hbm);
	struct sp_cpus share = cpus_of_list(share_list), allowed = cpus_of_list(allowed_list), nodes = cpus_of_list("99");
	int error = sp_membind_choose(policy, machine, &share, &allowed, &nodes, why);

	if (error) {
		ck_assert_str_eq(sp_cpus_format(&nodes, text, sizeof(text)), "99");
		snprintf(text, sizeof(text), "%s", strerror(-error));
	} else {
		sp_cpus_format(&nodes, text, sizeof(text));
	}
	free(machine);
	return text;
}

START_TEST(policies_mean_the_nodes_of_the_share)
{
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "0-3", "0-3"), "0");
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "4-11", "0-3"), "1-2");
	ck_assert_str_eq(choose(SP_MEMORY_PREFERRED, false, "3-4", "0-3"), "0-1");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE, false, "0-7", "0-3"), "0-1");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0-3"), "0-3");
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "0,2"), "0,2");
	ck_assert_str_eq(choose(SP_MEMORY_LOCAL, false, "12-15", "0-2"), "3");
}
END_TEST

START_TEST(high_bandwidth_memory_is_that_beside_the_share)
{
	ck_assert_str_eq(choose(SP_MEMORY_HBM, true, "0-3", "0-7"), "4");
	ck_assert_str_eq(choose(SP_MEMORY_HBM_BIND, true, "4-15", "0-7"), "5-7");
	ck_assert_str_eq(choose(SP_MEMORY_BIND, true, "0-3", "0-7"), "0");
	ck_assert_str_eq(choose(SP_MEMORY_HBM, false, "0-3", "0-3"), strerror(ENODEV));
	ck_assert_ptr_nonnull(strstr(why, "no high-bandwidth memory"));
}
END_TEST

START_TEST(what_cannot_be_had_is_said)
{
	ck_assert_str_eq(choose(SP_MEMORY_BIND, false, "0-7", "0"), strerror(EPERM));
	ck_assert_ptr_nonnull(strstr(why, "NUMA node 1 has no memory that this job may use"));
	ck_assert_str_eq(choose(SP_MEMORY_HBM, true, "0-7", "0-3"), strerror(EPERM));
	ck_assert_ptr_nonnull(strstr(why, "NUMA nodes 4-5 have no memory"));
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE, false, "0-3", "0-3"), strerror(ENODEV));
	ck_assert_ptr_nonnull(strstr(why, "the share lies in one NUMA node (0)"));
	ck_assert_str_eq(choose(SP_MEMORY_INTERLEAVE_ALL, false, "0-3", "2"), strerror(ENODEV));
}
END_TEST

START_TEST(one_node_cannot_be_interleaved)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_cpus share = cpus_of_list("0-1"), allowed = cpus_of_list("0"), nodes;

	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_INTERLEAVE, machine, &share, &allowed, &nodes, why), -ENODEV);
	ck_assert_str_eq(why, "this machine has one NUMA node");
	ck_assert_int_eq(sp_membind_choose(SP_MEMORY_BIND, machine, &share, &allowed, &nodes, why), 0);
	free(machine);
}
END_TEST

/* A dry run: nothing is set, but all is named. */
START_TEST(names_tell_policy_and_nodes)
{
	static const struct {
		enum sp_memory policy;
		const char *name;
	} expected[] = {
		{ SP_MEMORY_DEFAULT, "default" }, { SP_MEMORY_LOCAL, "local" }, { SP_MEMORY_BIND, "bind:1-2" },
		{ SP_MEMORY_INTERLEAVE, "interleave:1-2" }, { SP_MEMORY_INTERLEAVE_ALL, "interleave:0-7" },
		{ SP_MEMORY_PREFERRED, "preferred:1-2" }, { SP_MEMORY_HBM, "hbm:5-6" }, { SP_MEMORY_HBM_BIND, "hbm:bind:5-6" },
	};
	struct sp_config config = { .dry_run = true, .memory = expected[_i].policy };
	struct sp_machine *machine = machine_of_nodes(true);
	struct sp_cpus share = cpus_of_list("4-11");
	struct sp_membind membind = { 0 };

	ck_assert_int_eq(sp_membind_settle(&config, machine, &share, &membind, why), 0);
	ck_assert(!membind.failed);
	ck_assert_str_eq(membind.name, expected[_i].name);
	ck_assert(sp_membind_is_as_asked(&config, membind.name));
	config.memory = SP_MEMORY_BIND;
	ck_assert(!sp_membind_is_as_asked(&config, "default"));
	ck_assert(!sp_membind_is_as_asked(&config, "kept:bind:0"));
	config.memory = SP_MEMORY_HBM;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].hbm = machine->pu[i].numa;
	ck_assert_int_eq(sp_membind_settle(&config, machine, &share, &membind, why), -ENODEV);
	ck_assert(membind.failed);
	ck_assert_str_eq(membind.name, "default");
	free(machine);
}
END_TEST

/* The high-bandwidth node of each ordinary one, "0:4 1:5"; nothing for those that have none. */
static void
check_recorded(const char *file, const char *expected)
{
	char path[128], text[128] = "";
	struct sp_machine *machine;
	struct sp_cpus seen = { 0 };
	size_t length = 0;

	snprintf(path, sizeof(path), RECORDED "%s", file);
	ck_assert_int_eq(sp_topology_read(path, NULL, &machine), 0);
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

START_TEST(recorded_machines_tell_their_high_bandwidth_memory)
{
	check_recorded("knl-quad-flat.xml", "0:1");
	check_recorded("knl-quad-cache.xml", "");
	check_recorded("knl-snc4-flat.xml", "0:4 1:5 2:6 3:7");
	check_recorded("knl-snc4-hybrid-small.xml", "0:7 1:4 2:5 3:6");
	check_recorded("knl-a2a-cache-small.xml", "");
	check_recorded("power9-lassen.xml", "");
	check_recorded("power9-gpu-numa.xml", "");
	check_recorded("xeon-ht-pascal.xml", "");
	check_recorded("epyc-mi250x-tioga.xml", "");
}
END_TEST

/* Lines as Linux 6.1 writes them. */
START_TEST(pages_are_counted_by_node)
{
	struct sp_numa_maps pages = { { 0 } };
	struct sp_cpus nodes = cpus_of_list("0,4");
	char text[64], little[12];

	sp_numa_maps_add(&pages, "55d0c8a3f000 default heap anon=33 dirty=33 active=0 N0=30 N1=3 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f1c00000000 interleave:0-1 anon=512 dirty=512 N0=256 N1=256 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f1c40000000 prefer (many):4 anon=2 dirty=2 N4=2 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f2000000000 bind:0 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N0=3 kernelpagesize_kB=2048", 4);
	sp_numa_maps_add(&pages, "7f3000000000 default file=/usr/lib/libc.so.6 mapped=300 N0=100 N1=200 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f4000000000 default file=/dev/shm/N9=9\\040N8=8 N1=7 kernelpagesize_kB=4", 4);
	sp_numa_maps_add(&pages, "7f5000000000 default", 4);
	sp_numa_maps_add(&pages, "7f5000000000 default N5000=9 N=3 N1", 4);
	sp_numa_maps_add(&pages, "", 4);
	ck_assert_uint_eq(sp_numa_maps_on(&pages, &nodes), 30 + 256 + 2 + 3 * 512);
	ck_assert_uint_eq(sp_numa_maps_elsewhere(&pages, &nodes), 3 + 256);
	ck_assert_str_eq(sp_numa_maps_format(&pages, text, sizeof(text)), "0:1822,1:259,4:2");
	ck_assert_str_eq(sp_numa_maps_format(&pages, little, sizeof(little)), "0:1822,...");
}
END_TEST

static uint64_t
all(const struct sp_numa_maps *pages)
{
	return sp_numa_maps_elsewhere(pages, &(struct sp_cpus){ 0 });
}

START_TEST(memory_that_is_touched_is_seen)
{
	static struct sp_numa_maps before, now;
	size_t size = 4 << 20;

	if (sp_numa_maps_read(&before) == -ENOENT)
		return;
	ck_assert_uint_gt(all(&before), 0);
	char *memory = malloc(size);
	memset(memory, 1, size);
	__asm__ volatile ("" : : "r" (memory) : "memory");	/* it is used */
	ck_assert_int_eq(sp_numa_maps_read(&now), 0);
	ck_assert_uint_ge(all(&now), all(&before) + size / 4096);
	free(memory);
}
END_TEST

Suite *
suite_memory(void)
{
	Suite *suite = suite_create("memory");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, policies_mean_the_nodes_of_the_share);
	tcase_add_test(facts, high_bandwidth_memory_is_that_beside_the_share);
	tcase_add_test(facts, what_cannot_be_had_is_said);
	tcase_add_test(facts, one_node_cannot_be_interleaved);
	tcase_add_loop_test(facts, names_tell_policy_and_nodes, 0, 8);
	tcase_add_test(facts, recorded_machines_tell_their_high_bandwidth_memory);
	tcase_add_test(facts, pages_are_counted_by_node);
	tcase_add_test(facts, memory_that_is_touched_is_seen);
	suite_add_tcase(suite, facts);
	return suite;
}
