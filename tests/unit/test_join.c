/*
 * Facts about how a rank joins the others of its node.  Ranks are forked
 * processes of an invented job on an invented machine; what discovers that
 * stands in for libsplitpin-hardware.so, and counts how often it is asked.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/pin.h"
#include "board/board_file.h"
#include "node/join.h"
#include "given_hardware.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

#define RANKS 8
#define CORES 16

/* In memory that all ranks share. */
static struct node {
	atomic_uint discoveries, devices, gpus;	/* how often each was asked for */
	atomic_uint joined;
	unsigned discovery_ms;	/* how long it takes */
	int discovery_error;
	bool no_hardware;
	bool had_lock;		/* somebody discovered while all other jobs of the user had to wait */
	struct sp_config config;
	const char *job;	/* number of Slurm's job */
	uint32_t nranks;
	const char *extra;	/* one more variable, or NULL */
	uint32_t threads;
	bool is_rank;
	const struct sp_cpus *inherited;	/* NULL: all CPUs of the machine */
	int error[RANKS];
	struct sp_joined rank[RANKS];	/* pointers in it are those of the rank's process */
} *node;

static int
discover(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	(void)source;
	(void)allowed;
	node->discoveries++;
	node->had_lock |= sp_board_holds_lock();
	sleep_ms(node->discovery_ms);
	if (!node->discovery_error)
		*machine = machine_uniform(CORES, 1);
	return node->discovery_error;
}

static int
count_devices(const char *source, enum sp_devices what, struct sp_machine *machine, struct sp_device **devices)
{
	(void)source;
	(void)what;
	(void)machine;
	(void)devices;
	node->devices++;
	return 0;
}

static int
count_gpus(const char *source, struct sp_machine *machine)
{
	(void)source;
	machine->gpus = (struct sp_gpus){ .n = 1, .gpu = { { .vendor = SP_NVIDIA } } };
	node->gpus++;
	return 0;
}

static const struct sp_hardware hardware = {
	.topology_read = discover, .topology_devices = count_devices, .topology_gpus = count_gpus };

/* False where this process cannot have a /dev/shm of its own. */
static bool
open_node(uint32_t nranks)
{
	node = shared_memory(sizeof(*node));
	sp_config_read(&node->config, (char *[]){ NULL }, NULL, NULL);
	node->nranks = nranks;
	node->job = "SLURM_JOB_ID=7";
	node->config.policy.devices = SP_DEVICES_OFF;
	return shm_of_own(NULL);
}

/* The calling process joins as this rank; what it has found is in node->rank. */
static int
join(int number, void *data)
{
	char *environment[] = { (char *)node->job, "SLURM_STEP_ID=0", (char *)node->extra, NULL };
	const struct sp_rank rank = { .local_rank = (uint32_t)number, .local_size = node->nranks, .from = "slurm" };

	(void)data;
	hardware_given = node->no_hardware ? NULL : &hardware;
	node->error[number] = sp_join(&(struct sp_situation){
		.rank = &rank, .config = &node->config, .environment = environment, .spawned = sp_job_is_spawned(environment),
		.inherited = node->inherited, .threads = node->threads, .comer = node->is_rank }, &node->rank[number]);
	return node->error[number];
}

static struct sp_joined *
joined(int number)
{
	ck_assert_int_eq(join(number, NULL), 0);
	ck_assert_ptr_nonnull(node->rank[number].machine);
	ck_assert_uint_eq(node->rank[number].machine->ncpus, CORES);
	return &node->rank[number];
}

/* The job stays: its board and the seat on it are this process's. */
static void
forget(struct sp_joined *rank)
{
	sp_board_release(rank->board);
	free(rank->machine);
	free(rank->need);
}

static void
leave(int number)
{
	struct sp_joined *rank = &node->rank[number];

	if (rank->board)
		sp_board_leave(rank->board, (uint32_t)number, 0);
	forget(rank);
}

