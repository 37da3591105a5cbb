/* Facts about the verdict, on invented machines. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "machines.h"
#include "suites.h"
#include "report/outcome.h"
#include "report/verdict.h"

static struct sp_seat
seat(const char *share, uint32_t threads)
{
	return (struct sp_seat){ .state = SP_SEAT_READY, .share = cpus_of_list(share), .threads = threads };
}

/* Of a rank that keeps the mask to which something has bound it. */
static struct sp_seat
bound_seat(const char *share, uint32_t threads)
{
	struct sp_seat made = seat(share, threads);

	made.inherited = made.share;
	return made;
}

/* 8 cores of 2 threads: CPUs c and c + 8. */
static struct sp_verdict
verdict_of(const struct sp_seat seats[], uint32_t nranks)
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
	struct sp_verdict verdict = verdict_of(seats, 2);

	ck_assert_uint_eq(verdict.ranks, 2);
	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.starving, 0);
	ck_assert_uint_eq(verdict.idle, 1);
	ck_assert(verdict.all_came);
	/* One core for two ranks is of no use to them. */
	ck_assert(!verdict.is_gain);
}
END_TEST

START_TEST(an_overlap_is_named)
{
	const struct sp_seat seats[] = { seat("0-1", 0), seat("2-4", 0), seat("5", 0), seat("4,3,7", 0) };
	const struct sp_cpus common = cpus_of_list("3-4");
	struct sp_verdict verdict = verdict_of(seats, 4);

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

	ck_assert_uint_eq(verdict_of(pairs, 5).overlapping, 4);
	ck_assert_uint_eq(verdict_of(same, 3).overlapping, 3);
	ck_assert_uint_eq(verdict_of(chain, 4).overlapping, 3);
}
END_TEST

/* Two ranks on the two CPUs of one core share no CPU. */
START_TEST(hardware_threads_of_one_core_are_disjoint)
{
	const struct sp_seat seats[] = { seat("0", 0), seat("8", 0) };
	struct sp_verdict verdict = verdict_of(seats, 2);

	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.idle, 7);
}
END_TEST

START_TEST(ranks_that_were_not_seen_do_not_count)
{
	struct sp_seat seats[] = { seat("0-3", 0), seat("0-3", 0), seat("4-7", 0) };

	seats[0].state = SP_SEAT_EMPTY;
	seats[0].listed = cpus_of_list("9");
	struct sp_verdict verdict = verdict_of(seats, 3);
	ck_assert_uint_eq(verdict.ranks, 2);
	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.listed, 0);
	/* Nor is one of them the first of two that overlap. */
	seats[2].share = seats[1].share;
	verdict = verdict_of(seats, 3);
	ck_assert_uint_eq(verdict.overlapping, 2);
	ck_assert_uint_eq(verdict.first, 1);
	seats[1].state = seats[2].state = SP_SEAT_EMPTY;
	verdict = verdict_of(seats, 3);
	ck_assert_uint_eq(verdict.ranks, 0);
	ck_assert(!verdict.all_came);
}
END_TEST

/* What the others use is not known. */
START_TEST(nothing_is_idle_before_all_have_come)
{
	struct sp_seat seats[] = { seat("0", 2), seat("1", 1), seat("2", 1) };
	struct sp_verdict verdict = verdict_of(seats, 3);

	ck_assert(verdict.all_came);
	ck_assert_uint_eq(verdict.idle, 5);
	ck_assert(verdict.is_gain);
	seats[1].state = SP_SEAT_EMPTY;
	verdict = verdict_of(seats, 3);
	ck_assert(!verdict.all_came);
	ck_assert_uint_eq(verdict.idle, 0);
	ck_assert(!verdict.is_gain);
	/* More threads than CPUs are too many all the same. */
	ck_assert_uint_eq(verdict.starving, 1);
	seats[0] = seat("0,8", 2);
	ck_assert_uint_eq(verdict_of(seats, 3).starving, 0);
}
END_TEST

/* It has come, has no share, and runs somewhere on what it inherited. */
START_TEST(a_refused_rank_has_come)
{
	struct sp_seat seats[] = { seat("0-1", 0), seat("2-3", 9) };

	seats[1].state = SP_SEAT_REFUSED;
	seats[1].share = (struct sp_cpus){ 0 };
	seats[1].inherited = cpus_of_list("1-3");
	struct sp_verdict verdict = verdict_of(seats, 2);
	ck_assert_uint_eq(verdict.ranks, 1);
	ck_assert_uint_eq(verdict.refused, 1);
	ck_assert(verdict.all_came);
	ck_assert_uint_eq(verdict.overlapping, 0);
	ck_assert_uint_eq(verdict.starving, 0);
	ck_assert_uint_eq(verdict.idle, 4);

	seats[0] = seats[1];
	verdict = verdict_of(seats, 2);
	ck_assert_uint_eq(verdict.ranks, 0);
	ck_assert_uint_eq(verdict.refused, 2);
	ck_assert(verdict.all_came);
	ck_assert_uint_eq(verdict.idle, 5);
}
END_TEST

