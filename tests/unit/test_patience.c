/*
 * Facts about waiting by progress.  Times are never compared with a clock but
 * for bounds that only an endless wait misses.
 */
#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/patience.h"
#include "process/process.h"
#include "emulated.h"
#include "ranks.h"
#include "suites.h"

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

/* Naps of 0.2 to 5 ms, or to 50; the wait is as long. */
START_TEST(of_many_each_looks_less_often)
{
	struct sp_patience few = sp_patience_begin(0, 300), many = few, most = few;

	sp_patience_of_many(&few, 50);
	sp_patience_of_many(&many, 500);
	sp_patience_of_many(&most, 8192);
	ck_assert_int_eq(few.nap.max_ns, 5000000);
	ck_assert_int_eq(many.nap.max_ns, 50000000);
	ck_assert_int_eq(most.nap.max_ns, 100000000);
	ck_assert_int_ge(naps_of(&few, 1000), 60);
	ck_assert_int_le(naps_of(&many, 1000), 14);
}
END_TEST

/* 200 ms are 40 naps; two more where the other has only just gone to sleep. */
START_TEST(one_that_sleeps_is_not_waited_for)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
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

/* To the last nap, of either limit. */
START_TEST(the_time_ends_when_it_is_reached)
{
	struct sp_patience patience = sp_patience_begin(0, 200);

	patience.idle_ns = 200 * UINT64_C(1000000) - 1;
	ck_assert(sp_patience_nap(&patience));
	patience.idle_ns = 200 * UINT64_C(1000000);
	ck_assert(!sp_patience_nap(&patience));
	patience.idle_ns = 0;
	patience.all_ns = SP_PATIENCE_MAX_MS * UINT64_C(1000000) - 1;
	ck_assert(sp_patience_nap(&patience));
	patience.all_ns = SP_PATIENCE_MAX_MS * UINT64_C(1000000);
	ck_assert(!sp_patience_nap(&patience));
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

	for (uint32_t i = 1; i <= 100; i++) {
		sp_patience_count(&patience, i);
		ck_assert_uint_eq(patience.idle_ns, 0);
		ck_assert(sp_patience_nap(&patience));
	}
	for (int naps = 9; naps > 0; naps--) {
		sp_patience_count(&patience, naps > 5 ? 100 : 99);
		ck_assert(sp_patience_nap(&patience));
	}
	ck_assert(!sp_patience_nap(&patience));
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

/* Uses some time whenever it is asked, and sleeps again. */
static int
work_when_asked(int rank, void *data)
{
	atomic_int *asked = data;
	struct sp_activity before, now;

	(void)rank;
	for (;;) {
		while (*asked != 1)
			sleep_ms(1);
		sp_process_activity(getpid(), &before);
		do
			sp_process_activity(getpid(), &now);
		while (now.ticks == before.ticks);
		*asked = 2;
	}
	return 0;
}

static void
wait_for_state(pid_t pid, char state)
{
	struct sp_activity activity;

	do
		ck_assert_int_eq(sp_process_activity(pid, &activity), 0);
	while (activity.state != state);
}

/* Nap once; whether that has counted as one without progress. */
static bool
was_idle(struct sp_patience *patience)
{
	uint64_t before = patience->idle_ns;

	ck_assert(sp_patience_nap(patience));
	return patience->idle_ns > before;
}

/* Between two looks it has worked, though it is asleep at both. */
START_TEST(time_that_was_used_is_progress)
{
	atomic_int *asked = shared_memory(sizeof(*asked));
	pid_t pid = start_rank(0, work_when_asked, asked), other = start_rank(0, pause_for_ever, NULL);
	struct sp_patience patience = sp_patience_begin(pid, 30000);

	*asked = 1;
	while (*asked == 1)
		sleep_ms(1);
	/* (It wakes up for moments.) */
	kill(pid, SIGSTOP);
	wait_for_state(pid, 'T');
	wait_for_state(other, 'S');
	/* Nothing can be said of one that is new here, also in place of another. */
	patience.idle_ns = 1;
	ck_assert(was_idle(&patience));
	patience.pid = other;
	ck_assert(was_idle(&patience));
	patience.pid = pid;
	ck_assert(was_idle(&patience));
	ck_assert(was_idle(&patience));
	kill(pid, SIGCONT);
	*asked = 1;
	while (*asked == 1)
		sleep_ms(1);
	kill(pid, SIGSTOP);
	wait_for_state(pid, 'T');
	patience.idle_ns = 20000000000;
	uint64_t nap_ns = (uint64_t)patience.nap.ns;
	ck_assert(!was_idle(&patience));
	ck_assert_uint_eq(patience.idle_ns, nap_ns);
	end(pid);
	end(other);
}
END_TEST

static int
wait_for_vfork(int rank, void *data)
{
	(void)rank;
	(void)data;
	/* The parent sleeps in the kernel, as before a disk, until its child has ended. */
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return 0;
}

/* At the first look, when nothing is known of its time. */
START_TEST(one_that_runs_or_waits_for_a_disk_gets_on)
{
	atomic_int *working = shared_memory(sizeof(*working));
	pid_t running = start_rank(0, work_on, working), waiting = start_rank(0, wait_for_vfork, NULL);
	struct sp_patience patience = sp_patience_begin(running, 30000);
	struct sp_activity activity = { .state = 0 };

	while (!*working)
		sleep_ms(1);
	patience.idle_ns = 20000000000;
	ck_assert(!was_idle(&patience));
	end(running);
	/* (An emulator makes two equal processes of vfork, of which this one ends.) */
	do
		ck_assert_int_eq(sp_process_activity(waiting, &activity), 0);
	while (activity.state != (is_emulated() ? 'Z' : 'D'));
	patience.pid = waiting;
	patience.idle_ns = 20000000000;
	if (!is_emulated())
		ck_assert(!was_idle(&patience));
	end(waiting);
}
END_TEST

/* What a launcher does is none: it may be polling for ever. */
START_TEST(a_launcher_that_works_is_not_waited_for)
{
	atomic_int *working = shared_memory(sizeof(*working));
	pid_t pid = start_rank(0, work_on, working);
	struct sp_patience patience;

	while (!*working)
		sleep_ms(1);
	patience = sp_patience_begin(pid, 100);
	patience.is_launcher = true;
	ck_assert_int_lt(naps_of(&patience, 10000), 10000);
	/* Where there is news each time it has not yet had a CPU for long. */
	patience = sp_patience_begin(pid, 60);
	patience.is_launcher = true;
	for (uint32_t i = 1; i <= 100; i++) {
		sp_patience_count(&patience, i);
		ck_assert(sp_patience_nap(&patience));
	}
	end(pid);
}
END_TEST

Suite *
suite_patience(void)
{
	Suite *suite = suite_create("patience");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, one_that_sleeps_is_not_waited_for);
	tcase_add_test(facts, nobody_is_waited_for_as_long);
	tcase_add_test(facts, the_time_ends_when_it_is_reached);
	tcase_add_test(facts, one_that_works_is_waited_for);
	tcase_add_test(facts, however_much_there_is_it_ends);
	tcase_add_test(facts, one_that_has_ended_is_not_waited_for);
	tcase_add_test(facts, the_time_may_change_on_the_way);
	tcase_add_test(facts, progress_of_another_kind_counts);
	tcase_add_test(facts, time_that_was_used_is_progress);
	tcase_add_test(facts, one_that_runs_or_waits_for_a_disk_gets_on);
	tcase_add_test(facts, a_launcher_that_works_is_not_waited_for);
	tcase_add_test(facts, of_many_each_looks_less_often);
	suite_add_tcase(suite, facts);
	return suite;
}