/* The process that has a rank's seat, as its board says. */
static pid_t
process_at(int number)
{
	struct sp_board *board;
	struct sp_seat seat;
	const char *problem;

	ck_assert_int_eq(sp_board_open(node->rank[number].job, node->nranks, &board, &problem), 0);
	ck_assert_int_eq(sp_board_read(board, (uint32_t)number, &seat), 0);
	sp_board_release(board);
	return seat.process.pid;
}

static int
join_and_stay(int number, void *data)
{
	int error = join(number, data);

	node->joined++;
	while (!error)
		pause();
	return error;
}

/* A rank that ends leaves its seat: of a job whose ranks have all ended a late one would make the board anew. */
static int
join_and_await_all(int number, void *data)
{
	int error = join(number, data);

	node->joined++;
	while (!error && node->joined < node->nranks)
		sleep_ms(1);
	return error;
}

/* Another process that is this rank, from now on. */
static pid_t
start_joined(int number)
{
	const unsigned before = node->joined;
	pid_t pid = start_rank(number, join_and_stay, NULL);

	while (node->joined == before)
		sleep_ms(1);
	return pid;
}

static void
end_joined(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(status_of(pid), 128 + SIGKILL);
}

/* What the board of a rank says of all of them. */
static const struct sp_common *
common_of(int number)
{
	static struct sp_common common;
	struct sp_board *board;
	struct sp_machine *machine;
	const char *problem;

	ck_assert_int_eq(sp_board_open(node->rank[number].job, node->nranks, &board, &problem), 0);
	ck_assert_int_eq(sp_board_common(board, &common, &machine), 0);
	sp_board_release(board);
	free(machine);
	return &common;
}

static const struct sp_terms *
terms_of(int number)
{
	static struct sp_terms terms;
	struct sp_board *board;
	const char *problem;

	ck_assert_int_eq(sp_board_open(node->rank[number].job, node->nranks, &board, &problem), 0);
	ck_assert_int_eq(sp_board_terms(board, &terms, NULL), 0);
	sp_board_release(board);
	return &terms;
}

/* Who discovers. */

/* It takes half a second on some machines, and there may be a hundred jobs. */
START_TEST(other_jobs_do_not_wait_for_a_discovery)
{
	const uint32_t nranks = _i ? RANKS : 1;

	if (!open_node(nranks))
		return;
	node->discovery_ms = 50;
	ck_assert_int_eq(run_ranks((int)nranks, join_and_await_all, NULL), 0);
	ck_assert_uint_eq(node->discoveries, 1);
	ck_assert(!node->had_lock);
	/* Nothing is left of the locks. */
	ck_assert_uint_eq(shm_files(), 1);
}
END_TEST

/* Once one job is there, unless more is to be known of the machine, or something else. */
START_TEST(another_job_takes_the_machine_over)
{
	if (!open_node(1))
		return;
	ck_assert(joined(0)->discovered);
	struct sp_joined first = node->rank[0];
	node->job = "SLURM_JOB_ID=8";
	ck_assert(joined(0)->discovered);
	ck_assert_uint_eq(node->discoveries, 1);
	ck_assert_mem_eq(node->rank[0].machine, first.machine, sp_machine_size(CORES));
	ck_assert_uint_eq(shm_files(), 2);
	forget(&first);
	forget(&node->rank[0]);
	node->job = "SLURM_JOB_ID=9";
	node->config.policy.devices = SP_DEVICES_GPU;
	joined(0);
	ck_assert_uint_eq(node->discoveries, 2);
	forget(&node->rank[0]);
	node->job = "SLURM_JOB_ID=10";
	node->config.policy.devices = SP_DEVICES_NIC;
	joined(0);
	ck_assert_uint_eq(node->discoveries, 3);
	forget(&node->rank[0]);
	node->job = "SLURM_JOB_ID=11";
	node->config.policy.devices = SP_DEVICES_OFF;
	node->config.topology = "another machine";
	node->inherited = NULL;
	joined(0);
	ck_assert_uint_eq(node->discoveries, 4);
	leave(0);
}
END_TEST

