/*
 * Facts about cores that other programs' threads occupy, of real processes in a
 * PID name space of their own, in which there are no others.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/pin.h"
#include "node/neighbours.h"
#include "process/pinned.h"
#include "process/process.h"
#include "calls.h"
#include "emulated.h"
#include "machines.h"
#include "pinned.h"
#include "ranks.h"
#include "suites.h"

/* The launcher of none of these processes. */
#define NOBODY INT32_MAX

static struct sp_machine *machine;	/* two CPUs of this machine, each a core */
static struct sp_cpus both, first, second;

/* What a program does: its first thread, and a second one if that has CPUs. */
struct program {
	struct sp_cpus cpus, second;
	enum { SPIN, SLEEP, WORK_THEN_SLEEP, BE_PARENT } does;
	bool no_group;		/* as whoever came into this PID name space from outside */
	bool is_in_container;	/* with a mount name space of its own, */
	bool has_own_shm;	/* and a /dev/shm of its own in it */
	uid_t user;		/* 0: as this process */
	uint32_t state;		/* of its seat on a board, as a rank; 0: it has none */
	const char *name;	/* under which a shell spins in its place; NULL: none */
	const char *title;	/* which it gives itself; NULL: none */
	atomic_int ready;	/* threads; a parent's child counts for it */
	atomic_int child;	/* of BE_PARENT, which does nothing itself */
};

static _Noreturn void
spin(void)
{
	for (;;)
		;
}

static void *
second_thread(void *data)
{
	struct program *program = data;

	if (sp_pin_set(0, &program->second) == 0)
		program->ready++;
	spin();
}

static uint64_t
nanoseconds(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* For a quarter of the time since it began, if it gets as much within 5 seconds. */
static void
work(void)
{
	uint64_t begin = nanoseconds(CLOCK_MONOTONIC), all, used;

	do {
		all = nanoseconds(CLOCK_MONOTONIC) - begin;
		used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
	} while (all < 5000000000 && (used < 100000000 || used < all / 4));
}

static _Noreturn void
do_its_work(struct program *program)
{
	if (program->does == WORK_THEN_SLEEP)
		work();
	if (program->title)
		prctl(PR_SET_NAME, program->title);
	program->ready++;
	if (program->name)
		execl("/bin/sh", program->name, "-c", "while :; do :; done", (char *)NULL);
	if (program->does == SPIN)
		spin();
	for (;;)
		pause();
}

/* A rank of another job, whose share is the first core, and which is on the second one now. */
static void
take_a_share(const struct program *program)
{
	static const struct sp_terms alone;
	static const uint32_t none_known[1];
	const struct sp_common common = { .machine = machine, .terms = &alone, .need = none_known };
	const struct sp_seat here = { .state = SP_SEAT_HERE, .inherited = both };
	struct sp_seat seat = here;
	struct sp_board *board;

	/* What the one before has left lies there. */
	ck_assert_int_eq(sp_board_create(program->state == SP_SEAT_READY ? "a second job" : "a first job", 1, &common, &board), 0);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_int_eq(sp_board_write(board, 0, &here), 0);
	seat.state = program->state;
	seat.share = first;
	ck_assert_int_eq(sp_board_write(board, 0, &seat), 0);
}

static int
run_program(int rank, void *data)
{
	struct program *program = data;
	pthread_t thread;

	if (!program->no_group && setpgid(0, 0) != 0)
		return 1;
	if (program->does == BE_PARENT) {
		program->does = SPIN;
		program->child = start_rank(rank, run_program, program);
		for (;;)
			pause();
	}
	if (sp_pin_set(0, &program->cpus) != 0 || (program->is_in_container && unshare(CLONE_NEWNS) != 0) ||
	    (program->has_own_shm && mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL) != 0) ||
	    (program->user && setuid(program->user) != 0))
		return 1;
	if (!sp_cpus_empty(&program->second) && pthread_create(&thread, NULL, second_thread, program) != 0)
		return 1;
	if (program->state)
		take_a_share(program);
	do_its_work(program);
}

/* In memory that it shares with this process. */
static pid_t
start(struct program *program)
{
	pid_t pid = start_rank(0, run_program, program);

	while (program->ready < (sp_cpus_empty(&program->second) ? 1 : 2)) {
		ck_assert_msg(waitpid(pid, NULL, WNOHANG) == 0, "a program could not be set up");
		sleep_ms(1);
	}
	return pid;
}

