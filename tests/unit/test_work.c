/* Facts about waiting for the end of what another process does. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/patience.h"
#include "process/work.h"
#include "ranks.h"
#include "suites.h"

static struct worker {
	struct sp_process process;
	struct sp_work work;
	atomic_bool works, may_end;
} *worker;

/* Works until it may end, or is killed, and is still there afterwards. */
static int
work(int rank, void *data)
{
	(void)rank;
	(void)data;
	if (sp_process_self(&worker->process) != 0)
		return 1;
	sp_work_begin(&worker->work);
	worker->works = true;
	while (!worker->may_end)
		sleep_ms(1);
	sp_work_end(&worker->work);
	pause();
	return 0;
}

static pid_t
let_work(void)
{
	worker = shared_memory(sizeof(*worker));
	pid_t pid = start_rank(0, work, NULL);

	while (!worker->works)
		sleep_ms(1);
	return pid;
}

static bool
is_done(int fd, int ms)
{
	struct pollfd end = { .fd = fd };

	return poll(&end, 1, ms) == 1 && end.revents & POLLHUP;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	status_of(pid);
}

/* By itself, or because the process was killed. */
START_TEST(the_end_is_seen)
{
	pid_t pid = let_work();
	int fd = sp_work_watch(&worker->process, &worker->work), second = sp_work_watch(&worker->process, &worker->work);

	ck_assert_int_ge(fd, 3);
	ck_assert_int_ge(second, 3);
	ck_assert(!is_done(fd, 20));
	if (_i)
		kill(pid, SIGKILL);
	else
		worker->may_end = true;
	ck_assert(is_done(fd, 60000));
	ck_assert(is_done(second, 60000));
	ck_assert_int_eq(sp_work_watch(&worker->process, &worker->work), -1);
	close(fd);
	close(second);
	end(pid);
}
END_TEST

START_TEST(what_is_not_this_pipe_is_not_opened)
{
	pid_t pid = let_work();
	struct sp_work other = worker->work;
	struct sp_process elsewhere = worker->process;

	other.inode++;
	ck_assert_int_eq(sp_work_watch(&worker->process, &other), -1);
	/* Numbers of nothing, and of what the process has besides. */
	for (int fd = -1; fd < 4; fd++)
		ck_assert_int_eq(sp_work_watch(&worker->process, &(struct sp_work){ .descriptor = fd }), -1);
	elsewhere.space++;
	ck_assert_int_eq(sp_work_watch(&elsewhere, &worker->work), -1);
	end(pid);
	ck_assert_int_eq(sp_work_watch(&worker->process, &worker->work), -1);
}
END_TEST

/* The program has closed all, and opened a file of its own. */
START_TEST(what_the_program_has_opened_instead_stays_open)
{
	struct sp_work own;
	struct stat file;

	sp_work_begin(&own);
	int fd = own.descriptor;
	ck_assert_int_ge(fd, 3);
	ck_assert_int_eq(dup3(STDERR_FILENO, fd, O_CLOEXEC), fd);
	sp_work_end(&own);
	ck_assert_int_eq(fstat(fd, &file), 0);
	close(fd);
	ck_assert_int_eq(own.descriptor, 0);
	sp_work_end(&own);
}
END_TEST

/* Also where that of standard input is free, as a test begins. */
START_TEST(no_pipe_has_the_number_of_a_stream)
{
	struct sp_work own;

	close(_i);
	sp_work_begin(&own);
	ck_assert_int_ge(own.descriptor, 3);
	ck_assert_int_eq(fcntl(_i, F_GETFD), -1);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	sp_work_end(&own);
}
END_TEST

/* Of 200 and 400 ms, where those without a pipe are of 5 ms at most. */
START_TEST(few_naps_until_the_end)
{
	pid_t pid = let_work();
	struct sp_patience patience = sp_patience_begin(pid, 600);
	int naps = 0;

	sp_patience_until(&patience, sp_work_watch(&worker->process, &worker->work));
	ck_assert_int_ge(patience.end, 3);
	kill(pid, SIGSTOP);
	while (sp_patience_nap(&patience))
		naps++;
	ck_assert_int_ge(naps, 2);
	ck_assert_int_le(naps, 4);
	ck_assert_uint_ge(patience.idle_ns, 600000000);
	sp_patience_end(&patience);
	end(pid);
}
END_TEST

/* Though the process itself goes on, and then ends. */
START_TEST(a_nap_ends_with_the_work)
{
	pid_t pid = let_work();
	struct sp_patience patience = sp_patience_begin(pid, 60000);

	sp_patience_until(&patience, sp_work_watch(&worker->process, &worker->work));
	patience.long_nap.ns = 60000000000;
	worker->may_end = true;
	ck_assert(sp_patience_nap(&patience));
	ck_assert_int_eq(patience.end, -1);
	ck_assert_uint_lt(patience.all_ns, 30000000000);
	ck_assert(sp_patience_nap(&patience));
	end(pid);
	int naps = 0;
	while (sp_patience_nap(&patience))
		naps++;
	ck_assert_int_lt(naps, 100);
	sp_patience_end(&patience);
}
END_TEST

Suite *
suite_work(void)
{
	Suite *suite = suite_create("work");
	TCase *facts = tcase_create("facts");

	tcase_set_timeout(facts, 120);
	tcase_add_loop_test(facts, the_end_is_seen, 0, 2);
	tcase_add_test(facts, what_is_not_this_pipe_is_not_opened);
	tcase_add_test(facts, what_the_program_has_opened_instead_stays_open);
	tcase_add_loop_test(facts, no_pipe_has_the_number_of_a_stream, 0, 3);
	tcase_add_test(facts, few_naps_until_the_end);
	tcase_add_test(facts, a_nap_ends_with_the_work);
	suite_add_tcase(suite, facts);
	return suite;
}
