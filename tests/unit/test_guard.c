/*
 * Whose changes of masks are reported and restored, on two of the CPUs at hand;
 * with one alone no mask can change, and there is nothing to try.
 *
 * Each test runs in a process of its own, which check(3) forks: masks and
 * standard error are its own.
 */
#include <check.h>
#include <dirent.h>
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pin.h"
#include "emulated.h"
#include "threads/guard.h"
#include "machines.h"
#include "memory.h"
#include "ranks.h"
#include "suites.h"

static struct sp_config config;
static struct sp_who who;
static struct sp_cpus share, first;	/* two CPUs, and the lower of them */
static struct sp_workers *workers;
static struct sp_changes changes;
static struct sp_guard *guard;		/* never destroyed, so kept in sight of leak checkers */
static int output;			/* what standard error is for the guard */

/* Put this process on two CPUs; false where there is but one. */
static bool
on_two_cpus(enum sp_guard_mode mode)
{
	struct sp_machine *machine = machine_at_hand();

	if (!machine)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		sp_cpus_add(&share, machine->pu[i].cpu);
	sp_cpus_add(&first, sp_cpus_next(&share, 0));
	ck_assert_int_eq(sp_pin_set(0, &share), 0);
	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	config.guard = mode;
	sp_who_init(&who, 0, 1);
	workers = sp_workers_create(machine, &share, &config, &who);
	int file = memfd_create("stderr", MFD_CLOEXEC);
	ck_assert_int_ge(file, 0);
	output = dup2(file, STDERR_FILENO);
	ck_assert_int_eq(output, STDERR_FILENO);
	close(file);
	return true;
}

static struct sp_guard *
made(struct sp_workers *of, bool is_main_ours)
{
	guard = sp_guard_create(of, &share, &share, &changes, &config, &who, is_main_ours);
	ck_assert_ptr_nonnull(guard);
	return guard;
}

static struct sp_guard *
guard_of(enum sp_guard_mode mode)
{
	if (!on_two_cpus(mode))
		return NULL;
	return made(workers, true);
}

/* What has been written to standard error so far. */
static const char *
said(void)
{
	static char text[8192];
	ssize_t n = pread(output, text, sizeof(text) - 1, 0);

	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	return text;
}

static const char *
said_at_end(void)
{
	sp_guard_end(guard);
	return said();
}

static bool
has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static void
narrow(void)
{
	ck_assert_int_eq(sp_pin_set(0, &first), 0);
}

/* Pin this thread, as this one of a team of two; its slot. */
static int
pin(int thread)
{
	struct sp_worker worker = { .thread = thread, .team = 2, .near = -1, .root = 1, .runtime = SP_LIBOMP };
	int slot = sp_workers_take(workers, &worker, false);

	ck_assert_int_ge(slot, 0);
	ck_assert_int_eq(sp_workers_pin(workers, slot, &worker), 0);
	sp_guard_pinned(guard, slot);
	return slot;
}

START_TEST(a_guard_is_there_where_it_is_asked_for)
{
	if (!on_two_cpus(SP_GUARD_OFF))
		return;
	ck_assert_ptr_null(sp_guard_create(workers, &share, &share, &changes, &config, &who, true));
	config.guard = SP_GUARD_AUTO;
	ck_assert_ptr_null(sp_guard_create(workers, &share, &share, &changes, &config, &who, true));
	config.debug = true;
	made(workers, true);
	config.dry_run = true;
	ck_assert_ptr_null(sp_guard_create(workers, &share, &share, &changes, &config, &who, true));
}
END_TEST

START_TEST(masks_as_they_were_set_are_not_reported)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	pin(1);
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

START_TEST(a_changed_main_thread_is_reported_once)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	/* It looks at the end alone. */
	ck_assert_int_eq(sp_guard_watch(guard), 0);
	narrow();
	ck_assert_str_eq(said(), "");
	ck_assert(has(said_at_end(), "mask of the main thread"));
	ck_assert(has(said(), "SPLITPIN_GUARD=keep would restore it"));
	size_t length = strlen(said());
	ck_assert_uint_eq(strlen(said_at_end()), length);
}
END_TEST

/* Since Linux 5.9. */
static bool
counts_filters(void)
{
	char line[256];
	bool does = false;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && !does && fgets(line, sizeof(line), status))
		does = strncmp(line, "Seccomp_filters:", strlen("Seccomp_filters:")) == 0;
	if (status)
		fclose(status);
	return does;
}

