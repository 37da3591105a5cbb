/* Facts about waiting that ends. */
#include <check.h>
#include <signal.h>
#include <sys/time.h>

#include "base/deadline.h"
#include "process/patience.h"
#include "calls.h"
#include "ranks.h"
#include "suites.h"

START_TEST(naps_double_up_to_the_longest)
{
	struct sp_nap nap = { .ns = 1000, .max_ns = 5000 };
	static const long expected[] = { 2000, 4000, 5000, 5000 };

	for (int i = 0; i < 4; i++) {
		sp_nap(&nap);
		ck_assert_int_eq(nap.ns, expected[i]);
	}
}
END_TEST

START_TEST(naps_may_have_one_length)
{
	struct sp_nap nap = { .ns = 1000, .max_ns = 1000 };

	sp_nap(&nap);
	ck_assert_int_eq(nap.ns, 1000);
}
END_TEST

static volatile sig_atomic_t ticks;

static void
tick(int signal)
{
	(void)signal;
	ticks = ticks + 1;
}

/* A profiler's, which interrupts a nap long before its end. */
static void
begin_timer(long us)
{
	const struct itimerval often = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };

	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static void
end_timer(void)
{
	const struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	ck_assert_int_gt(ticks, 0);
}

START_TEST(signals_do_not_shorten_a_nap)
{
	struct sp_nap nap = { .ns = 50000000, .max_ns = 50000000 };
	uint64_t start = milliseconds();

	begin_timer(1000);
	ck_assert_uint_eq(sp_nap(&nap), 50000000);
	end_timer();
	ck_assert_uint_ge(milliseconds() - start, 49);
}
END_TEST

START_TEST(nor_a_wait_by_progress)
{
	struct sp_patience patience = sp_patience_begin(0, 100);
	uint64_t start = milliseconds();

	begin_timer(1000);
	while (sp_patience_nap(&patience))
		continue;
	end_timer();
	ck_assert_uint_ge(milliseconds() - start, 99);
}
END_TEST

static int
refuse(void)
{
	return EPERM;
}

/* What did not pass is not counted as waited. */
START_TEST(a_nap_that_the_kernel_refuses_is_none)
{
	struct sp_nap nap = { .ns = 500000000, .max_ns = 500000000 };

	calls_at(0, refuse);
	ck_assert_uint_lt(sp_nap(&nap), 500000000);
	ck_assert(calls_were_reached());
}
END_TEST

START_TEST(a_deadline_passes)
{
	struct sp_nap nap = { .ns = 100000, .max_ns = 100000 };
	uint64_t start = milliseconds();
	struct timespec end = sp_deadline_in(30);
	int naps = 0;

	while (sp_deadline_nap(&end, &nap))
		naps++;
	ck_assert_int_gt(naps, 0);
	ck_assert_int_le(naps, 300);
	ck_assert_uint_ge(milliseconds() - start, 29);
}
END_TEST

START_TEST(what_has_passed_takes_no_nap)
{
	struct sp_nap nap = { .ns = 1000, .max_ns = 4000 };
	struct timespec end = sp_deadline_in(0);

	ck_assert(!sp_deadline_nap(&end, &nap));
	ck_assert_int_eq(nap.ns, 1000);
}
END_TEST

/* Milliseconds that carry into the seconds. */
START_TEST(a_deadline_is_a_time)
{
	struct timespec now = sp_deadline_in(0), end = sp_deadline_in(1999);
	long ms = (end.tv_sec - now.tv_sec) * 1000 + (end.tv_nsec - now.tv_nsec) / 1000000;

	ck_assert_int_ge(end.tv_nsec, 0);
	ck_assert_int_lt(end.tv_nsec, 1000000000);
	ck_assert_int_ge(ms, 1999);
	ck_assert_int_lt(ms, 4000);
}
END_TEST

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

/* The request is there before the wait begins. */
static void *
wait_cancelled(void *locked)
{
	pthread_cancel(pthread_self());
	*(bool *)locked = sp_deadline_lock(&kept, 20);
	return NULL;
}

START_TEST(a_wait_for_a_lock_ends_and_is_no_cancellation_point)
{
	pthread_t thread;
	bool locked = true;
	void *result;

	pthread_mutex_lock(&kept);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_cancelled, &locked), 0);
	pthread_join(thread, &result);
	ck_assert_ptr_null(result);
	ck_assert(!locked);
	pthread_mutex_unlock(&kept);
}
END_TEST

static void *
wait_long(void *locked)
{
	*(bool *)locked = sp_deadline_lock(&kept, 60000);
	if (*(bool *)locked)
		pthread_mutex_unlock(&kept);
	return NULL;
}

START_TEST(a_lock_that_is_released_meanwhile_is_taken)
{
	struct sp_nap nap = { .ns = 5000000, .max_ns = 5000000 };
	pthread_t thread;
	bool locked = false;

	pthread_mutex_lock(&kept);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_long, &locked), 0);
	sp_nap(&nap);
	pthread_mutex_unlock(&kept);
	pthread_join(thread, NULL);
	ck_assert(locked);
}
END_TEST

Suite *
suite_deadline(void)
{
	Suite *suite = suite_create("deadline");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, naps_double_up_to_the_longest);
	tcase_add_test(facts, naps_may_have_one_length);
	tcase_add_test(facts, signals_do_not_shorten_a_nap);
	tcase_add_test(facts, nor_a_wait_by_progress);
	tcase_add_test(facts, a_nap_that_the_kernel_refuses_is_none);
	tcase_add_test(facts, a_deadline_passes);
	tcase_add_test(facts, what_has_passed_takes_no_nap);
	tcase_add_test(facts, a_deadline_is_a_time);
	tcase_add_test(facts, a_wait_for_a_lock_ends_and_is_no_cancellation_point);
	tcase_add_test(facts, a_lock_that_is_released_meanwhile_is_taken);
	suite_add_tcase(suite, facts);
	return suite;
}