/* A CPU was taken off, or a container has another /sys. */
START_TEST(a_machine_from_elsewhere_is_not_taken_over)
{
	static const char list[] = "0-999\n";

	if (!open_node(1))
		return;
	joined(0);
	forget(&node->rank[0]);
	node->job = "SLURM_JOB_ID=8";
	if (!file_instead("/sys/devices/system/cpu/online", list, strlen(list)))
		return;
	joined(0);
	ck_assert_uint_eq(node->discoveries, 2);
	leave(0);
}
END_TEST

START_TEST(the_first_discovers_and_makes_the_board)
{
	if (!open_node(2))
		return;
	struct sp_joined *first = joined(0);
	ck_assert(first->discovered);
	ck_assert_str_eq(first->job, "slurm 7.0, 2 ranks");
	ck_assert_ptr_nonnull(first->board);
	ck_assert_int_eq(process_at(0), getpid());
	ck_assert_ptr_null(first->problem);
	ck_assert_ptr_null(first->note);
	ck_assert_uint_eq(first->terms.how, SP_TERMS_ALONE);
	ck_assert_str_eq(list_of_cpus(&first->allowed), "0-15");
	ck_assert_uint_eq(node->devices, 0);
	ck_assert_uint_eq(shm_files(), 1);
	leave(0);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

START_TEST(the_second_reads_the_same_machine)
{
	if (!open_node(2))
		return;
	struct sp_joined *first = joined(0), *second = joined(1);
	ck_assert(!second->discovered);
	ck_assert_uint_eq(node->discoveries, 1);
	ck_assert_mem_eq(second->machine, first->machine, sp_machine_size(CORES));
	ck_assert_str_eq(second->job, first->job);
	ck_assert_str_eq(list_of_cpus(&second->allowed), "0-15");
	ck_assert_int_eq(process_at(1), getpid());
	ck_assert_uint_eq(shm_files(), 1);
	leave(1);
	leave(0);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* Whether there is a cut on the board for all of these CPUs. */
static int
cut_of(int number, const struct sp_cpus *cpus, uint32_t owner[CORES])
{
	struct sp_joined *rank = &node->rank[number];
	struct sp_common_cut asked = { .generation = 1, .cpus = *cpus, .policy = node->config.policy };
	struct sp_cut cut;

	return sp_board_cut(rank->board, &asked, rank->need, owner, CORES, &cut);
}

START_TEST(the_first_cuts_for_all)
{
	uint32_t owner[CORES];

	if (!open_node(2))
		return;
	joined(0);
	struct sp_joined *second = joined(1);
	ck_assert_int_eq(cut_of(1, &second->allowed, owner), 0);
	for (uint32_t i = 0; i < CORES; i++)
		ck_assert_uint_eq(owner[i], i >= CORES / 2);
	leave(1);
	leave(0);
}
END_TEST

/* Bound ranks agree first; GPUs are those of all ranks; lists say it; one rank has all. */
START_TEST(the_first_does_not_cut_what_is_not_known_yet)
{
	const struct sp_cpus half = cpus_of_list("0-7"), all = cpus_of_list("0-15");
	uint32_t owner[CORES];

	if (!open_node(_i == 3 ? 1 : 2))
		return;
	if (_i == 0)
		node->inherited = &half;
	if (_i == 1)
		node->config.policy.devices = SP_DEVICES_GPU;
	if (_i == 2)
		node->config.policy.domain = SP_DOMAIN_NUMA;
	joined(0);
	ck_assert_int_eq(cut_of(0, &all, owner), -ENOENT);
	ck_assert_int_eq(cut_of(0, &half, owner), -ENOENT);
	leave(0);
}
END_TEST

static int
join_at_once(int number, void *data)
{
	int error = join(number, data);

	node->joined++;
	while (node->joined < RANKS)
		sleep_ms(1);
	return error || node->rank[number].machine->ncpus != CORES || !node->rank[number].board;
}

START_TEST(of_ranks_that_come_at_once_one_discovers)
{
	unsigned discovered = 0;

	if (!open_node(RANKS))
		return;
	node->discovery_ms = 100;
	ck_assert_int_eq(run_ranks(RANKS, join_at_once, NULL), 0);
	ck_assert_uint_eq(node->discoveries, 1);
	for (int i = 0; i < RANKS; i++)
		discovered += node->rank[i].discovered;
	ck_assert_uint_eq(discovered, 1);
}
END_TEST

static const struct {
	enum sp_devices setting;
	const char *variable;
	unsigned gpus, cards;
} sought[] = {
	{ SP_DEVICES_OFF, "CUDA_VISIBLE_DEVICES=0", 0, 0 }, { SP_DEVICES_AUTO, NULL, 0, 0 },
	{ SP_DEVICES_AUTO, "CUDA_VISIBLE_DEVICES=0", 1, 0 }, { SP_DEVICES_AUTO, "ROCR_VISIBLE_DEVICES=", 0, 0 },
	{ SP_DEVICES_GPU, NULL, 1, 0 }, { SP_DEVICES_NIC, "SLURM_STEP_GPUS=0", 0, 1 }, { SP_DEVICES_GPU_NIC, NULL, 1, 1 },
};

START_TEST(devices_are_looked_for_where_ranks_go_to_them)
{
	for (size_t i = 0; i < sizeof(sought) / sizeof(sought[0]); i++) {
		if (!open_node(1))
			return;
		node->config.policy.devices = sought[i].setting;
		node->extra = sought[i].variable;
		joined(0);
		ck_assert_uint_eq(node->gpus, sought[i].gpus);
		ck_assert_uint_eq(node->devices, sought[i].cards);
		leave(0);
	}
	/* A list of its own for each rank needs them, too. */
	if (!open_node(1))
		return;
	node->config.policy.devices = SP_DEVICES_AUTO;
	node->config.visible = SP_VISIBLE_SET;
	joined(0);
	ck_assert_uint_eq(node->gpus, 1);
	leave(0);
}
END_TEST

/* Whoever makes the board finds them for all, whatever the others' variables say. */
START_TEST(gpus_are_on_the_board)
{
	if (!open_node(2))
		return;
	node->config.policy.devices = SP_DEVICES_AUTO;
	node->extra = "CUDA_VISIBLE_DEVICES=0";
	joined(0);
	node->extra = NULL;
	ck_assert_uint_eq(joined(1)->machine->gpus.n, 1);
	ck_assert_uint_eq(node->rank[1].machine->gpus.gpu[0].vendor, SP_NVIDIA);
	ck_assert_uint_eq(node->gpus, 1);
	leave(1);
	leave(0);
}
END_TEST

/* The board is not made either. */
START_TEST(a_machine_that_cannot_be_read)
{
	if (!open_node(2))
		return;
	node->discovery_error = -ENODEV;
	ck_assert_int_eq(join(0, NULL), -ENODEV);
	ck_assert_ptr_null(node->rank[0].machine);
	ck_assert_uint_eq(shm_files(), 0);
	node->no_hardware = true;
	ck_assert_int_eq(join(0, NULL), -ELIBACC);
	ck_assert_str_eq(node->rank[0].problem, "there is none");
}
END_TEST

/* Which job. */

START_TEST(spawned_ranks_have_no_board)
{
	const char *numbered = "/dev/shm/splitpin-file.1";
	char path[BOARD_PATH] = "/dev/shm/splitpin-file";

	if (!open_node(2))
		return;
	node->extra = "PMI_SPAWNED=1";
	struct sp_joined *first = joined(0);
	ck_assert_ptr_null(first->board);
	ck_assert_str_eq(first->job, "");
	ck_assert_ptr_null(first->problem);
	ck_assert(first->discovered);
	ck_assert_uint_eq(shm_files(), 0);
	leave(0);
	/* What was seen of the names of files does not count any more. */
	ck_assert_int_eq(close(open(numbered, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	sp_board_choose_name(path);
	ck_assert_str_eq(path, numbered);
}
END_TEST

START_TEST(a_dry_run_has_a_name_of_its_own)
{
	if (!open_node(2))
		return;
	node->config.dry_run = true;
	ck_assert_str_eq(joined(0)->job, "dry run of slurm 7.0, 2 ranks");
	node->config.dry_run = false;
	ck_assert(joined(1)->discovered);
	ck_assert_uint_eq(shm_files(), 2);
	leave(1);
	leave(0);
}
END_TEST

static int
join_unseen(int number, void *data)
{
	int error = join(number, data);
	const struct sp_joined *rank = &node->rank[number];

	return error || rank->board || rank->problem || !rank->note || !rank->discovered || rank->job[0];
}

/* A process that has had children in another name space can make no more, as sanitizers do at the end. */
static int
start_unseen(int number, void *data)
{
	return unshare(CLONE_NEWPID) == 0 ? status_of(start_rank(number, join_unseen, data)) : 0;
}

/* The first process of a name space of PIDs has no parent there. */
START_TEST(a_launcher_in_another_name_space)
{
	if (!open_node(2))
		return;
	node->job = "ANY=thing";
	ck_assert_int_eq(status_of(start_rank(0, start_unseen, NULL)), 0);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* No board. */

START_TEST(what_all_find_is_reported_by_the_first)
{
	if (!open_node(2))
		return;
	ck_assert_int_eq(mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	ck_assert_str_eq(joined(0)->problem, strerror(EROFS));
	ck_assert_ptr_null(joined(1)->problem);
	ck_assert_ptr_null(node->rank[0].board);
	ck_assert_ptr_null(node->rank[1].board);
	ck_assert_uint_eq(node->discoveries, 2);
	leave(0);
	leave(1);
}
END_TEST

START_TEST(more_ranks_than_a_board_has)
{
	if (!open_node(SP_CPUS_MAX + 1))
		return;
	ck_assert_str_eq(joined(0)->problem, "more than 8192 ranks on a node (SPLITPIN_LOCAL_SIZE)");
	ck_assert_ptr_null(node->rank[0].board);
	leave(0);
}
END_TEST

/* The machine is the last part of its file. */
START_TEST(a_board_with_a_damaged_machine)
{
	glob_t board;
	char byte;

	if (!open_node(2))
		return;
	joined(1);
	ck_assert_int_eq(glob("/dev/shm/splitpin-*-????????????????", 0, NULL, &board), 0);
	int fd = open(board.gl_pathv[0], O_RDWR | O_CLOEXEC);
	off_t last = lseek(fd, -1, SEEK_END);
	ck_assert_int_eq(pread(fd, &byte, 1, last), 1);
	byte = (char)~byte;
	ck_assert_int_eq(pwrite(fd, &byte, 1, last), 1);
	close(fd);
	globfree(&board);
	ck_assert_str_eq(joined(0)->problem, "the machine in it is damaged");
	ck_assert_ptr_null(node->rank[0].board);
	leave(0);
	leave(1);
}
END_TEST

static const struct limited {
	int resource;
	int error;
} limited[] = { { RLIMIT_NOFILE, EMFILE }, { RLIMIT_FSIZE, EFBIG } };

START_TEST(what_a_rank_alone_may_not_is_reported_by_it)
{
	struct rlimit before, none;

	if (!open_node(2))
		return;
	ck_assert_int_eq(getrlimit(limited[_i].resource, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	/* The library of the tests writes a file at each assertion. */
	int limit_set = setrlimit(limited[_i].resource, &none), error = join(1, NULL);
	setrlimit(limited[_i].resource, &before);
	ck_assert_int_eq(limit_set, 0);
	ck_assert_int_eq(error, 0);
	ck_assert_str_eq(node->rank[1].problem, strerror(limited[_i].error));
	ck_assert_ptr_null(node->rank[1].board);
	leave(1);
}
END_TEST

static int
lock_the_board(int rank, void *data)
{
	struct flock lock = { .l_type = F_WRLCK };
	glob_t board;

	(void)rank;
	if (glob("/dev/shm/splitpin-*-????????????????", 0, NULL, &board) != 0 || board.gl_pathc != 1 ||
	    fcntl(open(board.gl_pathv[0], O_RDWR | O_CLOEXEC), F_SETLK, &lock) != 0)
		return 1;
	*(atomic_bool *)data = true;
	return pause();
}

START_TEST(a_board_that_another_has_locked)
{
	atomic_bool *is_locked = shared_memory(sizeof(*is_locked));

	if (!open_node(2))
		return;
	joined(1);
	pid_t holder = start_rank(0, lock_the_board, is_locked);
	while (!*is_locked)
		sleep_ms(1);
	ck_assert_str_eq(joined(0)->problem, "another process has locked it");
	ck_assert_ptr_null(node->rank[0].board);
	leave(0);
	end_joined(holder);
	leave(1);
}
END_TEST

/* Whose seat. */

START_TEST(who_calls_MPI_Init_takes_the_seat)
{
	if (!open_node(2))
		return;
	pid_t first = start_joined(0), second = start_joined(0);
	ck_assert_int_eq(process_at(0), first);
	ck_assert_ptr_nonnull(node->rank[0].board);
	ck_assert_ptr_null(node->rank[0].problem);
	node->is_rank = true;
	pid_t rank = start_joined(0);
	ck_assert_int_eq(process_at(0), rank);
	ck_assert_uint_eq(node->discoveries, 1);
	end_joined(first);
	end_joined(second);
	end_joined(rank);
}
END_TEST

/* What other jobs have. */

START_TEST(cores_of_another_job_are_left_to_it)
{
	if (!open_node(4))
		return;
	/* Each of 4 ranks takes one core of its 4. */
	node->config.policy.cores = 1;
	pid_t other = start_joined(0);
	node->job = "SLURM_JOB_ID=8";
	struct sp_joined *first = joined(0);
	ck_assert_str_eq(list_of_cpus(&first->terms.taken), "0,4,8,12");
	ck_assert_uint_eq(first->terms.how, SP_TERMS_BESIDE);
	struct sp_joined *second = joined(1);
	ck_assert(!second->discovered);
	ck_assert_str_eq(list_of_cpus(&second->terms.taken), "0,4,8,12");
	leave(1);
	leave(0);
	node->config.neighbours = SP_NEIGHBOURS_IGNORE;
	ck_assert_uint_eq(joined(0)->terms.how, SP_TERMS_ALONE);
	leave(0);
	end_joined(other);
}
END_TEST

START_TEST(a_job_leaves_what_its_threads_do_not_need)
{
	if (!open_node(2))
		return;
	node->threads = 2;
	pid_t other = start_joined(0);
	ck_assert_str_eq(list_of_cpus(&terms_of(0)->claim), "0,4,8,12");
	node->job = "SLURM_JOB_ID=8";
	struct sp_joined *first = joined(0);
	ck_assert_str_eq(list_of_cpus(&first->terms.taken), "0,4,8,12");
	ck_assert_str_eq(list_of_cpus(&first->terms.claim), "1-3,5");
	ck_assert_uint_eq(first->need[0], 2);
	ck_assert_uint_eq(first->need[1], 2);
	leave(0);
	end_joined(other);
}
END_TEST

START_TEST(a_node_without_free_cores_is_shared)
{
	if (!open_node(4))
		return;
	pid_t other = start_joined(0);
	node->job = "SLURM_JOB_ID=8";
	struct sp_joined *first = joined(0);
	ck_assert(sp_cpus_empty(&first->terms.taken));
	ck_assert_uint_eq(first->terms.how, SP_TERMS_SHARED);
	leave(0);
	end_joined(other);
}
END_TEST

/* Where it names what it takes, it takes it from whomever. */
START_TEST(cores_that_the_user_names_are_not_exchanged)
{
	if (!open_node(4))
		return;
	node->config.policy.cores = 1;
	pid_t other = start_joined(0);
	node->job = "SLURM_JOB_ID=8";
	node->config.policy.domain = SP_DOMAIN_LISTS;
	node->config.policy.lists = _i ? "1:2:3:4" : "1:2:3:5";
	joined(0);
	ck_assert_str_eq(list_of_cpus(&terms_of(0)->claim), _i ? "1-4" : "1-3,5");
	leave(0);
	end_joined(other);
}
END_TEST

START_TEST(a_job_claims_what_it_may_use)
{
	struct sp_cpus all;

	if (!open_node(1))
		return;
	joined(0);
	ck_assert_str_eq(list_of_cpus(&terms_of(0)->claim), "0-15");
	ck_assert(!common_of(0)->dry_run);
	leave(0);
	/* Bound on purpose, or to all that there is, is not bound. */
	ck_assert_int_eq(sp_pin_allowed(&all), 0);
	node->inherited = &all;
	struct sp_machine *machine = machine_uniform(CORES, 1);
	uint32_t cores = sp_machine_cores(machine, &all);
	free(machine);
	joined(0);
	ck_assert_uint_eq(sp_cpus_count(&terms_of(0)->claim), cores);
	leave(0);
	static const struct sp_cpus nowhere;
	node->inherited = &nowhere;
	joined(0);
	ck_assert(sp_cpus_empty(&terms_of(0)->claim));
	leave(0);
	node->config.inherited = SP_INHERITED_IGNORE;
	node->config.dry_run = true;
	joined(0);
	ck_assert_uint_eq(sp_cpus_count(&terms_of(0)->claim), cores);
	ck_assert(common_of(0)->dry_run);
	leave(0);
}
END_TEST

/* What a job whose ranks are bound takes is decided later. */
START_TEST(a_job_that_is_bound_claims_nothing_yet)
{
	static const struct sp_cpus nowhere;

	if (!open_node(4))
		return;
	node->inherited = &nowhere;
	pid_t other = start_joined(0);
	node->job = "SLURM_JOB_ID=8";
	ck_assert(sp_cpus_empty(&joined(0)->terms.taken));
	leave(0);
	end_joined(other);
}
END_TEST

Suite *
suite_join(void)
{
	Suite *suite = suite_create("join");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	tcase_add_loop_test(facts, other_jobs_do_not_wait_for_a_discovery, 0, 2);
	tcase_add_test(facts, another_job_takes_the_machine_over);
	tcase_add_test(facts, a_machine_from_elsewhere_is_not_taken_over);
	tcase_add_test(facts, the_first_discovers_and_makes_the_board);
	tcase_add_test(facts, the_second_reads_the_same_machine);
	tcase_add_test(facts, the_first_cuts_for_all);
	tcase_add_loop_test(facts, the_first_does_not_cut_what_is_not_known_yet, 0, 4);
	tcase_add_test(facts, of_ranks_that_come_at_once_one_discovers);
	tcase_add_test(facts, devices_are_looked_for_where_ranks_go_to_them);
	tcase_add_test(facts, gpus_are_on_the_board);
	tcase_add_test(facts, a_machine_that_cannot_be_read);
	tcase_add_test(facts, spawned_ranks_have_no_board);
	tcase_add_test(facts, a_dry_run_has_a_name_of_its_own);
	tcase_add_test(facts, a_launcher_in_another_name_space);
	tcase_add_test(facts, what_all_find_is_reported_by_the_first);
	tcase_add_test(slow, a_board_that_another_has_locked);
	tcase_add_test(facts, more_ranks_than_a_board_has);
	tcase_add_test(facts, a_board_with_a_damaged_machine);
	tcase_add_loop_test(facts, cores_that_the_user_names_are_not_exchanged, 0, 2);
	tcase_add_test(facts, a_job_leaves_what_its_threads_do_not_need);
	tcase_add_test(facts, a_job_claims_what_it_may_use);
	tcase_add_loop_test(facts, what_a_rank_alone_may_not_is_reported_by_it, 0, sizeof(limited) / sizeof(limited[0]));
	tcase_add_test(facts, who_calls_MPI_Init_takes_the_seat);
	tcase_add_test(facts, cores_of_another_job_are_left_to_it);
	tcase_add_test(facts, a_node_without_free_cores_is_shared);
	tcase_add_test(facts, a_job_that_is_bound_claims_nothing_yet);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