/* As where a cgroup has lost a CPU meanwhile. */
START_TEST(a_mask_that_the_kernel_would_refuse_has_no_remedy)
{
	static struct sp_cpus with_lost;

	if (!guard_of(_i ? SP_GUARD_KEEP : SP_GUARD_WARN) || !counts_filters())
		return;
	with_lost = share;
	sp_cpus_add(&with_lost, SP_CPUS_MAX - 1);
	sp_guard_move(guard, &with_lost, &with_lost);
	ck_assert(has(said_at_end(), "; not all of these CPUs are available to the job any more"));
	ck_assert(!has(said(), "SPLITPIN_GUARD"));
}
END_TEST

static volatile sig_atomic_t has_asked;

static void
note_call(int signal)
{
	(void)signal;
	has_asked = 1;
}

/* Its filter of system calls may end a program that asks which CPUs are left. */
START_TEST(a_program_that_has_confined_itself_does_not_ask)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	if (!guard_of(SP_GUARD_WARN))
		return;
	narrow();
	signal(SIGSYS, note_call);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return;
	ck_assert(has(said_at_end(), "SPLITPIN_GUARD=keep would restore it"));
	ck_assert(!has_asked);
}
END_TEST

/* Without workers it is the only thread that is looked at. */
START_TEST(the_main_thread_is_looked_at_without_workers)
{
	if (!on_two_cpus(SP_GUARD_WARN))
		return;
	made(NULL, true);
	narrow();
	ck_assert(has(said_at_end(), "mask of the main thread"));
}
END_TEST

START_TEST(a_main_thread_that_the_user_has_bound_is_not)
{
	if (!on_two_cpus(SP_GUARD_WARN))
		return;
	made(workers, false);
	narrow();
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

START_TEST(nor_is_one_that_the_program_has_taken_over)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	sp_guard_leave_main(guard);
	narrow();
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

START_TEST(a_changed_worker_is_reported_by_its_number)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	pin(1);
	narrow();
	ck_assert(has(said_at_end(), "mask of thread 1 "));
	ck_assert(!has(said(), "the main thread"));
}
END_TEST

/* Its slot may be another's at the end: it is looked at before. */
START_TEST(a_thread_that_has_left_is_reported)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	int slot = pin(1);
	narrow();
	sp_guard_leaving(guard, slot);
	sp_workers_give(workers, slot);
	ck_assert(has(said_at_end(), "mask of thread 1 "));
}
END_TEST

START_TEST(a_pin_ends_what_was_before)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	narrow();
	pin(1);
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

START_TEST(a_main_thread_goes_on_with_the_mask_of_its_slot)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	int slot = pin(1);
	sp_guard_leaving(guard, slot);
	sp_workers_give(workers, slot);
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

/* What is set while a thread makes others is splitpin's own, unless somebody else has called for it. */
START_TEST(the_share_is_no_change_of_a_worker)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	pin(1);
	ck_assert_int_eq(sp_pin_set(0, &share), 0);
	if (_i)
		sp_changes_add(&changes, gettid(), dlsym(RTLD_DEFAULT, "getenv"), sp_drift_hash(&share));
	ck_assert_int_eq(has(said_at_end(), "mask of thread 1 "), _i);
}
END_TEST

/* What is found where memory is short is not reported. */
START_TEST(a_guard_needs_memory_for_workers)
{
	struct sp_worker worker = { .thread = 1, .team = 2, .near = -1, .root = 1, .runtime = SP_LIBOMP };

	if (!guard_of(SP_GUARD_WARN))
		return;
	ck_assert_int_eq(sp_workers_pin(workers, sp_workers_take(workers, &worker, false), &worker), 0);
	narrow();
	memory_short_at(0);
	sp_guard_end(guard);
	ck_assert(memory_was_short());
	ck_assert_str_eq(said(), "");
}
END_TEST

/* Another thread: it is pinned as number 1, and goes on when it is told to. */

static struct {
	pthread_t thread;
	struct sp_cpus cpus;	/* of its slot */
	atomic_int step;	/* 1: pinned; 2: it is to leave; 3: it has left; from 4 on: it is to end */
} other;

static void
wait_for_step(int step)
{
	while (other.step < step)
		sched_yield();
}

