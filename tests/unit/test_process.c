/* Facts about processes. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/times.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"
#include "emulated.h"
#include "ranks.h"
#include "suites.h"

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

START_TEST(a_zombie_has_neither_arguments_nor_environment)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
	size_t length = 1;
	siginfo_t info;

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_ptr_null(sp_process_arguments(pid, &length));
	ck_assert_uint_eq(length, 0);
	ck_assert_ptr_null(sp_process_environment(pid));
	status_of(pid);
}
END_TEST

START_TEST(what_a_process_is_doing)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
	struct sp_activity activity;
	siginfo_t info;

	ck_assert_int_eq(sp_process_activity(getpid(), &activity), 0);
	ck_assert_int_eq(activity.state, 'R');
	ck_assert(!activity.has_waited);
	do
		ck_assert_int_eq(sp_process_activity(pid, &activity), 0);
	while (activity.state != 'S');
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
	ck_assert_int_eq(sp_process_activity(pid, &activity), 0);
	ck_assert_int_eq(activity.state, 'T');
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(sp_process_activity(pid, &activity), 0);
	ck_assert_int_eq(activity.state, 'Z');
	status_of(pid);
	ck_assert_int_eq(sp_process_activity(pid, &activity), -ESRCH);
	ck_assert_int_eq(sp_process_activity(getpid(), &activity), 0);
	ck_assert(activity.has_waited);
}
END_TEST

START_TEST(who_works_uses_time)
{
	struct sp_activity before, now;

	ck_assert_int_eq(sp_process_activity(getpid(), &before), 0);
	/* (It ends by the test's time-out where it does not.) */
	do
		ck_assert_int_eq(sp_process_activity(getpid(), &now), 0);
	while (now.ticks == before.ticks);
	ck_assert_uint_gt(now.ticks, before.ticks);
}
END_TEST