/* Each mask's first rank speaks for those that have it. */
START_TEST(a_refused_rank_unlike_the_first_is_untold)
{
	struct sp_seat seats[] = { seat("0-1", 0), seat("2-3", 0), seat("4-5", 0), seat("6-7", 0) };

	for (int i = 0; i < 4; i++)
		seats[i].inherited = cpus_of_list(i < 2 ? "0-3" : "4-7");
	seats[0].state = SP_SEAT_EMPTY;
	ck_assert_uint_eq(verdict_of(seats, 4).unreported, 0);
	seats[3].state = SP_SEAT_REFUSED;
	/* It has said itself that it could not be put there. */
	ck_assert_uint_eq(verdict_of(seats, 4).unreported, 0);
	seats[3].share = (struct sp_cpus){ 0 };
	struct sp_verdict verdict = verdict_of(seats, 4);
	ck_assert_uint_eq(verdict.unreported, 1);
	ck_assert_uint_eq(verdict.untold, 3);
	seats[2] = seats[3];
	ck_assert_uint_eq(verdict_of(seats, 4).unreported, 0);
	seats[0] = seats[1];
	seats[1] = (struct sp_seat){ .state = SP_SEAT_REFUSED, .inherited = seats[0].inherited };
	verdict = verdict_of(seats, 4);
	ck_assert_uint_eq(verdict.unreported, 1);
	ck_assert_uint_eq(verdict.untold, 1);
	/* The first of several. */
	seats[2] = seats[3] = seats[1];
	verdict = verdict_of(seats, 4);
	ck_assert_uint_eq(verdict.unreported, 3);
	ck_assert_uint_eq(verdict.untold, 1);
}
END_TEST

START_TEST(without_refused_ranks_none_is)
{
	const struct sp_seat seats[] = { seat("0", 0) };

	ck_assert_uint_eq(verdict_of(seats, 1).refused, 0);
}
END_TEST

START_TEST(more_threads_than_cores_starve_where_all_could_have_more)
{
	const struct sp_seat bound[] = { bound_seat("0,8", 2), bound_seat("1,9", 1) };
	const struct sp_seat full[] = { bound_seat("0-3,8-11", 8), bound_seat("4-7,12-15", 8) };
	const struct sp_seat few[] = { bound_seat("0-3,8-11", 8), bound_seat("4-6,12-14", 6) };
	const struct sp_seat two[] = { bound_seat("0-2,8-10", 6), bound_seat("3-5,11-13", 3) };
	const struct sp_seat both[] = { bound_seat("1", 1), bound_seat("2,10", 2), bound_seat("3,11", 2) };
	struct sp_verdict verdict = verdict_of(bound, 2);

	ck_assert_uint_eq(verdict.starving, 1);
	ck_assert_uint_eq(verdict.starved, 0);
	ck_assert_uint_eq(verdict.idle, 6);
	ck_assert(verdict.is_gain);
	ck_assert_uint_eq(verdict_of(full, 2).starving, 0);
	/* One idle core is not one for each of two ranks; two are. */
	ck_assert_uint_eq(verdict_of(few, 2).idle, 1);
	ck_assert_uint_eq(verdict_of(few, 2).starving, 0);
	ck_assert_uint_eq(verdict_of(two, 2).idle, 2);
	ck_assert_uint_eq(verdict_of(two, 2).starving, 1);
	/* The first of several. */
	verdict = verdict_of(both, 3);
	ck_assert_uint_eq(verdict.starving, 2);
	ck_assert_uint_eq(verdict.starved, 1);
	ck_assert_uint_eq(verdict.idle, 5);
}
END_TEST

