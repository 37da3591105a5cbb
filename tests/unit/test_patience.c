/*
 * Facts about waiting by progress.  Times are never compared with a clock but
 * for bounds that only an endless wait misses.
 */
#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/patience.h"
#include "ranks.h"
#include "suites.h"

static int
sleep_on(int rank, void *data)
{
	(void)rank;
	(void)data;
	for (;;)
		pause();
	return 0;
}

static int
work_on(int rank, void *data)
{
	(void)rank;
	*(atomic_int *)data = 1;
	for (;;)
		;
	return 0;
}

static int
end_at_once(int rank, void *data)
{
	(void)rank;
	(void)data;
	return 0;
}

/* How many naps there were until there had been no progress for too long, max at most. */
static int
naps_of(struct sp_patience *patience, int max)
{
	int naps = 0;

	while (naps < max && sp_patience_nap(patience))
		naps++;
	return naps;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	status_of(pid);
}

/* 200 ms are 40 naps; two more where the other has only just gone to sleep. */
START_TEST(one_that_sleeps_is_not_waited_for)
{
	pid_t pid = start_rank(0, sleep_on, NULL);
	struct sp_patience patience;

	sleep_ms(20);
	patience = sp_patience_begin(pid, 200);
	int naps = naps_of(&patience, 10000);
	ck_assert_int_ge(naps, 40);
	ck_assert_int_lt(naps, 10000);
	end(pid);
}
END_TEST

START_TEST(nobody_is_waited_for_as_long)
{
	struct sp_patience patience = sp_patience_begin(0, 200), none = sp_patience_begin(0, 0);

	ck_assert_int_eq(naps_of(&patience, 10000), 44);	/* of 0.2 to 5 ms */
	ck_assert(!sp_patience_nap(&patience));
	ck_assert(!sp_patience_nap(&none));
}
END_TEST

START_TEST(one_that_works_is_waited_for)
{
	atomic_int *working = shared_memory(sizeof(*working));
	pid_t pid = start_rank(0, work_on, working);
	struct sp_patience patience;

	while (!*working)
		sleep_ms(1);
	patience = sp_patience_begin(pid, 50);
	/* Ten times as many naps as without progress. */
	ck_assert_int_eq(naps_of(&patience, 100), 100);
	/* Stopped, it ends. */
	kill(pid, SIGSTOP);
	ck_assert_int_lt(naps_of(&patience, 10000), 10000);
	end(pid);
}
END_TEST

START_TEST(however_much_there_is_it_ends)
{
	atomic_int *working = shared_memory(sizeof(*working));
	pid_t pid = start_rank(0, work_on, working);
	struct sp_patience patience;

	while (!*working)
		sleep_ms(1);
	patience = sp_patience_begin(pid, 50);
	patience.all_ns = SP_PATIENCE_MAX_MS * UINT64_C(1000000) - 20 * UINT64_C(1000000);
	ck_assert_int_eq(naps_of(&patience, 10000), 8);
	end(pid);
}
END_TEST

/* A zombie, and then nobody: a few naps, for what it did last to be seen, and not the time that was given. */
START_TEST(one_that_has_ended_is_not_waited_for)
{
	pid_t pid = start_rank(0, end_at_once, NULL);
	struct sp_patience patience;
	siginfo_t info;

	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	patience = sp_patience_begin(pid, 30000);
	int naps = naps_of(&patience, 10000);
	ck_assert_int_gt(naps, 0);
	ck_assert_int_lt(naps, 100);
	status_of(pid);
	patience = sp_patience_begin(pid, 30000);
	naps = naps_of(&patience, 10000);
	ck_assert_int_gt(naps, 0);
	ck_assert_int_lt(naps, 100);
}
END_TEST

START_TEST(progress_of_another_kind_counts)
{
	struct sp_patience patience = sp_patience_begin(0, 50);

	for (int i = 0; i < 100; i++) {
		ck_assert(sp_patience_nap(&patience));
		sp_patience_renew(&patience);
	}
	ck_assert_int_eq(naps_of(&patience, 10000), 10);
}
END_TEST

START_TEST(the_time_may_change_on_the_way)
{
	struct sp_patience patience = sp_patience_begin(0, 50);

	ck_assert_int_eq(naps_of(&patience, 5), 5);
	sp_patience_limit(&patience, 100);
	ck_assert_int_eq(naps_of(&patience, 10000), 19);
	sp_patience_limit(&patience, 50);
	ck_assert(!sp_patience_nap(&patience));
}
END_TEST

Suite *
suite_patience(void)
{
	Suite *suite = suite_create("patience");
	TCase *facts = tcase_create("facts");

	tcase_set_timeout(facts, 60);
	tcase_add_test(facts, one_that_sleeps_is_not_waited_for);
	tcase_add_test(facts, nobody_is_waited_for_as_long);
	tcase_add_test(facts, one_that_works_is_waited_for);
	tcase_add_test(facts, however_much_there_is_it_ends);
	tcase_add_test(facts, one_that_has_ended_is_not_waited_for);
	tcase_add_test(facts, the_time_may_change_on_the_way);
	tcase_add_test(facts, progress_of_another_kind_counts);
	suite_add_tcase(suite, facts);
	return suite;
}
