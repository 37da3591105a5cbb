/* What splitpin compare sees of the processes of a job. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suites.h"

#include "cmd/compare/places.h"

/* A process that runs without end, with this environment; to be killed. */
static pid_t
start(char *const environment[])
{
	char *command[] = { "sh", "-c", "while :; do :; done", NULL };
	pid_t pid = fork();

	if (pid == 0) {
		execve("/bin/sh", command, environment);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

static void
stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* It is looked at until it has been seen: its start takes a while. */
static void
look_until_seen(struct places *places, pid_t pid)
{
	while (places_seen(places) == 0)
		places_look(places, pid, 1);
}

START_TEST(a_rank_is_seen_where_it_runs)
{
	pid_t pid = start((char *[]){ "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2", NULL });
	struct places places = { .rank = NULL };

	look_until_seen(&places, pid);
	stop(pid);
	struct sp_cpus cpus = places_cpus(&places, 1), other = places_cpus(&places, 0), all = places_all(&places);
	ck_assert_uint_eq(places.nranks, 2);
	ck_assert_uint_eq(places_seen(&places), 1);
	ck_assert_uint_eq(sp_cpus_count(&cpus), 1);
	ck_assert(sp_cpus_empty(&other));
	ck_assert(sp_cpus_equal(&all, &cpus));
	ck_assert_double_eq_tol(places_crowding(&places), 1, 1e-9);
	ck_assert_uint_eq(places_with_share(&places), 0);
	places_release(&places);
}
END_TEST

START_TEST(without_a_launcher_it_is_rank_0)
{
	pid_t pid = start((char *[]){ NULL });
	struct places places = { .is_lone = true };

	look_until_seen(&places, pid);
	stop(pid);
	ck_assert_uint_eq(places.nranks, 1);
	places_release(&places);
}
END_TEST

START_TEST(a_launcher_is_no_rank)
{
	pid_t pid = start((char *[]){ NULL });
	struct places places = { .rank = NULL };

	places_look(&places, pid, 1);
	stop(pid);
	places_look(&places, pid, 1);
	ck_assert_uint_eq(places.nranks, 0);
	ck_assert_double_eq_tol(places_crowding(&places), 0, 1e-9);
	places_release(&places);
}
END_TEST

/* As seen at 9 looks of a second on one CPU, and at an early one on another. */
START_TEST(where_it_was_seldom_does_not_count)
{
	double on[SP_CPUS_MAX] = { [3] = 9.1, [5] = 0.9 };
	struct place place = { .seconds = 10, .on = on };
	struct places places = { .rank = &place, .nranks = 1 };
	struct sp_cpus cpus = places_cpus(&places, 0);

	ck_assert(sp_cpus_has(&cpus, 3) && !sp_cpus_has(&cpus, 5));
	on[5] = 1;
	cpus = places_cpus(&places, 0);
	ck_assert(sp_cpus_has(&cpus, 3) && sp_cpus_has(&cpus, 5));
}
END_TEST

Suite *
suite_places(void)
{
	Suite *suite = suite_create("places");
	TCase *tests = tcase_create("places");

	tcase_add_test(tests, a_rank_is_seen_where_it_runs);
	tcase_add_test(tests, without_a_launcher_it_is_rank_0);
	tcase_add_test(tests, a_launcher_is_no_rank);
	tcase_add_test(tests, where_it_was_seldom_does_not_count);
	suite_add_tcase(suite, tests);
	return suite;
}
