/* Sentences on a cut and its shares: which rule, which setting. */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cut/explain.h"
#include "machines.h"

#define EXPECT(text, word) ck_assert_msg(strstr(text, word), "\"%s\" lacks \"%s\"", text, word)

static const char *
why_cut(struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks)
{
	static char text[SP_TEXT_MAX];
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));
	struct sp_cut cut;

	ck_assert_ptr_nonnull(owner);
	ck_assert_int_eq(sp_cut(machine, policy, nranks, owner, &cut), 0);
	sp_explain_cut(machine, policy, nranks, &cut, text, sizeof(text));
	free(owner);
	free(machine);
	return text;
}

START_TEST(a_cut_tells_sizes)
{
	static const struct sp_policy block;

	ck_assert_str_eq(why_cut(machine_knl(), &block, 4), "4 ranks with 17 cores each");
	ck_assert_str_eq(why_cut(machine_knl(), &block, 8), "8 ranks with 8 cores each, 4 cores left free");
	ck_assert_str_eq(why_cut(machine_uniform(1, 2), &block, 1), "1 rank with 1 core");
}
END_TEST

START_TEST(a_cut_tells_its_rules)
{
	static const struct sp_policy block;
	struct sp_machine *two = machine_of((struct shape){ .packages = 2, .l2s = 28, .threads = 2 });

	EXPECT(why_cut(machine_knl_snc4(), &block, 4), "1 core fewer than an even cut");
	EXPECT(why_cut(two, &block, 3), "1 rank crosses into another NUMA node");
}
END_TEST

START_TEST(a_cut_tells_of_ranks_that_share_cores)
{
	struct sp_policy block = { .share = SP_SHARE_EQUAL }, all = { .share = SP_SHARE_ALL };
	struct sp_policy idle = { .cores = 2, .devices = SP_DEVICES_GPU };
	struct sp_machine *hybrid = machine_hybrid();

	for (uint32_t i = 0; i < hybrid->ncpus; i++)
		hybrid->pu[i].kind = hybrid->pu[i].core < 4;
	ck_assert_str_eq(why_cut(machine_knl(), &block, 100),
			 "100 ranks on 68 cores: 1 or 2 ranks per core, each with 2 of its 4 hardware threads, 72 left free");
	ck_assert_str_eq(why_cut(machine_knl(), &block, 136),
			 "136 ranks on 68 cores: 2 ranks per core, each with 2 of its 4 hardware threads");
	EXPECT(why_cut(machine_uniform(4, 4), &all, 5), "each with 2 to 4 of its 4 hardware threads; what is left over is given out too");
	EXPECT(why_cut(machine_knl(), &idle, 100), "SPLITPIN_CORES=2 does not apply");
	EXPECT(why_cut(machine_knl(), &idle, 100), "SPLITPIN_DEVICES does not apply");
	EXPECT(why_cut(machine_hybrid(), &block, 14), "each with 1 of its hardware threads, 2 left free");
	EXPECT(why_cut(hybrid, &block, 14), "so both are used (SPLITPIN_KINDS=auto)");
}
END_TEST

START_TEST(a_cut_tells_its_settings)
{
	struct sp_policy policy = { .share = SP_SHARE_ALL, .smt = 2, .cores = 3, .reserve = 1,
				    .distribution = SP_CYCLIC, .devices = SP_DEVICES_GPU };
	const char *text = why_cut(machine_epyc(), &policy, 4);

	EXPECT(text, "SPLITPIN_SHARE=all");
	EXPECT(text, "SPLITPIN_SMT=2");
	EXPECT(text, "SPLITPIN_CORES=3");
	EXPECT(text, "SPLITPIN_RESERVE=1");
	EXPECT(text, "SPLITPIN_DISTRIBUTION=cyclic");
	EXPECT(text, "no device is nearer");
	policy = (struct sp_policy){ .reserved = cpus_of_list("0-1") };
	EXPECT(why_cut(machine_epyc(), &policy, 4), "SPLITPIN_RESERVE=0-1");
}
END_TEST

START_TEST(kinds_are_told_where_there_are_some)
{
	static const char *const names[] = { "auto", "performance", "efficiency", "all" };
	struct sp_policy policy = { .kinds = (enum sp_kinds)_i };
	struct sp_machine *machine = machine_hybrid();
	char setting[64];

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = machine->pu[i].core < 4;
	snprintf(setting, sizeof(setting), "(SPLITPIN_KINDS=%s)", names[_i]);
	EXPECT(why_cut(machine, &policy, 2), setting);
	ck_assert_ptr_null(strstr(why_cut(machine_hybrid(), &policy, 2), "KINDS"));
}
END_TEST

static const char *
why_share(struct sp_machine *machine, const char *list)
{
	static char text[SP_TEXT_MAX];
	struct sp_cpus share = cpus_of_list(list);
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));

	ck_assert_ptr_nonnull(owner);
	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = sp_cpus_has(&share, machine->pu[i].cpu) ? 3 : SP_NOBODY;
	sp_explain_share(machine, owner, 3, text, sizeof(text));
	free(owner);
	free(machine);
	return text;
}

START_TEST(a_share_tells_where_it_lies)
{
	ck_assert_str_eq(why_share(machine_knl(), "0-16,68-84"), "cores 0-16 of NUMA node 0");
	ck_assert_str_eq(why_share(machine_knl_snc4(), "17-18"), "cores 17-18 of NUMA nodes 0-1");
	ck_assert_str_eq(why_share(machine_epyc(), "3,67"), "core 3 of NUMA node 0");
	ck_assert_str_eq(why_share(machine_epyc(), "0-7"), "cores 0-7 of NUMA node 0, 2 L3 groups");
	EXPECT(why_share(machine_epyc(), "31-32"), "across 2 packages");
}
END_TEST

START_TEST(a_share_tells_who_else_has_the_core)
{
	struct sp_policy block = { .share = SP_SHARE_EQUAL };
	struct sp_machine *machine = machine_knl();
	uint32_t owner[272];
	char text[SP_TEXT_MAX];

	ck_assert_int_eq(sp_cut(machine, &block, 100, owner, NULL), 0);
	ck_assert_str_eq(sp_explain_share(machine, owner, 0, text, sizeof(text)),
			 "core 0 of NUMA node 0: 2 of its 4 hardware threads");
	ck_assert_str_eq(sp_explain_share(machine, owner, 2, text, sizeof(text)),
			 "core 2 of NUMA node 0, shared by 2 ranks: 2 of its 4 hardware threads");
	free(machine);
}
END_TEST

Suite *
suite_explain_cut(void)
{
	Suite *suite = suite_create("explain_cut");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_cut_tells_sizes);
	tcase_add_test(facts, a_cut_tells_its_rules);
	tcase_add_test(facts, a_cut_tells_of_ranks_that_share_cores);
	tcase_add_test(facts, a_cut_tells_its_settings);
	tcase_add_loop_test(facts, kinds_are_told_where_there_are_some, 0, 4);
	tcase_add_test(facts, a_share_tells_where_it_lies);
	tcase_add_test(facts, a_share_tells_who_else_has_the_core);
	suite_add_tcase(suite, facts);
	return suite;
}
