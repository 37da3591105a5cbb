/* Facts about sets of a machine's CPUs, on invented machines. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "machines.h"
#include "suites.h"

static bool
is(const struct sp_cpus *set, const char *list)
{
	struct sp_cpus expected = { 0 };

	if (list[0])
		expected = cpus_of_list(list);
	return sp_cpus_equal(set, &expected);
}

/* POWER9: CPU numbers have gaps. */
START_TEST(all_cpus)
{
	struct sp_machine *machine = machine_power9();
	struct sp_cpus all = cpus_of_list("4000");

	sp_machine_cpus(machine, &all);
	ck_assert_uint_eq(sp_cpus_count(&all), machine->ncpus);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		ck_assert(sp_cpus_has(&all, machine->pu[i].cpu));
	free(machine);
}
END_TEST

START_TEST(a_part_keeps_order_and_fields)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus set = cpus_of_list("9,2,3,500");
	struct sp_machine *part = sp_machine_restrict(machine, &set);

	ck_assert_uint_eq(part->ncpus, 3);
	ck_assert_mem_eq(&part->pu[0], &machine->pu[3], sizeof(struct sp_pu));	/* CPU 9 is the second of core 1 */
	ck_assert_mem_eq(&part->pu[1], &machine->pu[4], sizeof(struct sp_pu));
	ck_assert_mem_eq(&part->pu[2], &machine->pu[6], sizeof(struct sp_pu));
	ck_assert_uint_eq(machine->ncpus, 16);
	free(part);
	free(machine);
}
END_TEST

START_TEST(a_part_may_be_empty)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_machine *part = sp_machine_restrict(machine, &(struct sp_cpus){ 0 });

	ck_assert_uint_eq(part->ncpus, 0);
	free(part);
	free(machine);
}
END_TEST

/* 8 cores of 2 threads: CPUs c and c + 8. */
START_TEST(cores_are_counted_once)
{
	static const struct { const char *cpus; uint32_t cores; } cases[] = {
		{ "0-15", 8 }, { "0,8", 1 }, { "0,1", 2 }, { "8-15", 8 }, { "7,15,100", 1 }, { "", 0 },
	};
	struct sp_machine *machine = machine_uniform(8, 2);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sp_cpus cpus = cpus_of_list(cases[i].cpus);

		ck_assert_uint_eq(sp_machine_cores(machine, &cpus), cases[i].cores);
	}
	free(machine);
}
END_TEST

/* SNC-4: the first NUMA node has 18 cores, CPUs c, c + 68, ... */
START_TEST(extent_names_cores_and_nodes)
{
	struct sp_machine *machine = machine_knl_snc4();
	struct sp_cpus cpus = cpus_of_list("17,18,85,1000"), cores, nodes;

	ck_assert_uint_eq(sp_machine_extent(machine, &cpus, &cores, &nodes), 2);
	ck_assert(is(&cores, "17-18"));
	ck_assert(is(&nodes, "0-1"));
	cpus = cpus_of_list("");
	ck_assert_uint_eq(sp_machine_extent(machine, &cpus, &cores, &nodes), 0);
	ck_assert(is(&cores, ""));
	ck_assert(is(&nodes, ""));
	free(machine);
}
END_TEST

/* 4 cores of 2 threads (CPUs 0-7), then 8 of one. */
START_TEST(cores_are_filled)
{
	static const struct { const char *before, *after; } cases[] = {
		{ "1", "0-1" }, { "2,7,9", "2-3,6-7,9" }, { "0-15", "0-15" }, { "", "" }, { "100", "100" },
	};
	struct sp_machine *machine = machine_hybrid();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sp_cpus cpus = cpus_of_list(cases[i].before);

		sp_machine_fill_cores(machine, &cpus);
		ck_assert_msg(is(&cpus, cases[i].after), "%s", cases[i].before);
	}
	free(machine);
}
END_TEST

/* Cores are of one kind, or speed, unless the first or the last differs from the others. */
START_TEST(a_kind_or_a_speed_of_one_core_counts)
{
	struct sp_machine *machine = machine_uniform(4, 1);

	ck_assert(!sp_machine_has_kinds(machine));
	ck_assert(!sp_machine_has_speeds(machine));
	machine->pu[3].kind = machine->pu[0].speed = 1;
	ck_assert(sp_machine_has_kinds(machine));
	ck_assert(sp_machine_has_speeds(machine));
	machine->pu[3].kind = machine->pu[0].speed = 0;
	machine->pu[0].kind = machine->pu[3].speed = 1;
	ck_assert(sp_machine_has_kinds(machine));
	ck_assert(sp_machine_has_speeds(machine));
	for (uint32_t i = 0; i < 4; i++)
		machine->pu[i].kind = 1;
	ck_assert(!sp_machine_has_kinds(machine));
	free(machine);
}
END_TEST

/* EPYC: packages of 4 NUMA nodes of 2 L3 groups of 4 cores; CPU c + 64 is the other of core c. */
START_TEST(what_is_near)
{
	static const struct {
		struct sp_near near;
		const char *cpus;
		bool is_part;
	} cases[] = {
		{ { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE }, "0-127", false },
		{ { 0, SP_ANYWHERE, SP_ANYWHERE }, "0-31,64-95", true },
		{ { 1, 4, SP_ANYWHERE }, "32-39,96-103", true },
		{ { SP_ANYWHERE, SP_ANYWHERE, 15 }, "60-63,124-127", true },
		{ { 0, 7, SP_ANYWHERE }, "", false },
		{ { 0, 0, 1 }, "4-7,68-71", true },
	};
	struct sp_machine *machine = machine_epyc();
	struct sp_cpus cpus;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cpus = cpus_of_list("4000");
		ck_assert_int_eq(sp_machine_near(machine, &cases[i].near, &cpus), cases[i].is_part);
		ck_assert_msg(is(&cpus, cases[i].cpus), "%zu", i);
	}
	free(machine);
}
END_TEST

