/* Facts about the verdict, on invented machines. */
#include <check.h>
#include <stdlib.h>

#include "machines.h"
#include "suites.h"
#include "report/verdict.h"

static struct sp_seat
seat(const char *share, uint32_t threads)
{
	return (struct sp_seat){ .state = SP_SEAT_READY, .share = cpus_of_list(share), .threads = threads };
}

/* 8 cores of 2 threads: CPUs c and c + 8. */
static struct sp_verdict
judge(const struct sp_seat seats[], uint32_t nranks)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_cpus allowed = cpus_of_list("0-15");
	struct sp_verdict verdict;

	sp_verdict(machine, &allowed, seats, nranks, &verdict);
	free(machine);
	return verdict;
}

START_TEST(disjoint_shares)
{
	const struct sp_seat seats[] = { seat("0-3,8-11", 0), seat("4-6,12-14", 0) };
	struct sp_verdict verdict = judge(seats, 2);

	ck_assert_uint_eq(verdict.ranks, 2);
	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.starving, 0);
	ck_assert_uint_eq(verdict.idle, 1);
}
END_TEST

START_TEST(an_overlap_is_named)
{
	const struct sp_seat seats[] = { seat("0-1", 0), seat("2-4", 0), seat("5", 0), seat("4,3,7", 0) };
	const struct sp_cpus common = cpus_of_list("3-4");
	struct sp_verdict verdict = judge(seats, 4);

	ck_assert_uint_eq(verdict.overlapping, 2);
	ck_assert_uint_eq(verdict.first, 1);
	ck_assert_uint_eq(verdict.second, 3);
	ck_assert(sp_cpus_equal(&verdict.common, &common));
}
END_TEST

START_TEST(overlapping_ranks_are_counted)
{
	const struct sp_seat pairs[] = { seat("0", 0), seat("0", 0), seat("1", 0), seat("2", 0), seat("2", 0) };
	const struct sp_seat same[] = { seat("0-15", 0), seat("0-15", 0), seat("0-15", 0) };
	const struct sp_seat chain[] = { seat("0-1", 0), seat("1-2", 0), seat("2-3", 0), seat("4", 0) };

	ck_assert_uint_eq(judge(pairs, 5).overlapping, 4);
	ck_assert_uint_eq(judge(same, 3).overlapping, 3);
	ck_assert_uint_eq(judge(chain, 4).overlapping, 3);
}
END_TEST

/* Two ranks on the two CPUs of one core share no CPU. */
START_TEST(hardware_threads_of_one_core_are_disjoint)
{
	const struct sp_seat seats[] = { seat("0", 0), seat("8", 0) };
	struct sp_verdict verdict = judge(seats, 2);

	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.idle, 7);
}
END_TEST

START_TEST(ranks_that_were_not_seen_do_not_count)
{
	struct sp_seat seats[] = { seat("0-3", 0), seat("0-3", 0), seat("4-7", 0) };

	seats[0].state = SP_SEAT_EMPTY;
	struct sp_verdict verdict = judge(seats, 3);
	ck_assert_uint_eq(verdict.ranks, 2);
	ck_assert_uint_eq(verdict.overlapping, 0);
	seats[1].state = seats[2].state = SP_SEAT_EMPTY;
	verdict = judge(seats, 3);
	ck_assert_uint_eq(verdict.ranks, 0);
	ck_assert_uint_eq(verdict.idle, 8);
}
END_TEST

START_TEST(starving_needs_idle_cores)
{
	const struct sp_seat bound[] = { seat("0,8", 4), seat("1,9", 1) };
	const struct sp_seat full[] = { seat("0-3,8-11", 8), seat("4-7,12-15", 8) };
	struct sp_verdict verdict = judge(bound, 2);

	ck_assert_uint_eq(verdict.starving, 1);
	ck_assert_uint_eq(verdict.starved, 0);
	ck_assert_uint_eq(verdict.idle, 6);
	ck_assert_uint_eq(judge(full, 2).starving, 0);
}
END_TEST

Suite *
suite_verdict(void)
{
	Suite *suite = suite_create("verdict");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, disjoint_shares);
	tcase_add_test(facts, an_overlap_is_named);
	tcase_add_test(facts, overlapping_ranks_are_counted);
	tcase_add_test(facts, hardware_threads_of_one_core_are_disjoint);
	tcase_add_test(facts, ranks_that_were_not_seen_do_not_count);
	tcase_add_test(facts, starving_needs_idle_cores);
	suite_add_tcase(suite, facts);
	return suite;
}