static void *
come_and_leave(void *narrows)
{
	int slot = pin(1);

	sp_workers_cpus(workers, slot, &other.cpus);
	if (narrows)
		sp_pin_set(0, sp_cpus_equal(&other.cpus, &first) ? &share : &first);
	other.step = 1;
	wait_for_step(2);
	sp_guard_leaving(guard, slot);
	sp_workers_give(workers, slot);
	other.step++;
	wait_for_step(4);
	return NULL;
}

static void
begin_other(bool narrows)
{
	ck_assert_int_eq(pthread_create(&other.thread, NULL, come_and_leave, narrows ? &other : NULL), 0);
	wait_for_step(1);
}

static void
end_other(void)
{
	other.step = 4;
	pthread_join(other.thread, NULL);
}

/* Each has its slot, or none. */
START_TEST(all_threads_are_looked_at)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	if (_i)
		pin(0);
	begin_other(true);
	ck_assert_int_eq(sp_pin_set(0, &other.cpus), 0);
	ck_assert(has(said_at_end(), _i ? "mask of thread 0 " : "mask of the main thread "));
	ck_assert(has(said(), "mask of thread 1 "));
	ck_assert(has(said(), "SPLITPIN_GUARD=keep would restore them"));
	end_other();
}
END_TEST

/* One of them may be moved to the slot that falls free, and has a new mask then. */
START_TEST(all_threads_are_looked_at_before_one_leaves)
{
	struct sp_worker worker = { .thread = 0, .team = 2, .near = -1, .root = 1, .runtime = SP_LIBOMP };

	if (!guard_of(SP_GUARD_WARN))
		return;
	int slot = pin(0);
	begin_other(false);
	ck_assert_int_eq(sp_pin_set(0, &other.cpus), 0);
	other.step = 2;
	wait_for_step(3);
	ck_assert_int_eq(sp_workers_pin(workers, slot, &worker), 0);
	ck_assert(has(said_at_end(), "mask of thread 0 "));
	end_other();
}
END_TEST

START_TEST(a_worker_that_leaves_says_nothing_of_the_main_thread)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	begin_other(false);
	other.step = 2;
	wait_for_step(3);
	ck_assert_int_eq(sp_pin_set(0, &other.cpus), 0);
	ck_assert(has(said_at_end(), "mask of the main thread "));
	end_other();
}
END_TEST

/* Callers: tests are in the executable, as a program's own calls are. */

static const char *
said_after_change_by(const void *caller)
{
	struct sp_cpus now;

	if (!guard_of(SP_GUARD_WARN))
		return NULL;
	narrow();
	ck_assert_int_eq(sp_pin_get(0, &now), 0);
	sp_changes_add(&changes, gettid(), caller, sp_drift_hash(&now));
	return said_at_end();
}

START_TEST(what_the_program_itself_has_set_is_kept)
{
	const char *text = said_after_change_by((void *)suite_guard);

	ck_assert(!text || !*text);
}
END_TEST

/* With SPLITPIN_DEBUG it is told, once. */
START_TEST(what_the_program_itself_has_set_is_noted)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	config.debug = true;
	int slot = pin(1);
	ck_assert_int_eq(sp_pin_set(0, &share), 0);
	sp_changes_add(&changes, gettid(), (void *)suite_guard, sp_drift_hash(&share));
	sp_guard_leaving(guard, slot);
	const char *text = strstr(said(), "mask of thread 1 ");
	ck_assert_ptr_nonnull(text);
	ck_assert(has(text, " by the program itself, and is kept"));
	size_t length = strlen(said());
	ck_assert_uint_eq(strlen(said_at_end()), length);
}
END_TEST

START_TEST(a_library_is_reported_by_its_name)
{
	const char *text = said_after_change_by(dlsym(RTLD_DEFAULT, "getenv"));

	ck_assert(!text || has(text, " by libc.so.6;"));
}
END_TEST

START_TEST(an_openmp_runtime_stands_for_the_program)
{
	void *libgomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
	ck_assert_msg(libgomp != NULL, "%s", dlerror());
	const char *text = said_after_change_by(dlsym(libgomp, "GOMP_parallel"));

	ck_assert(!text || !*text);
}
END_TEST

START_TEST(a_library_that_was_unloaded_is_reported_as_such)
{
	int on_the_stack = 0;
	const char *text = said_after_change_by(&on_the_stack);

	ck_assert(!text || has(text, " by a library that has been unloaded;"));
}
END_TEST

