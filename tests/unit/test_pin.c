/* Facts about masks, on the CPUs that this process may use. */
#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/pin.h"
#include "suites.h"

static struct sp_cpus
mask_of(pid_t tid)
{
	struct sp_cpus mask = { 0 };

	ck_assert_int_eq(sp_pin_get(tid, &mask), 0);
	return mask;
}

static void
expect_mask(pid_t tid, const struct sp_cpus *mask)
{
	const struct sp_cpus now = mask_of(tid);

	ck_assert(sp_cpus_equal(&now, mask));
}

static struct sp_cpus
first_of(const struct sp_cpus *set)
{
	struct sp_cpus one = { 0 };

	sp_cpus_add(&one, sp_cpus_next(set, 0));
	return one;
}

START_TEST(a_mask_is_set_and_read)
{
	struct sp_cpus all = mask_of(0), one = first_of(&all), none = { 0 }, now = one;

	errno = EDOM;
	ck_assert_int_eq(sp_pin_set(0, &one), 0);
	expect_mask(getpid(), &one);
	ck_assert_int_eq(sched_getcpu(), (int)sp_cpus_next(&one, 0));
	ck_assert_int_eq(sp_pin_set(0, &none), -EINVAL);
	expect_mask(0, &one);
	ck_assert_int_eq(sp_pin_set(INT32_MAX, &one), -ESRCH);
	ck_assert_int_eq(sp_pin_get(INT32_MAX, &now), -ESRCH);
	ck_assert(sp_cpus_equal(&now, &one));
}
END_TEST

/* libomp asks for the size of masks with NULL. */
START_TEST(an_address_is_read_by_the_kernel_first)
{
	struct sp_cpus all = mask_of(0), one = first_of(&all);

	errno = ENOLCK;
	ck_assert(sp_pin_is_readable(&one, sizeof(one)));
	ck_assert(!sp_pin_is_readable(NULL, sizeof(one)));
	ck_assert(!sp_pin_is_readable((const void *)8, sizeof(one)));
	ck_assert_int_eq(errno, ENOLCK);
	expect_mask(0, &all);
}
END_TEST

START_TEST(what_is_allowed_is_asked_without_a_change)
{
	struct sp_cpus all, one, allowed = { 0 };

	ck_assert_int_eq(sp_pin_allowed(&all), 0);
	one = first_of(&all);
	ck_assert_int_eq(sp_pin_set(0, &one), 0);
	ck_assert_int_eq(sp_pin_allowed(&allowed), 0);
	ck_assert(sp_cpus_equal(&allowed, &all));
	expect_mask(0, &one);
}
END_TEST

static atomic_int tid, stop;

static void *
sleep_on(void *mask)
{
	if (mask)
		sp_pin_set(0, mask);
	tid = sp_own_tid();
	while (!stop)
		usleep(1000);
	return NULL;
}

static pid_t
start(pthread_t *thread, struct sp_cpus *mask)
{
	tid = 0;
	ck_assert_int_eq(pthread_create(thread, NULL, sleep_on, mask), 0);
	while (!tid)
		usleep(1000);
	return tid;
}

/* Those that have been bound otherwise stay. */
START_TEST(all_threads_of_a_mask_move)
{
	struct sp_cpus all = mask_of(0), one = first_of(&all), other, rest = all;
	pthread_t alike, bound;

	sp_cpus_sub(&rest, &one);
	if (sp_cpus_empty(&rest))
		return;
	other = first_of(&rest);
	pid_t moved = start(&alike, NULL), stays = start(&bound, &other);
	ck_assert_int_eq(sp_pin_process(&all, &one), 0);
	expect_mask(0, &one);
	expect_mask(moved, &one);
	expect_mask(stays, &other);
	ck_assert_int_eq(sp_pin_process(&one, &(struct sp_cpus){ 0 }), -EINVAL);
	expect_mask(moved, &one);
	/* The calling thread, too. */
	ck_assert_int_eq(sp_pin_set(0, &other), 0);
	ck_assert_int_eq(sp_pin_process(&one, &all), 0);
	expect_mask(0, &other);
	expect_mask(moved, &all);
	stop = 1;
	pthread_join(alike, NULL);
	pthread_join(bound, NULL);
}
END_TEST

START_TEST(without_proc_the_calling_thread_moves)
{
	struct sp_cpus all = mask_of(0), one = first_of(&all);
	struct rlimit limit, none;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	int error = sp_pin_process(&all, &one);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(error, 0);
	expect_mask(0, &one);
}
END_TEST

/*
 * The kernel passes over a thread that starts while another ends: it is there
 * when the end of the list has been read.  In place of libc's readdir.
 */
static struct sp_cpus mask_of_late;
static pthread_t late;
static pid_t late_tid;

struct dirent *
readdir(DIR *folder)
{
	typedef struct dirent *readdir_fn(DIR *);
	struct dirent *entry = ((readdir_fn *)dlsym(RTLD_NEXT, "readdir"))(folder);

	if (!entry && !sp_cpus_empty(&mask_of_late)) {
		struct sp_cpus mask = mask_of_late;

		mask_of_late = (struct sp_cpus){ 0 };
		late_tid = start(&late, &mask);
	}
	return entry;
}

START_TEST(threads_that_start_meanwhile_move)
{
	struct sp_cpus all = mask_of(0), one = first_of(&all);
	pthread_t before;

	if (sp_cpus_equal(&all, &one))
		return;
	start(&before, NULL);
	mask_of_late = all;
	ck_assert_int_eq(sp_pin_process(&all, &one), 0);
	ck_assert(late_tid);
	expect_mask(late_tid, &one);
	stop = 1;
	pthread_join(before, NULL);
	pthread_join(late, NULL);
}
END_TEST

Suite *
suite_pin(void)
{
	Suite *suite = suite_create("pin");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_mask_is_set_and_read);
	tcase_add_test(facts, an_address_is_read_by_the_kernel_first);
	tcase_add_test(facts, what_is_allowed_is_asked_without_a_change);
	tcase_add_test(facts, all_threads_of_a_mask_move);
	tcase_add_test(facts, without_proc_the_calling_thread_moves);
	tcase_add_test(facts, threads_that_start_meanwhile_move);
	suite_add_tcase(suite, facts);
	return suite;
}
