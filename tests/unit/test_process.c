/* Facts about processes. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "ranks.h"
#include "suites.h"

static int
pause_for_ever(int rank, void *data)
{
	(void)rank;
	(void)data;
	for (;;)
		pause();
	return 0;
}

START_TEST(a_process_knows_itself)
{
	struct sp_process self, again;

	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(self.pid, getpid());
	ck_assert_int_eq(self.parent, getppid());
	ck_assert_uint_ne(self.started, 0);
	ck_assert_uint_ne(self.space, 0);
	ck_assert(sp_process_lives(&self));
	ck_assert_int_eq(sp_process_self(&again), 0);
	ck_assert(sp_process_same(&self, &again));
}
END_TEST

START_TEST(another_is_not_the_same)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
	struct sp_process self, other;

	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(sp_process_read(pid, &other), 0);
	ck_assert_int_eq(other.parent, getpid());
	ck_assert(!sp_process_same(&self, &other));
	kill(pid, SIGKILL);
	status_of(pid);
}
END_TEST

START_TEST(a_zombie_is_dead)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
	struct sp_process child;
	siginfo_t info;

	ck_assert_int_eq(sp_process_read(pid, &child), 0);
	ck_assert(sp_process_lives(&child));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert(!sp_process_lives(&child));
	status_of(pid);
	ck_assert(!sp_process_lives(&child));
	ck_assert_int_eq(sp_process_read(pid, &child), -ESRCH);
}
END_TEST

START_TEST(a_pid_that_is_used_again_is_another_process)
{
	struct sp_process self;

	ck_assert_int_eq(sp_process_self(&self), 0);
	self.started--;
	ck_assert(!sp_process_lives(&self));
}
END_TEST

START_TEST(nonsense_does_not_live)
{
	ck_assert(!sp_process_lives(&(struct sp_process){ 0 }));
	ck_assert(!sp_process_lives(&(struct sp_process){ .pid = -1, .started = 1 }));
	ck_assert(!sp_process_lives(&(struct sp_process){ .pid = INT32_MAX, .started = 1 }));
}
END_TEST

START_TEST(what_cannot_be_seen_counts_as_there)
{
	struct sp_process self;

	ck_assert_int_eq(sp_process_self(&self), 0);
	self.started--;
	self.space++;
	ck_assert(sp_process_lives(&self));
}
END_TEST

/* "pid (name) state": the name is the program's to choose. */
START_TEST(a_name_cannot_deceive)
{
	struct sp_process before, after;

	ck_assert_int_eq(sp_process_self(&before), 0);
	ck_assert_int_eq(prctl(PR_SET_NAME, ") Z 1 2 (3"), 0);
	ck_assert_int_eq(sp_process_self(&after), 0);
	ck_assert(sp_process_same(&before, &after));
	ck_assert_int_eq(after.parent, before.parent);
	ck_assert(sp_process_lives(&before));
}
END_TEST

static void *
live_on(void *pipe_end)
{
	char byte;

	/* The first thread's end is not at once a zombie's. */
	sleep_ms(50);
	if (read(*(int *)pipe_end, &byte, 1) == 0)
		_exit(7);
	return NULL;
}

static int
end_first_thread(int rank, void *data)
{
	static int pipe_end;
	pthread_t thread;

	(void)rank;
	close(((int *)data)[1]);
	pipe_end = ((int *)data)[0];
	if (pthread_create(&thread, NULL, live_on, &pipe_end) != 0)
		return 1;
	pthread_exit(NULL);
	return 1;
}

START_TEST(a_process_lives_as_long_as_any_thread)
{
	struct sp_process child;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = start_rank(0, end_first_thread, ends);
	ck_assert_int_eq(sp_process_read(pid, &child), 0);
	sleep_ms(100);
	ck_assert(sp_process_lives(&child));
	close(ends[1]);
	ck_assert_int_eq(status_of(pid), 7);
	ck_assert(!sp_process_lives(&child));
}
END_TEST

/* Nothing can be told then, and a board is not to be taken from a living job. */
START_TEST(without_descriptors_all_live)
{
	struct rlimit limit, none;
	struct sp_process self;

	ck_assert_int_eq(sp_process_self(&self), 0);
	self.started--;
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	bool lives = sp_process_lives(&self);
	int error = sp_process_read(getpid(), &self);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert(lives);
	ck_assert_int_eq(error, -EMFILE);
}
END_TEST

static int
exec_sleep(int rank, void *data)
{
	char *const command[] = { "sleep", "60", NULL };

	(void)rank;
	execve("/bin/sleep", command, data);
	return 127;
}

static char **
environment_of(char **given, pid_t *pid)
{
	char **read;

	*pid = start_rank(0, exec_sleep, given);
	for (int i = 0; i < 200; i++) {
		read = sp_process_environment(*pid);
		if (!given[0] ? !read : read && strcmp(read[0], given[0]) == 0)
			break;
		free(read);
		read = NULL;
		sleep_ms(5);
	}
	kill(*pid, SIGKILL);
	status_of(*pid);
	return read;
}

START_TEST(an_environment_is_read)
{
	char *given[] = { "ONE=1", "EMPTY=", "BLANK=a b=c", NULL };
	pid_t pid;
	char **read = environment_of(given, &pid);

	ck_assert_ptr_nonnull(read);
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(read[i], given[i]);
	ck_assert_ptr_null(read[3]);
	free(read);
	ck_assert_ptr_null(sp_process_environment(pid));
}
END_TEST

START_TEST(an_empty_environment_is_none)
{
	char *given[] = { NULL };
	pid_t pid;

	ck_assert_ptr_null(environment_of(given, &pid));
}
END_TEST

/* Round the sizes of the first buffer and its successors. */
START_TEST(a_large_environment_is_read)
{
	static const size_t sizes[] = { 16382, 16383, 16384, 65535, 100000 };
	char *given[] = { "FIRST=1", malloc(sizes[_i]), "LAST=1", NULL };
	pid_t pid;

	memset(given[1], 'x', sizes[_i] - 20);
	given[1][1] = '=';
	given[1][sizes[_i] - 20] = '\0';
	char **read = environment_of(given, &pid);
	ck_assert_ptr_nonnull(read);
	ck_assert_str_eq(read[1], given[1]);
	ck_assert_str_eq(read[2], "LAST=1");
	ck_assert_ptr_null(read[3]);
	free(read);
	free(given[1]);
}
END_TEST

Suite *
suite_process(void)
{
	Suite *suite = suite_create("process");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_process_knows_itself);
	tcase_add_test(facts, another_is_not_the_same);
	tcase_add_test(facts, a_zombie_is_dead);
	tcase_add_test(facts, a_pid_that_is_used_again_is_another_process);
	tcase_add_test(facts, nonsense_does_not_live);
	tcase_add_test(facts, what_cannot_be_seen_counts_as_there);
	tcase_add_test(facts, a_name_cannot_deceive);
	tcase_add_test(facts, a_process_lives_as_long_as_any_thread);
	tcase_add_test(facts, without_descriptors_all_live);
	tcase_add_test(facts, an_environment_is_read);
	tcase_add_test(facts, an_empty_environment_is_none);
	tcase_add_loop_test(facts, a_large_environment_is_read, 0, 5);
	suite_add_tcase(suite, facts);
	return suite;
}
