/* Facts about sets of a machine's CPUs, on invented machines. */
#include <check.h>
#include <stdlib.h>

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

static struct sp_cpus
set_of(const char *list)
{
	return list[0] ? cpus_of_list(list) : (struct sp_cpus){ 0 };
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
		struct sp_cpus cpus = set_of(cases[i].cpus);

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
	cpus = set_of("");
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
		struct sp_cpus cpus = set_of(cases[i].before);

		sp_machine_fill_cores(machine, &cpus);
		ck_assert_msg(is(&cpus, cases[i].after), "%s", cases[i].before);
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
	suite_add_tcase(suite, facts);
	return suite;
}