static struct program *
program_on(const struct sp_cpus *cpus)
{
	struct program *program = shared_memory(sizeof(*program));

	*program = (struct program){ .cpus = *cpus };
	return program;
}

static void
end(pid_t pid)
{
	kill(pid, SIGKILL);
	status_of(pid);
}

static bool all_are_ranks = true;

static bool
is_launcher(pid_t pid)
{
	return all_are_ranks && pid > 0;
}

/* Cores of which the caller knows, and a process that only visits CPUs. */
static struct sp_cpus known;
static pid_t passing;

static bool
is_passing(pid_t pid, void *data)
{
	ck_assert_ptr_eq(data, &passing);
	return pid == passing;
}

/* What the processes hold that were told of. */
static struct sp_cpus told;

static void
add_told(pid_t pid, const struct sp_cpus *cores, void *data)
{
	ck_assert_ptr_eq(data, &passing);
	ck_assert_int_gt(pid, 0);
	ck_assert(!sp_cpus_intersect(&told, cores));
	sp_cpus_or(&told, cores);
}

static int
find(const struct sp_machine *on, const struct sp_cpus *allowed, pid_t own_launcher, struct sp_pinned *pinned)
{
	told = (struct sp_cpus){ 0 };
	return sp_pinned_by_others(&(struct sp_pinned_search){
		.machine = on, .allowed = allowed, .known = sp_cpus_empty(&known) ? NULL : &known, .own_launcher = own_launcher,
		.is_launcher = is_launcher, .is_passing = passing ? is_passing : NULL, .found = add_told, .data = &passing }, pinned);
}

static void
expect(pid_t own_launcher, const struct sp_cpus *expected)
{
	struct sp_pinned pinned = { .cores = both, .starting = both };
	const uint32_t count = sp_cpus_count(expected);

	errno = EDOM;
	ck_assert_int_eq(find(machine, &both, own_launcher, &pinned), (int)count);
	ck_assert_int_eq(errno, EDOM);
	ck_assert(sp_cpus_equal(&pinned.cores, expected));
	ck_assert(sp_cpus_equal(&told, expected));
	ck_assert(sp_cpus_empty(&pinned.starting));
}

static const struct sp_cpus none;

/* --- facts ------------------------------------------------------------------ */

static void
a_running_pinned_thread_has_its_core(void)
{
	expect(NOBODY, &none);
	pid_t pid = start(program_on(&second));
	expect(NOBODY, &second);
	pid_t another = start(program_on(&second));
	expect(NOBODY, &second);
	end(pid);
	expect(NOBODY, &second);
	end(another);
	expect(NOBODY, &none);
}

static void
each_thread_has_its_core(void)
{
	struct program *program = program_on(&first);

	program->second = second;
	pid_t pid = start(program);
	expect(NOBODY, &both);
	end(pid);
}

/* As the launcher's processes have it, and the threads of what binds nothing. */
static void
what_may_use_several_cores_has_none(void)
{
	struct program *program = program_on(&both);

	program->second = second;
	pid_t pid = start(program);
	expect(NOBODY, &none);
	end(pid);
	program = program_on(&second);
	program->second = both;
	pid = start(program);
	expect(NOBODY, &second);
	end(pid);
}

static void
sleeping_and_stopped_threads_have_none(void)
{
	struct program *sleeper = program_on(&first);
	siginfo_t info;

	sleeper->does = SLEEP;
	pid_t pid = start(sleeper), spinner = start(program_on(&second));
	expect(NOBODY, &second);
	kill(spinner, SIGSTOP);
	ck_assert_int_eq(waitid(P_PID, (id_t)spinner, &info, WSTOPPED | WNOWAIT), 0);
	expect(NOBODY, &none);
	end(pid);
	end(spinner);
}

/* The part of its life that a process that sleeps has used CPUs: it becomes less all the time. */
static double
busy_part(pid_t pid)
{
	struct sp_activity activity;
	struct sp_process process;

	do
		ck_assert_int_eq(sp_process_thread(pid, pid, &activity, &process), 0);
	while (activity.state == 'R');
	return (double)activity.ticks / (double)sysconf(_SC_CLK_TCK) * 1e9 / (double)sp_process_age_ns(&process);
}

