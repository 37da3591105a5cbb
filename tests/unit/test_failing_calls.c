/*
 * Facts about system calls that fail once, or between which another process
 * does something: whichever it is, the error is a negative errno, nothing is
 * left behind, and what is there serves the next.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/log_file.h"
#include "process/numa_maps.h"
#include "base/pin.h"
#include "process/process.h"
#include "board/board.h"
#include "board/board_file.h"
#include "calls.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

#define JOB "a job of the unit tests, 2 ranks"
#define SIZE 2

/* The body runs once for each call in it, which fails or has something happen before it, and then without; reached says which. */
#define EACH_CALL(meanwhile, call) \
	for (int nth = 0, reached = 1; reached && (calls_at(nth, meanwhile), (call), reached = calls_were_reached(), 1); nth++)

static int
refuse(void)
{
	return EIO;
}

static struct sp_board *board;
static struct sp_machine *machine;

static int
make(void)
{
	const struct sp_common common = { .machine = machine };
	const char *problem;

	board = NULL;
	int error = sp_board_begin(JOB, SIZE, 0, &board, &problem);
	if (!error && !board) {
		error = sp_board_create(JOB, SIZE, &common, &board);
		sp_board_end();
	}
	if (error)
		board = NULL;
	return error;
}

static int
arrive(void)
{
	return sp_board_arrive(board, 0, false);
}

static int
write_seat(void)
{
	return sp_board_write(board, 1, &(struct sp_seat){ .state = SP_SEAT_SETTLED });
}

static int
read_seat(void)
{
	struct sp_seat seat;

	return sp_board_read(board, 1, &seat);
}

static int
read_common(void)
{
	struct sp_machine *copy = NULL;
	struct sp_common common;
	int error = sp_board_common(board, &common, &copy);

	free(copy);
	return error;
}

static int
decide(void)
{
	const struct sp_decision decision = { .what = 1 };
	const struct sp_part part[SIZE] = { { .count = 0 } };

	return sp_board_revise(board, NULL, NULL, &decision, part);
}

static int
decide_and_read(void)
{
	struct sp_decision decision;
	struct sp_part part;
	int error = decide();

	return error ? error : sp_board_decision(board, 1, &decision, &part, NULL, NULL);
}

static int
lock_jobs(void)
{
	int error = sp_board_lock_jobs(0);

	ck_assert_int_eq(sp_board_holds_lock(), !error);
	sp_board_end();
	return error;
}

/* What was left of it serves the next. */
static int
lock_jobs_after(int error)
{
	if (error)
		error = sp_board_lock_jobs(1000);
	sp_board_end();
	return error;
}

static int
look_for_others(void)
{
	struct sp_other_jobs others;
	int error = sp_board_other_jobs(JOB, &others);

	ck_assert(error || others.jobs == 0);
	return error;
}

static void
visit(const struct sp_board_found *found, struct sp_board *of, void *data)
{
	(void)of;
	ck_assert_int_le(found->error, 0);
	*(int *)data = found->error;
}

static int
look_on(void)
{
	int its = 0, error = sp_board_each(NULL, visit, &its);

	return error ? error : its;
}

/* What cannot be told is as if it were another's. */
static int
become_reporter(void)
{
	return sp_board_is_first(board, SP_FIRST_REPORT) && sp_board_had_first(board, SP_FIRST_REPORT) ? 0 : -EIO;
}

static int
use_gpus(void)
{
	bool first;

	return sp_board_use_gpus(board, true, &first) && first ? 0 : -EIO;
}

static int
count_ready(void)
{
	sp_board_count_ready(board, 1);
	return 0;
}

static int
leave(void)
{
	sp_board_leave(board, 1, 0);
	return 0;
}

static int (*const steps[])(void) = {
	make, arrive, write_seat, read_seat, read_common, decide, decide_and_read, lock_jobs, look_for_others, look_on,
	become_reporter, use_gpus, count_ready, leave,
};
#define STEPS ((int)(sizeof(steps) / sizeof(steps[0])))