static void *
pause_as_thread(void *tid)
{
	*(atomic_int *)tid = (int)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

START_TEST(what_a_thread_is_doing)
{
	struct sp_activity own, sleeping, all;
	struct sp_process self, thread;
	pthread_t sleeper;
	atomic_int tid = 0;

	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(pthread_create(&sleeper, NULL, pause_as_thread, &tid), 0);
	do
		ck_assert_int_eq(sp_process_thread(getpid(), getpid(), &own, &thread), 0);
	while (!tid || own.ticks < 3);
	ck_assert_int_eq(own.state, 'R');
	ck_assert_int_eq(thread.pid, getpid());
	ck_assert_uint_eq(thread.started, self.started);
	do
		ck_assert_int_eq(sp_process_thread(getpid(), tid, &sleeping, &thread), 0);
	while (sleeping.state != 'S');
	ck_assert_int_eq(thread.pid, tid);
	ck_assert_uint_ge(thread.started, self.started);
	ck_assert_int_eq(sp_process_activity(getpid(), &all), 0);
	/* User's and system's time are cut to whole ticks each, and divided between the two anew at each look. */
	ck_assert_uint_ge(all.ticks + 1, own.ticks);
	ck_assert_uint_lt(sleeping.ticks, own.ticks);
	ck_assert_int_eq(sp_process_thread(getpid(), INT32_MAX, &own, &thread), -ESRCH);
}
END_TEST

static uint64_t
ticks_of(const struct tms *times)
{
	return (uint64_t)(times->tms_utime + times->tms_stime + times->tms_cutime + times->tms_cstime);
}

/* Both kinds of time; the other kind comes with them. */
static int
work(int rank, void *data)
{
	struct tms now = { 0 };

	(void)rank;
	(void)data;
	while (now.tms_utime < 2 || now.tms_stime < 2) {
		for (volatile int i = 0; now.tms_utime < 2 && i < 100000; i++)
			;
		for (int i = 0; now.tms_stime < 2 && i < 200; i++)
			close(open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
		times(&now);
	}
	return 0;
}

static int
work_beside_a_child(int rank, void *data)
{
	atomic_ullong *ticks = data;
	struct tms now;

	status_of(start_rank(rank, work, NULL));
	work(rank, NULL);
	times(&now);
	*ticks = now.tms_utime && now.tms_stime && now.tms_cutime && now.tms_cstime ? ticks_of(&now) : 1;
	return pause();
}

START_TEST(time_of_children_counts)
{
	atomic_ullong *ticks = shared_memory(sizeof(*ticks));
	pid_t worker = start_rank(0, work_beside_a_child, ticks);
	struct sp_activity activity;

	while (!*ticks)
		sleep_ms(1);
	ck_assert_uint_ge(*ticks, 8);
	ck_assert_int_eq(sp_process_activity(worker, &activity), 0);
	ck_assert_uint_ge(activity.ticks, *ticks);
	kill(worker, SIGKILL);
	status_of(worker);
}
END_TEST

static int
have_child(int rank, void *data)
{
	pid_t *grandchild = data;

	*grandchild = start_rank(rank, pause_for_ever, NULL);
	return pause_for_ever(rank, data);
}

START_TEST(ancestors)
{
	volatile pid_t *number = shared_memory(sizeof(*number));
	pid_t child = start_rank(0, have_child, (void *)number);
	struct sp_process process, self;

	while (!*number)
		sleep_ms(1);
	pid_t grandchild = *number;
	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(sp_process_read(grandchild, &process), 0);
	ck_assert(sp_process_is_ancestor(child, &process));
	ck_assert(sp_process_is_ancestor(getpid(), &process));
	ck_assert(sp_process_is_ancestor(getppid(), &process));
	/* Nobody is his own, nor is a child or a sibling's. */
	ck_assert(!sp_process_is_ancestor(grandchild, &process));
	ck_assert(!sp_process_is_ancestor(child, &self));
	ck_assert(!sp_process_is_ancestor(getpid(), &self));
	/* In another name space these are other numbers. */
	process.space = self.space;
	ck_assert(sp_process_is_ancestor(child, &process));
	ck_assert_int_eq(sp_process_here(&process), grandchild);
	process.space++;
	ck_assert(!sp_process_is_ancestor(child, &process));
	ck_assert_int_eq(sp_process_here(&process), 0);
	kill(child, SIGKILL);
	status_of(child);
	kill(grandchild, SIGKILL);
}
END_TEST

/* The last of so many generations looks for the first. */
static int
descend(int generations, void *data)
{
	struct sp_process self;

	if (generations > 0)
		return status_of(start_rank(generations - 1, descend, data));
	return sp_process_self(&self) == 0 && sp_process_is_ancestor(*(pid_t *)data, &self);
}

START_TEST(generations_are_looked_at_up_to_a_limit)
{
	pid_t first = getpid();

	ck_assert_int_eq(status_of(start_rank(SP_GENERATIONS_MAX - 1, descend, &first)), 1);
	ck_assert_int_eq(status_of(start_rank(SP_GENERATIONS_MAX, descend, &first)), 0);
}
END_TEST

START_TEST(own_processes_are_seen_or_gone)
{
	pid_t pid = start_rank(0, pause_for_ever, NULL);
	struct sp_process self, child;

	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(sp_process_sight(&self), SP_SEEN);
	ck_assert_int_eq(sp_process_read(pid, &child), 0);
	ck_assert_int_eq(sp_process_sight(&child), SP_SEEN);
	child.space = self.space;
	ck_assert_int_eq(sp_process_sight(&child), SP_SEEN);
	kill(pid, SIGKILL);
	status_of(pid);
	ck_assert_int_eq(sp_process_sight(&child), SP_GONE);
	self.started--;
	ck_assert_int_eq(sp_process_sight(&self), SP_GONE);
}
END_TEST

/* The first process of a PID name space, with a /proc of it, tells how it sees itself. */
struct told {
	struct sp_process process;
	atomic_int done;	/* 1: it may not mount, 2: it has told */
};

static int
tell_and_pause(int rank, void *data)
{
	struct told *told = data;
	bool mounted = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		       mount("proc", "/proc", "proc", 0, NULL) == 0;

	told->done = mounted && sp_process_self(&told->process) == 0 ? 2 : 1;
	return pause_for_ever(rank, NULL);
}

static int
look_below(int rank, void *data)
{
	struct told *told = shared_memory(sizeof(*told));
	struct sp_process self, child;
	siginfo_t info;

	(void)rank;
	(void)data;
	if (unshare(CLONE_NEWPID) != 0)
		return 0;
	pid_t pid = start_rank(0, tell_and_pause, told);
	while (!told->done)
		sleep_ms(1);
	if (told->done == 2) {
		child = told->process;
		ck_assert_int_eq(sp_process_self(&self), 0);
		ck_assert_uint_ne(child.space, self.space);
		ck_assert_int_ne(child.pid, pid);
		ck_assert_int_eq(sp_process_sight(&child), SP_SEEN);
		/* Its number alone is not it. */
		child.started--;
		ck_assert_int_ne(sp_process_sight(&child), SP_SEEN);
		child.started++;
		/* Neither is its start time, which others may share. */
		child.pid++;
		ck_assert_int_ne(sp_process_sight(&child), SP_SEEN);
		child.pid--;
		ck_assert_int_eq(sp_process_sight(&child), SP_SEEN);
	}
	kill(pid, SIGKILL);
	/* As long as its parent does not wait for it it is a zombie, which has a name space. */
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	if (told->done == 2)
		ck_assert_int_ne(sp_process_sight(&child), SP_SEEN);
	status_of(pid);
	/* From any but the first name space there might be another in which it lives. */
	if (told->done == 2)
		ck_assert_int_eq(sp_process_sight(&child), self.space == 0xeffffffcu ? SP_GONE : SP_OUT_OF_SIGHT);
	return 0;
}

/* In a process of its own: once the name space has ended, that can make no other, as sanitizers do at the end. */
START_TEST(processes_in_a_name_space_below_are_seen)
{
	ck_assert_int_eq(status_of(start_rank(0, look_below, NULL)), 0);
}
END_TEST

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80	/* glibc 2.31 */
#endif

struct in_two_times {
	struct sp_process out, in;
	atomic_int step;	/* 1: both are there; 2: the one inside may end */
};

static int
look_from_inside(int rank, void *data)
{
	struct in_two_times *two = data;

	(void)rank;
	ck_assert_int_eq(sp_process_self(&two->in), 0);
	ck_assert(sp_process_lives(&two->out));
	ck_assert_int_eq(sp_process_sight(&two->out), SP_SEEN);
	ck_assert_uint_lt(sp_process_age_ns(&two->in), UINT64_C(500000000000));
	two->step = 1;
	while (two->step == 1)
		sleep_ms(1);
	return 0;
}

static int
begin_time_space(int rank, void *data)
{
	struct in_two_times *two = data;
	FILE *offsets = unshare(CLONE_NEWTIME) == 0 ? fopen("/proc/self/timens_offsets", "w") : NULL;

	if (!offsets) {
		two->step = 1;
		return 0;
	}
	fprintf(offsets, "boottime 1000 0\n");
	ck_assert_int_eq(fclose(offsets), 0);
	return status_of(start_rank(rank, look_from_inside, two));
}

/* What is on a board was written by a process whose clock may be another. */
START_TEST(a_process_in_another_time_name_space_lives)
{
	struct in_two_times *two = shared_memory(sizeof(*two));

	ck_assert_int_eq(sp_process_self(&two->out), 0);
	pid_t pid = start_rank(0, begin_time_space, two);
	while (!two->step && waitpid(pid, NULL, WNOHANG) == 0)
		sleep_ms(1);
	if (two->in.pid) {
		ck_assert(sp_process_lives(&two->in));
		two->step = 2;
		ck_assert_int_eq(status_of(pid), 0);
		ck_assert(!sp_process_lives(&two->in));
	}
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

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = start_rank(0, end_first_thread, ends);
	ck_assert_int_eq(sp_process_read(pid, &child), 0);
	sleep_ms(100);
	ck_assert(sp_process_lives(&child));
	close(ends[0]);
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

/* A process may write over its arguments and its environment, up to the last byte.  Returns how many that are. */
static size_t
write_over(int first_field)
{
	FILE *stat = fopen("/proc/self/stat", "re");
	unsigned long begin, end;
	char text[2048], *at;

	text[fread(text, 1, sizeof(text) - 1, stat)] = '\0';
	fclose(stat);
	at = strrchr(text, ')') + 2;
	for (int field = 3; field < first_field; field++)
		at = strchr(at, ' ') + 1;
	ck_assert_int_eq(sscanf(at, "%lu %lu", &begin, &end), 2);
	memset((char *)begin, 'x', end - begin);
	return end - begin;
}

START_TEST(arguments_that_do_not_end)
{
	size_t length;
	char *read;

	write_over(48);
	read = sp_process_arguments(getpid(), &length);
	ck_assert_ptr_nonnull(read);
	ck_assert_int_eq(read[length - 1], '\0');
	ck_assert_uint_eq(length, strlen(read) + 1);
	free(read);
}
END_TEST

/* That of all processes, which has no parent here. */
START_TEST(the_first_process_is_a_child_of_none)
{
	pid_t *children;
	ssize_t n = sp_process_children_by_parent(0, &children);
	int found = 0;

	ck_assert_int_gt(n, 0);
	for (ssize_t i = 0; i < n; i++)
		found += children[i] == 1;
	ck_assert_int_eq(found, 1);
	free(children);
}
END_TEST

START_TEST(an_environment_that_does_not_end)
{
	size_t length = write_over(50);
	char **read = sp_process_environment(getpid());

	ck_assert_ptr_nonnull(read);
	ck_assert_uint_eq(strlen(read[0]), length);
	ck_assert_ptr_null(read[1]);
	free(read);
}
END_TEST

/* Which might be one of a process that has ended meanwhile. */
START_TEST(an_ancestor_that_cannot_be_read_has_none)
{
	struct sp_process orphan = { .pid = getpid(), .parent = INT32_MAX };

	ck_assert(!sp_process_is_ancestor(getppid(), &orphan));
	ck_assert(sp_process_is_ancestor(INT32_MAX, &orphan));
	orphan.parent = 1;
	ck_assert(!sp_process_is_ancestor(1, &orphan));
	orphan.parent = 0;
	ck_assert(!sp_process_is_ancestor(0, &orphan));
}
END_TEST

START_TEST(arguments_are_read)
{
	char *none[] = { NULL };
	pid_t pid = start_rank(0, exec_sleep, none);
	char *read = NULL;
	size_t length = 0;

	for (int i = 0; i < 2000 && !(read && strcmp(read, "sleep") == 0); i++) {
		free(read);
		read = sp_process_arguments(pid, &length);
		sleep_ms(5);
	}
	ck_assert_uint_eq(length, sizeof("sleep\00060"));
	ck_assert_mem_eq(read, "sleep\00060", length);
	free(read);
	kill(pid, SIGKILL);
	status_of(pid);
	length = 7;
	ck_assert_ptr_null(sp_process_arguments(pid, &length));
	ck_assert_uint_eq(length, 0);
}
END_TEST

/* More than fit into the first array, and numbers that are read in pieces. */
START_TEST(a_process_may_have_many_children)
{
	enum { MANY = 700 };
	static pid_t started[MANY];
	pid_t *read[2];

	for (int i = 0; i < MANY; i++)
		started[i] = start_rank(i, pause_for_ever, NULL);
	ck_assert_int_eq(sp_process_children(getpid(), &read[0]), MANY);
	ck_assert_int_eq(sp_process_children_by_parent(getpid(), &read[1]), MANY);
	for (int i = 0; i < MANY; i++) {
		int found = 0;

		for (int j = 0; j < 2 * MANY; j++)
			found += read[j / MANY][j % MANY] == started[i];
		ck_assert_int_eq(found, 2);
	}
	for (int i = 0; i < MANY; i++) {
		kill(started[i], SIGKILL);
		status_of(started[i]);
		free(i < 2 ? read[i] : NULL);
	}
}
END_TEST

/* What /proc says of a child, as a test wants it. */

/* A file, or a folder where text is NULL, of the child's; false where nothing may be mounted. */
static bool
instead(pid_t child, const char *name, const void *text, size_t length)
{
	char path[64], room[PAST_EMULATOR];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)child, name);
	return text ? file_instead(past_emulator(path, room), text, length) : mount("tmpfs", path, "tmpfs", 0, NULL) == 0;
}

static const struct {
	const char *text;
	int error;
	char state;
	bool lives;
} stats[] = {
	{ "1 (a) b) S 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 1 0 99 5\n", 0, 'S', true },
	{ "1 (a) X 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 5 0 99 5\n", 0, 'X', false },
	{ "1 (a) Z 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 0 0 99 5\n", 0, 'Z', false },
	{ "1 (a) Z 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 1 0 99 5\n", 0, 'Z', false },
	{ "1 (a) Z 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 2 0 99 5\n", 0, 'Z', true },
	{ "1 (a) S 7 0 0 0 0 0 0 0 0 0 1 20 300 4000 0 0 1 0\n", -EPROTO, 0, true },
	{ "nonsense\n", -EPROTO, 0, true },
	{ "", -ESRCH, 0, false },
};

START_TEST(what_a_stat_says)
{
	pid_t child = start_rank(0, pause_for_ever, NULL);
	struct sp_process process, known = { .pid = child, .started = 99 };
	struct sp_activity activity;

	if (shm_of_own(NULL) && instead(child, "stat", stats[_i].text, strlen(stats[_i].text))) {
		ck_assert_int_eq(sp_process_read(child, &process), stats[_i].error);
		ck_assert_int_eq(sp_process_activity(child, &activity), stats[_i].error);
		ck_assert_int_eq(sp_process_lives(&known), stats[_i].lives);
		if (!stats[_i].error) {
			ck_assert_int_eq(process.pid, child);
			ck_assert_int_eq(process.parent, 7);
			ck_assert_uint_eq(process.started, 99);
			ck_assert_uint_eq(process.space, 0);
			ck_assert_int_eq(activity.state, stats[_i].state);
			ck_assert_uint_eq(activity.ticks, 4321);
		}
	}
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

/* All but the last thread have ended: the first is a zombie, beside which one remains. */
START_TEST(the_last_thread_is_left)
{
	static const struct { char state; int threads; bool is_left; } cases[] = {
		{ 'Z', 1, true }, { 'Z', 2, true }, { 'Z', 3, false }, { 'S', 2, false },
	};
	struct sp_process self;
	char text[128];

	ck_assert(!sp_process_is_left());
	if (!shm_of_own(NULL))
		return;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int length = snprintf(text, sizeof(text), "1 (a) %c 7 0 0 0 0 0 0 0 0 0 1 1 1 1 0 0 %d 0 99 5\n",
				      cases[i].state, cases[i].threads);

		if (!instead(getpid(), "stat", text, (size_t)length))
			return;
		ck_assert_int_eq(sp_process_read(getpid(), &self), 0);
		ck_assert_uint_eq(self.started, 99);
		ck_assert_int_eq(sp_process_is_left(), cases[i].is_left);
	}
}
END_TEST

/* Each of pid, start and name space is another process's. */
START_TEST(processes_are_the_same_by_all)
{
	const struct sp_process one = { .pid = 1, .started = 2, .space = 3 };

	ck_assert(sp_process_same(&one, &(struct sp_process){ .pid = 1, .parent = 9, .started = 2, .space = 3 }));
	ck_assert(!sp_process_same(&one, &(struct sp_process){ .pid = 9, .started = 2, .space = 3 }));
	ck_assert(!sp_process_same(&one, &(struct sp_process){ .pid = 1, .started = 9, .space = 3 }));
	ck_assert(!sp_process_same(&one, &(struct sp_process){ .pid = 1, .started = 2, .space = 9 }));
}
END_TEST

START_TEST(the_first_process_lives)
{
	struct sp_process first;

	if (sp_process_read(1, &first) == 0)
		ck_assert(sp_process_lives(&first));
}
END_TEST

START_TEST(without_proc_nothing_is_known)
{
	struct sp_process self, other = { .pid = getpid(), .space = 1 };
	pid_t *children;

	if (!shm_of_own(NULL) || mount("tmpfs", "/proc", "tmpfs", 0, NULL) != 0)
		return;
	int error = sp_process_self(&self);
	pid_t here = sp_process_here(&other);
	ssize_t n = sp_process_children(getpid(), &children), by_parent = sp_process_children_by_parent(getpid(), &children);
	umount("/proc");
	ck_assert_int_eq(error, -ESRCH);
	ck_assert_uint_eq(self.space, 0);
	ck_assert_int_eq(here, 0);
	ck_assert_int_eq(n, -ESRCH);
	ck_assert_int_eq(by_parent, 0);
}
END_TEST

START_TEST(an_age_counts_from_the_start)
{
	uint64_t second = (uint64_t)sysconf(_SC_CLK_TCK), ages[2];
	struct timespec before, after;

	clock_gettime(CLOCK_BOOTTIME, &before);
	for (uint64_t i = 0; i < 2; i++)
		ages[i] = sp_process_age_ns(&(struct sp_process){ .started = i * second }) + i * 1000000000;
	clock_gettime(CLOCK_BOOTTIME, &after);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_ge(ages[i], (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
		ck_assert_uint_le(ages[i], (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
	}
	/* One of the future is new. */
	ck_assert_uint_eq(sp_process_age_ns(&(struct sp_process){ .started = ((uint64_t)after.tv_sec + 1000) * second }), 0);
}
END_TEST

static const char long_list[] = "4194301 ";

/* Lists of threads are put together, whatever piece of them is read at once. */
START_TEST(the_kernels_lists_of_children)
{
	enum { LONG = 1000 };
	pid_t child = start_rank(0, pause_for_ever, NULL), *read = NULL;
	char text[LONG * (sizeof(long_list) - 1) + 1] = "";

	for (int i = 0; i < LONG; i++)
		memcpy(text + i * (sizeof(long_list) - 1), long_list, sizeof(long_list));
	if (shm_of_own(NULL) && instead(child, "task", NULL, 0)) {
		static const char *const threads[] = { "1", "23", "x", "4x" };
		char path[64];

		/* None has a list: the parent of every process is asked. */
		for (int i = 0; i < 4; i++) {
			snprintf(path, sizeof(path), "/proc/%d/task/%s", (int)child, threads[i]);
			ck_assert_int_eq(mkdir(path, 0700), 0);
		}
		ck_assert_int_eq(sp_process_children(child, &read), 0);
		free(read);
		/* One has, another is just ending, and what is no thread is passed over. */
		for (int i = 1; i < 4; i++) {
			snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)child, threads[i]);
			FILE *file = fopen(path, "we");

			fputs(i == 1 ? text : "7 ", file);
			fclose(file);
		}
		ck_assert_int_eq(sp_process_children(child, &read), LONG);
		for (int i = 0; i < LONG; i++)
			ck_assert_int_eq(read[i], 4194301);
		free(read);
		/* A number counts that ends where the text does not. */
		snprintf(path, sizeof(path), "/proc/%d/task/1/children", (int)child);
		FILE *file = fopen(path, "we");
		for (int i = 1; i <= 65537; i++)
			fprintf(file, "%d ", i);
		fclose(file);
		snprintf(path, sizeof(path), "/proc/%d/task/23/children", (int)child);
		ck_assert_int_eq(unlink(path), 0);
		ck_assert_int_eq(sp_process_children(child, &read), 65536);
		ck_assert_int_eq(read[0], 1);
		ck_assert_int_eq(read[65535], 65536);
		free(read);
		/* What is no file of the kernel's cannot be opened. */
		snprintf(path, sizeof(path), "/proc/%d/task/23/children", (int)child);
		ck_assert_int_eq(symlink(path, path), 0);
		ck_assert_int_eq(sp_process_children(child, &read), -ELOOP);
	}
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

/* In two pieces, the second of which is there when the first has been read. */
struct pieces {
	char path[64];
	const char *text;
	size_t first, all;
};

static int
write_in_pieces(int rank, void *data)
{
	const struct pieces *pieces = data;
	int fd = open(pieces->path, O_WRONLY | O_CLOEXEC), waiting = 1;

	(void)rank;
	if (write(fd, pieces->text, pieces->first) != (ssize_t)pieces->first)
		return 1;
	while (ioctl(fd, FIONREAD, &waiting) == 0 && waiting)
		sleep_ms(1);
	/* (Who reads may have room for less.) */
	return write(fd, pieces->text + pieces->first, pieces->all - pieces->first) <= 0;
}

/* Who writes; 0 where nothing may be mounted. */
static pid_t
start_pieces(struct pieces *pieces, pid_t child, const char *name)
{
	char pipe[] = "/tmp/splitpin-unit-XXXXXX";

	if (!shm_of_own(NULL))
		return 0;
	close(mkostemp(pipe, O_CLOEXEC));
	unlink(pipe);
	ck_assert_int_eq(mkfifo(pipe, 0600), 0);
	snprintf(pieces->path, sizeof(pieces->path), "/proc/%d/%s", (int)child, name);
	bool mounted = mount(pipe, pieces->path, NULL, MS_BIND, NULL) == 0;
	unlink(pipe);
	return mounted ? start_rank(0, write_in_pieces, pieces) : 0;
}

START_TEST(an_environment_that_comes_in_pieces)
{
	struct pieces pieces = { .text = "A=1\0B=2", .first = 5, .all = 8 };
	pid_t child = start_rank(0, pause_for_ever, NULL), writer = start_pieces(&pieces, child, "environ");

	if (writer) {
		char **read = sp_process_environment(child);

		ck_assert_int_eq(status_of(writer), 0);
		ck_assert_str_eq(read[0], "A=1");
		ck_assert_str_eq(read[1], "B=2");
		ck_assert_ptr_null(read[2]);
		free(read);
	}
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

/* More of it than there is room for. */
START_TEST(a_stat_that_comes_in_pieces)
{
	char text[4096];
	struct pieces pieces = { .text = text, .first = 1000, .all = sizeof(text) };
	pid_t child = start_rank(0, pause_for_ever, NULL), writer;
	struct sp_process process;

	memset(text, ' ', sizeof(text));
	memcpy(text, stats[0].text, strlen(stats[0].text));
	writer = start_pieces(&pieces, child, "stat");
	if (writer) {
		ck_assert_int_eq(sp_process_read(child, &process), 0);
		ck_assert_uint_eq(process.started, 99);
		status_of(writer);
	}
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

START_TEST(the_rest_of_a_huge_environment_is_not_read)
{
	enum { MOST = 1 << 20 };
	pid_t child = start_rank(0, pause_for_ever, NULL);
	char *text = malloc(2 * MOST), *read;
	size_t length;

	memset(text, 'x', 2 * MOST);
	if (shm_of_own(NULL) && instead(child, "cmdline", text, 2 * MOST)) {
		read = sp_process_arguments(child, &length);
		ck_assert_uint_eq(length, MOST);
		ck_assert_uint_eq(strlen(read), MOST - 1);
		free(read);
	}
	free(text);
	kill(child, SIGKILL);
	status_of(child);
}
END_TEST

START_TEST(without_descriptors_children_are_an_error)
{
	struct rlimit limit, none;
	pid_t *children;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	ssize_t n = sp_process_children(getpid(), &children), by_parent = sp_process_children_by_parent(getpid(), &children);
	bool lives = sp_process_lives(&(struct sp_process){ .pid = 0 });
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(n, -EMFILE);
	ck_assert_int_eq(by_parent, -EMFILE);
	ck_assert(!lives);
	ck_assert_int_eq(sp_process_children(INT32_MAX, &children), -ESRCH);
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
	tcase_add_test(facts, a_zombie_has_neither_arguments_nor_environment);
	tcase_add_test(facts, what_a_process_is_doing);
	tcase_add_test(facts, who_works_uses_time);
	tcase_add_test(facts, what_a_thread_is_doing);
	tcase_add_test(facts, time_of_children_counts);
	tcase_add_test(facts, ancestors);
	tcase_add_test(facts, generations_are_looked_at_up_to_a_limit);
	tcase_add_test(facts, own_processes_are_seen_or_gone);
	tcase_add_test(facts, processes_in_a_name_space_below_are_seen);
	tcase_add_test(facts, a_process_in_another_time_name_space_lives);
	tcase_add_test(facts, a_pid_that_is_used_again_is_another_process);
	tcase_add_test(facts, nonsense_does_not_live);
	tcase_add_test(facts, what_cannot_be_seen_counts_as_there);
	tcase_add_test(facts, a_name_cannot_deceive);
	tcase_add_test(facts, a_process_lives_as_long_as_any_thread);
	tcase_add_test(facts, without_descriptors_all_live);
	tcase_add_test(facts, an_environment_is_read);
	tcase_add_test(facts, an_empty_environment_is_none);
	tcase_add_loop_test(facts, a_large_environment_is_read, 0, 5);
	tcase_add_test(facts, arguments_are_read);
	/* An emulator keeps to itself where these lie. */
	if (!is_emulated()) {
		tcase_add_test(facts, arguments_that_do_not_end);
		tcase_add_test(facts, an_environment_that_does_not_end);
	}
	tcase_add_test(facts, the_first_process_is_a_child_of_none);
	tcase_add_test(facts, an_ancestor_that_cannot_be_read_has_none);
	tcase_add_test(facts, a_process_may_have_many_children);
	tcase_add_loop_test(facts, what_a_stat_says, 0, sizeof(stats) / sizeof(stats[0]));
	tcase_add_test(facts, the_last_thread_is_left);
	tcase_add_test(facts, processes_are_the_same_by_all);
	tcase_add_test(facts, the_first_process_lives);
	tcase_add_test(facts, an_age_counts_from_the_start);
	tcase_add_test(facts, without_proc_nothing_is_known);
	tcase_add_test(facts, the_kernels_lists_of_children);
	tcase_add_test(facts, an_environment_that_comes_in_pieces);
	tcase_add_test(facts, a_stat_that_comes_in_pieces);
	tcase_add_test(facts, the_rest_of_a_huge_environment_is_not_read);
	tcase_add_test(facts, without_descriptors_children_are_an_error);
	suite_add_tcase(suite, facts);
	return suite;
}