/* On a machine that gives it too little CPU time its core is free at once. */
static void
a_thread_that_ran_much_has_its_core(void)
{
	struct program *program = program_on(&first);
	struct sp_pinned pinned;

	program->does = WORK_THEN_SLEEP;
	pid_t pid = start(program);
	for (bool has_core = true; has_core; ) {
		double before = busy_part(pid);

		has_core = find(machine, &both, NOBODY, &pinned) == 1;
		ck_assert(!has_core || before >= 1.0 / SP_PINNED_BUSY_PART);
		ck_assert(has_core || busy_part(pid) < 1.0 / SP_PINNED_BUSY_PART);
	}
	end(pid);
}

static void
a_core_of_which_the_caller_knows_does_not_count(void)
{
	pid_t pid = start(program_on(&first)), another = start(program_on(&second));

	known = first;
	expect(NOBODY, &second);
	end(another);
	expect(NOBODY, &none);
	end(pid);
}

static void
who_only_visits_a_core_does_not_have_it(void)
{
	pid_t other = start(program_on(&first));

	passing = start(program_on(&second));
	expect(NOBODY, &first);
	end(passing);
	end(other);
}

/* Who has threads on other cores is not on its way. */
static void
who_has_several_pinned_threads_visits_none(void)
{
	struct program *program = program_on(&first);

	program->second = second;
	passing = start(program);
	expect(NOBODY, &both);
	known = second;
	expect(NOBODY, &none);
	end(passing);
}

static void
expect_others(const struct sp_cpus *taken, uint64_t loose)
{
	const struct sp_rank rank = { .local_rank = 0, .local_size = 1, .from = "slurm" };
	struct sp_config config;
	struct sp_other_jobs others;

	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	ck_assert_int_eq(sp_others_find(&(struct sp_situation){
		.job = "a job", .rank = &rank, .config = &config, .machine = machine, .allowed = &both }, NOBODY, &others), 0);
	ck_assert(sp_cpus_equal(&others.taken, taken));
	ck_assert_uint_eq(others.loose, loose);
}

/* Of two jobs that claim a core one has been released from it. */
static void
threads_without_a_core_of_their_job_alone_are_loose(void)
{
	struct sp_terms terms = { .claim = both };
	struct sp_common common = { .terms = &terms, .need = &(uint32_t){ 2 }, .machine = machine };
	struct sp_board *one, *two;

	if (!shm_of_own(NULL))
		return;
	ck_assert_int_eq(sp_board_create("one", 1, &common, &one), 0);
	expect_others(&both, 0);
	terms.claim = second;
	ck_assert_int_eq(sp_board_create("two", 1, &common, &two), 0);
	expect_others(&both, 1);
	sp_board_leave(two, 0, 0);
	sp_board_leave(one, 0, 0);
	sp_board_release(two);
	sp_board_release(one);
}

static void
a_rank_inside_MPI_Init_visits_cores(void)
{
	static const struct { enum sp_seat_state state; const struct sp_cpus *taken; } cases[] = {
		{ SP_SEAT_SETTLED, &first }, { SP_SEAT_READY, &both },
	};

	if (!shm_of_own(NULL))
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct program *program = program_on(&second);

		program->state = cases[i].state;
		pid_t pid = start(program);
		expect_others(cases[i].taken, 0);
		end(pid);
		expect_others(&none, 0);
	}
}

static uint64_t
ticks_of(pid_t pid)
{
	struct sp_activity activity;
	struct sp_process process;

	ck_assert_int_eq(sp_process_thread(pid, pid, &activity, &process), 0);
	return activity.ticks;
}

/* Until it has that name, which it has not in the middle of exec, and spins. */
static void
wait_for_shell(pid_t pid, const char *name)
{
	char path[32], line[16] = "";

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	while (strncmp(line, name, strlen(name) + 1) != 0) {
		FILE *file = fopen(path, "r");

		ck_assert_ptr_nonnull(file);
		if (!fgets(line, sizeof(line), file))
			line[0] = '\0';
		fclose(file);
		sleep_ms(1);
	}
	uint64_t before = ticks_of(pid);
	while (ticks_of(pid) < before + 5)
		sleep_ms(1);
}

static void
a_launcher_visits_cores(void)
{
	static const char *const names[] = { "mpirun", "busy" };

	if (!shm_of_own(NULL))
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct program *program = program_on(&second);

		program->name = names[i];
		pid_t pid = start(program);
		wait_for_shell(pid, names[i]);
		expect_others(i ? &second : &none, 0);
		end(pid);
	}
}