/* SPLITPIN_GUARD=keep. */

/* Nobody has asked the guard to watch. */
START_TEST(what_could_not_be_restored_is_reported)
{
	if (!guard_of(SP_GUARD_KEEP))
		return;
	narrow();
	ck_assert(has(said_at_end(), "; not restored by SPLITPIN_GUARD=keep: "));
}
END_TEST

START_TEST(a_thread_that_cannot_be_started)
{
	pthread_attr_t attributes;

	if (!guard_of(SP_GUARD_KEEP))
		return;
	/* No stack is as large as that. */
	ck_assert_int_eq(pthread_attr_init(&attributes), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, (size_t)1 << 60), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
	ck_assert_int_lt(sp_guard_watch(guard), 0);
	ck_assert_int_eq(sp_guard_watch(guard), 0);
}
END_TEST

/* Of the one other thread of this process, but for an emulator's own; 0: there is none. */
static pid_t
thread_beside(pid_t emulators)
{
	DIR *folder = opendir("/proc/self/task");
	pid_t found = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder)); ) {
		pid_t tid = atoi(entry->d_name);

		if (tid > 0 && tid != gettid() && tid != emulators)
			found = tid;
	}
	if (folder)
		closedir(folder);
	return found;
}

/* Whoever starts it may be on one CPU; and it ends with the guard. */
START_TEST(the_thread_that_restores_is_on_the_share)
{
	struct sp_cpus mask = { 0 };

	if (!guard_of(SP_GUARD_KEEP))
		return;
	pid_t emulators = thread_beside(0);
	ck_assert_int_eq(emulators != 0, emulators_threads());
	narrow();
	ck_assert_int_eq(sp_guard_watch(guard), 0);
	pid_t tid = thread_beside(emulators);
	ck_assert_int_ne(tid, 0);
	while (sp_pin_get(tid, &mask) == 0 && !sp_cpus_equal(&mask, &share))
		sched_yield();
	ck_assert(sp_cpus_equal(&mask, &share));
	sp_guard_end(guard);
	while (thread_beside(emulators))
		sleep_ms(1);
}
END_TEST

/* Looks are so far from each other that three of them are a second. */
START_TEST(what_the_program_itself_has_set_is_not_restored)
{
	struct sp_cpus now;

	if (!guard_of(SP_GUARD_KEEP))
		return;
	sp_changes_add(&changes, gettid(), (void *)suite_guard, sp_drift_hash(&first));
	ck_assert_int_eq(sp_guard_watch(guard), 0);
	narrow();
	sleep_ms(3 * SP_GUARD_LOOK_MS);
	ck_assert_int_eq(sp_pin_get(0, &now), 0);
	ck_assert(sp_cpus_equal(&now, &first));
	ck_assert_str_eq(said_at_end(), "");
}
END_TEST

/* The table may be locked for good, by whom a signal handler has interrupted that ends the program. */

static void
hold(void *data, int slot, const struct sp_assignment *assignment)
{
	(void)data;
	(void)slot;
	(void)assignment;
	other.step = 1;
	wait_for_step(4);
}

static void *
hold_workers(void *data)
{
	struct sp_assignment assignment;

	sp_workers_visit(workers, pin(1), hold, data, &assignment);
	return NULL;
}

START_TEST(a_locked_table_is_not_waited_for)
{
	if (!guard_of(SP_GUARD_WARN))
		return;
	ck_assert_int_eq(pthread_create(&other.thread, NULL, hold_workers, NULL), 0);
	wait_for_step(1);
	narrow();
	ck_assert_str_eq(said_at_end(), "");
	end_other();
}
END_TEST

static bool
is_restored(const struct sp_cpus *expected)
{
	struct sp_cpus now = { 0 };

	for (uint64_t end = milliseconds() + 20000; milliseconds() < end && !sp_cpus_equal(&now, expected); sleep_ms(10))
		ck_assert_int_eq(sp_pin_get(0, &now), 0);
	return sp_cpus_equal(&now, expected);
}

