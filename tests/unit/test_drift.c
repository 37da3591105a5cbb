/* Which masks count as changed by others, and how that is worded. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "threads/drift.h"
#include "suites.h"

static struct sp_cpus
cpus(const char *list)
{
	struct sp_cpus set = { 0 };

	ck_assert_int_eq(sp_cpus_parse(list, &set), 0);
	return set;
}

static bool
drifted(const char *now, bool by_call)
{
	struct sp_cpus mask = cpus(now), assigned = cpus("2,6"), pinned = cpus("3"), share = cpus("0-7"), unpinned = cpus("0-31");
	struct sp_given given = { .assigned = &assigned, .pinned = &pinned, .share = &share, .unpinned = &unpinned };

	return sp_drifted(&given, &mask, by_call);
}

START_TEST(a_thread_may_be_where_it_is_assigned_or_was_pinned)
{
	ck_assert(!drifted("2,6", false));
	ck_assert(!drifted("3", false));
	ck_assert(!drifted("2,6", true));
}
END_TEST

START_TEST(every_other_mask_was_changed)
{
	ck_assert(drifted("2", false));
	ck_assert(drifted("0", false));
	ck_assert(drifted("2,6-7", false));
	ck_assert(drifted("0-15", false));
}
END_TEST

/* It has it while it makes threads and processes. */
START_TEST(the_share_counts_only_where_somebody_set_it)
{
	ck_assert(!drifted("0-7", false));
	ck_assert(drifted("0-7", true));
}
END_TEST

/* Changes. */

static const char callers[4];

START_TEST(the_caller_of_the_newest_change_is_found)
{
	static struct sp_changes changes;
	struct sp_cpus zero = cpus("0"), one = cpus("1");

	ck_assert_ptr_null(sp_changes_find(&changes, 11, sp_drift_hash(&zero)));
	sp_changes_add(&changes, 11, &callers[0], sp_drift_hash(&zero));
	sp_changes_add(&changes, 12, &callers[1], sp_drift_hash(&zero));
	sp_changes_add(&changes, 11, &callers[2], sp_drift_hash(&one));
	ck_assert_ptr_eq(sp_changes_find(&changes, 11, sp_drift_hash(&one)), &callers[2]);
	ck_assert_ptr_eq(sp_changes_find(&changes, 12, sp_drift_hash(&zero)), &callers[1]);
	ck_assert_ptr_null(sp_changes_find(&changes, 13, sp_drift_hash(&zero)));
}
END_TEST

START_TEST(a_later_change_by_another_way_has_no_caller)
{
	static struct sp_changes changes;
	struct sp_cpus zero = cpus("0"), one = cpus("1");

	sp_changes_add(&changes, 11, &callers[0], sp_drift_hash(&zero));
	ck_assert_ptr_null(sp_changes_find(&changes, 11, sp_drift_hash(&one)));
}
END_TEST

START_TEST(what_is_forgotten_is_not_found)
{
	static struct sp_changes changes;
	struct sp_cpus zero = cpus("0");

	sp_changes_add(&changes, 11, &callers[0], sp_drift_hash(&zero));
	sp_changes_forget(&changes, 12);
	ck_assert_ptr_nonnull(sp_changes_find(&changes, 11, sp_drift_hash(&zero)));
	sp_changes_forget(&changes, 11);
	ck_assert_ptr_null(sp_changes_find(&changes, 11, sp_drift_hash(&zero)));
	ck_assert_ptr_null(sp_changes_find(&changes, 1, sp_drift_hash(&zero)));
}
END_TEST

START_TEST(the_newest_changes_are_kept)
{
	static struct sp_changes changes;
	struct sp_cpus zero = cpus("0");

	for (int tid = 1; tid <= SP_CHANGES + 10; tid++)
		sp_changes_add(&changes, tid, &callers[0], sp_drift_hash(&zero));
	ck_assert_ptr_null(sp_changes_find(&changes, 10, sp_drift_hash(&zero)));
	ck_assert_ptr_nonnull(sp_changes_find(&changes, 11, sp_drift_hash(&zero)));
	ck_assert_ptr_nonnull(sp_changes_find(&changes, SP_CHANGES + 10, sp_drift_hash(&zero)));
	/* A thread that is there takes no other's room. */
	for (int i = 0; i < 2 * SP_CHANGES; i++)
		sp_changes_add(&changes, 20, &callers[1], sp_drift_hash(&zero));
	ck_assert_ptr_nonnull(sp_changes_find(&changes, 11, sp_drift_hash(&zero)));
}
END_TEST

static struct sp_changes shared_changes;
static atomic_bool has_added;

static void *
add_often(void *set)
{
	for (int i = 0; i < 20000; i++)
		sp_changes_add(&shared_changes, 11, &callers[i % 2], sp_drift_hash(set));
	has_added = true;
	return NULL;
}