static void
a_zombie_has_none(void)
{
	pid_t pid = start(program_on(&first));
	siginfo_t info;

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	expect(NOBODY, &none);
	status_of(pid);
}

static void
descendants_of_the_launcher_do_not_count(void)
{
	struct program *program = program_on(&second);

	program->does = BE_PARENT;
	pid_t parent = start(program), other = start(program_on(&first));
	/* Its parent may learn its number after it has begun. */
	while (!program->child)
		sleep_ms(1);
	expect(NOBODY, &both);
	expect(parent, &first);
	expect(program->child, &first);
	expect(other, &second);
	expect(getpid(), &none);
	end(parent);
	kill(program->child, SIGKILL);
	end(other);
}

/* As in a container. */
static void
all_descend_from_the_first_process(void)
{
	pid_t pid = start(program_on(&second));

	expect(1, &none);
	end(pid);
}

/* Its hardware threads are busy together. */
static void
a_core_is_taken_as_a_whole(void)
{
	struct sp_machine *one_core = machine_uniform(2, 2);
	const char *lists[] = { "8000-8003", "8000,8001", "8000,8002-8003" };
	struct sp_cpus allowed;
	struct sp_pinned pinned;

	/* Both CPUs at hand are one core; beside it is one that nobody uses. */
	one_core->pu[0].cpu = sp_cpus_next(&first, 0);
	one_core->pu[1].cpu = sp_cpus_next(&second, 0);
	one_core->pu[2].cpu = 8000;
	one_core->pu[3].cpu = 8001;
	pid_t pid = start(program_on(&second));
	for (int i = 0; i < 3; i++) {
		allowed = cpus_of_list(lists[i]);
		ck_assert_int_eq(find(one_core, &allowed, NOBODY, &pinned), 0);
		ck_assert(sp_cpus_empty(&pinned.cores));
	}
	allowed = both;
	sp_cpus_add(&allowed, 8000);
	ck_assert_int_eq(find(one_core, &allowed, NOBODY, &pinned), 1);
	ck_assert(sp_cpus_equal(&pinned.cores, &both));
	/* As far as it is allowed. */
	sp_cpus_remove(&allowed, sp_cpus_next(&first, 0));
	ck_assert_int_eq(find(one_core, &allowed, NOBODY, &pinned), 1);
	ck_assert(sp_cpus_equal(&pinned.cores, &second));
	sp_cpus_or(&allowed, &both);
	end(pid);
	/* Pinned to both of them is pinned to the core. */
	pid = start(program_on(&both));
	ck_assert_int_eq(find(one_core, &allowed, NOBODY, &pinned), 1);
	ck_assert(sp_cpus_equal(&pinned.cores, &both));
	end(pid);
	free(one_core);
}

static void
cores_that_are_not_allowed_do_not_count(void)
{
	struct sp_cpus allowed = first;
	struct sp_pinned pinned;

	sp_cpus_add(&allowed, 8000);
	pid_t pid = start(program_on(&second));
	ck_assert_int_eq(find(machine, &allowed, NOBODY, &pinned), 0);
	ck_assert(sp_cpus_empty(&pinned.cores));
	/* Nor is a mask of all that is allowed a choice of anybody. */
	ck_assert_int_eq(find(machine, &second, NOBODY, &pinned), 0);
	end(pid);
}

static void
who_has_no_process_group_here_is_passed_over(void)
{
	struct program *program = program_on(&second);

	program->no_group = true;
	pid_t pid = start(program);
	ck_assert_int_eq(getpgid(pid), 0);
	expect(NOBODY, &none);
	end(pid);
}

static int
fail_with_mfile(void)
{
	return EMFILE;
}

static void
without_proc_nothing_is_known(void)
{
	struct sp_pinned pinned = { .cores = both };
	pid_t pid = start(program_on(&second));

	calls_at(0, fail_with_mfile);
	ck_assert_int_eq(find(machine, &both, NOBODY, &pinned), -EMFILE);
	ck_assert(calls_were_reached());
	ck_assert(sp_cpus_empty(&pinned.cores));
	ck_assert_int_eq(mount("tmpfs", "/proc", "tmpfs", 0, NULL), 0);
	expect(NOBODY, &none);
	end(pid);
}

