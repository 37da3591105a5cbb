/* More ranks than cores, on invented machines; test_every_crowd.c has what holds for all. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>

#include "cut/cut.h"
#include "machines.h"

static const struct sp_policy block = { .share = SP_SHARE_EQUAL };

/* A machine cut among more ranks than it has cores. */
struct crowd {
	struct sp_machine *machine;
	uint32_t *owner;
	struct sp_cut cut;
};

/* Takes the machine over. */
static struct crowd
cut(struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks)
{
	struct crowd crowd = { .machine = machine };

	crowd.owner = malloc((machine->ncpus + 1) * sizeof(*crowd.owner));
	ck_assert_ptr_nonnull(crowd.owner);
	ck_assert_int_eq(sp_cut(machine, policy, nranks, crowd.owner, &crowd.cut), 0);
	ck_assert(crowd.cut.by_cpu);
	return crowd;
}

static void
release(struct crowd *crowd)
{
	free(crowd->owner);
	free(crowd->machine);
}

/* The share of a rank is this list. */
static void
expect_share(const struct crowd *crowd, uint32_t rank, const char *list)
{
	struct sp_cpus share;
	char text[SP_CPUS_TEXT];

	sp_cut_share(crowd->machine, crowd->owner, rank, &share);
	ck_assert_str_eq(sp_cpus_format(&share, text, sizeof(text)), list);
}

static void
expect_figures(const struct crowd *crowd, struct sp_cut expected)
{
	ck_assert_uint_eq(crowd->cut.units, expected.units);
	ck_assert_uint_eq(crowd->cut.fair, expected.fair);
	ck_assert_uint_eq(crowd->cut.idle, expected.idle);
	ck_assert_uint_eq(crowd->cut.crossing, 0);
	ck_assert_uint_eq(crowd->cut.crowd.cores, expected.crowd.cores);
	ck_assert_uint_eq(crowd->cut.crowd.fewest, expected.crowd.fewest);
	ck_assert_uint_eq(crowd->cut.crowd.most, expected.crowd.most);
	ck_assert_uint_eq(crowd->cut.crowd.threads, expected.crowd.threads);
	ck_assert_uint_eq(crowd->cut.crowd.largest, expected.crowd.largest);
}

/* Knights Landing and others. */

START_TEST(knl_hundred_ranks_use_all_cores)
{
	struct crowd crowd = cut(machine_knl(), &block, 100);

	expect_figures(&crowd, (struct sp_cut){ .units = 2, .fair = 2, .idle = 72, .crowd = { 68, 1, 2, 4, 2 } });
	expect_share(&crowd, 0, "0,68");
	expect_share(&crowd, 1, "1,69");
	expect_share(&crowd, 2, "2,70");
	expect_share(&crowd, 3, "138,206");
	release(&crowd);
}
END_TEST

START_TEST(knl_one_rank_too_many_shares_one_core)
{
	struct crowd crowd = cut(machine_knl(), &block, 69);

	expect_figures(&crowd, (struct sp_cut){ .units = 2, .fair = 3, .idle = 134, .crowd = { 68, 1, 2, 4, 2 } });
	expect_share(&crowd, 66, "66,134");
	expect_share(&crowd, 67, "67,135");
	expect_share(&crowd, 68, "203,271");
	release(&crowd);
}
END_TEST

START_TEST(power9_ranks_do_not_straddle_cores)
{
	struct crowd crowd = cut(machine_power9(), &block, 48);

	expect_figures(&crowd, (struct sp_cut){ .units = 2, .fair = 3, .idle = 64, .crowd = { 40, 1, 2, 4, 2 } });
	expect_share(&crowd, 3, "12-13");
	expect_share(&crowd, 4, "16-17");
	expect_share(&crowd, 5, "18-19");
	release(&crowd);
}
END_TEST

START_TEST(ranks_of_a_core_have_as_many_cpus)
{
	struct crowd crowd = cut(machine_uniform(4, 4), &block, _i);
	uint32_t most = (_i + 3) / 4, size[16] = { 0 };

	expect_figures(&crowd, (struct sp_cut){ .units = 4 / most, .fair = 16 / _i, .idle = 16 - _i * (4 / most),
						.crowd = { 4, _i / 4, most, 4, 4 / most } });
	for (uint32_t i = 0; i < 16; i++)
		if (crowd.owner[i] != SP_NOBODY)
			size[crowd.owner[i]]++;
	for (int rank = 0; rank < _i; rank++)
		ck_assert_uint_eq(size[rank], 4 / most);
	release(&crowd);
}
END_TEST

START_TEST(neighbours_share_a_core)
{
	struct crowd crowd = cut(machine_of((struct shape){ .packages = 2, .l2s = 2, .threads = 4 }), &block, 8);

	expect_share(&crowd, 0, "0,4");
	expect_share(&crowd, 1, "8,12");
	expect_share(&crowd, 7, "11,15");
	release(&crowd);
}
END_TEST

/* 3 ranks of 4 CPUs: one each, and the fourth is left over. */
START_TEST(all_deals_out_what_a_core_has_left)
{
	struct sp_policy all = { .share = SP_SHARE_ALL };
	struct crowd equal = cut(machine_uniform(2, 4), &block, 5), whole = cut(machine_uniform(2, 4), &all, 5);

	expect_figures(&equal, (struct sp_cut){ .units = 1, .fair = 1, .idle = 3, .crowd = { 2, 2, 3, 4, 1 } });
	expect_figures(&whole, (struct sp_cut){ .units = 1, .fair = 1, .idle = 0, .crowd = { 2, 2, 3, 4, 2 } });
	expect_share(&whole, 0, "0,2");
	expect_share(&whole, 2, "1");
	expect_share(&whole, 4, "5,7");
	release(&equal);
	release(&whole);
}
END_TEST