/* A board at which rank 1 has arrived, and the step; then all leave. */
static int
take_step(int (*step)(void), int nth, calls_meanwhile *meanwhile, int *reached)
{
	if (step != make) {
		ck_assert_int_eq(make(), 0);
		ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	}
	calls_at(nth, meanwhile);
	int error = step();
	*reached = calls_were_reached();
	/* (Where it has only not been opened, it is there for the next.) */
	if (!board)
		ck_assert_int_eq(make(), 0);
	sp_board_leave(board, 1, 0);
	sp_board_release(board);
	/* What nobody could lock, nobody could remove. */
	ck_assert_int_eq(lock_jobs_after(error), 0);
	return error;
}

START_TEST(a_call_for_the_board_fails_once)
{
	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	for (int nth = 0, reached = 1; reached; nth++) {
		int error = take_step(steps[_i], nth, refuse, &reached);

		ck_assert_msg(error == 0 || (reached && error < 0), "call %d: %d", nth, error);
		ck_assert_msg(shm_files() == 0, "call %d: %u files", nth, shm_files());
	}
	free(machine);
}
END_TEST

/* Somebody cleans up, boards and locks. */
static int
remove_all(void)
{
	DIR *folder = opendir("/dev/shm");
	char path[300];

	for (struct dirent *entry; folder && (entry = readdir(folder)); ) {
		snprintf(path, sizeof(path), "/dev/shm/%s", entry->d_name);
		unlink(path);
	}
	if (folder)
		closedir(folder);
	return 0;
}

/* Where space cannot be allocated it is written: whichever call has failed, a board that is made has all of it. */
START_TEST(a_board_has_its_space)
{
	struct stat file;
	unsigned made = 0;

	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	for (int nth = 0, reached = 1; reached; nth++) {
		calls_at(nth, refuse);
		int error = make();
		reached = calls_were_reached();
		if (!error) {
			ck_assert_int_eq(stat(board->path, &file), 0);
			ck_assert_int_ge(file.st_blocks * 512, file.st_size);
			ck_assert_int_eq(read_common(), 0);
			sp_board_release(board);
			made++;
		}
		ck_assert_int_eq(lock_jobs_after(error), 0);
		remove_all();
	}
	/* Once without a failure; another time where only allocating has failed. */
	ck_assert_uint_ge(made, 2);
	free(machine);
}
END_TEST

START_TEST(a_board_may_go_at_any_moment)
{
	bool is_stale = false;

	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	for (int nth = 0, reached = 1; reached; nth++) {
		int error = take_step(steps[_i], nth, remove_all, &reached);

		/* A lock that has gone is waited for, a draft that has gone is no board. */
		ck_assert_msg(error == 0 || (reached && (error == -ESTALE || error == -EIO || error == -ETIME || error == -ENOENT)),
			      "call %d: %d", nth, error);
		ck_assert_uint_eq(shm_files(), 0);
		is_stale |= error == -ESTALE;
	}
	ck_assert(is_stale || steps[_i] != make);
	free(machine);
}
END_TEST

/* Another thread closes what has the lowest number: what is opened next gets that, and is a file like others. */
static int
close_input(void)
{
	close(STDIN_FILENO);
	return 0;
}