/* Idle cores of a node that splitpin has divided by a setting are meant to be idle. */
START_TEST(only_who_is_bound_lacks_the_cores_of_others)
{
	struct sp_seat seats[] = { seat("0,8", 2), seat("1,9", 2) };

	seats[0].inherited = seats[1].inherited = cpus_of_list("0-15");
	ck_assert(verdict_of(seats, 2).is_gain);
	ck_assert_uint_eq(verdict_of(seats, 2).starving, 0);
	/* A part of the node is given to both. */
	seats[0].inherited = seats[1].inherited = cpus_of_list("0-1,8-9");
	ck_assert_uint_eq(verdict_of(seats, 2).starving, 2);
	/* A default was replaced. */
	seats[0].inherited = cpus_of_list("0");
	ck_assert_uint_eq(verdict_of(seats, 2).starving, 1);
	/* More threads than CPUs are too many in any case. */
	seats[0].threads = 3;
	ck_assert_uint_eq(verdict_of(seats, 2).starving, 2);
}
END_TEST

START_TEST(idle_cores_fewer_than_ranks_are_enough_for_who_lacks_no_more)
{
	struct sp_seat seats[] = { bound_seat("0", 4), seat("1", 1), seat("2", 1), seat("3", 1), seat("4", 1) };

	ck_assert_uint_eq(verdict_of(seats, 5).idle, 3);
	ck_assert(verdict_of(seats, 5).is_gain);
	ck_assert_uint_eq(verdict_of(seats, 5).part, 1);
	seats[0].threads = 5;
	ck_assert(!verdict_of(seats, 5).is_gain);
}
END_TEST

START_TEST(more_threads_than_CPUs_starve_on_a_full_node)
{
	const struct sp_seat seats[] = { seat("0-3,8-11", 8), seat("4-7,12-15", 9) };
	struct sp_verdict verdict = verdict_of(seats, 2);

	ck_assert_uint_eq(verdict.starving, 1);
	ck_assert_uint_eq(verdict.starved, 1);
	ck_assert_uint_eq(verdict.idle, 0);
	ck_assert(!verdict.is_gain);
	/* What all can do is what the one with the fewest can. */
	const struct sp_seat unequal[] = { seat("0-2,8-10", 9), seat("3,11", 9), seat("4-6,12-14", 9), seat("7,15", 9) };

	verdict = verdict_of(unequal, 4);
	ck_assert_uint_eq(verdict.starving, 4);
	ck_assert_uint_eq(verdict.starved, 1);
}
END_TEST

static struct sp_seat
listing_seat(const char *share, const char *listed)
{
	struct sp_seat of_rank = seat(share, 0);

	of_rank.listed = cpus_of_list(listed);
	return of_rank;
}

START_TEST(lists_of_CPUs_meet)
{
	const struct sp_cpus common = cpus_of_list("2-3"), outside = cpus_of_list("5");
	const struct sp_seat same[] = { listing_seat("0-1", "0-3"), listing_seat("2-3", ""), listing_seat("4-5", "2-4"), listing_seat("6", "5"), listing_seat("2-3", "2-3") };
	struct sp_verdict verdict = verdict_of(same, 4);

	ck_assert_uint_eq(verdict.listed, 3);
	ck_assert_uint_eq(verdict.crowded, 2);
	ck_assert_uint_eq(verdict.one, 0);
	ck_assert_uint_eq(verdict.other, 2);
	ck_assert(sp_cpus_equal(&verdict.claimed, &common));
	verdict = verdict_of(same + 3, 1);
	ck_assert_uint_eq(verdict.listed, 1);
	ck_assert_uint_eq(verdict.crowded, 0);
	ck_assert(sp_cpus_equal(&verdict.claimed, &outside));
	verdict = verdict_of(same + 1, 1);
	ck_assert_uint_eq(verdict.listed, 0);
	verdict = verdict_of(same + 4, 1);
	ck_assert_uint_eq(verdict.listed, 0);
	/* Each meets itself, which is none of two ranks. */
	verdict = verdict_of((const struct sp_seat[]){ listing_seat("0", "0-1"), listing_seat("2", "4-5"), listing_seat("3", "1-3") }, 3);
	ck_assert_uint_eq(verdict.one, 0);
	ck_assert_uint_eq(verdict.other, 2);
	/* One list lies in its rank's share, and another names the same CPUs. */
	verdict = verdict_of((const struct sp_seat[]){ same[4], same[2] }, 2);
	ck_assert_uint_eq(verdict.listed, 1);
	ck_assert_uint_eq(verdict.crowded, 2);
}
END_TEST

