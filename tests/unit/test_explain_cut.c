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

	EXPECT(text, "SPLITPIN_CORES=all");
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

/* Whole sentences: nothing is said that does not hold.  4 ranks on 16 cores, unless the row says otherwise. */
#define EVEN "4 ranks with 4 cores each"
#define GPUS .devices = SP_DEVICES_GPU
#define AUTO .devices = SP_DEVICES_AUTO
#define RESERVED(bits) .reserved = { .word = { bits } }
#define FIGURES .units = 4, .fair = 4

static const struct {
	struct sp_policy policy;
	struct sp_cut cut;
	const char *text;
} sentences[] = {
	{ { 0 }, { FIGURES }, EVEN },
	{ { 0 }, { FIGURES, .idle = 1 }, EVEN ", 1 core left free" },
	{ { 0 }, { .units = 1, .fair = 1, .idle = 2 }, "4 ranks with 1 core each, 2 cores left free" },
	{ { 0 }, { .units = 3, .fair = 4 }, "4 ranks with 3 cores each; 1 core fewer than an even cut, so that ranks keep to whole packages, NUMA nodes or L3 groups" },
	{ { 0 }, { .units = 2, .fair = 4 }, "4 ranks with 2 cores each; 2 cores fewer than an even cut, so that ranks keep to whole packages, NUMA nodes or L3 groups" },
	{ { .cores = 3 }, { .units = 3, .fair = 4 }, "4 ranks with 3 cores each; at most 3 cores each, spread evenly over its part (SPLITPIN_CORES=3)" },
	{ { .cores = 1 }, { .units = 1, .fair = 4, .crossing = 1 }, "4 ranks with 1 core each; at most 1 core each, spread evenly over its part (SPLITPIN_CORES=1)" },
	{ { AUTO }, { .units = 3, .fair = 4, .beside = 1 }, "4 ranks with 3 cores each; each rank is beside its GPUs (SPLITPIN_DEVICES)" },
	{ { AUTO }, { .units = 3, .fair = 4, .foreign = 1 }, "4 ranks with 3 cores each; 1 rank is not beside its GPUs, where there are too few cores" },
	{ { AUTO }, { FIGURES, .foreign = 2, .beside = 2 }, EVEN "; 2 ranks are not beside their GPUs, where there are too few cores" },
	{ { .devices = SP_DEVICES_OFF }, { FIGURES, .foreign = 2 }, EVEN },
	{ { GPUS }, { FIGURES }, EVEN "; no device is nearer to one NUMA node than to another (SPLITPIN_DEVICES)" },
	{ { 0 }, { FIGURES, .crossing = 1 }, EVEN "; 1 rank crosses into another NUMA node or L3 group, because staying inside would cost some rank more than an eighth of its cores" },
	{ { 0 }, { FIGURES, .crossing = 2 }, EVEN "; 2 ranks cross into another NUMA node or L3 group, because staying inside would cost some rank more than an eighth of its cores" },
	{ { .share = SP_SHARE_ALL }, { FIGURES, .crossing = 2 }, EVEN "; what is left over is given out too (SPLITPIN_CORES=all)" },
	{ { .smt = 1 }, { FIGURES }, EVEN "; 1 hardware thread of each core (SPLITPIN_SMT=1)" },
	{ { .smt = 2 }, { FIGURES }, EVEN "; 2 hardware threads of each core (SPLITPIN_SMT=2)" },
	{ { .smt = 4 }, { FIGURES }, EVEN "; cores have 2 hardware threads (SPLITPIN_SMT=4)" },
	{ { .reserve = 1 }, { FIGURES }, EVEN "; 1 core of each NUMA node kept for the system (SPLITPIN_RESERVE=1)" },
	{ { .reserve = 2 }, { FIGURES }, EVEN "; 2 cores of each NUMA node kept for the system (SPLITPIN_RESERVE=2)" },
	{ { RESERVED(2) }, { FIGURES }, EVEN "; CPU 1 kept for the system (SPLITPIN_RESERVE=1-1)" },
	{ { RESERVED(6) }, { FIGURES }, EVEN "; CPUs 1-2 kept for the system (SPLITPIN_RESERVE=1-2)" },
	{ { RESERVED(1ULL << 63) }, { FIGURES }, EVEN },
	{ { .distribution = SP_CYCLIC }, { FIGURES }, EVEN "; ranks are dealt round-robin to the NUMA nodes (SPLITPIN_DISTRIBUTION=cyclic)" },
	{ { .distribution = SP_CYCLIC, AUTO }, { FIGURES, .beside = 4 }, EVEN "; each rank is beside its GPUs (SPLITPIN_DEVICES)" },
	/* Fewer cores than threads. */
	{ { 0 }, { .units = 9, .largest = 9, .fair = 10, .idle = 3, .crossing = 1, .splits_cores = true },
	  "4 ranks with 9 CPUs each, 3 CPUs left free; neighbouring ranks may divide a core, so that each thread has a CPU" },
	{ { 0 }, { .units = 1, .largest = 3, .fair = 2, .splits_cores = true, .by_need = true },
	  "4 ranks with 1 to 3 CPUs each, by the threads that they announce; neighbouring ranks may divide a core, so that each thread has a CPU" },
	/* Fewer cores than ranks. */
	{ { 0 }, { .by_cpu = true, .units = 1, .crowd = { .cores = 1, .fewest = 4, .most = 4, .largest = 1, .threads = 4 } },
	  "4 ranks on 1 core: 4 ranks per core, each with 1 of its 4 hardware threads" },
	{ { GPUS }, { .by_cpu = true, .units = 1, .idle = 1, .crowd = { .cores = 3, .fewest = 1, .most = 2, .largest = 3 } },
	  "4 ranks on 3 cores: 1 or 2 ranks per core, each with 1 to 3 of its hardware threads, 1 left free; SPLITPIN_DEVICES does not apply, since all cores are used" },
	{ { .cores = 2, AUTO }, { .by_cpu = true, .units = 1, .foreign = 1, .crowd = { .cores = 2, .fewest = 2, .most = 2, .largest = 1, .threads = 2 } },
	  "4 ranks on 2 cores: 2 ranks per core, each with 1 of its 2 hardware threads; SPLITPIN_CORES=2 does not apply, since there are fewer cores than ranks; "
	  "1 rank is not beside its GPUs, where there are too few cores" },
	/* Objects that the user names. */
	{ { .domain = SP_DOMAIN_NUMA }, { FIGURES, .dealt = { .objects = 4, .fewest = 1, .most = 1, .largest = 4 } },
	  "4 ranks, 1 per NUMA node, with 4 cores each (SPLITPIN_DOMAIN)" },
	{ { .domain = SP_DOMAIN_NUMA, AUTO }, { .units = 1, .idle = 1, .foreign = 1, .dealt = { .objects = 2, .fewest = 1, .most = 3, .largest = 2 } },
	  "4 ranks, 1 to 3 per NUMA node, with 1 or 2 cores each, 1 core left free (SPLITPIN_DOMAIN); 1 rank is not beside its GPUs" },
	{ { .domain = SP_DOMAIN_CORE, GPUS }, { .units = 1, .idle = 2, .foreign = 2, .by_cpu = true, .dealt = { .objects = 2, .fewest = 2, .most = 2, .largest = 1 } },
	  "4 ranks, 2 per core, with 1 CPU each, 2 CPUs left free (SPLITPIN_DOMAIN); 2 ranks are not beside their GPUs" },
	{ { .domain = SP_DOMAIN_LISTS, .smt = 1 }, { .units = 2, .dealt = { .fewest = 1, .most = 1, .largest = 4 } },
	  "4 ranks, the CPUs of one list per rank, with 2 to 4 cores each (SPLITPIN_DOMAIN)" },
};