/* What the memory of another user's process holds, which that process may keep anybody from reading. */
static void
keep_from_reading(pid_t pid)
{
	static const char *const files[] = { "cmdline", "environ", "maps", "mountinfo" };
	char path[64], fifo[] = "/tmp/splitpin-test-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(fifo));
	snprintf(path, sizeof(path), "%s/fifo", fifo);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char file[64];

		snprintf(file, sizeof(file), "/proc/%d/%s", (int)pid, files[i]);
		ck_assert_int_eq(mount(path, file, NULL, MS_BIND, NULL), 0);
	}
	unlink(path);
	rmdir(fifo);
}

static bool may_be_user(uid_t user);

/* A launcher by its name that visits a core, one that has its core, and a rank that starts: no answer would come. */
static void
nothing_is_read_that_another_user_may_withhold(void)
{
	static const char *const names[] = { "mpirun", "busy" };

	if (geteuid() != 0 || !may_be_user(54321) || !shm_of_own(NULL))
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct program *program = program_on(&second), *rank = program_on(&both);

		rank->user = program->user = 54321;
		program->title = names[i];
		pid_t pid = start(program), other = start(rank);
		keep_from_reading(pid);
		keep_from_reading(other);
		expect_others(i ? &second : &none, 0);
		end(pid);
		end(other);
	}
}

/* The child of the one before, of which this many more follow. */
static int
be_one_of_a_chain(int left, void *data)
{
	struct program *program = data;

	if (setpgid(0, 0) != 0 || sp_pin_set(0, &program->cpus) != 0)
		return 1;
	if (left)
		start_rank(left - 1, be_one_of_a_chain, program);
	else
		program->ready = 1;
	for (;;)
		pause();
}

static void
each_parent_is_read_once(void)
{
	enum { MANY = 100 };
	struct program *program = program_on(&second);
	struct sp_pinned pinned;

	pid_t first_one = start_rank(MANY, be_one_of_a_chain, program);
	while (!program->ready)
		sleep_ms(1);
	unsigned before = calls_into_proc();
	ck_assert_int_ge(find(machine, &both, NOBODY, &pinned), 0);
	/* They sleep, but may have just run. */
	ck_assert_uint_le(calls_into_proc() - before, 2 * MANY);
	end(first_one);
}

static void *
sleep_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int
have_many_threads(int rank, void *data)
{
	struct program *program = data;
	pthread_attr_t small;
	pthread_t thread;

	(void)rank;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	if (setpgid(0, 0) != 0 || sp_pin_set(0, &program->cpus) != 0)
		return 1;
	for (int i = 0; i < SP_PINNED_THREADS_EACH; i++)
		if (pthread_create(&thread, &small, sleep_for_ever, NULL) != 0)
			return 1;
	program->ready = 1;
	for (;;)
		pause();
}

/* It does not hide those of others, and that it has more is said. */
static void
a_process_of_many_threads_hides_no_other(void)
{
	struct program *many = program_on(&both);
	struct sp_cpus allowed = both;
	struct sp_pinned pinned;
	pid_t pid = start_rank(0, have_many_threads, many);

	sp_cpus_add(&allowed, 8000);
	while (!many->ready) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;	/* so many are not allowed */
		sleep_ms(1);
	}
	pid_t other = start(program_on(&first));
	ck_assert_int_eq(find(machine, &allowed, NOBODY, &pinned), 1);
	ck_assert(sp_cpus_equal(&pinned.cores, &first));
	ck_assert(pinned.is_part);
	end(pid);
	ck_assert_int_eq(find(machine, &allowed, NOBODY, &pinned), 1);
	ck_assert(!pinned.is_part);
	end(other);
}

static int
gone(void)
{
	return ENOENT;
}

/* Each file may be gone when it is opened; what is left is seen. */
static void
what_ends_meanwhile_is_passed_over(void)
{
	struct program *program = program_on(&first);
	struct sp_pinned pinned;
	int n = 1;

	program->second = second;
	pid_t pid = start(program);
	for (bool reached = true; reached; n++) {
		calls_at(n, gone);
		int count = find(machine, &both, NOBODY, &pinned);
		reached = calls_were_reached();
		ck_assert_int_ge(count, reached ? 0 : 2);
		ck_assert_uint_eq(sp_cpus_count(&pinned.cores), (unsigned)count);
	}
	ck_assert_int_gt(n, 4);
	end(pid);
}