START_TEST(cyclic_goes_round_the_nodes)
{
	struct sp_policy cyclic = { .distribution = SP_CYCLIC };
	struct crowd crowd = cut(machine_of((struct shape){ .numas = 2, .l2s = 2, .threads = 2 }), &cyclic, 6);

	/* block: 0 | 1 2 | 3 | 4 5 */
	expect_share(&crowd, 0, "0");
	expect_share(&crowd, 1, "2");
	expect_share(&crowd, 2, "1");
	expect_share(&crowd, 3, "3");
	expect_share(&crowd, 4, "5");
	expect_share(&crowd, 5, "7");
	release(&crowd);
}
END_TEST

START_TEST(smt_limits_the_ranks_of_a_core)
{
	struct sp_policy smt = { .smt = 2 };
	struct crowd crowd = cut(machine_knl(), &smt, 136);
	uint32_t owner[272];

	expect_figures(&crowd, (struct sp_cut){ .units = 1, .fair = 1, .idle = 0, .crowd = { 68, 2, 2, 2, 1 } });
	expect_share(&crowd, 1, "68");
	ck_assert_int_eq(sp_cut(crowd.machine, &smt, 137, owner, NULL), -ENOSPC);
	release(&crowd);
}
END_TEST

START_TEST(cores_and_devices_change_nothing)
{
	struct sp_policy policy = { .cores = 1, .devices = SP_DEVICES_GPU };
	struct sp_machine *near = machine_of((struct shape){ .numas = 2, .l2s = 4, .threads = 4 });

	for (uint32_t i = 0; i < near->ncpus; i++)
		near->pu[i].devices = near->pu[i].numa;

	struct crowd plain = cut(machine_of((struct shape){ .numas = 2, .l2s = 4, .threads = 4 }), &block, 11);
	struct crowd other = cut(near, &policy, 11);

	ck_assert_mem_eq(plain.owner, other.owner, near->ncpus * sizeof(*plain.owner));
	release(&plain);
	release(&other);
}
END_TEST

/* Cores 0 to 3 of 2 CPUs, 4 to 11 of one. */
START_TEST(slow_cores_have_one_rank)
{
	struct crowd crowd = cut(machine_hybrid(), &block, 14);

	expect_figures(&crowd, (struct sp_cut){ .units = 1, .fair = 1, .idle = 2, .crowd = { 12, 1, 2, 0, 1 } });
	expect_share(&crowd, 0, "0");
	expect_share(&crowd, 1, "2");
	expect_share(&crowd, 2, "3");
	expect_share(&crowd, 13, "15");
	release(&crowd);
}
END_TEST

START_TEST(fast_cores_alone)
{
	struct sp_policy fast = { .kinds = SP_KINDS_PERFORMANCE };
	struct sp_machine *machine = machine_hybrid();

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = machine->pu[i].core < 4;

	struct crowd crowd = cut(machine, &fast, 7);

	expect_figures(&crowd, (struct sp_cut){ .units = 1, .fair = 1, .idle = 1, .crowd = { 4, 1, 2, 2, 1 } });
	expect_share(&crowd, 6, "7");
	release(&crowd);
}
END_TEST

/* Core 0 has one CPU of 4: its rank has what is there, the others are no worse for it. */
START_TEST(a_core_with_too_few_cpus)
{
	struct crowd six = cut(machine_without(machine_uniform(4, 4), "4,8,12"), &block, 6);
	struct crowd eight = cut(machine_without(machine_uniform(4, 4), "4,8,12"), &block, 8);

	expect_figures(&six, (struct sp_cut){ .units = 1, .fair = 2, .idle = 2, .crowd = { 4, 1, 2, 0, 2 } });
	expect_share(&six, 0, "0");
	expect_share(&six, 1, "1,5");
	/* 1, 2, 2 and 3 */
	expect_figures(&eight, (struct sp_cut){ .units = 1, .fair = 1, .idle = 5, .crowd = { 4, 1, 3, 0, 1 } });
	release(&six);
	release(&eight);
}
END_TEST

START_TEST(four_thousand_ranks)
{
	struct sp_machine *machine = machine_of((struct shape){
		.packages = 8, .numas = 8, .l3s = 8, .l2s = 4, .threads = 2 });
	struct crowd crowd = cut(machine, &block, 4096);

	expect_figures(&crowd, (struct sp_cut){ .units = 1, .fair = 1, .idle = 0, .crowd = { 2048, 2, 2, 2, 1 } });
	release(&crowd);
}
END_TEST

Suite *
suite_crowd(void)
{
	Suite *suite = suite_create("crowd");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, knl_hundred_ranks_use_all_cores);
	tcase_add_test(facts, knl_one_rank_too_many_shares_one_core);
	tcase_add_test(facts, power9_ranks_do_not_straddle_cores);
	tcase_add_loop_test(facts, ranks_of_a_core_have_as_many_cpus, 5, 17);
	tcase_add_test(facts, neighbours_share_a_core);
	tcase_add_test(facts, all_deals_out_what_a_core_has_left);
	tcase_add_test(facts, cyclic_goes_round_the_nodes);
	tcase_add_test(facts, smt_limits_the_ranks_of_a_core);
	tcase_add_test(facts, cores_and_devices_change_nothing);
	tcase_add_test(facts, slow_cores_have_one_rank);
	tcase_add_test(facts, fast_cores_alone);
	tcase_add_test(facts, a_core_with_too_few_cpus);
	tcase_add_test(facts, four_thousand_ranks);
	suite_add_tcase(suite, facts);
	return suite;
}