static void
hold_input(void)
{
	if (fcntl(STDIN_FILENO, F_GETFD) < 0)
		ck_assert_int_eq(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
}

START_TEST(standard_input_may_be_closed_at_any_moment)
{
	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	for (int nth = 0, reached = 1; reached; nth++) {
		hold_input();
		ck_assert_int_eq(take_step(steps[_i], nth, close_input, &reached), 0);
		ck_assert_uint_eq(shm_files(), 0);
	}
	close_input();
	free(machine);
}
END_TEST

START_TEST(another_job_is_found_with_any_descriptor)
{
	struct sp_common common = { .dry_run = false };
	struct sp_other_jobs others;
	int error;

	if (!shm_of_own(NULL))
		return;
	common.machine = machine = machine_uniform(4, 1);
	ck_assert_int_eq(sp_board_create("another job", SIZE, &common, &board), 0);
	for (int nth = 0, reached = 1; reached; nth++) {
		hold_input();
		calls_at(nth, close_input);
		error = sp_board_other_jobs(JOB, &others);
		reached = calls_were_reached();
		ck_assert_int_eq(error, 0);
		ck_assert_uint_eq(others.jobs, 1);
	}
	close_input();
	sp_board_release(board);
	free(machine);
}
END_TEST

static int
arrive_and_pause(int rank, void *data)
{
	if (sp_board_arrive(board, (uint32_t)rank, false) != 0)
		return 1;
	*(atomic_int *)data = 1;
	return pause();
}

/* Whichever of them comes first on the board. */
START_TEST(who_leaves_another_behind_is_seen_to_have_left)
{
	atomic_int *has_come = shared_memory(sizeof(*has_come));
	uint32_t own = (uint32_t)_i;
	struct sp_seat seat;

	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	ck_assert_int_eq(make(), 0);
	pid_t other = start_rank(1 - _i, arrive_and_pause, has_come);
	while (!*has_come)
		sleep_ms(1);
	for (int nth = 0, reached = 1; reached; nth++) {
		/* Also one that has left before. */
		ck_assert_int_eq(sp_board_arrive(board, own, false), 0);
		ck_assert_int_eq(sp_board_read(board, own, &seat), 0);
		ck_assert_uint_eq(seat.state, SP_SEAT_COMING);
		calls_at(nth, refuse);
		sp_board_leave(board, own, 0);
		reached = calls_were_reached();
		ck_assert_int_eq(sp_board_read(board, own, &seat), 0);
		ck_assert_msg(seat.state == SP_SEAT_LEFT, "call %d", nth);
		ck_assert_msg(shm_files() == 1, "call %d", nth);
	}
	kill(other, SIGKILL);
	status_of(other);
	sp_board_release(board);
	free(machine);
}
END_TEST

START_TEST(who_cannot_count_is_not_the_last)
{
	bool is_last;

	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	ck_assert_int_eq(make(), 0);
	ck_assert_uint_eq(sp_board_count_ready(board, 1), 1);
	EACH_CALL(refuse, is_last = sp_board_count_ready(board, 1) != 0)
		ck_assert_int_eq(is_last, !reached);
	sp_board_release(board);
	free(machine);
}
END_TEST

static int open_error;

static int
fail_to_open(void)
{
	return open_error;
}

/* A process that is short of something says nothing about the board. */
START_TEST(why_a_board_cannot_be_opened)
{
	static const struct { int given, error; bool may_live; } cases[] = {
		{ ENOENT, -ENOENT, false }, { EACCES, -EACCES, false }, { EMFILE, -EMFILE, true }, { ENFILE, -ENFILE, true },
		{ ENOMEM, -ENOMEM, true }, { EIO, -EPROTO, false },
	};
	struct sp_board *opened = NULL;
	const char *problem;

	if (!shm_of_own(NULL))
		return;
	machine = machine_uniform(4, 1);
	ck_assert_int_eq(make(), 0);
	open_error = cases[_i].given;
	calls_at_open(fail_to_open);
	int error = sp_board_open(JOB, SIZE, &opened, &problem);
	ck_assert(calls_were_reached());
	ck_assert_int_eq(error, cases[_i].error);
	if (error == -EPROTO)
		ck_assert_str_eq(problem, "it cannot be opened");
	else
		ck_assert_ptr_null(problem);
	/* Of one that nobody has made. */
	board->head.maker = (struct sp_process){ .pid = 0 };
	ck_assert(!sp_board_is_alive(board));
	calls_at_open(fail_to_open);
	bool is_alive = sp_board_is_alive(board);
	ck_assert(calls_were_reached());
	ck_assert_int_eq(is_alive, cases[_i].may_live);
	sp_board_release(board);
	free(machine);
}
END_TEST

static int
interrupt(void)
{
	return EINTR;
}

/* How many of the calls that take the lock may fail so. */
static int
calls_to_spare(calls_meanwhile *meanwhile)
{
	int error, spare = 0;

	EACH_CALL(meanwhile, error = sp_board_lock_jobs(30000)) {
		spare += reached && !error;
		sp_board_end();
	}
	return spare;
}

START_TEST(a_lock_that_is_interrupted_is_tried_again)
{
	if (!shm_of_own(NULL))
		return;
	/* flock. */
	ck_assert_int_eq(calls_to_spare(interrupt), calls_to_spare(refuse) + 1);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

static bool
give_up(void *data)
{
	(void)data;
	return true;
}

/* -EALREADY: it would be tried again. */
static int
lock_at_once(void)
{
	return sp_board_lock_unless(NULL, 1, 0, give_up, NULL);
}

/* A sandbox forbids it, not the file's mode. */
START_TEST(a_lock_that_may_not_be_opened)
{
	if (!shm_of_own(NULL))
		return;
	open_error = EACCES;
	calls_at_open(fail_to_open);
	int without = lock_at_once();
	ck_assert(calls_were_reached());
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	calls_at_open(fail_to_open);
	int with = lock_at_once();
	ck_assert(calls_were_reached());
	sp_board_end();
	ck_assert_int_eq(without, -EALREADY);
	ck_assert_int_eq(with, -EPROTO);
}
END_TEST

/* One that a umask has made so that its user cannot open it; root can. */
static int
lock_as_user(int rank, void *data)
{
	calls_meanwhile *const meanwhiles[] = { refuse, remove_all };
	static const mode_t modes[] = { 0, S_IRUSR, S_IWUSR };

	(void)rank;
	(void)data;
	if (setgid(4711) != 0 || setuid(4711) != 0)
		return 0;
	for (int i = 0; i < 6; i++)
		for (int nth = 0, reached = 1; reached; nth++) {
			close(open("/dev/shm/splitpin-4711-lock", O_WRONLY | O_CREAT | O_CLOEXEC, modes[i / 2]));
			calls_at(nth, meanwhiles[i % 2]);
			int error = lock_at_once();
			reached = calls_were_reached();
			sp_board_end();
			/* Next time there is none, or one that can be opened. */
			ck_assert_msg(error == -EALREADY || error == 0 || (reached && error < 0 && meanwhiles[i % 2] == refuse), "call %d: %d", nth, error);
			ck_assert_int_eq(lock_jobs_after(error), 0);
		}
	return shm_files() != 0;
}

START_TEST(a_lock_that_nobody_can_open)
{
	if (shm_of_own("mode=1777"))
		ck_assert_int_eq(status_of(start_rank(0, lock_as_user, NULL)), 0);
}
END_TEST

static int ncalls, each_error;

static int
count_and_fail(void)
{
	ncalls++;
	calls_at(0, count_and_fail);
	return each_error;
}

#define ALL_CALLS(error, call) (each_error = (error), ncalls = 0, calls_at(0, count_and_fail), (call), (void)calls_were_reached())

/* Nothing is tried for ever. */
START_TEST(what_fails_again_and_again_is_given_up)
{
	int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), error = 0;
	struct sp_written_seat torn = { .seat = { .state = SP_SEAT_READY } };
	struct sp_board of = { .opening = BOARD_OPENING };
	struct sp_seat seat;

	ALL_CALLS(EINTR, error = sp_log_write(file, "x", 1));
	ck_assert_int_eq(error, -EINTR);
	ck_assert_int_eq(ncalls, 4);
	ALL_CALLS(EAGAIN, error = sp_board_lock(file, 0, 1));
	ck_assert_int_eq(error, -EAGAIN);
	ck_assert_int_eq(ncalls, 1001 + 1000);	/* and naps between them */
	ALL_CALLS(EIO, sp_board_remove(file, "/nowhere/at/all"));
#if __GLIBC_PREREQ(2, 33)	/* before it fstat and stat are not called by these names */
	ck_assert_int_eq(ncalls, 2);
#endif
	/* Its writer was killed over it. */
	ck_assert_int_eq(sp_board_write_at(file, &torn, sizeof(torn), sp_board_seat_at(0)), 0);
	ALL_CALLS(0, error = sp_seat_read(file, &of, 0, &seat));
	ck_assert_int_eq(error, -ENOENT);
	ck_assert_int_eq(ncalls, 40 + 40);
	/* Who looks on waits for no seat. */
	of.opening = BOARD_READING;
	ALL_CALLS(0, error = sp_seat_read(file, &of, 0, &seat));
	ck_assert_int_eq(error, -ENOENT);
	ck_assert_int_eq(ncalls, 40);
	close(file);
}
END_TEST

START_TEST(reading_of_processes_fails)
{
	struct sp_process process;
	struct sp_activity activity;
	pid_t *children;
	ssize_t n;
	int error;

	/* (That the end is reached may be told by an error, too.) */
	EACH_CALL(refuse, error = sp_process_read(getpid(), &process))
		ck_assert(error == 0 ? process.pid == getpid() : reached && (error == -EIO || error == -ESRCH));
	EACH_CALL(refuse, error = sp_process_activity(getpid(), &activity))
		ck_assert(error == 0 || (reached && (error == -EIO || error == -ESRCH)));
	/* (The first calls: there are as many as the node has processes.) */
	for (int nth = 0; nth < 4; nth++) {
		children = NULL;
		calls_at(nth, refuse);
		n = nth % 2 ? sp_process_children(getpid(), &children) : sp_process_children_by_parent(getpid(), &children);
		bool reached = calls_were_reached();
		ck_assert(n == 0 || (reached && n == -EIO));
		free(children);
	}
}
END_TEST

START_TEST(children_are_found_with_any_descriptor)
{
	pid_t child = start_rank(0, pause_for_ever, NULL), *children;

	for (int nth = 0; nth < 6; nth++) {
		hold_input();
		calls_at(nth / 2, close_input);
		ssize_t n = nth % 2 ? sp_process_children(getpid(), &children) : sp_process_children_by_parent(getpid(), &children);
		calls_were_reached();
		ck_assert_int_eq(n, 1);
		ck_assert_int_eq(children[0], child);
		free(children);
	}
	close_input();
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

START_TEST(writing_to_a_log_fails)
{
	char folder[] = "/tmp/splitpin-unit-XXXXXX", path[64];
	int error;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	EACH_CALL(refuse, error = sp_log_file_append(path, "x\n", 2))
		ck_assert_int_eq(error, reached ? -EIO : 0);
	unlink(path);
	rmdir(folder);
}
END_TEST

START_TEST(moving_a_process_needs_no_proc)
{
	struct sp_cpus all;
	int error;

	ck_assert_int_eq(sp_pin_get(0, &all), 0);
	EACH_CALL(refuse, error = sp_pin_process(&all, &all))
		ck_assert_int_eq(error, 0);
}
END_TEST

Suite *
suite_failing_calls(void)
{
	Suite *suite = suite_create("failing_calls");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, a_call_for_the_board_fails_once, 0, STEPS);
	tcase_add_test(facts, a_board_has_its_space);
	tcase_add_loop_test(facts, a_board_may_go_at_any_moment, 0, STEPS);
	tcase_add_loop_test(facts, standard_input_may_be_closed_at_any_moment, 0, STEPS);
	tcase_add_test(facts, another_job_is_found_with_any_descriptor);
	tcase_add_loop_test(facts, who_leaves_another_behind_is_seen_to_have_left, 0, 2);
	tcase_add_test(facts, who_cannot_count_is_not_the_last);
	tcase_add_loop_test(facts, why_a_board_cannot_be_opened, 0, 6);
	tcase_add_test(facts, a_lock_that_is_interrupted_is_tried_again);
	tcase_add_test(facts, a_lock_that_may_not_be_opened);
	tcase_add_test(facts, a_lock_that_nobody_can_open);
	tcase_add_test(facts, what_fails_again_and_again_is_given_up);
	tcase_add_test(facts, reading_of_processes_fails);
	tcase_add_test(facts, children_are_found_with_any_descriptor);
	tcase_add_test(facts, writing_to_a_log_fails);
	tcase_add_test(facts, moving_a_process_needs_no_proc);
	suite_add_tcase(suite, facts);
	return suite;
}