START_TEST(the_smallest_part_that_holds_a_set)
{
	static const struct {
		const char *cpus;
		struct sp_near part;
	} cases[] = {
		{ "", { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE } },
		{ "1000", { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE } },
		{ "0", { 0, 0, 0 } },
		{ "63,127", { 1, 7, 15 } },
		{ "60-63,1000", { 1, 7, 15 } },
		{ "3-4", { 0, 0, SP_ANYWHERE } },
		{ "7-8", { 0, SP_ANYWHERE, SP_ANYWHERE } },
		{ "31-32", { SP_ANYWHERE, SP_ANYWHERE, SP_ANYWHERE } },
	};
	struct sp_machine *machine = machine_epyc();

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sp_cpus cpus = cpus_of_list(cases[i].cpus);
		struct sp_near part = sp_machine_part(machine, &cpus);

		ck_assert_msg(memcmp(&part, &cases[i].part, sizeof(part)) == 0, "%s", cases[i].cpus);
	}
	free(machine);
}
END_TEST

static void
expect_fault(struct sp_machine *machine, const char *fault)
{
	const char *found = sp_machine_fault(machine);

	ck_assert_msg(fault ? found && strstr(found, fault) : !found, "%s: %s", fault ? fault : "sound", found ? found : "no fault");
}

START_TEST(what_a_machine_promises)
{
	struct sp_machine *machine = machine_uniform(4, 2), *none = machine_within(machine, &(struct sp_cpus){ 0 });
	const struct sp_pu first = machine->pu[0];

	expect_fault(machine, NULL);
	expect_fault(none, "no CPU");
	none->ncpus = SP_CPUS_MAX + 1;
	expect_fault(none, "more than 8192");
	machine->pu[0].cpu = machine->pu[7].cpu;
	expect_fault(machine, "same number");
	machine->pu[0] = first;
	machine->pu[0].core = machine->pu[7].core;
	expect_fault(machine, "side by side");
	machine->pu[0] = first;
	machine->pu[0].kind = 1;
	expect_fault(machine, "several kinds");
	/* Nodes, caches and packages may lie as they like. */
	machine->pu[0] = first;
	machine->pu[0].numa = machine->pu[3].l3 = machine->pu[5].package = SP_CPUS_MAX - 1;
	expect_fault(machine, NULL);
	for (size_t field = 0; field < sizeof(first) / sizeof(uint32_t); field++) {
		machine->pu[0] = first;
		((uint32_t *)&machine->pu[0])[field] = field % 2 ? SP_CPUS_MAX : UINT32_MAX;
		expect_fault(machine, "no number");
	}
	free(none);
	free(machine);
}
END_TEST

START_TEST(gpus_of_a_machine_have_names_that_end)
{
	struct sp_machine *machine = machine_uniform(1, 1);
	struct sp_gpu *last = &machine->gpus.gpu[SP_GPUS_MAX - 1];

	machine->gpus.n = SP_GPUS_MAX;
	expect_fault(machine, NULL);
	memset(last->address, 'a', sizeof(last->address));
	expect_fault(machine, "no end");
	machine->gpus.n--;
	expect_fault(machine, NULL);
	machine->gpus.n++;
	memset(last->address, 0, sizeof(last->address));
	memset(last->uuid, 'u', sizeof(last->uuid));
	expect_fault(machine, "no end");
	machine->gpus.n = SP_GPUS_MAX + 1;
	expect_fault(machine, "more than 64");
	free(machine);
}
END_TEST

START_TEST(memory_that_no_policy_uses_is_named)
{
	static const struct { const char *gpu, *far, *text; } cases[] = {
		{ "", "", "" },
		{ "4", "", "NUMA node 4 is GPU memory: no memory policy uses it" },
		{ "4,12", "", "NUMA nodes 4,12 are GPU memory: no memory policy uses them" },
		{ "", "2", "NUMA node 2 has no CPU of its own: no memory policy uses it" },
		{ "", "2-3", "NUMA nodes 2-3 have no CPU of their own: no memory policy uses them" },
		{ "4", "2", "NUMA node 4 is GPU memory, and node 2 has no CPU of its own: no memory policy uses them" },
	};
	struct sp_machine *machine = machine_uniform(8, 1);
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine->gpu_memory = cpus_of_list(cases[i].gpu);
		machine->far_memory = cpus_of_list(cases[i].far);
		ck_assert_str_eq(sp_machine_name_memory(machine, text, sizeof(text)), cases[i].text);
	}
	free(machine);
}
END_TEST

Suite *
suite_machine(void)
{
	Suite *suite = suite_create("machine");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, all_cpus);
	tcase_add_test(facts, a_part_keeps_order_and_fields);
	tcase_add_test(facts, a_part_may_be_empty);
	tcase_add_test(facts, cores_are_counted_once);
	tcase_add_test(facts, extent_names_cores_and_nodes);
	tcase_add_test(facts, cores_are_filled);
	tcase_add_test(facts, a_kind_or_a_speed_of_one_core_counts);
	tcase_add_test(facts, what_is_near);
	tcase_add_test(facts, the_smallest_part_that_holds_a_set);
	tcase_add_test(facts, memory_that_no_policy_uses_is_named);
	tcase_add_test(facts, what_a_machine_promises);
	tcase_add_test(facts, gpus_of_a_machine_have_names_that_end);
	suite_add_tcase(suite, facts);
	return suite;
}