START_TEST(a_change_is_restored)
{
	if (!guard_of(SP_GUARD_KEEP))
		return;
	ck_assert_int_eq(sp_guard_watch(guard), 0);
	ck_assert_int_eq(sp_guard_watch(guard), 0);
	narrow();
	ck_assert(is_restored(&share));
	ck_assert(has(said(), "mask of the main thread"));
	ck_assert(has(said(), ": restored (SPLITPIN_GUARD=keep)"));
	size_t length = strlen(said());
	/* It has to be seen twice: between two looks it may be the program's own for a moment. */
	sleep_ms(SP_GUARD_LOOK_MS / 2);
	uint64_t begin = milliseconds();
	narrow();
	ck_assert(is_restored(&share));
	ck_assert_uint_ge(milliseconds() + 1 - begin, SP_GUARD_LOOK_MS);
	ck_assert_uint_eq(strlen(said_at_end()), length);
}
END_TEST

START_TEST(a_worker_is_restored_to_its_slot)
{
	struct sp_cpus own;

	if (!guard_of(SP_GUARD_KEEP))
		return;
	int slot = pin(1);	/* which starts to watch */
	ck_assert_int_eq(sp_workers_cpus(workers, slot, &own), 0);
	narrow();
	ck_assert(is_restored(&own));
	ck_assert(has(said(), "mask of thread 1 "));
	/* And not from there to what it has without a slot. */
	sleep_ms(3 * SP_GUARD_LOOK_MS);
	ck_assert(is_restored(&own));
	ck_assert(!has(said(), "the main thread"));
}
END_TEST

START_TEST(what_is_restored_is_not_reported_when_another_leaves)
{
	struct sp_cpus own;

	if (!guard_of(SP_GUARD_KEEP))
		return;
	ck_assert_int_eq(sp_workers_cpus(workers, pin(0), &own), 0);
	begin_other(false);
	ck_assert_int_eq(sp_pin_set(0, &other.cpus), 0);
	other.step = 2;
	wait_for_step(3);
	ck_assert(is_restored(&own));
	ck_assert(!has(said_at_end(), "not restored"));
	end_other();
}
END_TEST

Suite *
suite_guard(void)
{
	Suite *suite = suite_create("guard");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	tcase_add_test(facts, a_guard_is_there_where_it_is_asked_for);
	tcase_add_test(facts, masks_as_they_were_set_are_not_reported);
	tcase_add_test(facts, a_changed_main_thread_is_reported_once);
	tcase_add_loop_test(facts, a_mask_that_the_kernel_would_refuse_has_no_remedy, 0, 2);
	tcase_add_test(facts, a_program_that_has_confined_itself_does_not_ask);
	tcase_add_test(facts, the_main_thread_is_looked_at_without_workers);
	tcase_add_test(facts, a_main_thread_that_the_user_has_bound_is_not);
	tcase_add_test(facts, nor_is_one_that_the_program_has_taken_over);
	tcase_add_test(facts, a_changed_worker_is_reported_by_its_number);
	tcase_add_test(facts, a_thread_that_has_left_is_reported);
	tcase_add_test(facts, a_pin_ends_what_was_before);
	tcase_add_test(facts, a_main_thread_goes_on_with_the_mask_of_its_slot);
	tcase_add_loop_test(facts, the_share_is_no_change_of_a_worker, 0, 2);
	tcase_add_test(facts, a_guard_needs_memory_for_workers);
	tcase_add_loop_test(facts, all_threads_are_looked_at, 0, 2);
	tcase_add_test(facts, all_threads_are_looked_at_before_one_leaves);
	tcase_add_test(facts, a_worker_that_leaves_says_nothing_of_the_main_thread);
	tcase_add_test(facts, what_the_program_itself_has_set_is_kept);
	tcase_add_test(facts, what_the_program_itself_has_set_is_noted);
	tcase_add_test(facts, a_library_is_reported_by_its_name);
	tcase_add_test(facts, an_openmp_runtime_stands_for_the_program);
	tcase_add_test(facts, a_library_that_was_unloaded_is_reported_as_such);
	tcase_add_test(facts, what_could_not_be_restored_is_reported);
	tcase_add_test(facts, a_thread_that_cannot_be_started);
	tcase_add_test(slow, the_thread_that_restores_is_on_the_share);
	tcase_add_test(slow, what_the_program_itself_has_set_is_not_restored);
	tcase_add_test(slow, a_locked_table_is_not_waited_for);
	tcase_add_test(slow, a_change_is_restored);
	tcase_add_test(slow, a_worker_is_restored_to_its_slot);
	tcase_add_test(slow, what_is_restored_is_not_reported_when_another_leaves);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