/* Its entry is empty meanwhile, and not that of a thread whose number is low. */
START_TEST(who_looks_while_a_change_is_added_finds_no_other_thread)
{
	struct sp_cpus zero = cpus("0");
	pthread_t thread;
	unsigned found = 0;

	ck_assert_int_eq(pthread_create(&thread, NULL, add_often, &zero), 0);
	while (!has_added)
		for (pid_t tid = 1; tid <= 10; tid++)
			found += sp_changes_find(&shared_changes, tid, sp_drift_hash(&zero)) != NULL;
	pthread_join(thread, NULL);
	ck_assert_uint_eq(found, 0);
	ck_assert_ptr_eq(sp_changes_find(&shared_changes, 11, sp_drift_hash(&zero)), &callers[1]);
}
END_TEST

START_TEST(sets_have_numbers_that_differ)
{
	struct sp_cpus a = { 0 }, b = { 0 };

	ck_assert(sp_drift_hash(&a) != 0);
	for (uint32_t i = 0; i < 300; i++) {
		for (uint32_t j = 0; j < i; j++) {
			a = b = (struct sp_cpus){ 0 };
			sp_cpus_add(&a, i);
			sp_cpus_add(&b, j);
			ck_assert(sp_drift_hash(&a) != sp_drift_hash(&b));
		}
	}
	b = a;
	ck_assert(sp_drift_hash(&a) == sp_drift_hash(&b));
	sp_cpus_add(&b, SP_CPUS_MAX - 1);
	ck_assert(sp_drift_hash(&a) != sp_drift_hash(&b));
}
END_TEST

/* Sentences. */

static struct sp_drift
drift(int thread, const char *assigned, const char *now, const char *by)
{
	struct sp_drift d = { .thread = thread, .tid = 100 + thread, .assigned = cpus(assigned), .now = cpus(now) };

	strcpy(d.by, by);
	return d;
}

START_TEST(a_thread_is_named_with_both_masks)
{
	struct sp_drift d = drift(3, "12,28", "0", "libfoo.so");
	char text[SP_DRIFT_TEXT];

	ck_assert_str_eq(sp_drift_format(&d, text, sizeof(text)),
			 "mask of thread 3 (tid 103) changed from 12,28 to 0 by libfoo.so");
	d.by[0] = '\0';
	d.thread = -1;
	ck_assert_str_eq(sp_drift_format(&d, text, sizeof(text)),
			 "mask of the main thread (tid 103) changed from 12,28 to 0");
	d.thread = 0;
	ck_assert_str_eq(sp_drift_format(&d, text, sizeof(text)), "mask of thread 0 (tid 103) changed from 12,28 to 0");
}
END_TEST

static void
add(struct sp_drifts *drifts, int thread, const char *assigned, const char *now)
{
	struct sp_cpus share = cpus("0-7");
	struct sp_drift d = drift(thread, assigned, now, "");

	sp_drifts_add(drifts, &d, &share);
}

static void
expect(const struct sp_drifts *drifts, int first, int second, int third)
{
	ck_assert_int_eq(drifts->worst[0].thread, first);
	ck_assert_int_eq(drifts->worst[1].thread, second);
	ck_assert_int_eq(drifts->worst[2].thread, third);
}

START_TEST(the_worst_come_first)
{
	struct sp_drifts drifts = { 0 };

	add(&drifts, 1, "1", "0-2");	/* wider, still on its own */
	add(&drifts, 2, "2", "0-1");	/* elsewhere */
	add(&drifts, 3, "3", "9");	/* another rank's */
	expect(&drifts, 3, 2, 1);
	add(&drifts, 4, "4", "0");	/* elsewhere, and narrower */
	expect(&drifts, 3, 4, 2);
	add(&drifts, 5, "5", "4-5");
	expect(&drifts, 3, 4, 2);
	ck_assert_uint_eq(drifts.count, 5);
}
END_TEST

START_TEST(a_thread_elsewhere_is_worse_than_a_narrower_one_on_its_own)
{
	struct sp_drifts drifts = { 0 };

	add(&drifts, 1, "1,5", "1");
	add(&drifts, 2, "2", "0-1,4-5");
	add(&drifts, 3, "3", "8-15");
	expect(&drifts, 3, 2, 1);
}
END_TEST

START_TEST(threads_that_are_alike_stand_by_number)
{
	struct sp_drifts drifts = { 0 };

	for (int thread = 7; thread > 0; thread--)
		add(&drifts, thread, "1", "0");
	expect(&drifts, 1, 2, 3);
	ck_assert_uint_eq(drifts.count, 7);
}
END_TEST

/* Which has no number; threads of several runtimes may have the same. */
START_TEST(the_main_thread_stands_before_those_that_are_alike)
{
	struct sp_drifts drifts = { 0 };
	struct sp_cpus share = cpus("0-7");

	for (pid_t tid = 1; tid <= 3; tid++) {
		struct sp_drift d = { .thread = tid == 3 ? -1 : 0, .tid = tid, .assigned = cpus("1"), .now = cpus("0") };

		sp_drifts_add(&drifts, &d, &share);
	}
	ck_assert_int_eq(drifts.worst[0].tid, 3);
	ck_assert_int_eq(drifts.worst[1].tid, 1);
	ck_assert_int_eq(drifts.worst[2].tid, 2);
}
END_TEST