START_TEST(a_cut_tells_no_more_than_holds)
{
	struct sp_machine *machine = machine_uniform(16, 2);
	char text[SP_TEXT_MAX];

	ck_assert_str_eq(sp_explain_cut(machine, &sentences[_i].policy, 4, &sentences[_i].cut, text, sizeof(text)), sentences[_i].text);
	free(machine);
}
END_TEST

START_TEST(threads_that_cores_lack_are_not_used)
{
	const struct sp_policy policy = { .smt = 2 };

	ck_assert_str_eq(why_cut(machine_uniform(2, 1), &policy, 2), "2 ranks with 1 core each; cores have 1 hardware thread (SPLITPIN_SMT=2)");
}
END_TEST

START_TEST(one_rank_is_not_each)
{
	const struct sp_policy auto_policy = { AUTO }, node = { .domain = SP_DOMAIN_NODE };
	const struct sp_cut cut = { FIGURES, .dealt = { .objects = 1, .fewest = 1, .most = 1, .largest = 4 } };
	struct sp_machine *machine = machine_uniform(4, 1);
	char text[SP_TEXT_MAX];

	ck_assert_str_eq(sp_explain_cut(machine, &auto_policy, 1, &cut, text, sizeof(text)), "1 rank with 4 cores");
	ck_assert_str_eq(sp_explain_cut(machine, &node, 1, &cut, text, sizeof(text)), "1 rank, 1 per node, with 4 cores (SPLITPIN_DOMAIN)");
	/* What is near to which CPUs is said where it differs. */
	machine->pu[3].devices = 1;
	ck_assert_str_eq(sp_explain_cut(machine, &auto_policy, 1, &(struct sp_cut){ .units = 3, .fair = 4 }, text, sizeof(text)),
			 "1 rank with 3 cores; ranks go to NUMA nodes by the devices near them (SPLITPIN_DEVICES)");
	free(machine);
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
	ck_assert_str_eq(why_share(machine_epyc(), "31-32"), "cores 31-32 of NUMA nodes 3-4, across 2 packages");
	/* As many L3 groups as nodes are no news. */
	ck_assert_str_eq(why_share(machine_epyc(), "0-3,8-11"), "cores 0-3,8-11 of NUMA nodes 0-1");
	ck_assert_str_eq(why_share(machine_epyc(), "0-11"), "cores 0-11 of NUMA nodes 0-1, 3 L3 groups");
	ck_assert_str_eq(why_share(machine_uniform(4, 2), "2"), "core 2 of NUMA node 0: 1 of its 2 hardware threads");
}
END_TEST

START_TEST(a_share_tells_its_fast_cores)
{
	struct sp_machine *kinds = machine_hybrid(), *speeds = machine_hybrid();

	for (uint32_t i = 0; i < kinds->ncpus; i++) {
		kinds->pu[i].kind = kinds->pu[i].core < 4;
		speeds->pu[i].speed = speeds->pu[i].core < 2 ? 2 : 0;
	}
	EXPECT(why_share(kinds, "4-9"), "cores 2-5 of NUMA node 0, 2 fast and 2 slow");
	EXPECT(why_share(speeds, "2-9"), "cores 1-5 of NUMA node 0, 1 with a higher top speed");
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
	tcase_add_loop_test(facts, a_cut_tells_no_more_than_holds, 0, (int)(sizeof(sentences) / sizeof(sentences[0])));
	tcase_add_test(facts, threads_that_cores_lack_are_not_used);
	tcase_add_test(facts, one_rank_is_not_each);
	tcase_add_test(facts, a_share_tells_where_it_lies);
	tcase_add_test(facts, a_share_tells_its_fast_cores);
	tcase_add_test(facts, a_share_tells_who_else_has_the_core);
	suite_add_tcase(suite, facts);
	return suite;
}