static int
look_as_another_user(int rank, void *data)
{
	(void)rank;
	if (setgid(54321) != 0 || setuid(54321) != 0)
		return 0;
	expect(NOBODY, data);
	return 0;
}

static void
hidden_processes_are_not_seen(void)
{
	const char *options[] = { "hidepid=0", "hidepid=1", "hidepid=2" };
	pid_t pid = start(program_on(&second));

	for (int i = 0; i < 3 && geteuid() == 0; i++) {
		if (mount("proc", "/proc", "proc", 0, options[i]) != 0)
			break;
		ck_assert_int_eq(status_of(start_rank(0, look_as_another_user, (void *)(i ? &none : &second))), 0);
	}
	end(pid);
}

/* Whether a program is seen to start; beside the CPUs that it may use there is another one. */
static bool
is_seen_to_start(struct program *program, pid_t *pid)
{
	struct sp_cpus allowed = both;
	struct sp_pinned pinned;

	sp_cpus_add(&allowed, 8000);
	*pid = start(program);
	while (program->does == SLEEP && busy_part(*pid) >= 1.0 / SP_PINNED_BUSY_PART)
		sleep_ms(1);
	ck_assert_int_ge(find(machine, &allowed, NOBODY, &pinned), 0);
	ck_assert(sp_cpus_empty(&pinned.starting) || sp_cpus_equal(&pinned.starting, &program->cpus));
	ck_assert_int_eq(pinned.starter, sp_cpus_empty(&pinned.starting) ? 0 : *pid);
	return !sp_cpus_empty(&pinned.starting);
}

static void
expect_start(struct program *program, bool expected)
{
	pid_t pid;

	ck_assert_int_eq(is_seen_to_start(program, &pid), expected);
	end(pid);
}

static int
become_user(int number, void *data)
{
	(void)number;
	return setuid(*(uid_t *)data) != 0;
}

/* Not in a user name space that has only one. */
static bool
may_be_user(uid_t user)
{
	return status_of(start_rank(0, become_user, &user)) == 0;
}

static void
a_rank_whose_board_is_out_of_reach_is_seen_to_start(void)
{
	struct program *program = program_on(&both);

	if (!may_have_shm())
		return;
	expect_start(program, false);
	program = program_on(&both);
	program->user = geteuid() == 0 && may_be_user(54321) ? 54321 : 0;
	expect_start(program, program->user);
	program = program_on(&both);
	program->is_in_container = program->has_own_shm = true;
	expect_start(program, true);
	program = program_on(&both);
	program->is_in_container = true;
	expect_start(program, false);
}

static void
who_sleeps_or_has_one_core_or_is_no_rank_is_not_seen_to_start(void)
{
	struct program *program = program_on(&both);

	if (!may_have_shm())
		return;
	program->is_in_container = program->has_own_shm = true;
	program->does = SLEEP;
	expect_start(program, false);
	program = program_on(&second);
	program->is_in_container = program->has_own_shm = true;
	expect_start(program, false);
	program = program_on(&both);
	program->is_in_container = program->has_own_shm = true;
	all_are_ranks = false;
	expect_start(program, false);
}

/* Mount over the process's stat one in which it was started this many seconds before. */
static void
date_back(pid_t pid, uint64_t seconds)
{
	char path[64], text[1024], name[] = "/tmp/splitpin-test-XXXXXX";
	struct sp_process process;
	const char *rest;

	ck_assert_int_eq(sp_process_read(pid, &process), 0);
	uint64_t ticks = seconds * (uint64_t)sysconf(_SC_CLK_TCK);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	FILE *stat = fopen(path, "r");
	ck_assert_ptr_nonnull(stat);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), stat));
	fclose(stat);
	/* Field 22; the second one is "(unit-tests)". */
	rest = text;
	for (int field = 1; field < 22; field++)
		rest = strchr(rest, ' ') + 1;
	ck_assert_uint_eq(strtoull(rest, NULL, 10), process.started);
	FILE *file = fdopen(mkstemp(name), "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%.*s%llu%s", (int)(rest - text), text,
		(unsigned long long)(process.started > ticks ? process.started - ticks : 0), strchr(rest, ' '));
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(mount(name, path, NULL, MS_BIND, NULL), 0);
	unlink(name);
}