/* Outside the share it does not matter whether a thread has one of its own CPUs, too. */
START_TEST(of_threads_outside_the_share_the_narrower_is_worse)
{
	struct sp_drifts drifts = { 0 };

	add(&drifts, 1, "1", "8-10");
	add(&drifts, 2, "2", "2,8");
	add(&drifts, 3, "3", "8-9");
	expect(&drifts, 2, 3, 1);
}
END_TEST

/* Also one that is not the worst, and of which others were added since. */
START_TEST(a_thread_is_not_added_again)
{
	struct sp_drifts drifts = { 0 };

	add(&drifts, 1, "1", "9");
	add(&drifts, 2, "2", "0");
	add(&drifts, 3, "3", "0-3");
	for (int thread = 1; thread <= 3; thread++)
		add(&drifts, thread, "1", "9");
	ck_assert_uint_eq(drifts.count, 3);
	expect(&drifts, 1, 2, 3);
}
END_TEST

START_TEST(a_thread_counts_once)
{
	struct sp_drifts drifts = { 0 };

	add(&drifts, 1, "1", "0");
	add(&drifts, 1, "1", "2");
	ck_assert_uint_eq(drifts.count, 1);
}
END_TEST

START_TEST(all_are_named_in_one_text)
{
	struct sp_drifts drifts = { 0 };
	char text[SP_DRIFTS_TEXT] = "before";

	ck_assert_str_eq(sp_drifts_format(&drifts, text, sizeof(text)), "");
	add(&drifts, 1, "1", "0");
	ck_assert_str_eq(sp_drifts_format(&drifts, text, sizeof(text)),
			 "mask of thread 1 (tid 101) changed from 1 to 0");
	add(&drifts, 2, "2", "0");
	ck_assert_str_eq(sp_drifts_format(&drifts, text, sizeof(text)),
			 "mask of thread 1 (tid 101) changed from 1 to 0, mask of thread 2 (tid 102) changed from 2 to 0");
	add(&drifts, 3, "3", "0");
	ck_assert_ptr_null(strchr(sp_drifts_format(&drifts, text, sizeof(text)), ';'));
	for (int thread = 4; thread < 9; thread++)
		add(&drifts, thread, "3", "0");
	ck_assert_str_eq(strchr(sp_drifts_format(&drifts, text, sizeof(text)), ';'), "; 5 more");
}
END_TEST

START_TEST(long_lists_are_cut)
{
	struct sp_drifts drifts = { 0 };
	struct sp_cpus even = { 0 }, share = cpus("0");
	char text[SP_DRIFTS_TEXT];

	for (uint32_t i = 0; i < SP_CPUS_MAX; i += 2)
		sp_cpus_add(&even, i);
	for (int thread = 1; thread < 9; thread++) {
		struct sp_drift d = { .thread = thread, .tid = 1000000 + thread, .assigned = even, .now = even };

		memset(d.by, 'b', sizeof(d.by) - 1);
		sp_drifts_add(&drifts, &d, &share);
	}
	ck_assert_ptr_nonnull(strstr(sp_drifts_format(&drifts, text, sizeof(text)), "; 5 more"));
}
END_TEST

Suite *
suite_drift(void)
{
	Suite *suite = suite_create("drift");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_thread_may_be_where_it_is_assigned_or_was_pinned);
	tcase_add_test(facts, every_other_mask_was_changed);
	tcase_add_test(facts, the_share_counts_only_where_somebody_set_it);
	tcase_add_test(facts, the_caller_of_the_newest_change_is_found);
	tcase_add_test(facts, a_later_change_by_another_way_has_no_caller);
	tcase_add_test(facts, what_is_forgotten_is_not_found);
	tcase_add_test(facts, the_newest_changes_are_kept);
	tcase_add_test(facts, who_looks_while_a_change_is_added_finds_no_other_thread);
	tcase_add_test(facts, sets_have_numbers_that_differ);
	tcase_add_test(facts, a_thread_is_named_with_both_masks);
	tcase_add_test(facts, the_worst_come_first);
	tcase_add_test(facts, a_thread_elsewhere_is_worse_than_a_narrower_one_on_its_own);
	tcase_add_test(facts, threads_that_are_alike_stand_by_number);
	tcase_add_test(facts, the_main_thread_stands_before_those_that_are_alike);
	tcase_add_test(facts, of_threads_outside_the_share_the_narrower_is_worse);
	tcase_add_test(facts, a_thread_counts_once);
	tcase_add_test(facts, a_thread_is_not_added_again);
	tcase_add_test(facts, all_are_named_in_one_text);
	tcase_add_test(facts, long_lists_are_cut);
	suite_add_tcase(suite, facts);
	return suite;
}