/* Ranks as "INHERITED:SHARE:THREADS" on 8 cores of one CPU; what a record says: "BEFORE_CROWDED IDLE ACTION AFTER_CROWDED". */
static const struct {
	const char *ranks[3];
	bool is_bound;
	const char *outcome;
} outcomes[] = {
	{ { "0-7:0-3:4", "0-7:4-7:4" }, false, "0 0 divided 0" },		/* room for all, only not each alone */
	{ { "0-7:0-3:8", "0-7:4-7:8" }, false, "2 0 divided 2" },
	{ { "0:0-3:4", "1:4-7:4" }, false, "2 6 replaced 0" },
	{ { "0-3:0-1:2", "0-3:2-3:2" }, true, "2 4 divided 0" },		/* each runtime binds to CPUs 0 and 1 */
	{ { "0-3:0-3:2", "4-7:4-7:2" }, true, "0 0 kept 0" },
	{ { "0-3:0-3:4", "4-7:4-7:4" }, false, "0 0 kept 0" },
	{ { "0:0:1", "0:0:1" }, false, "2 7 kept 2" },
	{ { "0-7:0-7:8" }, false, "0 0 none 0" },
	{ { "0-7:0-7:0" }, false, "0 0 none 0" },
};

START_TEST(a_record_tells_before_from_after)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	const struct sp_cpus domain = cpus_of_list("0-7");
	struct sp_seat seats[3] = { { 0 } };
	struct sp_verdict verdict = { 0 };
	struct sp_outcome outcome;
	uint32_t n = 0;
	char found[64];

	for (; n < 3 && outcomes[_i].ranks[n]; n++) {
		char inherited[16], share[16];

		ck_assert_int_eq(sscanf(outcomes[_i].ranks[n], "%15[^:]:%15[^:]:%u", inherited, share, &seats[n].threads), 3);
		seats[n].state = SP_SEAT_READY;
		seats[n].inherited = cpus_of_list(inherited);
		seats[n].share = cpus_of_list(share);
	}
	sp_outcome_find(machine, &domain, outcomes[_i].is_bound, seats, n, &verdict, &outcome);
	snprintf(found, sizeof(found), "%u %u %s %u", outcome.before_crowded, outcome.before_idle, outcome.action, outcome.after_crowded);
	ck_assert_str_eq(found, outcomes[_i].outcome);
	verdict.sharing = 1;
	sp_outcome_find(machine, &domain, outcomes[_i].is_bound, seats, n, &verdict, &outcome);
	ck_assert_str_eq(outcome.action, "shared");
	verdict.refused = 1;
	sp_outcome_find(machine, &domain, outcomes[_i].is_bound, seats, n, &verdict, &outcome);
	ck_assert_str_eq(outcome.action, "refused");
	free(machine);
}
END_TEST

/* Those of the ranks that share them, also where they are left to other jobs on the board. */
START_TEST(CPUs_that_are_shared_are_counted)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_seat seats[] = { seat("0-3,8-11", 9), seat("2-4,10-12", 9), seat("5", 1) };
	const struct sp_cpus left = cpus_of_list("6-7,14-15");
	struct sp_verdict verdict;

	seats[0].ownership = seats[1].ownership = SP_NODE_SHARED;
	sp_verdict(machine, &left, seats, 3, &verdict);
	ck_assert_uint_eq(verdict.sharing, 2);
	ck_assert_uint_eq(verdict.threads, 18);
	ck_assert_uint_eq(verdict.cpus, 10);
	free(machine);
}
END_TEST

Suite *
suite_verdict(void)
{
	Suite *suite = suite_create("verdict");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, disjoint_shares);
	tcase_add_loop_test(facts, a_record_tells_before_from_after, 0, sizeof(outcomes) / sizeof(outcomes[0]));
	tcase_add_test(facts, an_overlap_is_named);
	tcase_add_test(facts, overlapping_ranks_are_counted);
	tcase_add_test(facts, hardware_threads_of_one_core_are_disjoint);
	tcase_add_test(facts, ranks_that_were_not_seen_do_not_count);
	tcase_add_test(facts, nothing_is_idle_before_all_have_come);
	tcase_add_test(facts, a_refused_rank_has_come);
	tcase_add_test(facts, a_refused_rank_unlike_the_first_is_untold);
	tcase_add_test(facts, without_refused_ranks_none_is);
	tcase_add_test(facts, more_threads_than_cores_starve_where_all_could_have_more);
	tcase_add_test(facts, only_who_is_bound_lacks_the_cores_of_others);
	tcase_add_test(facts, idle_cores_fewer_than_ranks_are_enough_for_who_lacks_no_more);
	tcase_add_test(facts, more_threads_than_CPUs_starve_on_a_full_node);
	tcase_add_test(facts, CPUs_that_are_shared_are_counted);
	tcase_add_test(facts, lists_of_CPUs_meet);
	suite_add_tcase(suite, facts);
	return suite;
}