/* Its threads would be pinned by now. */
static void
who_has_run_for_long_is_not_seen_to_start(void)
{
	const uint64_t age[] = { SP_PINNED_START_S / 2, SP_PINNED_START_S };
	struct sp_cpus allowed = both;
	struct sp_pinned pinned;
	pid_t pid;

	if (!may_have_shm())
		return;
	sp_cpus_add(&allowed, 8000);
	for (int i = 0; i < 2; i++) {
		struct program *program = program_on(&both);

		program->is_in_container = program->has_own_shm = true;
		ck_assert(is_seen_to_start(program, &pid));
		date_back(pid, age[i]);
		ck_assert_int_eq(find(machine, &allowed, NOBODY, &pinned), 0);
		/* The machine itself may not have run for so long. */
		ck_assert(sp_cpus_empty(&pinned.starting) == (i == 1) || nanoseconds(CLOCK_BOOTTIME) / 1000000000 <= SP_PINNED_START_S);
		end(pid);
	}
}

/* --- where they are tried -------------------------------------------------- */

struct fact {
	const char *name;
	void (*try)(void);
};

static int
try_fact(int rank, void *data)
{
	const struct fact *fact = data;

	(void)rank;
	fact->try();
	return 0;
}

static int
be_first_process(int rank, void *data)
{
	(void)rank;
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("proc", "/proc", "proc", 0, NULL) != 0)
		return 0;
	return status_of(start_rank(0, try_fact, data));
}

/* The process that begins a PID name space is not in it itself. */
static int
begin_name_space(int rank, void *data)
{
	(void)rank;
	if (unshare(CLONE_NEWPID) != 0)
		return 0;
	return status_of(start_rank(0, be_first_process, data));
}

static void
try_alone(const struct fact *fact)
{
	machine = machine_at_hand();
	if (!machine)
		return;
	sp_machine_cpus(machine, &both);
	sp_cpus_add(&first, machine->pu[0].cpu);
	sp_cpus_add(&second, machine->pu[1].cpu);
	ck_assert_msg(status_of(start_rank(0, begin_name_space, (void *)fact)) == 0, "%s", fact->name);
	free(machine);
}

#define FACT(name) { #name, name }
static const struct fact facts[] = {
	FACT(a_running_pinned_thread_has_its_core),
	FACT(each_thread_has_its_core),
	FACT(what_may_use_several_cores_has_none),
	FACT(sleeping_and_stopped_threads_have_none),
	FACT(a_thread_that_ran_much_has_its_core),
	FACT(a_core_of_which_the_caller_knows_does_not_count),
	FACT(who_only_visits_a_core_does_not_have_it),
	FACT(who_has_several_pinned_threads_visits_none),
	FACT(threads_without_a_core_of_their_job_alone_are_loose),
	FACT(a_rank_inside_MPI_Init_visits_cores),
	FACT(a_launcher_visits_cores),
	FACT(a_zombie_has_none),
	FACT(descendants_of_the_launcher_do_not_count),
	FACT(all_descend_from_the_first_process),
	FACT(a_core_is_taken_as_a_whole),
	FACT(cores_that_are_not_allowed_do_not_count),
	FACT(who_has_no_process_group_here_is_passed_over),
	FACT(without_proc_nothing_is_known),
	FACT(nothing_is_read_that_another_user_may_withhold),
	FACT(each_parent_is_read_once),
	FACT(a_process_of_many_threads_hides_no_other),
	FACT(what_ends_meanwhile_is_passed_over),
	FACT(hidden_processes_are_not_seen),
	FACT(a_rank_whose_board_is_out_of_reach_is_seen_to_start),
	FACT(who_sleeps_or_has_one_core_or_is_no_rank_is_not_seen_to_start),
	FACT(who_has_run_for_long_is_not_seen_to_start),
};

START_TEST(one_fact)
{
	if (!is_emulated())
		try_alone(&facts[_i]);
}
END_TEST

static void
look(void)
{
	pinned_is_looked_for = true;
}

Suite *
suite_pinned(void)
{
	Suite *suite = suite_create("pinned");
	TCase *tests = tcase_create("tests");

	tcase_add_checked_fixture(tests, look, NULL);
	tcase_add_loop_test(tests, one_fact, 0, sizeof(facts) / sizeof(facts[0]));
	suite_add_tcase(suite, tests);
	return suite;
}
