/*
 * Facts about the board.  Other ranks are forked; each test has a /dev/shm of
 * its own, so that no job of the machine sees it.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "board/board.h"
#include "board/board_file.h"
#include "machines.h"
#include "memory.h"
#include "ranks.h"
#include "suites.h"

#define JOB "a job of the unit tests, 4 ranks"
#define SIZE 4
#define WAIT_MS 3000

/* Without a /dev/shm of its own a test tries nothing. */
#define NEEDS_SHM(options) \
	do { \
		if (!shm_of_own(options)) \
			return; \
	} while (0)

static struct sp_terms first_terms;
static const uint32_t first_need[SIZE] = { 2, 1, 1, 1 };

static struct sp_machine *
common_of(struct sp_common *common)
{
	struct sp_machine *machine = machine_knl();

	first_terms = (struct sp_terms){ .threads = 5, .taken = cpus_of_list("0-3"), .claim = cpus_of_list("4-67") };
	*common = (struct sp_common){ .machine = machine, .terms = &first_terms, .need = first_need };
	return machine;
}

/* As a rank does it: open the board, or make it. */
static int
open_or_make(const char *job, struct sp_board **board, bool *made)
{
	const char *problem;
	int error = sp_board_begin(job, SIZE, WAIT_MS, board, &problem);

	*made = !error && !*board;
	if (*made) {
		struct sp_common common;
		struct sp_machine *machine = common_of(&common);

		error = sp_board_lock_jobs(WAIT_MS);
		if (!error)
			error = sp_board_create(job, SIZE, &common, board);
		free(machine);
		sp_board_end();
	}
	return error;
}

static struct sp_board *
board_of(const char *job)
{
	struct sp_board *board;
	bool made;

	ck_assert_int_eq(open_or_make(job, &board, &made), 0);
	return board;
}

/* The file of the one board that there is. */
static const char *
board_path(void)
{
	static char path[128];
	FILE *list = popen("ls /dev/shm/splitpin-* | grep -v -e lock -e draft", "re");

	ck_assert_ptr_nonnull(list);
	ck_assert_ptr_nonnull(fgets(path, sizeof(path), list));
	ck_assert_int_eq(pclose(list), 0);
	path[strcspn(path, "\n")] = '\0';
	return path;
}

static const char *
lock_path(void)
{
	static char path[128];

	snprintf(path, sizeof(path), "/dev/shm/splitpin-%u-lock", (unsigned)geteuid());
	return path;
}

static void
settle(struct sp_board *board, uint32_t rank, const char *share)
{
	struct sp_seat seat = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("0-67"),
				.share = cpus_of_list(share), .threads = 3, .memory = "local", .why = "because" };

	ck_assert_int_eq(sp_board_write(board, rank, &seat), 0);
}

/* Two decisions that cannot be taken for each other; parts are each rank's own. */
enum { NONE, ONE, OTHER };

static void
fill_decision(uint32_t what, struct sp_decision *decision, struct sp_part part[SIZE])
{
	*decision = (struct sp_decision){ .what = what };
	snprintf(decision->evidence, sizeof(decision->evidence), "evidence %u", what);
	for (uint32_t rank = 0; rank < SIZE; rank++) {
		part[rank] = (struct sp_part){ .index = rank, .count = SIZE };
		sp_cpus_add(&part[rank].seen, rank);
		sp_cpus_add(&part[rank].cpus, 10 * what + rank);
	}
}

static int
decide(struct sp_board *board, uint32_t what)
{
	struct sp_decision decision;
	struct sp_part part[SIZE];

	fill_decision(what, &decision, part);
	return sp_board_revise(board, NULL, NULL, &decision, part);
}

/* What holds, or a negative errno. */
static int
decided(struct sp_board *board)
{
	struct sp_decision decision;
	struct sp_part part;
	int error = sp_board_decision(board, 0, &decision, &part, NULL, NULL);

	return error ? error : (int)decision.what;
}

/* Common. */

static void
check_terms(struct sp_board *board, uint32_t generation, uint32_t threads, const char *claim, const uint32_t need[SIZE])
{
	struct sp_terms terms;
	uint32_t read[SIZE];
	char text[SP_CPUS_TEXT];

	ck_assert_int_eq(sp_board_terms(board, &terms, read), 0);
	ck_assert_uint_eq(terms.generation, generation);
	ck_assert_uint_eq(terms.threads, threads);
	ck_assert_str_eq(sp_cpus_format(&terms.claim, text, sizeof(text)), claim);
	ck_assert_mem_eq(read, need, sizeof(read));
}

START_TEST(what_is_common_is_read_again)
{
	struct sp_common common, read;
	struct sp_machine *machine, *copy;
	const char *problem = "none";
	struct sp_board *board;

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	common.dry_run = true;
	ck_assert_int_eq(sp_board_open(JOB, SIZE, &board, &problem), -ENOENT);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	sp_board_release(board);
	ck_assert_int_eq(sp_board_open(JOB, SIZE, &board, &problem), 0);
	ck_assert_ptr_null(problem);
	ck_assert_int_eq(sp_board_common(board, &read, &copy), 0);
	check_terms(board, 1, 5, "4-67", first_need);
	ck_assert(read.dry_run);
	ck_assert_uint_eq(copy->ncpus, machine->ncpus);
	ck_assert_mem_eq(copy->pu, machine->pu, machine->ncpus * sizeof(struct sp_pu));
	ck_assert_ptr_eq(read.machine, copy);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), -EEXIST);
	ck_assert_uint_eq(shm_files(), 1);
	free(copy);
	free(machine);
	sp_board_release(board);
}
END_TEST

/* A cut of the machine in which rank 1 has the first half, and rank 0 the rest but the last CPU. */
static struct sp_board *
board_with_cut(struct sp_common_cut *asked, struct sp_plan *plan, uint32_t owner[SP_CPUS_MAX])
{
	struct sp_common common;
	struct sp_machine *machine = common_of(&common);
	struct sp_board *board;

	*asked = (struct sp_common_cut){ .generation = 1, .cpus = cpus_of_list("4-67"), .policy = { .smt = 2 } };
	*plan = (struct sp_plan){ .cpus = &asked->cpus, .owner = owner, .cut = { .units = 3, .by_need = true } };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = i + 1 == machine->ncpus ? SP_NOBODY : i < machine->ncpus / 2;
	common.plan = plan;
	common.policy = &asked->policy;
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	free(machine);
	return board;
}

START_TEST(the_cut_is_read_again)
{
	static uint32_t owner[SP_CPUS_MAX], read[SP_CPUS_MAX];
	struct sp_common_cut asked;
	struct sp_plan plan;
	struct sp_cut cut;

	NEEDS_SHM(NULL);
	struct sp_board *board = board_with_cut(&asked, &plan, owner);
	const uint32_t n = board->head.ncpus, other_need[SIZE] = { 2, 1, 1, 2 };

	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), 0);
	ck_assert_mem_eq(read, owner, n * sizeof(owner[0]));
	ck_assert_uint_eq(cut.units, 3);
	ck_assert(cut.by_need && !cut.by_cpu);
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n - 1, &cut), -ENOENT);
	ck_assert_int_eq(sp_board_cut(board, &asked, other_need, read, n, &cut), -ENOENT);
	asked.policy.smt = 1;
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), -ENOENT);
	asked.policy.smt = 2;
	asked.cpus = cpus_of_list("4-66");
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), -ENOENT);
	sp_board_release(board);
}
END_TEST

/* Other terms have another cut, or none. */
START_TEST(a_cut_holds_for_its_terms)
{
	static uint32_t owner[SP_CPUS_MAX], read[SP_CPUS_MAX];
	struct sp_common_cut asked;
	struct sp_plan plan;
	struct sp_cut cut;

	NEEDS_SHM(NULL);
	struct sp_board *board = board_with_cut(&asked, &plan, owner);
	const uint32_t n = board->head.ncpus;
	uint32_t need[SIZE];

	memcpy(need, first_need, sizeof(need));
	plan.need = need;
	ck_assert_int_eq(sp_board_terms(board, &plan.terms, NULL), 0);
	owner[0] = SP_NOBODY;
	ck_assert_int_eq(sp_board_revise_all(board, &plan, &asked.policy, NULL), 0);
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), -ENOENT);
	asked.generation = 2;
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), 0);
	ck_assert_mem_eq(read, owner, n * sizeof(owner[0]));
	ck_assert_int_eq(sp_board_revise(board, &plan.terms, first_need, NULL, NULL), 0);
	asked.generation = 3;
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, read, n, &cut), -ENOENT);
	sp_board_release(board);
}
END_TEST

START_TEST(without_a_cut_there_is_none)
{
	static uint32_t owner[SP_CPUS_MAX];
	struct sp_cut cut;

	NEEDS_SHM(NULL);
	struct sp_board *board = board_of(JOB);
	ck_assert_int_eq(sp_board_cut(board, &(struct sp_common_cut){ .cut = { 0 } }, first_need, owner, board->head.ncpus, &cut), -ENOENT);
	sp_board_release(board);
}
END_TEST

/* A byte of it is wrong, or a number in it although its sum is right. */
START_TEST(a_damaged_cut_is_refused)
{
	static uint32_t owner[SP_CPUS_MAX];
	struct sp_common_cut asked;
	struct sp_plan plan;
	struct sp_cut cut;
	const size_t figures = offsetof(struct sp_written_plan, cut) + offsetof(struct sp_common_cut, cut);

	NEEDS_SHM(NULL);
	struct sp_board *board = board_with_cut(&asked, &plan, owner);
	const size_t size = sp_board_plan_size(&board->head), at_owner = size - sizeof(uint64_t) - sp_board_even(board->head.ncpus) * sizeof(uint32_t);
	const struct { size_t at; uint32_t value; bool has_sum; } cases[] = {
		{ at_owner, 1, false }, { at_owner, SIZE, true }, { at_owner + 4, SP_NOBODY - 1, true },
		{ figures + offsetof(struct sp_cut, units), 2 * SP_CPUS_MAX, true }, { figures + offsetof(struct sp_cut, by_need), 2, true },
		{ figures + offsetof(struct sp_cut, largest), UINT32_MAX, true },
	};
	char *bytes = malloc(size);
	int fd = open(board_path(), O_RDWR | O_CLOEXEC);

	ck_assert_int_eq(pread(fd, bytes, size, sp_board_plan_at(&board->head, 1)), (ssize_t)size);
	const uint32_t value = _i ? cases[_i].value : 0;
	memcpy(bytes + cases[_i].at, &value, sizeof(value));
	uint64_t sum = sp_board_sum(bytes, size - sizeof(sum));
	if (cases[_i].has_sum)
		memcpy(bytes + size - sizeof(sum), &sum, sizeof(sum));
	ck_assert_int_eq(pwrite(fd, bytes, size, sp_board_plan_at(&board->head, 1)), (ssize_t)size);
	close(fd);
	ck_assert_int_eq(sp_board_cut(board, &asked, first_need, owner, board->head.ncpus, &cut), -EPROTO);
	free(bytes);
	sp_board_release(board);
}
END_TEST

/* As many GPUs as there is room for are all read again; a number beyond is what no rank writes. */
START_TEST(gpus_as_many_as_there_is_room_for)
{
	struct sp_seat seat = { .state = SP_SEAT_SETTLED }, read_seat;
	struct sp_common common, read;
	struct sp_machine *machine, *copy;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	machine->gpus.n = SP_GPUS_MAX;
	for (int i = 0; i < SP_GPUS_MAX; i++) {
		memset(machine->gpus.gpu[i].address, 'a', sizeof(machine->gpus.gpu[i].address));
		memset(machine->gpus.gpu[i].uuid, 'u', sizeof(machine->gpus.gpu[i].uuid));
	}
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	ck_assert_int_eq(sp_board_common(board, &read, &copy), 0);
	ck_assert_uint_eq(copy->gpus.n, SP_GPUS_MAX);
	for (int i = 0; i < SP_GPUS_MAX; i++) {
		ck_assert_uint_eq(strlen(copy->gpus.gpu[i].address), sizeof(machine->gpus.gpu[0].address) - 1);
		ck_assert_uint_eq(strlen(copy->gpus.gpu[i].uuid), sizeof(machine->gpus.gpu[0].uuid) - 1);
	}
	free(copy);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	for (uint32_t n = SP_GPUS_MAX; n <= SP_GPUS_MAX + 1; n++) {
		seat.gpus = (struct sp_gpu_list){ .told = SP_GPUS_UNTOLD + 1, .n = n };
		ck_assert_int_eq(sp_board_write(board, 0, &seat), 0);
		ck_assert_int_eq(sp_board_read(board, 0, &read_seat), 0);
		ck_assert_uint_eq(read_seat.gpus.n, n == SP_GPUS_MAX ? n : 0);
	}
	seat.gpus = (struct sp_gpu_list){ .told = SP_GPUS_LISTED, .n = 2, .gpu = { 0, SP_GPUS_MAX } };
	ck_assert_int_eq(sp_board_write(board, 0, &seat), 0);
	ck_assert_int_eq(sp_board_read(board, 0, &read_seat), 0);
	ck_assert_uint_eq(read_seat.gpus.n, 0);
	ck_assert_uint_eq(read_seat.gpus.told, SP_GPUS_UNTOLD);
	free(machine);
	sp_board_release(board);
}
END_TEST

/* _i bytes; two words change places, and each byte changes. */
START_TEST(a_sum_depends_on_each_byte_and_its_place)
{
	unsigned char bytes[400];
	const size_t size = (size_t)_i, word = sizeof(uint64_t);
	uint64_t kept;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i / 7);
	uint64_t sum = sp_board_sum(bytes, size);
	for (size_t at = 0; at < size; at++) {
		bytes[at] ^= 16;
		ck_assert_uint_ne(sp_board_sum(bytes, size), sum);
		bytes[at] ^= 16;
	}
	for (size_t a = 0; a + 2 * word <= size; a += word) {
		for (size_t b = a + word; b + word <= size; b += word) {
			memcpy(&kept, bytes + a, word);
			memcpy(bytes + a, bytes + b, word);
			memcpy(bytes + b, &kept, word);
			ck_assert_msg(!memcmp(bytes + a, bytes + b, word) || sp_board_sum(bytes, size) != sum, "%zu and %zu", a, b);
			memcpy(bytes + b, bytes + a, word);
			memcpy(bytes + a, &kept, word);
		}
	}
	ck_assert_uint_eq(sp_board_sum(bytes, size), sum);
	bytes[size] ^= 16;
	ck_assert_uint_eq(sp_board_sum(bytes, size), sum);
}
END_TEST

START_TEST(every_job_has_a_board_of_its_own)
{
	const char *problem;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	sp_board_release(board_of(JOB));
	ck_assert_int_eq(sp_board_open("another job", SIZE, &board, &problem), -ENOENT);
	ck_assert_int_eq(sp_board_open(JOB, SIZE + 1, &board, &problem), -EPROTO);
	ck_assert_ptr_nonnull(strstr(problem, "different number of ranks"));
}
END_TEST

START_TEST(nobody_else_may_read_it)
{
	static const mode_t masks[] = { 0, 022, 0777 };
	struct stat file;

	NEEDS_SHM(NULL);
	umask(masks[_i]);
	sp_board_release(board_of(JOB));
	ck_assert_int_eq(lstat(board_path(), &file), 0);
	ck_assert_uint_eq(file.st_mode, S_IFREG | 0600);
	ck_assert_uint_eq(shm_files(), 1);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert_int_eq(lstat(lock_path(), &file), 0);
	ck_assert_uint_eq(file.st_mode, S_IFREG | 0600);
	sp_board_end();
}
END_TEST

START_TEST(more_ranks_than_any_node_has_cpus)
{
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	ck_assert_int_eq(sp_board_create(JOB, SP_CPUS_MAX + 1, &common, &board), -E2BIG);
	ck_assert_uint_eq(shm_files(), 0);
	free(machine);
}
END_TEST

/* What lies under its name may be anything. */

static void
edit(const char *path, off_t at, const void *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, text, size, at), (ssize_t)size);
	close(fd);
}

/* Terms that are damaged leave the machine, which is the caller's all the same. */
START_TEST(machine_and_terms_are_read_together)
{
	struct sp_common common, read;
	struct sp_machine *machine, *copy = NULL;
	struct sp_terms terms;
	struct sp_board *board;
	uint32_t need[SIZE];

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	for (int damaged = 0; damaged < 2; damaged++) {
		ck_assert_int_eq(sp_board_common_terms(board, &read, &copy, &terms, need), damaged ? -EPROTO : 0);
		ck_assert_mem_eq(copy->pu, machine->pu, machine->ncpus * sizeof(struct sp_pu));
		ck_assert_uint_eq(terms.threads, 5);
		ck_assert_mem_eq(need, first_need, sizeof(need));
		free(copy);
		edit(board_path(), sp_board_plan_at(&board->head, 1), "damaged!", 8);
	}
	ck_assert_int_eq(unlink(board_path()), 0);
	ck_assert_int_eq(sp_board_common_terms(board, &read, &copy, &terms, need), -ESTALE);
	free(machine);
	sp_board_release(board);
}
END_TEST

static void
replace(const char *path, const char *text)
{
	unlink(path);
	FILE *file = fopen(path, "w");
	fputs(text, file);
	fclose(file);
	chmod(path, 0600);
}

static void make_link(const char *path) { unlink(path); ck_assert_int_eq(symlink("/dev/null", path), 0); }
static void make_loop(const char *path) { unlink(path); ck_assert_int_eq(symlink(path, path), 0); }
static void make_lost_link(const char *path) { unlink(path); ck_assert_int_eq(symlink("/nowhere/at/all", path), 0); }
static void make_fifo(const char *path) { unlink(path); ck_assert_int_eq(mkfifo(path, 0600), 0); }
static void make_folder(const char *path) { unlink(path); ck_assert_int_eq(mkdir(path, 0700), 0); }
static void make_empty(const char *path) { ck_assert_int_eq(truncate(path, 0), 0); }
static void make_short(const char *path) { ck_assert_int_eq(truncate(path, 3000), 0); }
static void make_shorter(const char *path) { ck_assert_int_eq(truncate(path, 100), 0); }
static void make_long(const char *path) { ck_assert_int_eq(truncate(path, 1 << 20), 0); }
static void make_garbage(const char *path) { replace(path, "this is no board\n"); }
static void make_group_writable(const char *path) { chmod(path, 0620); }
static void make_readable(const char *path) { chmod(path, 0604); }
static void make_anothers(const char *path) { ck_assert_int_eq(chown(path, 4711, 4711), 0); }
static void make_old(const char *path) { edit(path, 8, "\377", 1); }
static void make_other_places(const char *path) { edit(path, 16, "\377", 1); }
static void make_damaged(const char *path) { edit(path, 64, "x", 1); }
static void make_huge(const char *path) { edit(path, 20, "\377\377\377\377", 4); }

static void
make_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	unlink(path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

static void
make_another_jobs(const char *path)
{
	char other[PATH_MAX], copy[PATH_MAX];

	snprintf(other, sizeof(other), "%s", path);
	ck_assert_int_eq(rename(other, "/dev/shm/kept"), 0);
	sp_board_release(board_of("another job"));
	snprintf(copy, sizeof(copy), "%s", board_path());
	ck_assert_int_eq(rename(copy, other), 0);
	unlink("/dev/shm/kept");
}

static const struct {
	void (*make)(const char *path);
	const char *problem;
	bool lock, needs_root;
} kinds[] = {
	{ make_link, "symbolic link", true, false },
	{ make_loop, "symbolic link", true, false },
	{ make_lost_link, "symbolic link", true, false },
	{ make_fifo, "not a regular file", true, false },
	{ make_folder, "cannot be opened", true, false },
	{ make_socket, "cannot be opened", true, false },
	{ make_group_writable, "others may", true, false },
	{ make_readable, "others may", true, false },
	{ make_anothers, "another user", true, true },
	{ make_empty, "truncated", false, false },
	{ make_short, "truncated", false, false },
	{ make_shorter, "truncated", false, false },
	{ make_long, "truncated", false, false },
	{ make_garbage, "truncated", false, false },
	{ make_old, "another version", false, false },
	{ make_other_places, "another version", false, false },
	{ make_damaged, "damaged", false, false },
	{ make_huge, "damaged", false, false },
	{ make_another_jobs, "another job", false, false },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

START_TEST(a_hostile_board_is_refused)
{
	const char *problem = NULL;
	struct sp_board *board = NULL, *early;
	struct sp_seat seat;
	struct stat before, after;
	char path[PATH_MAX];

	if (kinds[_i].needs_root && geteuid() != 0)
		return;
	NEEDS_SHM(NULL);
	early = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(early, 0, false), 0);
	snprintf(path, sizeof(path), "%s", board_path());
	kinds[_i].make(path);
	ck_assert_int_eq(lstat(path, &before), 0);
	/* In place of one of another user a new one can be made. */
	bool is_anothers = kinds[_i].make == make_anothers;
	ck_assert_int_eq(sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem), is_anothers ? 0 : -EPROTO);
	ck_assert_ptr_null(board);
	ck_assert_msg(is_anothers || (problem && strstr(problem, kinds[_i].problem)), "\"%s\"", problem);
	sp_board_end();
	/* One that was opened before fails, and does no more. */
	sp_board_read(early, 0, &seat);
	sp_board_write(early, 0, &seat);
	ck_assert_int_ne(sp_board_arrive(early, 1, false), -EBUSY);
	decided(early);
	decide(early, ONE);
	if (kinds[_i].lock) {
		sp_board_leave(early, 0, 0);
		ck_assert_int_eq(lstat(path, &after), 0);
		ck_assert_int_eq(after.st_size, before.st_size);
		ck_assert_uint_eq(after.st_ino, before.st_ino);
	}
	sp_board_release(early);
	/* The right has not been kept. */
	ck_assert_int_eq(sp_board_begin("another job altogether", SIZE, 0, &board, &problem), 0);
	sp_board_end();
}
END_TEST

START_TEST(a_hostile_lock_is_refused)
{
	if (!kinds[_i].lock || (kinds[_i].needs_root && geteuid() != 0))
		return;
	NEEDS_SHM(NULL);
	replace(lock_path(), "");
	kinds[_i].make(lock_path());
	ck_assert_int_eq(sp_board_lock_jobs(WAIT_MS), kinds[_i].make == make_anothers ? 0 : -EPROTO);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 1);
}
END_TEST

START_TEST(a_hostile_draft_is_no_board)
{
	char path[128];
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_board *board;

	if (!kinds[_i].lock || (kinds[_i].needs_root && geteuid() != 0))
		return;
	NEEDS_SHM(NULL);
	machine = common_of(&common);
	snprintf(path, sizeof(path), "/dev/shm/splitpin-%u-draft", (unsigned)geteuid());
	replace(path, "");
	kinds[_i].make(path);
	int error = sp_board_create(JOB, SIZE, &common, &board);
	/* What can be removed is; a folder cannot. */
	ck_assert_int_eq(error, kinds[_i].make == make_folder ? -EEXIST : 0);
	if (!error)
		sp_board_release(board);
	ck_assert_uint_eq(shm_files(), kinds[_i].make == make_anothers ? 2 : 1);
	free(machine);
}
END_TEST

/* What another user can make under a name of ours, and some of the names that follow. */
static void (*const squats[])(const char *path) = { make_anothers, make_link, make_fifo, make_folder };

static void
squat(const char *name, int kind)
{
	for (int i = 0; i < 3; i++) {
		char path[BOARD_PATH];

		snprintf(path, sizeof(path), BOARD_FOLDER "/splitpin-%u-%s%s", (unsigned)geteuid(), name, (const char *[]){ "", ".1", ".2" }[i]);
		replace(path, "");
		squats[kind](path);
		ck_assert_int_eq(lchown(path, geteuid() + 1, getegid()), 0);
	}
}

static int
come_late(int rank, void *data)
{
	const char *problem;
	struct sp_board *board;

	(void)data;
	return sp_board_open(JOB, SIZE, &board, &problem) != 0 || sp_board_arrive(board, (uint32_t)rank, false) != 0;
}

/* All of this user's processes take the same, also where the other user has gone meanwhile. */
START_TEST(names_that_another_user_holds_block_nothing)
{
	struct sp_board *board = NULL, *other;
	struct sp_common common;
	char name[BOARD_NAME], lock[BOARD_NAME + 8];
	const char *problem;

	if (geteuid() != 0)
		return;
	NEEDS_SHM(NULL);
	sp_board_name(JOB, name);
	const char *sum = strrchr(name, '-') + 1;
	snprintf(lock, sizeof(lock), "%s-lock", sum);
	squat("lock", _i);
	squat("draft", _i);
	squat(lock, _i);
	squat(sum, _i);
	ck_assert_int_eq(sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem), 0);
	ck_assert_ptr_null(board);
	struct sp_machine *machine = common_of(&common);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	sp_board_end();
	free(machine);
	ck_assert_int_eq(sp_board_lock_jobs(WAIT_MS), 0);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_uint_eq(shm_files(), 4 * 3 + 2);
	sp_board_end();
	other = board_of("other");
	struct sp_other_jobs others;
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	ck_assert_uint_eq(others.jobs, 1);
	ck_assert_int_eq(sp_board_other_jobs("other", &others), 0);
	ck_assert_uint_eq(others.jobs, 1);
	ck_assert_int_eq(status_of(start_rank(1, come_late, NULL)), 0);
	ck_assert_int_eq(system("find /dev/shm -name 'splitpin-*' -uid 1 -delete"), 0);
	ck_assert_int_eq(status_of(start_rank(2, come_late, NULL)), 0);
	sp_board_leave(board, 0, 0);
	sp_board_leave(other, 0, 0);
	sp_board_release(board);
	sp_board_release(other);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* Every bit of it, one after the other: what is read is right or refused. */
START_TEST(a_damaged_board_is_refused)
{
	char path[PATH_MAX], text[65536];
	const char *problem;
	struct sp_board *board;
	struct sp_common common;
	struct sp_machine *machine, *whole;
	struct sp_seat seat, good;

	NEEDS_SHM(NULL);
	whole = machine_knl();
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	settle(board, 1, "5-9");
	ck_assert_int_eq(sp_board_read(board, 1, &good), 0);
	sp_board_release(board);
	snprintf(path, sizeof(path), "%s", board_path());
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t size = read(fd, text, sizeof(text));
	ck_assert_int_gt(size, 2000);
	ck_assert_int_lt(size, (ssize_t)sizeof(text));

	for (ssize_t i = 0; i < size; i += 7) {
		char bad = (char)(text[i] ^ (1 << i % 8));

		ck_assert_int_eq(pwrite(fd, &bad, 1, i), 1);
		if (sp_board_open(JOB, SIZE, &board, &problem) == 0) {
			if (sp_board_common(board, &common, &machine) == 0) {
				ck_assert_mem_eq(machine->pu, whole->pu, whole->ncpus * sizeof(struct sp_pu));
				free(machine);
			}
			if (sp_board_read(board, 1, &seat) == 0)
				ck_assert_mem_eq(&seat, &good, sizeof(seat));
			decided(board);
			sp_board_release(board);
		} else {
			ck_assert_ptr_nonnull(problem);
		}
		ck_assert_int_eq(pwrite(fd, text + i, 1, i), 1);
	}
	close(fd);
	free(whole);
}
END_TEST

/* Of one that somebody has made with care, the sums are right. */
static void
forge(struct sp_board_head *head, struct sp_pu *pu)
{
	int fd = open(board_path(), O_WRONLY | O_CLOEXEC);

	head->machine_sum = sp_board_sum(pu, head->ncpus * sizeof(*pu));
	head->sum = sp_board_sum(head, offsetof(struct sp_board_head, sum));
	ck_assert_int_eq(pwrite(fd, head, sizeof(*head), 0), (ssize_t)sizeof(*head));
	ck_assert_int_eq(pwrite(fd, pu, head->ncpus * sizeof(*pu), sp_board_machine_at(head)), (ssize_t)(head->ncpus * sizeof(*pu)));
	ck_assert_int_eq(ftruncate(fd, sp_board_size(head)), 0);
	close(fd);
}

/* Of one that is made for it. */
static struct sp_board_head
head_of_board(void)
{
	struct sp_board_head head;

	sp_board_release(board_of(JOB));
	int fd = open(board_path(), O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(sp_board_read_at(fd, &head, sizeof(head), 0), 0);
	close(fd);
	return head;
}

START_TEST(a_forged_machine_is_refused)
{
	static const struct { uint32_t ncpus, cpu, ngpus; int error; } cases[] = {
		{ 8, 20, 0, 0 }, { 8, SP_CPUS_MAX - 1, 0, 0 }, { 8, SP_CPUS_MAX, 0, -EPROTO }, { 8, 0, 0, -EPROTO },
		{ 8, 3, 0, -EPROTO }, { 0, 0, 0, -EPROTO }, { 1, 0, 1, 0 },
	};
	struct sp_machine *machine, *read;
	struct sp_common common;
	struct sp_board *board;
	struct sp_board_head head;
	const char *problem;

	NEEDS_SHM(NULL);
	machine = machine_uniform(8, 1);
	head = head_of_board();
	head.ncpus = cases[_i].ncpus;
	head.gpus.n = cases[_i].ngpus;
	if (head.ncpus)
		machine->pu[head.ncpus - 1].cpu = cases[_i].cpu;
	forge(&head, machine->pu);
	ck_assert_int_eq(sp_board_open(JOB, SIZE, &board, &problem), 0);
	ck_assert_int_eq(sp_board_common(board, &common, &read), cases[_i].error);
	if (!cases[_i].error) {
		ck_assert_uint_eq(read->ncpus, head.ncpus);
		ck_assert_uint_eq(read->gpus.n, cases[_i].ngpus);
		free(read);
	}
	sp_board_release(board);
	free(machine);
}
END_TEST

/* Each number that a CPU has. */
START_TEST(a_cpu_of_a_forged_machine_is_checked_whole)
{
	static const uint32_t wild[] = { SP_CPUS_MAX, UINT32_MAX };
	struct sp_machine *machine, *read;
	struct sp_board_head head;
	struct sp_common common;
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM(NULL);
	machine = machine_uniform(8, 1);
	head = head_of_board();
	head.ncpus = machine->ncpus;
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		memcpy((char *)&machine->pu[3] + (size_t)_i * sizeof(wild[i]), &wild[i], sizeof(wild[i]));
		forge(&head, machine->pu);
		ck_assert_int_eq(sp_board_open(JOB, SIZE, &board, &problem), 0);
		ck_assert_int_eq(sp_board_common(board, &common, &read), -EPROTO);
		sp_board_release(board);
	}
	free(machine);
}
END_TEST

START_TEST(a_forged_head_is_refused)
{
	struct sp_machine *machine;
	struct sp_board_head head;
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM(NULL);
	machine = machine_uniform(8, 1);
	head = head_of_board();
	head.ncpus = 8;
	switch (_i) {
	case 0:
		memset(head.job, 'x', sizeof(head.job));
		break;
	case 1:
		head.local_size = 0;
		break;
	case 2:
		head.gpus.n = SP_GPUS_MAX + 1;
		break;
	case 3:
		head.version++;
		break;
	case 4:
		head.seat_size++;
		break;
	case 5:
		head.pu_size++;
		break;
	case 6:
		head.head_size++;
		break;
	case 7:
		head.part_size++;
		break;
	}
	forge(&head, machine->pu);
	ck_assert_int_eq(sp_board_open(JOB, SIZE, &board, &problem), -EPROTO);
	ck_assert_ptr_nonnull(strstr(problem, _i < 3 ? "damaged" : "another version"));
	free(machine);
}
END_TEST

/* One more than there may be of each, in a file that has room for them. */
START_TEST(a_forged_head_of_too_many_is_refused)
{
	const uint32_t ncpus = _i ? SP_CPUS_MAX + 1 : 1;
	struct sp_board_head head;
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM("size=200m");
	struct sp_pu *pu = calloc(ncpus, sizeof(*pu));
	head = head_of_board();
	head.ncpus = ncpus;
	head.local_size = _i ? SIZE : BOARD_RANKS_MAX + 1;
	forge(&head, pu);
	ck_assert_int_eq(sp_board_open(JOB, head.local_size, &board, &problem), -EPROTO);
	ck_assert_str_eq(problem, "its header is damaged");
	free(pu);
}
END_TEST

/* As many ranks and CPUs as any node can have. */
START_TEST(the_largest_board)
{
	struct sp_machine *machine, *read;
	struct sp_common common = { .dry_run = false }, again;
	struct sp_board *board;

	NEEDS_SHM("size=200m");
	common.machine = machine = calloc(1, sp_machine_size(SP_CPUS_MAX));
	machine->ncpus = SP_CPUS_MAX;
	for (uint32_t i = 0; i < SP_CPUS_MAX; i++)
		machine->pu[i].cpu = i;
	ck_assert_int_eq(sp_board_create(JOB, BOARD_RANKS_MAX, &common, &board), 0);
	ck_assert_int_eq(sp_board_arrive(board, BOARD_RANKS_MAX - 1, false), 0);
	ck_assert_int_eq(sp_board_common(board, &again, &read), 0);
	ck_assert_uint_eq(read->ncpus, SP_CPUS_MAX);
	ck_assert_mem_eq(read->pu, machine->pu, SP_CPUS_MAX * sizeof(struct sp_pu));
	sp_board_leave(board, BOARD_RANKS_MAX - 1, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
	free(read);
	free(machine);
}
END_TEST

/* Seats. */

START_TEST(a_seat_is_read_as_it_was_written)
{
	struct sp_board *board;
	struct sp_seat seat;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_read(board, 2, &seat), -ENOENT);
	ck_assert_int_eq(sp_board_read(board, SIZE, &seat), -EINVAL);
	ck_assert_int_eq(sp_board_arrive(board, SIZE, false), -EINVAL);
	ck_assert_int_eq(sp_board_write(board, SIZE, &seat), -EINVAL);
	ck_assert_int_eq(sp_board_arrive(board, 2, false), 0);
	ck_assert_int_eq(sp_board_read(board, 2, &seat), 0);
	ck_assert_uint_eq(seat.state, SP_SEAT_COMING);
	settle(board, 2, "5-9");
	ck_assert_int_eq(sp_board_read(board, 2, &seat), 0);
	ck_assert_uint_eq(seat.state, SP_SEAT_SETTLED);
	ck_assert_int_eq(seat.process.pid, getpid());
	ck_assert(sp_board_is_own(board, &seat));
	ck_assert_uint_eq(seat.threads, 3);
	ck_assert_str_eq(seat.memory, "local");
	ck_assert_str_eq(seat.why, "because");
	ck_assert_int_eq(sp_board_read(board, 1, &seat), -ENOENT);
	sp_board_release(board);
}
END_TEST

/* Texts end in their room, whatever was written. */
START_TEST(texts_of_a_seat_end)
{
	struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0-67") }, read;
	struct sp_cpus wide = seat.inherited;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	memset(seat.memory, 'm', sizeof(seat.memory));
	memset(seat.why, 'w', sizeof(seat.why));
	ck_assert_int_eq(sp_board_arrive(board, 2, false), 0);
	ck_assert_int_eq(sp_board_write(board, 2, &seat), 0);
	ck_assert_int_eq(sp_board_read(board, 2, &read), 0);
	ck_assert_uint_eq(strlen(read.memory), sizeof(seat.memory) - 1);
	ck_assert_uint_eq(strlen(read.why), sizeof(seat.why) - 1);
	/* What was inherited is known from then on. */
	seat.state = SP_SEAT_SETTLED;
	seat.inherited = cpus_of_list("5-9");
	ck_assert_int_eq(sp_board_write(board, 2, &seat), 0);
	ck_assert_int_eq(sp_board_read(board, 2, &read), 0);
	ck_assert(sp_cpus_equal(&read.inherited, &wide));
	sp_board_release(board);
}
END_TEST

/* What its writer was killed over, and states that there are not, are no seats. */
START_TEST(a_seat_that_cannot_be_is_none)
{
	static const struct { uint32_t state; int sum_off, error; } cases[] = {
		{ SP_SEAT_READY, 0, 0 }, { SP_SEAT_LEFT, 0, 0 }, { SP_SEAT_READY, 1, -ENOENT }, { SP_SEAT_READY + 1, 0, -ENOENT },
		{ SP_SEAT_EMPTY, 0, -ENOENT },
	};
	struct sp_written_seat written = { .seat = { .state = cases[_i].state } };
	struct sp_board *board;
	struct sp_seat seat;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	written.sum = sp_board_sum(&written.seat, sizeof(written.seat)) + (uint64_t)cases[_i].sum_off;
	edit(board_path(), sp_board_seat_at(SIZE - 1), &written, sizeof(written));
	ck_assert_int_eq(sp_board_read(board, SIZE - 1, &seat), cases[_i].error);
	ck_assert_int_eq(sp_board_arrive(board, SIZE - 1, false), 0);
	sp_board_release(board);
}
END_TEST

START_TEST(who_has_not_arrived_writes_nothing)
{
	struct sp_seat seat = { .state = SP_SEAT_READY };
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_write(board, 2, &seat), -ENOENT);
	ck_assert_int_eq(sp_board_read(board, 2, &seat), -ENOENT);
	sp_board_release(board);
}
END_TEST

/* Two processes, one after the other, as rank 0. */
struct turns {
	struct sp_board *board;
	atomic_int turn;
	int state, error;
	bool is_rank;
	const char *share;	/* NULL: 0-1 */
};

static int
arrive_and_settle(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_seat seat = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("0-3"), .share = cpus_of_list(turns->share ? turns->share : "0-1") };

	if (sp_board_arrive(turns->board, (uint32_t)rank, false) != 0 || sp_board_write(turns->board, (uint32_t)rank, &seat) != 0)
		return 1;
	turns->turn = 1;
	while (turns->turn == 1)
		sleep_ms(1);
	sp_board_leave(turns->board, (uint32_t)rank, 0);
	return 0;
}

static pid_t
start_holder(struct turns *turns)
{
	turns->turn = 0;
	pid_t pid = start_rank(0, arrive_and_settle, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	return pid;
}

static int
come_as_sibling(int rank, void *data)
{
	struct turns *turns = data;

	return sp_board_arrive(turns->board, (uint32_t)rank, turns->is_rank) != turns->error;
}

static uint32_t
jobs_beside(const char *job)
{
	struct sp_other_jobs others;

	ck_assert_int_eq(sp_board_other_jobs(job, &others), 0);
	return others.jobs;
}

/* Others use its cores meanwhile. */
START_TEST(a_stopped_job_has_nothing)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	siginfo_t info;

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	pid_t pid = start_holder(turns);
	ck_assert_uint_eq(jobs_beside("another job"), 1);
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
	ck_assert_uint_eq(jobs_beside("another job"), 0);
	kill(pid, SIGCONT);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WCONTINUED), 0);
	ck_assert_uint_eq(jobs_beside("another job"), 1);
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	sp_board_release(turns->board);
}
END_TEST

static void
expect_taken(const char *list)
{
	const struct sp_cpus cpus = cpus_of_list(list);
	struct sp_other_jobs others;
	char text[SP_CPUS_TEXT];

	ck_assert_int_eq(sp_board_other_jobs("another job", &others), 0);
	ck_assert_msg(sp_cpus_equal(&others.taken, &cpus), "%s", sp_cpus_format(&others.taken, text, sizeof(text)));
}

/* Of the two ranks that have come one is this process. */
START_TEST(a_stopped_rank_has_nothing)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	const struct sp_seat mine = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("0-3"), .share = cpus_of_list("6-7") };
	siginfo_t info;

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	turns->share = "4-5";
	pid_t pid = start_holder(turns);
	ck_assert_int_eq(sp_board_arrive(turns->board, 1, false), 0);
	ck_assert_int_eq(sp_board_write(turns->board, 1, &mine), 0);
	expect_taken("4-67");
	kill(pid, SIGSTOP);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED), 0);
	ck_assert_uint_eq(jobs_beside("another job"), 1);
	expect_taken("6-67");
	kill(pid, SIGCONT);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WCONTINUED), 0);
	expect_taken("4-67");
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	sp_board_release(turns->board);
}
END_TEST

START_TEST(a_seat_that_a_living_process_has_stays_its)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	struct sp_seat seat, mine = { .state = SP_SEAT_READY };

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	pid_t pid = start_holder(turns);
	turns->error = -EBUSY;
	ck_assert_int_eq(status_of(start_rank(0, come_as_sibling, turns)), 0);
	ck_assert_int_eq(sp_board_write(turns->board, 0, &mine), -EBUSY);
	sp_board_leave(turns->board, 0, 0);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
	ck_assert_uint_eq(seat.state, SP_SEAT_SETTLED);
	ck_assert_int_eq(seat.process.pid, pid);
	ck_assert(!sp_board_is_own(turns->board, &seat));

	/* Killed: what it was is still to be read, and its seat can be had. */
	kill(pid, SIGKILL);
	status_of(pid);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
	ck_assert_uint_eq(seat.state, SP_SEAT_LEFT);
	ck_assert(sp_cpus_has(&seat.share, 1));
	ck_assert_int_eq(sp_board_arrive(turns->board, 0, false), 0);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
	ck_assert_uint_eq(seat.state, SP_SEAT_COMING);
	ck_assert_int_eq(seat.process.pid, getpid());
	ck_assert(sp_cpus_has(&seat.inherited, 3));
	sp_board_release(turns->board);
}
END_TEST

/* A child that has come first, as an OpenMP program that a rank has started does. */
static int
stay_as(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_seat seat = { .state = (uint32_t)turns->state, .inherited = cpus_of_list("0-3"), .share = cpus_of_list("0-1") };

	if (sp_board_arrive(turns->board, (uint32_t)rank, false) != 0 || sp_board_write(turns->board, (uint32_t)rank, &seat) != 0)
		return 1;
	turns->turn = 1;
	while (turns->turn == 1)
		sleep_ms(1);
	/* Its seat is gone, and what it writes does not get there. */
	return sp_board_write(turns->board, (uint32_t)rank, &seat) != -EBUSY;
}

START_TEST(a_rank_takes_its_seat_from_what_it_has_started)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	struct sp_seat seat;

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	turns->state = _i;
	pid_t pid = start_rank(0, stay_as, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	ck_assert_int_eq(sp_board_arrive(turns->board, 0, false), 0);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
	ck_assert(sp_board_is_own(turns->board, &seat));
	ck_assert_uint_eq(seat.state, SP_SEAT_COMING);
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
	ck_assert(sp_board_is_own(turns->board, &seat));
	sp_board_release(turns->board);
}
END_TEST

static int
keep_from_start(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_seat seat = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("0-3"), .share = cpus_of_list("0-1"), .keeper.pid = 1 };

	if (sp_board_arrive(turns->board, (uint32_t)rank, SP_COMES_STARTED) != 0 || sp_board_write(turns->board, (uint32_t)rank, &seat) != 0)
		return 1;
	turns->turn = 1;
	while (turns->turn == 1)
		sleep_ms(1);
	sp_board_leave(turns->board, (uint32_t)rank, 0);
	return 0;
}

static int
come_as_program(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_seat seat = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("0-3"), .share = cpus_of_list("2-3") };

	if (sp_board_arrive(turns->board, (uint32_t)rank, SP_COMES_STARTED) != -EBUSY ||
	    sp_board_arrive(turns->board, (uint32_t)rank, SP_COMES_PROGRAM) != 0 || sp_board_write(turns->board, (uint32_t)rank, &seat) != 0)
		return 1;
	if (turns->state == SP_SEAT_LEFT)
		sp_board_leave(turns->board, (uint32_t)rank, 0);
	_exit(0);
}

/* _i: how a program ends that has taken the seat over, orderly or not. */
START_TEST(the_seat_of_a_shell_is_for_the_programs_that_it_starts)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	struct sp_seat seat;

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	turns->state = _i;
	pid_t pid = start_rank(0, keep_from_start, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(status_of(start_rank(0, come_as_program, turns)), 0);
		ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), 0);
		ck_assert_uint_eq(seat.state, SP_SEAT_SETTLED);
		ck_assert_int_eq(seat.process.pid, pid);
		ck_assert(sp_cpus_has(&seat.share, 1) && !sp_cpus_has(&seat.share, 2));
	}
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(sp_board_read(turns->board, 0, &seat), -ESTALE);
	sp_board_release(turns->board);
}
END_TEST

/* From a process beside it the one takes the seat that calls MPI_Init, unless the other has done so. */
START_TEST(who_calls_MPI_Init_is_the_rank)
{
	static const struct { uint32_t state; bool is_rank; int error; } cases[] = {
		{ SP_SEAT_HERE, false, -EBUSY }, { SP_SEAT_SETTLED, false, -EBUSY }, { SP_SEAT_READY, false, -EBUSY },
		{ SP_SEAT_HERE, true, 0 }, { SP_SEAT_SETTLED, true, 0 }, { SP_SEAT_READY, true, -EBUSY },
	};
	struct turns *turns = shared_memory(sizeof(*turns));

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	turns->state = (int)cases[_i].state;
	turns->is_rank = cases[_i].is_rank;
	turns->error = cases[_i].error;
	pid_t pid = start_rank(0, stay_as, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	ck_assert_int_eq(status_of(start_rank(0, come_as_sibling, turns)), 0);
	kill(pid, SIGKILL);
	status_of(pid);
	sp_board_release(turns->board);
}
END_TEST

struct race {
	struct sp_board *board;
	atomic_int ready, had_it, had_it_not;
};

static int
race_for_seat(int rank, void *data)
{
	struct race *race = data;

	(void)rank;
	race->ready++;
	while (race->ready < 8)
		;
	int error = sp_board_arrive(race->board, 0, false);
	race->had_it += error == 0;
	race->had_it_not += error == -EBUSY;
	while (race->had_it + race->had_it_not < 8)
		sleep_ms(1);
	return 0;
}

START_TEST(one_of_many_gets_the_seat)
{
	struct race *race = shared_memory(sizeof(*race));

	NEEDS_SHM(NULL);
	for (int round = 0; round < 20; round++) {
		race->board = board_of(JOB);
		race->ready = race->had_it = race->had_it_not = 0;
		ck_assert_int_eq(run_ranks(8, race_for_seat, race), 0);
		ck_assert_int_eq(race->had_it, 1);
		sp_board_leave(race->board, 1, 0);
		sp_board_release(race->board);
		ck_assert_uint_eq(shm_files(), 0);
	}
}
END_TEST

/* exec: the same process opens the board anew. */
START_TEST(a_process_finds_its_seat_after_exec)
{
	struct sp_seat seat, again = { .state = SP_SEAT_SETTLED, .inherited = cpus_of_list("5-9"), .share = cpus_of_list("5-9") };
	struct sp_cpus wide = cpus_of_list("0-67");
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	settle(board, 0, "5-9");
	sp_board_release(board);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_read(board, 0, &seat), 0);
	ck_assert(!sp_board_is_own(board, &seat));
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_int_eq(sp_board_read(board, 0, &seat), 0);
	ck_assert(sp_board_is_own(board, &seat));
	ck_assert_uint_eq(seat.state, SP_SEAT_SETTLED);
	/* Its mask is its share by now; the others are to see what the launcher gave it. */
	ck_assert_int_eq(sp_board_write(board, 0, &again), 0);
	ck_assert_int_eq(sp_board_read(board, 0, &seat), 0);
	ck_assert(sp_cpus_equal(&seat.inherited, &wide));
	again.state = SP_SEAT_HERE;
	ck_assert_int_eq(sp_board_write(board, 0, &again), 0);
	ck_assert_int_eq(sp_board_read(board, 0, &seat), 0);
	ck_assert(sp_cpus_equal(&seat.inherited, &again.inherited));
	sp_board_release(board);
}
END_TEST

static int
rewrite(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_seat seat = { .state = SP_SEAT_SETTLED };

	if (sp_board_arrive(turns->board, (uint32_t)rank, false) != 0)
		return 1;
	turns->turn = 1;
	for (uint32_t i = 0; turns->turn == 1; i++) {
		memset(&seat.share, (int)(i & 0xff), sizeof(seat.share));
		memset(seat.why, 'a' + (int)(i % 26), sizeof(seat.why) - 1);
		if (sp_board_write(turns->board, (uint32_t)rank, &seat) != 0)
			return 1;
	}
	return 0;
}

/* What is read of a seat is whole, however often it is written. */
START_TEST(a_seat_is_never_seen_half_written)
{
	struct turns *turns = shared_memory(sizeof(*turns));
	struct sp_seat seat;
	uint64_t end;
	unsigned whole = 0;

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	pid_t pid = start_rank(0, rewrite, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	end = milliseconds() + 300;
	while (milliseconds() < end) {
		int error = sp_board_read(turns->board, 0, &seat);

		/* On a busy machine the writer may be stopped in the middle for long. */
		ck_assert(error == 0 || error == -ENOENT);
		whole += error == 0;
		if (error)
			continue;
		ck_assert_uint_ge(seat.state, SP_SEAT_COMING);
		for (size_t i = 1; i < sizeof(seat.share.word) / sizeof(seat.share.word[0]); i++)
			ck_assert_uint_eq(seat.share.word[i], seat.share.word[0]);
	}
	ck_assert_uint_gt(whole, 0);
	/* Nor is the board removed over it. */
	ck_assert_int_eq(sp_board_arrive(turns->board, 1, false), 0);
	for (int i = 0; i < 200; i++)
		sp_board_leave(turns->board, 1, 0);
	ck_assert_uint_eq(shm_files(), 1);
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	sp_board_release(turns->board);
}
END_TEST

/* Leaving. */

START_TEST(the_last_that_leaves_removes_it)
{
	struct turns *turns = shared_memory(sizeof(*turns));

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	pid_t pid = start_holder(turns);
	ck_assert_int_eq(sp_board_arrive(turns->board, 1, false), 0);
	sp_board_leave(turns->board, 1, 0);
	ck_assert_uint_eq(shm_files(), 1);
	turns->turn = 2;
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_uint_eq(shm_files(), 0);
	ck_assert_int_eq(sp_board_arrive(turns->board, 1, false), -ESTALE);
	sp_board_leave(turns->board, 1, 0);
	sp_board_release(turns->board);
}
END_TEST

/* What is left of it serves nobody. */
START_TEST(a_board_that_was_cut_short_goes_with_who_leaves)
{
	static const off_t sizes[] = { 0, 100, 3000 };
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_int_eq(truncate(board_path(), sizes[_i]), 0);
	sp_board_leave(board, 0, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
}
END_TEST

/* The lock of one that removes the board, just when another has opened it. */
struct removal {
	struct sp_board *board;
	const char *path;
	atomic_int step;
};

static int
remove_slowly(int rank, void *data)
{
	struct removal *removal = data;
	struct flock lock = { .l_type = F_WRLCK };
	int fd = open(removal->path, O_RDWR | O_CLOEXEC);

	(void)rank;
	if (fcntl(fd, F_SETLK, &lock) != 0)
		return 1;
	removal->step = 1;
	sleep_ms(5);
	return unlink(removal->path) != 0;
}

START_TEST(nobody_sits_down_on_a_board_that_goes)
{
	struct removal *removal = shared_memory(sizeof(*removal));

	NEEDS_SHM(NULL);
	for (int round = 0; round < 10; round++) {
		removal->step = 0;
		removal->board = board_of(JOB);
		removal->path = board_path();
		pid_t pid = start_rank(0, remove_slowly, removal);
		while (removal->step == 0)
			;
		ck_assert_int_eq(sp_board_arrive(removal->board, 0, false), -ESTALE);
		ck_assert_int_eq(status_of(pid), 0);
		sp_board_release(removal->board);
	}
}
END_TEST

START_TEST(killed_ranks_do_not_keep_it)
{
	struct turns *turns = shared_memory(sizeof(*turns));

	NEEDS_SHM(NULL);
	turns->board = board_of(JOB);
	pid_t pid = start_holder(turns);
	ck_assert_int_eq(sp_board_arrive(turns->board, 1, false), 0);
	kill(pid, SIGKILL);
	status_of(pid);
	sp_board_leave(turns->board, 1, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(turns->board);
}
END_TEST

START_TEST(a_new_board_under_its_name_is_not_touched)
{
	struct sp_board *old, *new;

	NEEDS_SHM(NULL);
	old = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(old, 0, false), 0);
	unlink(board_path());
	new = board_of(JOB);
	sp_board_leave(old, 0, 0);
	ck_assert_uint_eq(shm_files(), 1);
	ck_assert_int_eq(sp_board_arrive(new, 0, false), 0);
	sp_board_release(old);
	sp_board_release(new);
}
END_TEST

/* Ranks that come and go at once: whoever has arrived is on the board that there is. */
struct crowd {
	atomic_int arrived, lost;
	int kill_seed;
};

static int
come_and_go(int rank, void *data)
{
	struct crowd *crowd = data;
	unsigned seed = (unsigned)(rank + crowd->kill_seed * 100);

	for (int round = 0; round < 60; round++) {
		struct sp_seat seat = { .state = SP_SEAT_SETTLED };
		struct sp_board *board;
		bool made;
		int error = open_or_make(JOB, &board, &made);

		if (error == -ESTALE)
			continue;
		if (error)
			return 1;
		error = sp_board_arrive(board, (uint32_t)rank, false);
		if (error && error != -ESTALE)
			return 2;
		if (!error) {
			crowd->arrived++;
			crowd->lost += sp_board_write(board, (uint32_t)rank, &seat) != 0;
			if (rand_r(&seed) % 4 == 0)
				sleep_ms(1);
			if (crowd->kill_seed && rand_r(&seed) % 30 == 0)
				raise(SIGKILL);
			sp_board_leave(board, (uint32_t)rank, 0);
		}
		sp_board_release(board);
	}
	return 0;
}

START_TEST(a_board_is_not_removed_under_who_has_arrived)
{
	struct crowd *crowd = shared_memory(sizeof(*crowd));

	NEEDS_SHM(NULL);
	ck_assert_int_eq(run_ranks(SIZE, come_and_go, crowd), 0);
	ck_assert_int_eq(crowd->lost, 0);
	ck_assert_int_gt(crowd->arrived, 200);
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

START_TEST(nor_where_some_are_killed)
{
	struct crowd *crowd = shared_memory(sizeof(*crowd));
	struct sp_other_jobs others;

	NEEDS_SHM(NULL);
	for (crowd->kill_seed = 1; crowd->kill_seed <= 8; crowd->kill_seed++)
		run_ranks(SIZE, come_and_go, crowd);
	ck_assert_int_eq(crowd->lost, 0);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert_int_eq(sp_board_other_jobs("the next job", &others), 0);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* The decision. */

struct votes {
	struct sp_board *board;
	atomic_int first, later;
};

/* What a rank reads is whole: one writer's decision with that one's parts. */
static bool
reads_whole(struct sp_board *board, uint32_t rank)
{
	struct sp_decision read, wanted;
	struct sp_part part, parts[SIZE];

	if (sp_board_decision(board, rank, &read, &part, NULL, NULL) != 0 || (read.what != ONE && read.what != OTHER))
		return false;
	fill_decision(read.what, &wanted, parts);
	return strcmp(read.evidence, wanted.evidence) == 0 &&
	       sp_cpus_equal(&part.seen, &parts[rank].seen) && sp_cpus_equal(&part.cpus, &parts[rank].cpus) &&
	       part.index == rank && part.count == SIZE;
}

static int
vote(int rank, void *data)
{
	struct votes *votes = data;
	int error = decide(votes->board, rank % 2 ? ONE : OTHER);

	votes->first += error == 0;
	votes->later += error == -EEXIST;
	return !reads_whole(votes->board, (uint32_t)rank % SIZE);
}

START_TEST(one_decides_for_all)
{
	struct votes *votes = shared_memory(sizeof(*votes));

	NEEDS_SHM(NULL);
	for (int round = 0; round < 10; round++) {
		votes->board = board_of(JOB);
		votes->first = votes->later = 0;
		ck_assert_int_eq(decided(votes->board), -ENOENT);
		ck_assert_int_eq(run_ranks(10, vote, votes), 0);
		ck_assert_int_eq(votes->first, 1);
		ck_assert_int_eq(votes->later, 9);
		int what = decided(votes->board);
		ck_assert(what == ONE || what == OTHER);
		ck_assert_int_eq(decide(votes->board, what == ONE ? OTHER : ONE), -EEXIST);
		ck_assert_int_eq(decided(votes->board), what);
		sp_board_leave(votes->board, 0, 0);
		sp_board_release(votes->board);
	}
}
END_TEST

START_TEST(every_rank_has_a_part_of_its_own)
{
	struct sp_decision decision;
	struct sp_part part;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(decide(board, ONE), 0);
	for (uint32_t rank = 0; rank < SIZE; rank++)
		ck_assert(reads_whole(board, rank));
	ck_assert_int_eq(sp_board_decision(board, SIZE, &decision, &part, NULL, NULL), -EINVAL);
	sp_board_release(board);
}
END_TEST

/* What no rank writes is not taken for a decision. */
START_TEST(parts_that_cannot_be_are_refused)
{
	static const struct { uint32_t what, index, count; int error; } cases[] = {
		{ ONE, SIZE - 1, SIZE, 0 }, { ONE, 0, 1, 0 }, { ONE, 9, 0, 0 }, { ONE, SIZE, SIZE, -EPROTO },
		{ ONE, 0, SIZE + 1, -EPROTO }, { NONE, 0, SIZE, -ENOENT },
	};
	struct sp_decision decision;
	struct sp_part part[SIZE], read;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	fill_decision(cases[_i].what, &decision, part);
	memset(decision.evidence, 'x', sizeof(decision.evidence));
	part[1].index = cases[_i].index;
	part[1].count = cases[_i].count;
	ck_assert_int_eq(sp_board_revise(board, NULL, NULL, &decision, part), 0);
	ck_assert_int_eq(sp_board_decision(board, 1, &decision, &read, NULL, NULL), cases[_i].error);
	ck_assert_uint_eq(strlen(decision.evidence), sizeof(decision.evidence) - 1);
	sp_board_release(board);
}
END_TEST

/* Nor do the seats, which lie between decision and parts. */
START_TEST(a_decision_changes_nothing_else)
{
	struct sp_common common;
	struct sp_machine *machine, *whole;
	struct sp_board *board;
	struct sp_seat seat;

	NEEDS_SHM(NULL);
	whole = machine_knl();
	board = board_of(JOB);
	for (uint32_t rank = 0; rank < SIZE; rank++) {
		ck_assert_int_eq(sp_board_arrive(board, rank, false), 0);
		settle(board, rank, "5-9");
	}
	ck_assert_int_eq(decide(board, ONE), 0);
	for (uint32_t rank = 0; rank < SIZE; rank++) {
		ck_assert_int_eq(sp_board_read(board, rank, &seat), 0);
		ck_assert_uint_eq(seat.state, SP_SEAT_SETTLED);
		ck_assert_str_eq(seat.why, "because");
		settle(board, rank, "7");
	}
	ck_assert_int_eq(sp_board_common(board, &common, &machine), 0);
	ck_assert_mem_eq(machine->pu, whole->pu, whole->ncpus * sizeof(struct sp_pu));
	for (uint32_t rank = 0; rank < SIZE; rank++)
		ck_assert(reads_whole(board, rank));
	sp_board_release(board);
	free(machine);
	free(whole);
}
END_TEST

START_TEST(without_a_board_nothing_is_decided)
{
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(unlink(board_path()), 0);
	ck_assert_int_eq(decided(board), -ESTALE);
	ck_assert_int_eq(decide(board, ONE), -ESTALE);
	ck_assert(!sp_board_is_first(board, SP_FIRST_REPORT));
	ck_assert(!sp_board_had_first(board, SP_FIRST_REPORT));
	ck_assert(!sp_board_count_ready(board, 1));
	sp_board_release(board);
}
END_TEST

static int
decide_again_and_again(int rank, void *data)
{
	struct votes *votes = data;

	(void)rank;
	for (;;) {
		votes->first = 1;
		decide(votes->board, ONE);
	}
	return 0;
}

/* Killed at any moment: what it left holds as a whole, or not at all, and then another decides. */
START_TEST(a_decision_that_was_torn_does_not_hold)
{
	struct votes *votes = shared_memory(sizeof(*votes));

	NEEDS_SHM(NULL);
	for (int round = 0; round < 200; round++) {
		votes->board = board_of(JOB);
		votes->first = 0;
		pid_t pid = start_rank(0, decide_again_and_again, votes);
		while (!votes->first)
			;
		for (volatile int i = 0; i < round * 10; i++)
			;
		kill(pid, SIGKILL);
		status_of(pid);
		int before = decided(votes->board), error = decide(votes->board, OTHER);
		ck_assert(before == -ENOENT || before == ONE);
		ck_assert_int_eq(error, before == ONE ? -EEXIST : 0);
		ck_assert_int_eq(decided(votes->board), before == ONE ? ONE : OTHER);
		for (uint32_t rank = 0; rank < SIZE; rank++)
			ck_assert(reads_whole(votes->board, rank));
		sp_board_leave(votes->board, 0, 0);
		sp_board_release(votes->board);
	}
}
END_TEST

/* Who reports, and when. */

static int
ask_to_report(int rank, void *data)
{
	struct votes *votes = data;

	(void)rank;
	votes->first += sp_board_is_first(votes->board, SP_FIRST_REPORT);
	return !sp_board_had_first(votes->board, SP_FIRST_REPORT);
}

START_TEST(one_reports)
{
	struct votes *votes = shared_memory(sizeof(*votes));

	NEEDS_SHM(NULL);
	votes->board = board_of(JOB);
	ck_assert(!sp_board_had_first(votes->board, SP_FIRST_REPORT));
	ck_assert_int_eq(run_ranks(10, ask_to_report, votes), 0);
	ck_assert_int_eq(votes->first, 1);
	ck_assert(!sp_board_is_first(votes->board, SP_FIRST_REPORT));
	/* It is no decision, nor a rank that is ready, nor where it cannot be read. */
	ck_assert_int_eq(decided(votes->board), -ENOENT);
	for (uint32_t rank = 0; rank + 1 < SIZE; rank++)
		ck_assert_uint_eq(sp_board_count_ready(votes->board, 1), rank + 1);
	ck_assert_uint_eq(sp_board_count_ready(votes->board, 1), SIZE);
	ck_assert(sp_board_had_first(votes->board, SP_FIRST_REPORT));
	ck_assert_int_eq(truncate(board_path(), 0), 0);
	ck_assert(!sp_board_had_first(votes->board, SP_FIRST_REPORT));
	sp_board_release(votes->board);
}
END_TEST

START_TEST(each_has_a_reporter_of_its_own)
{
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	for (int first = 1; first >= 0; first--) {
		ck_assert_int_eq(sp_board_is_first(board, SP_FIRST_REPORT), first);
		ck_assert_int_eq(sp_board_is_first(board, SP_FIRST_OVERLAP), first);
		ck_assert_int_eq(sp_board_is_first(board, SP_FIRST_CROWD), first);
		ck_assert_int_eq(sp_board_is_first(board, SP_FIRST_SPARE), first);
	}
	sp_board_release(board);
}
END_TEST

START_TEST(one_releases_for_those_that_settle_with_it)
{
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert(!sp_board_is_released(board, UINT32_MAX));
	ck_assert(sp_board_is_released(board, UINT32_MAX));
	usleep(2000);
	ck_assert(!sp_board_is_released(board, 0));
	ck_assert(sp_board_is_released(board, UINT32_MAX));
	sp_board_release(board);
}
END_TEST

START_TEST(the_first_says_whether_gpus_count)
{
	struct sp_board *board;
	bool all = _i, first;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert(!sp_board_gave_gpus_up(board));
	ck_assert_int_eq(sp_board_use_gpus(board, all, &first), all);
	ck_assert(first);
	ck_assert_int_eq(sp_board_use_gpus(board, !all, &first), all);
	ck_assert(!first);
	ck_assert_int_eq(sp_board_gave_gpus_up(board), !all);
	sp_board_release(board);
}
END_TEST

static int
become_ready(int rank, void *data)
{
	struct votes *votes = data;

	(void)rank;
	votes->later++;
	while (votes->later < SIZE)
		sleep_ms(1);
	votes->first += sp_board_count_ready(votes->board, 1) == SIZE;
	return 0;
}

START_TEST(the_last_that_is_ready_is_told_so)
{
	struct votes *votes = shared_memory(sizeof(*votes));

	NEEDS_SHM(NULL);
	for (int round = 0; round < 20; round++) {
		votes->board = board_of(JOB);
		votes->first = votes->later = 0;
		ck_assert_int_eq(run_ranks(SIZE, become_ready, votes), 0);
		ck_assert_int_eq(votes->first, 1);
		sp_board_leave(votes->board, 0, 0);
		sp_board_release(votes->board);
	}
}
END_TEST

/* The right to make boards. */

enum { MANY = 16 };

struct counts {
	atomic_int makers, opened;
};

static int
count_makers(int rank, void *data)
{
	struct counts *counts = data;
	struct sp_board *board;
	bool made;

	if (open_or_make(JOB, &board, &made) != 0)
		return 1;
	counts->makers += made;
	counts->opened++;
	/* It stays as long as its maker lives, so that is until all have found it. */
	while (counts->opened < MANY)
		sleep_ms(1);
	return sp_board_arrive(board, (uint32_t)rank % SIZE, false) == -EINVAL;
}

START_TEST(one_makes_it)
{
	struct counts *counts = shared_memory(sizeof(*counts));

	NEEDS_SHM(NULL);
	ck_assert_int_eq(run_ranks(MANY, count_makers, counts), 0);
	ck_assert_int_eq(counts->makers, 1);
	ck_assert_uint_eq(shm_files(), 1);
}
END_TEST

static int
hold_both(int rank, void *data)
{
	struct sp_board *board;
	const char *problem;

	(void)rank;
	umask(0777);
	if (sp_board_begin("a job that never makes its board", SIZE, 0, &board, &problem) != 0 || sp_board_lock_jobs(0) != 0)
		return 1;
	*(atomic_int *)data = 1;
	for (;;)
		pause();
}

static pid_t
start_lock_holder(int (*body)(int rank, void *data), atomic_int *held)
{
	pid_t pid = start_rank(0, body, held);

	while (!*held)
		sleep_ms(1);
	return pid;
}

START_TEST(a_killed_holder_has_lost_it)
{
	struct sp_other_jobs others;
	struct sp_board *board;
	bool made;

	NEEDS_SHM(NULL);
	pid_t pid = start_lock_holder(hold_both, shared_memory(sizeof(atomic_int)));
	kill(pid, SIGKILL);
	status_of(pid);
	ck_assert_uint_eq(shm_files(), 2);
	ck_assert_int_eq(open_or_make(JOB, &board, &made), 0);
	ck_assert(made);
	/* That of its job is removed when others are looked for. */
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 1);
	sp_board_release(board);
}
END_TEST

/* Another thread may fork while a rank decides, and the child inherits what its parent has open. */
static int
hold_with_child(int rank, void *data)
{
	if (sp_board_lock_jobs(0) != 0)
		return 1;
	start_rank(rank, pause_for_ever, NULL);
	*(atomic_int *)data = 1;
	for (;;)
		pause();
}

START_TEST(a_child_of_a_killed_holder_keeps_it_from_nobody)
{
	NEEDS_SHM(NULL);
	pid_t pid = start_lock_holder(hold_with_child, shared_memory(sizeof(atomic_int)));
	kill(pid, SIGKILL);
	status_of(pid);
	uint64_t begin = milliseconds();
	ck_assert_int_eq(sp_board_lock_jobs(60000), 0);
	ck_assert_uint_lt(milliseconds() - begin, 30000);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* When it goes on, it finds that it has lost the lock before it writes. */
static int
go_on_without(int rank, void *data)
{
	struct sp_common common;
	struct sp_machine *machine = common_of(&common);
	struct sp_board *board = NULL;
	atomic_int *step = data;

	(void)rank;
	if (sp_board_lock_jobs(0) != 0 || sp_board_has_lost_lock())
		return 1;
	*step = 1;
	while (*step == 1)
		sleep_ms(1);
	if (!sp_board_has_lost_lock() || sp_board_create(JOB, SIZE, &common, &board) != -ESTALE)
		return 2;
	/* It does not take the other's away. */
	sp_board_end();
	free(machine);
	return sp_board_lock_jobs(0) != -ETIME;
}

START_TEST(a_stopped_holder_loses_it)
{
	atomic_int *step = shared_memory(sizeof(*step));

	NEEDS_SHM(NULL);
	pid_t pid = start_lock_holder(go_on_without, step);
	kill(pid, SIGSTOP);
	uint64_t begin = milliseconds();
	ck_assert_int_eq(sp_board_lock_jobs(60000), 0);
	ck_assert_uint_lt(milliseconds() - begin, 30000);
	*step = 2;
	kill(pid, SIGCONT);
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert(!sp_board_has_lost_lock());
	ck_assert_uint_eq(shm_files(), 1);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

static int
hold_jobs(int rank, void *data)
{
	(void)rank;
	umask(0777);
	if (sp_board_lock_jobs(0) != 0)
		return 1;
	*(atomic_int *)data = 1;
	for (;;)
		pause();
}

/* For a job that has its board. */
START_TEST(the_lock_of_jobs_can_be_had)
{
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	/* It lies beside the board. */
	ck_assert_uint_eq(shm_files(), 2);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 1);

	/* Its holder sleeps. */
	pid_t pid = start_lock_holder(hold_jobs, shared_memory(sizeof(atomic_int)));
	uint64_t begin = milliseconds();
	ck_assert_int_eq(sp_board_lock_jobs(200), -ETIME);
	ck_assert_uint_ge(milliseconds() - begin, 100);
	ck_assert_uint_lt(milliseconds() - begin, 30000);
	ck_assert_int_eq(sp_board_lock_jobs(0), -ETIME);
	/* What one does not hold one does not release. */
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 2);
	ck_assert_int_eq(sp_board_lock_jobs(0), -ETIME);

	kill(pid, SIGKILL);
	status_of(pid);
	ck_assert_int_eq(sp_board_lock_jobs(WAIT_MS), 0);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 1);
	sp_board_release(board);
}
END_TEST

static int
hold_busily(int rank, void *data)
{
	atomic_int *step = data;

	(void)rank;
	if (sp_board_lock_jobs(0) != 0)
		return 1;
	*step = 1;
	uint64_t end = milliseconds() + 1500;
	while (milliseconds() < end)
		;
	*step = 2;
	sp_board_end();
	return 0;
}

START_TEST(a_holder_that_gets_on_is_waited_for)
{
	atomic_int *step = shared_memory(sizeof(*step));

	NEEDS_SHM(NULL);
	pid_t pid = start_rank(0, hold_busily, step);
	while (!*step)
		sleep_ms(1);
	/* The holder works for much longer than this. */
	ck_assert_int_eq(sp_board_lock_jobs(300), 0);
	ck_assert_int_eq(*step, 2);
	sp_board_end();
	ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

/* The names of sockets are the machine's: those of other tests at the same time are to differ.  Named before the first fork. */
static const char *
own_job(void)
{
	static char job[64];

	if (!job[0])
		snprintf(job, sizeof(job), "a job of process %d, 4 ranks", (int)getpid());
	return job;
}

/* In a child; 1: it may speak. */
static int
child_speaks(const char *job, const char *message)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(sp_board_is_first_to_say(job, message));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}

START_TEST(one_rank_speaks_for_all_without_a_board)
{
	/* Whichever asks first; one that has ended does not count. */
	ck_assert_int_eq(child_speaks(own_job(), "no board"), 1);
	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
	ck_assert_int_eq(child_speaks(own_job(), "no board"), 0);
	ck_assert(!sp_board_is_first_to_say(own_job(), "no board"));
	/* Another message, also of the same rank, is no repetition. */
	ck_assert_int_eq(child_speaks(own_job(), "no mask"), 1);
	ck_assert(sp_board_is_first_to_say(own_job(), "no mask"));
	ck_assert_int_eq(child_speaks("another job", "no board"), 1);
	/* Jobs without a name may be different ones. */
	ck_assert(sp_board_is_first_to_say("", "no board"));
	ck_assert_int_eq(child_speaks("", "no board"), 1);
}
END_TEST

/* A program that was started with its standard streams closed finds them closed. */
static int
speak_without_streams(int rank, void *message)
{
	(void)rank;
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		close(fd);
	bool speaks = sp_board_is_first_to_say(own_job(), message);

	return fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0 && fcntl(2, F_GETFD) < 0 ? speaks : 2;
}

START_TEST(speaking_first_leaves_standard_streams_closed)
{
	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
	ck_assert_int_eq(status_of(start_rank(0, speak_without_streams, "no board")), false);
	ck_assert_int_eq(status_of(start_rank(0, speak_without_streams, "no mask")), true);
}
END_TEST

/* Take the name for a message of a job, as somebody else might. */
static int
take_name(const char *job, const char *message)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[BOARD_NAME];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	sp_board_name(job, name);
	if (geteuid() == 4711)
		snprintf(name, sizeof(name), "splitpin-0-%016llx", (unsigned long long)sp_text_sum(job));
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s-%016llx", name,
			 (unsigned long long)sp_text_sum(message));
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 8) == 0 ? fd : -1;
}

START_TEST(a_message_has_a_name)
{
	int fd = take_name(own_job(), "no board");

	ck_assert_int_ge(fd, 0);
	ck_assert(!sp_board_is_first_to_say(own_job(), "no board"));
	ck_assert(sp_board_is_first_to_say(own_job(), "no mask"));
	close(fd);
	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
}
END_TEST

static int
tell_and_pause(int rank, void *data)
{
	(void)rank;
	*(atomic_int *)data = getpid();
	for (;;)
		pause();
	return 0;
}

static int
speak_and_leave_child(int rank, void *data)
{
	(void)rank;
	if (!sp_board_is_first_to_say(own_job(), "no board"))
		return 1;
	start_rank(0, tell_and_pause, data);
	while (!*(atomic_int *)data)
		sleep_ms(1);
	return 0;
}

START_TEST(a_speaker_that_has_ended_is_not_the_first)
{
	atomic_int *child = shared_memory(sizeof(*child));

	own_job();
	ck_assert_int_eq(status_of(start_rank(0, speak_and_leave_child, child)), 0);
	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
	kill(*child, SIGKILL);
}
END_TEST

static int
take_name_as_user(int rank, void *data)
{
	(void)rank;
	if (setgid(4711) != 0 || setuid(4711) != 0 || take_name(own_job(), "no board") < 0)
		*(atomic_int *)data = 2;
	return tell_and_pause(rank, data);
}

/* Nobody can keep another user's ranks from speaking. */
START_TEST(a_speaker_of_another_user_does_not_count)
{
	atomic_int *taken = shared_memory(sizeof(*taken));

	own_job();
	if (geteuid() != 0)
		return;
	pid_t pid = start_rank(0, take_name_as_user, taken);
	while (!*taken)
		sleep_ms(1);
	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
	kill(pid, SIGKILL);
	status_of(pid);
}
END_TEST

/* Also without one but that of standard input, and where another has spoken. */
START_TEST(without_sockets_each_rank_speaks)
{
	struct rlimit before, none;

	ck_assert(sp_board_is_first_to_say(own_job(), "no board"));
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)_i;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	bool first = sp_board_is_first_to_say(own_job(), "no board"), second = sp_board_is_first_to_say(own_job(), "no board");
	/* Leak checkers read files when the test ends. */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert(first);
	ck_assert(second);
}
END_TEST

START_TEST(the_holder_of_the_lock_is_known_by_what_it_has_written)
{
	struct sp_patience patience = sp_patience_begin(0, 10000);

	NEEDS_SHM(NULL);
	ck_assert(sp_board_wait_for_lock(NULL, &patience));
	ck_assert_int_eq(patience.pid, 0);
	replace(lock_path(), "");
	ck_assert(sp_board_wait_for_lock(NULL, &patience));
	ck_assert_int_eq(patience.pid, 0);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert(sp_board_wait_for_lock(NULL, &patience));
	ck_assert_int_eq(patience.pid, getpid());
	ck_assert_int_ge(patience.end, 0);
	sp_board_end();
	/* That it was released ends the nap, and the next holder is looked for. */
	ck_assert(sp_board_wait_for_lock(NULL, &patience));
	ck_assert_int_eq(patience.end, -1);
	ck_assert(sp_board_wait_for_lock(NULL, &patience));
	ck_assert_int_eq(patience.pid, 0);
	ck_assert_uint_lt(patience.all_ns, 5000000000);
}
END_TEST

static bool
is_done_at_third(void *data)
{
	int *asked = data;

	return ++*asked == 3;
}

/* The names of files are looked at again after the wait. */
static int
lock_in_vain(int rank, void *data)
{
	char path[BOARD_PATH] = "/dev/shm/splitpin-file";

	(void)rank;
	sp_board_note_numbers(true);
	if (sp_board_lock_unless(NULL, 1, 60000, is_done_at_third, data) != -EALREADY)
		return 1;
	replace("/dev/shm/splitpin-file.1", "");
	sp_board_choose_name(path);
	return strcmp(path, "/dev/shm/splitpin-file.1") != 0;
}

/* Asked whenever the lock may have been released, and not without need. */
START_TEST(a_lock_is_not_taken_for_what_is_done)
{
	int asked = 0;

	NEEDS_SHM(NULL);
	ck_assert_int_eq(sp_board_lock_unless(NULL, 1, 0, is_done_at_third, &asked), 0);
	ck_assert_int_eq(asked, 0);
	pid_t pid = start_rank(0, lock_in_vain, &asked);
	ck_assert_int_eq(status_of(pid), 0);
	sp_board_end();
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	sp_board_end();
}
END_TEST

/* One job reads the machine for all. */

static const struct sp_machine_source of_node = { .device = 1, .inode = 2, .online = "0-271" };

struct reading {
	atomic_int is_begun, is_busy, may_end;
};

#define FOREVER_MS 600000
#define HANGS_S 45	/* some hundred times what a wait takes here, and less than SP_PATIENCE_MAX_MS */

static const char *
machine_lock_path(void)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "/dev/shm/splitpin-%u-machine-lock", (unsigned)geteuid());
	return path;
}

/* Wait until the parent has the open file open, too. */
static void
await_parent(int fd)
{
	struct stat own, file = { .st_ino = 0 };
	char path[PATH_MAX];

	fstat(fd, &own);
	for (int i = 0; file.st_dev != own.st_dev || file.st_ino != own.st_ino; i = (i + 1) % 64) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getppid(), i);
		if (stat(path, &file) != 0)
			file.st_ino = 0;
		if (i == 0)
			sleep_ms(1);
	}
}

static int
read_machine(int rank, void *data)
{
	struct reading *reading = data;
	struct sp_machine *machine = machine_knl(), *other;

	(void)rank;
	if (sp_board_machine(&of_node, WAIT_MS, &other) != -ENOENT)
		return 1;
	reading->is_begun = 1;
	while (!reading->may_end)
		if (!reading->is_busy)
			sleep_ms(1);
	sp_board_tell_machine(&of_node, machine);
	return 0;
}

static struct reading *
begin_reading(pid_t *pid)
{
	struct reading *reading = shared_memory(sizeof(*reading));

	*pid = start_rank(0, read_machine, reading);
	while (!reading->is_begun)
		sleep_ms(1);
	return reading;
}

static int
end_reading(int rank, void *data)
{
	struct reading *reading = data;

	(void)rank;
	int fd = open(machine_lock_path(), O_RDONLY | O_CLOEXEC);
	await_parent(fd);
	sleep_ms(50);
	reading->may_end = 1;
	return 0;
}

/* Those who wait read what was told in a file that has no name any more, and of jobs that have ended. */
START_TEST(a_machine_is_read_by_one_job_for_those_that_wait)
{
	struct sp_machine *machine = machine_knl(), *told;
	pid_t reader;

	NEEDS_SHM(NULL);
	struct reading *reading = begin_reading(&reader);
	pid_t later = start_rank(1, end_reading, reading);
	ck_assert_int_eq(sp_board_machine(&of_node, WAIT_MS, &told), 0);
	ck_assert_uint_eq(told->ncpus, machine->ncpus);
	ck_assert_mem_eq(told->pu, machine->pu, machine->ncpus * sizeof(machine->pu[0]));
	ck_assert_int_eq(status_of(reader), 0);
	ck_assert_int_eq(status_of(later), 0);
	ck_assert_uint_eq(shm_files(), 0);
	free(machine);
	free(told);
}
END_TEST

/* Killed, stopped, or busy for too long, when it keeps its lock. */
START_TEST(who_cannot_read_a_machine_holds_nobody)
{
	struct sp_machine *told;
	pid_t reader;

	NEEDS_SHM(NULL);
	struct reading *reading = begin_reading(&reader);
	if (_i < 2)
		kill(reader, _i == 0 ? SIGKILL : SIGSTOP);
	reading->is_busy = 1;
	alarm(HANGS_S);
	ck_assert_int_eq(sp_board_machine(&of_node, _i < 2 ? FOREVER_MS : 100, &told), -ENOENT);
	ck_assert_ptr_null(told);
	sp_board_tell_machine(&of_node, NULL);
	kill(reader, SIGKILL);
	status_of(reader);
	ck_assert_uint_eq(shm_files(), _i == 2 ? 1 : 0);
}
END_TEST

/* Give the lock back without a machine once the parent waits, when another has the next lock already. */
static int
give_back_in_vain(int rank, void *data)
{
	const char *next = "/dev/shm/splitpin-next";
	atomic_int *is_begun = data;

	(void)rank;
	int fd = open(machine_lock_path(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int next_fd = open(next, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || next_fd < 0 || flock(fd, LOCK_EX) != 0 || flock(next_fd, LOCK_EX) != 0)
		return 1;
	*is_begun = 1;
	await_parent(fd);
	rename(next, machine_lock_path());
	close(fd);
	for (;;)
		pause();
}

/* They do not take turns. */
START_TEST(who_waited_in_vain_reads_the_machine)
{
	struct sp_machine *told;

	NEEDS_SHM(NULL);
	atomic_int *is_begun = shared_memory(sizeof(*is_begun));
	pid_t reader = start_rank(0, give_back_in_vain, is_begun);
	while (!*is_begun)
		sleep_ms(1);
	alarm(HANGS_S);
	ck_assert_int_eq(sp_board_machine(&of_node, FOREVER_MS, &told), -ENOENT);
	ck_assert_int_lt(sp_board_held_lock(BOARD_OF_MACHINE), 0);
	kill(reader, SIGKILL);
	status_of(reader);
}
END_TEST

/* As of a container that sees other CPUs; a damaged one; and that of another version. */
START_TEST(a_told_machine_is_of_the_same_source_and_whole)
{
	struct sp_machine_source other = of_node;
	struct sp_machine *machine = machine_knl(), *told;
	const char *path = machine_lock_path();

	NEEDS_SHM(NULL);
	other.inode += _i == 1;
	ck_assert_int_eq(sp_board_machine(&of_node, WAIT_MS, &told), -ENOENT);
	ck_assert_int_eq(link(path, "/dev/shm/splitpin-kept"), 0);
	sp_board_tell_machine(&of_node, machine);
	ck_assert_int_eq(rename("/dev/shm/splitpin-kept", path), 0);
	if (_i >= 2) {
		int fd = open(path, O_WRONLY | O_CLOEXEC);

		ck_assert_int_eq(pwrite(fd, "x", 1, _i == 2 ? 4096 : BOARD_HOLDER_SIZE), 1);
		close(fd);
	}
	ck_assert_int_eq(sp_board_machine(&other, WAIT_MS, &told), _i == 0 ? 0 : -ENOENT);
	sp_board_tell_machine(&of_node, NULL);
	free(machine);
	free(told);
}
END_TEST

/* Somebody cleans up: the one who had the right must not remove the next one's lock. */
START_TEST(a_lock_of_another_is_not_removed)
{
	NEEDS_SHM(NULL);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	unlink(lock_path());
	replace(lock_path(), "");
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 1);
}
END_TEST

/* A maker that was killed between making the lock and mending its mode; root can open it all the same. */
static int
meet_as_user(int rank, void *data)
{
	struct sp_board *board;
	bool made;

	(void)rank;
	(void)data;
	if (setgid(4711) != 0 || setuid(4711) != 0)
		return 0;
	int fd = open(lock_path(), O_WRONLY | O_CREAT | O_CLOEXEC, 0);
	close(fd);
	return open_or_make(JOB, &board, &made) != 0 || !made || shm_files() != 1;
}

START_TEST(a_lock_that_nobody_can_open_is_replaced)
{
	NEEDS_SHM("mode=1777");
	ck_assert_int_eq(status_of(start_rank(0, meet_as_user, NULL)), 0);
}
END_TEST

/* Makes the board, decides, and lets another come before it ends. */
static int
make_and_end(int rank, void *data)
{
	struct turns *turns = data;
	struct sp_board *board;
	bool made;

	if (open_or_make(JOB, &board, &made) != 0 || !made || sp_board_arrive(board, (uint32_t)rank, false) != 0 ||
	    decide(board, ONE) != 0)
		return 1;
	turns->turn = 1;
	while (turns->turn == 1)
		sleep_ms(1);
	return 0;
}

START_TEST(a_dead_board_of_the_same_name_is_replaced)
{
	struct turns *turns = shared_memory(sizeof(*turns)), *other = shared_memory(sizeof(*other));
	struct sp_board *board;
	struct sp_seat seat;
	bool made;

	NEEDS_SHM(NULL);
	pid_t maker = start_rank(1, make_and_end, turns);
	while (turns->turn == 0)
		sleep_ms(1);
	ck_assert_int_eq(open_or_make(JOB, &other->board, &made), 0);
	ck_assert(!made);
	pid_t pid = start_holder(other);

	/* Its maker has ended, a rank is there: it stays.  That ends, too: it goes. */
	turns->turn = 2;
	ck_assert_int_eq(status_of(maker), 0);
	ck_assert_int_eq(open_or_make(JOB, &board, &made), 0);
	ck_assert(!made);
	ck_assert_int_eq(decided(board), ONE);
	sp_board_release(board);
	kill(pid, SIGKILL);
	status_of(pid);
	ck_assert_int_eq(open_or_make(JOB, &board, &made), 0);
	ck_assert(made);
	ck_assert_int_eq(decided(board), -ENOENT);
	ck_assert_int_eq(sp_board_read(board, 1, &seat), -ENOENT);
	ck_assert_uint_eq(shm_files(), 1);
	sp_board_release(board);
	sp_board_release(other->board);
}
END_TEST

/* Other jobs. */

static struct sp_board *
neighbour(const char *job, const char *claim, bool dry_run)
{
	struct sp_common common;
	struct sp_machine *machine = common_of(&common);
	struct sp_board *board;

	first_terms.claim = (struct sp_cpus){ 0 };
	if (claim)
		first_terms.claim = cpus_of_list(claim);
	common.dry_run = dry_run;
	ck_assert_int_eq(sp_board_create(job, SIZE, &common, &board), 0);
	free(machine);
	return board;
}

static const char *
taken_text(void)
{
	static char text[SP_CPUS_TEXT];
	struct sp_other_jobs others;

	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	return sp_cpus_format(&others.taken, text, sizeof(text));
}

static uint32_t
other_jobs(void)
{
	struct sp_other_jobs others;

	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	return others.jobs;
}

static uint64_t
other_threads(void)
{
	struct sp_other_jobs others;

	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	return others.threads;
}

static void
claim_anew(struct sp_board *board, const char *claim, uint32_t threads)
{
	struct sp_terms terms;

	ck_assert_int_eq(sp_board_terms(board, &terms, NULL), 0);
	terms.claim = cpus_of_list(claim);
	terms.threads = threads;
	ck_assert_int_eq(sp_board_revise(board, &terms, first_need, NULL, NULL), 0);
}

/* Each reviser starts from what holds; readers see whole terms at any time. */
START_TEST(terms_are_revised_one_after_the_other)
{
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_board *board;
	struct sp_terms terms, late;
	const uint32_t need[SIZE] = { 0, 9, SP_NEED_FIXED, 1 };

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	ck_assert_int_eq(sp_board_terms(board, &terms, NULL), 0);
	late = terms;
	terms.threads = 11;
	terms.claim = cpus_of_list("1");
	ck_assert_int_eq(sp_board_revise(board, &terms, need, NULL, NULL), 0);
	ck_assert_uint_eq(terms.generation, 2);
	check_terms(board, 2, 11, "1", need);
	ck_assert_int_eq(sp_board_revise(board, &late, first_need, NULL, NULL), -EEXIST);
	check_terms(board, 2, 11, "1", need);
	terms.threads = 12;
	ck_assert_int_eq(sp_board_revise(board, &terms, first_need, NULL, NULL), 0);
	check_terms(board, 3, 12, "1", first_need);
	sp_board_release(board);
	free(machine);
}
END_TEST

static int
revise(int rank, void *data)
{
	struct sp_terms terms;
	uint32_t need[SIZE];

	for (int i = 0; i < 500; i++) {
		if (sp_board_terms(data, &terms, need) != 0)
			return 1;
		/* Whoever wrote them wrote all of them. */
		if (terms.generation > 1 && (need[0] != terms.threads || need[SIZE - 1] != terms.threads))
			return 2;
		terms.threads = need[0] = need[1] = need[2] = need[SIZE - 1] = (uint32_t)(1000 * rank + i);
		int error = sp_board_revise(data, &terms, need, NULL, NULL);
		if (error && error != -EEXIST)
			return 3;
	}
	return 0;
}

START_TEST(terms_that_many_revise_are_always_whole)
{
	struct sp_board *board;
	pid_t pid[3];

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	for (int i = 0; i < 3; i++)
		pid[i] = start_rank(i, revise, board);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(status_of(pid[i]), 0);
	sp_board_release(board);
}
END_TEST

/* Its maker has been killed, or waits for a CPU, before it could remove the other name. */
START_TEST(a_draft_that_has_become_a_board_is_no_other_job)
{
	char draft[128];

	NEEDS_SHM(NULL);
	struct sp_board *own = neighbour(JOB, NULL, false);
	snprintf(draft, sizeof(draft), "/dev/shm/splitpin-%u-draft", (unsigned)geteuid());
	ck_assert_int_eq(link(board_path(), draft), 0);
	ck_assert_uint_eq(other_jobs(), 0);
	ck_assert_int_eq(unlink(draft), 0);
	struct sp_board *other = neighbour("other", "4", false);
	ck_assert_uint_eq(other_jobs(), 1);
	sp_board_release(own);
	sp_board_release(other);
}
END_TEST

/* A job that divides nothing claims nothing, unless somebody has confined it: then it claims what it has. */
START_TEST(a_job_that_divides_nothing_claims_what_it_is_confined_to)
{
	struct sp_other_jobs others;
	struct sp_terms terms;
	struct sp_board *own, *other;

	NEEDS_SHM(NULL);
	own = neighbour(JOB, "60", false);
	other = neighbour("other", NULL, false);
	ck_assert_int_eq(sp_board_terms(other, &terms, NULL), 0);
	terms.how = SP_TERMS_SHARED;
	terms.undivided = cpus_of_list("4-7");
	terms.claim = cpus_of_list(_i ? "4-7" : "");
	ck_assert_int_eq(sp_board_revise(other, &terms, first_need, NULL, NULL), 0);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	ck_assert_str_eq(list_of_cpus(&others.taken), _i ? "4-7" : "");
	sp_board_release(own);
	sp_board_release(other);
}
END_TEST

/* Threads that are not pinned may be on CPUs of other ranks; where no share is known yet, any of the mask. */
START_TEST(where_threads_may_run_that_are_not_pinned)
{
	struct sp_seat seat = { .state = SP_SEAT_COMING, .inherited = cpus_of_list("0-9"), .share = cpus_of_list("2-3"), .unpinned = cpus_of_list("2-5") };
	static const struct {
		uint32_t state;
		const char *usable;
	} at[] = { { SP_SEAT_COMING, "" }, { SP_SEAT_HERE, "0-9" }, { SP_SEAT_REFUSED, "0-9" }, { SP_SEAT_SETTLED, "2-5" }, { SP_SEAT_READY, "2-5" } };
	struct sp_other_jobs others;
	struct sp_board *own, *other;

	NEEDS_SHM(NULL);
	own = neighbour(JOB, "60", false);
	other = neighbour("other", "2", false);
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	seat.state = at[_i].state;
	ck_assert_int_eq(sp_board_write(other, 0, &seat), 0);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	ck_assert_str_eq(list_of_cpus(&others.usable), at[_i].usable);
	sp_board_release(own);
	sp_board_release(other);
}
END_TEST

START_TEST(what_living_jobs_have_is_taken)
{
	struct sp_seat here = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("20-23") };
	struct sp_seat refused = { .state = SP_SEAT_REFUSED, .inherited = cpus_of_list("50") };
	struct sp_board *claiming, *bound, *dry, *own;

	NEEDS_SHM(NULL);
	ck_assert_str_eq(taken_text(), "");
	ck_assert_uint_eq(other_jobs(), 0);
	own = neighbour(JOB, "60", false);
	claiming = neighbour("claiming", "0-3", false);
	dry = neighbour("dry", "5-6", true);
	bound = neighbour("bound", NULL, false);
	ck_assert_str_eq(taken_text(), "0-3");
	ck_assert_uint_eq(other_jobs(), 2);

	/* A bound job's ranks may be anywhere in their masks until it is known what they claim; shares are wider than claims. */
	ck_assert_int_eq(sp_board_arrive(claiming, 0, false), 0);
	ck_assert_int_eq(sp_board_write(claiming, 0, &here), 0);
	ck_assert_str_eq(taken_text(), "0-3");
	ck_assert_int_eq(sp_board_arrive(bound, 0, false), 0);
	ck_assert_int_eq(sp_board_write(bound, 0, &here), 0);
	ck_assert_str_eq(taken_text(), "0-3,20-23");
	settle(claiming, 0, "2,40");
	ck_assert_str_eq(taken_text(), "0-3,20-23");
	settle(bound, 0, "20-21");
	ck_assert_str_eq(taken_text(), "0-3,20-21");

	/* A rank that has no share may be anywhere in its mask. */
	ck_assert_int_eq(sp_board_arrive(claiming, 1, false), 0);
	ck_assert_int_eq(sp_board_write(claiming, 1, &refused), 0);
	ck_assert_str_eq(taken_text(), "0-3,20-21,50");

	/* What a job claims later counts in place of masks and of an earlier claim. */
	claim_anew(claiming, "4-7", 7);
	ck_assert_str_eq(taken_text(), "4-7,20-21,50");
	claim_anew(bound, "8-67", 60);
	ck_assert_str_eq(taken_text(), "4-67");
	ck_assert_uint_eq(other_threads(), 3 + 1 + 3);

	/* So it is as long as any of it is there: here the maker is. */
	sp_board_leave(bound, 0, 0);
	ck_assert_str_eq(taken_text(), "4-7,50");
	ck_assert_uint_eq(other_jobs(), 1);
	sp_board_release(own);
	sp_board_release(claiming);
	sp_board_release(bound);
	sp_board_release(dry);
}
END_TEST

static int
count_other_jobs(int rank, void *data)
{
	(void)rank;
	(void)data;
	return (int)other_jobs();
}

/* srun starts torchrun, which starts the ranks of this job: the outer job's rank waits for them. */
START_TEST(a_job_around_this_one_is_no_other)
{
	struct sp_board *around;

	NEEDS_SHM(NULL);
	around = neighbour("around", "0-3", false);
	ck_assert_int_eq(status_of(start_rank(0, count_other_jobs, NULL)), 1);
	ck_assert_int_eq(sp_board_arrive(around, (uint32_t)_i, false), 0);
	settle(around, (uint32_t)_i, "0-3");
	ck_assert_int_eq(status_of(start_rank(0, count_other_jobs, NULL)), 0);
	ck_assert_uint_eq(other_jobs(), 1);
	sp_board_release(around);
}
END_TEST

static int
make_neighbour(int rank, void *data)
{
	(void)rank;
	neighbour(data, "8-9", false);
	return 0;
}

START_TEST(boards_of_dead_jobs_are_removed)
{
	NEEDS_SHM(NULL);
	for (int i = 0; i < 3; i++) {
		static const char *const jobs[] = { "one", "two", "three" };

		ck_assert_int_eq(status_of(start_rank(0, make_neighbour, (void *)jobs[i])), 0);
	}
	ck_assert_uint_eq(shm_files(), 3);
	/* They do not count; who does not hold the lock leaves them there. */
	ck_assert_str_eq(taken_text(), "");
	ck_assert_uint_eq(other_jobs(), 0);
	ck_assert_uint_eq(shm_files(), 3);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert_str_eq(taken_text(), "");
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 0);
}
END_TEST

/* As long as a process of it is there; also where that is the last of its ranks. */
START_TEST(a_job_outlives_who_made_its_board)
{
	const struct sp_seat left = { .state = SP_SEAT_LEFT };
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM(NULL);
	ck_assert_int_eq(status_of(start_rank(0, make_neighbour, "one")), 0);
	ck_assert_int_eq(sp_board_open("one", SIZE, &board, &problem), 0);
	ck_assert_uint_eq(other_jobs(), 0);
	ck_assert_int_eq(sp_board_arrive(board, (uint32_t)_i, false), 0);
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	ck_assert_uint_eq(other_jobs(), 1);
	ck_assert_str_eq(taken_text(), "8-9");
	/* One that has left does not count, whatever else it does. */
	ck_assert_int_eq(sp_board_write(board, (uint32_t)_i, &left), 0);
	ck_assert_uint_eq(other_jobs(), 0);
	sp_board_end();
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
}
END_TEST

/* As if it were one more seat, of a process that lives. */
static void
forge_behind(const struct sp_board *board, const struct sp_process *process)
{
	struct sp_written_seat written = { .seat = { .state = SP_SEAT_SETTLED, .process = *process, .share = cpus_of_list("20") } };

	written.sum = sp_board_sum(&written.seat, sizeof(written.seat));
	edit(board->path, sp_board_seat_at(SIZE), &written, sizeof(written));
}

START_TEST(what_lies_behind_the_last_seat_is_none)
{
	struct sp_written_seat written;
	struct sp_process self, parent;
	struct sp_board *board, *dead;
	const char *problem;

	NEEDS_SHM(NULL);
	ck_assert_int_eq(sp_process_self(&self), 0);
	ck_assert_int_eq(sp_process_read(getppid(), &parent), 0);
	ck_assert_int_eq(status_of(start_rank(0, make_neighbour, "dead")), 0);
	ck_assert_int_eq(sp_board_open("dead", SIZE, &dead, &problem), 0);
	board = neighbour("one", "11", false);
	forge_behind(dead, &parent);
	forge_behind(board, &self);
	ck_assert_str_eq(taken_text(), "11");
	ck_assert_int_eq(status_of(start_rank(0, count_other_jobs, NULL)), 1);
	ck_assert(!sp_board_is_alive(dead));

	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	int fd = sp_board_reopen(board);
	sp_board_leave(board, SIZE, 0);
	ck_assert_int_eq(sp_board_read_at(fd, &written, sizeof(written), sp_board_seat_at(SIZE)), 0);
	ck_assert_uint_eq(written.seat.state, SP_SEAT_SETTLED);
	close(fd);
	sp_board_release(board);
	sp_board_release(dead);
}
END_TEST

START_TEST(what_is_no_board_is_passed_over)
{
	char path[PATH_MAX];

	if (kinds[_i].needs_root && geteuid() != 0)
		return;
	NEEDS_SHM(NULL);
	sp_board_release(neighbour("one", "8-9", false));
	snprintf(path, sizeof(path), "%s", board_path());
	sp_board_release(neighbour("two", "11", false));
	if (kinds[_i].make == make_another_jobs)
		return;
	kinds[_i].make(path);
	ck_assert_str_eq(taken_text(), "11");
	ck_assert_uint_eq(shm_files(), 2);
}
END_TEST

/* Looking on. */

struct looks {
	unsigned boards, bad, ranks, alive;
	const char *problem;
};

static void
look(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct looks *looks = data;
	struct sp_seat seat;

	looks->boards += !found->error;
	looks->bad += found->error != 0;
	looks->problem = found->problem;
	if (found->error) {
		ck_assert_ptr_null(board);
		return;
	}
	ck_assert_str_eq(found->job, JOB);
	ck_assert_uint_eq(found->local_size, SIZE);
	looks->alive += board && sp_board_is_alive(board);
	for (uint32_t rank = 0; rank < SIZE; rank++)
		looks->ranks += sp_board_read(board, rank, &seat) == 0 && seat.state == SP_SEAT_SETTLED;
}

struct visits {
	enum sp_visit answer;
	uint32_t n;
};

static enum sp_visit
count_visit(const struct sp_seat *seat, void *data)
{
	struct visits *visits = data;

	ck_assert_int_eq(seat->state, SP_SEAT_SETTLED);
	visits->n++;
	return visits->answer;
}

START_TEST(ranks_of_other_jobs_are_visited_as_far_as_is_wanted)
{
	static const char *const jobs[] = { "one", "two" };
	static const struct visits expected[] = { { SP_VISIT_ON, 4 }, { SP_VISIT_NEXT_JOB, 2 }, { SP_VISIT_END, 1 } };

	struct sp_board *board[2];

	NEEDS_SHM(NULL);
	for (uint32_t job = 0; job < 2; job++) {
		board[job] = neighbour(jobs[job], "8-9", false);
		for (uint32_t rank = 0; rank < 2; rank++) {
			ck_assert_int_eq(sp_board_arrive(board[job], rank, false), 0);
			settle(board[job], rank, "8-9");
		}
	}
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct visits visits = { .answer = expected[i].answer };

		ck_assert_int_eq(sp_board_other_ranks(JOB, count_visit, &visits), 0);
		ck_assert_uint_eq(visits.n, expected[i].n);
	}
	sp_board_release(board[0]);
	sp_board_release(board[1]);
}
END_TEST

START_TEST(those_who_look_on_change_nothing)
{
	struct looks looks = { 0 }, none = { 0 };
	struct stat before, after;
	struct sp_board *board;
	uid_t self, other;

	NEEDS_SHM(NULL);
	self = geteuid();	/* another in a name space of users */
	other = self + 1;
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 2, false), 0);
	settle(board, 2, "5-9");
	/* It can be read even where nothing can be written. */
	ck_assert_int_eq(mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	ck_assert_int_eq(lstat(board_path(), &before), 0);
	ck_assert_int_eq(sp_board_each(&self, look, &looks), 0);
	ck_assert_uint_eq(looks.boards, 1);
	ck_assert_uint_eq(looks.bad, 0);
	ck_assert_uint_eq(looks.ranks, 1);
	ck_assert_uint_eq(looks.alive, 1);
	ck_assert_int_eq(sp_board_each(NULL, look, &looks), 0);
	ck_assert_uint_eq(looks.boards, 2);
	ck_assert_int_eq(sp_board_each(&other, look, &none), 0);
	ck_assert_uint_eq(none.boards, 0);
	ck_assert_int_eq(lstat(board_path(), &after), 0);
	ck_assert_int_eq(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	ck_assert_uint_eq(after.st_ino, before.st_ino);
	sp_board_release(board);
}
END_TEST

START_TEST(those_who_look_on_trust_nothing)
{
	struct looks looks = { 0 };
	char path[PATH_MAX];
	uid_t self;

	if (kinds[_i].needs_root && geteuid() != 0)
		return;
	NEEDS_SHM(NULL);
	self = geteuid();
	sp_board_release(board_of(JOB));
	snprintf(path, sizeof(path), "%s", board_path());
	kinds[_i].make(path);
	ck_assert_int_eq(sp_board_each(&self, look, &looks), 0);
	ck_assert_uint_eq(looks.boards, 0);
	ck_assert_uint_eq(looks.bad, 1);
	ck_assert_ptr_nonnull(looks.problem);
}
END_TEST

/* Such a number is no user's; the lower half of it may be root's. */
START_TEST(a_board_of_an_owner_beyond_all_is_none)
{
	static const char *const names[] = {
		"splitpin-4294967296-0123456789abcdef", "splitpin-18446744073709551615-0123456789abcdef",
		"splitpin-99999999999999999999999-0123456789abcdef", "splitpin--0123456789abcdef",
	};
	struct looks looks = { 0 };
	char path[PATH_MAX];

	NEEDS_SHM(NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "/dev/shm/%s", names[i]);
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);

		ck_assert_int_ge(fd, 0);
		close(fd);
	}
	ck_assert_int_eq(sp_board_each(NULL, look, &looks), 0);
	ck_assert_uint_eq(looks.boards + looks.bad, 0);
}
END_TEST

static void
remove_all(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	(void)board;
	ck_assert_int_eq(found->error, 0);
	++*(unsigned *)data;
	ck_assert_int_eq(system("rm /dev/shm/splitpin-*"), 0);
}

/* Of those that are listed some may be gone when their turn comes. */
START_TEST(boards_that_vanish_are_not_shown)
{
	unsigned seen = 0;

	NEEDS_SHM(NULL);
	sp_board_release(neighbour("one", NULL, false));
	sp_board_release(neighbour("another", NULL, false));
	ck_assert_int_eq(sp_board_each(NULL, remove_all, &seen), 0);
	ck_assert_uint_eq(seen, 1);
}
END_TEST

static void
count_boards(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct looks *looks = data;

	(void)board;
	looks->boards += !found->error;
}

/* _i: by names that are not splitpin's, or by those of this user's boards. */
START_TEST(another_user_fills_the_folder)
{
	struct looks looks = { 0 };
	struct sp_other_jobs others;
	char prefix[BOARD_PREFIX];

	NEEDS_SHM("nr_inodes=200k");
	sp_board_prefix(prefix);
	/* Whichever end of the folder comes first. */
	sp_board_release(neighbour("one", NULL, false));
	for (int i = 0; i < (_i ? 10000 : 70000); i++) {
		char path[BOARD_PATH];

		snprintf(path, sizeof(path), BOARD_FOLDER "/%s%016x", _i ? prefix : "b-", i);
		ck_assert_int_eq(symlink("x", path), 0);
		ck_assert_int_eq(lchown(path, geteuid() + 1, getegid()), 0);
	}
	sp_board_release(neighbour("two", NULL, false));
	ck_assert_int_eq(sp_board_each(NULL, count_boards, &looks), 0);
	ck_assert_uint_eq(looks.boards, 2);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	ck_assert_uint_eq(others.jobs, 2);
}
END_TEST

/* Of the user's own; what lies there under the name of another job counts as a file, and as no job. */
START_TEST(more_boards_than_are_looked_at)
{
	struct looks looks = { 0 };
	struct sp_other_jobs others;
	struct sp_board *board;
	char to[BOARD_PATH], prefix[BOARD_PREFIX], job[32];

	NEEDS_SHM("nr_inodes=100k");
	board = neighbour("one", NULL, false);
	sp_board_prefix(prefix);
	for (int i = 2; i < BOARD_FILES_MAX; i++) {
		snprintf(job, sizeof(job), "job %d", i);
		sp_board_release(neighbour(job, NULL, false));
	}
	snprintf(to, sizeof(to), BOARD_FOLDER "/%s%016x", prefix, 1);
	ck_assert_int_eq(link(board->path, to), 0);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), 0);
	ck_assert_uint_eq(others.jobs, BOARD_FILES_MAX - 1);
	snprintf(to, sizeof(to), BOARD_FOLDER "/%s%016x", prefix, 0);
	ck_assert_int_eq(link(board->path, to), 0);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), -E2BIG);
	ck_assert_uint_ge(others.jobs, BOARD_FILES_MAX - 2);
	ck_assert_int_eq(sp_board_each(NULL, count_boards, &looks), 0);
	ck_assert_uint_eq(looks.boards, BOARD_FILES_MAX - 1);
	sp_board_release(board);
}
END_TEST

static int
make_board_and_die(int rank, void *data)
{
	(void)rank;
	(void)data;
	sp_board_release(board_of(JOB));
	return 0;
}

/* What is no board by its name is not looked at. */
START_TEST(the_board_of_a_dead_job_is_seen_and_stays)
{
	static const char *const others[] = {
		"splitpin-0-lock", "splitpin-0-draft", "splitpin-0-0123456789abcde", "splitpin-0-0123456789abcdef0",
		"splitpin--0123456789abcdef", "other",
	};
	struct looks looks = { 0 };

	NEEDS_SHM(NULL);
	ck_assert_int_eq(run_ranks(1, make_board_and_die, NULL), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "/dev/shm/%s", others[i]);
		close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	}
	ck_assert_int_eq(sp_board_each(NULL, look, &looks), 0);
	ck_assert_uint_eq(looks.boards, 1);
	ck_assert_uint_eq(looks.bad, 0);
	ck_assert_uint_eq(looks.alive, 0);
	ck_assert_uint_eq(shm_files(), 6);
}
END_TEST

/* Want. */

START_TEST(a_full_folder)
{
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_board *board;

	/* The board takes more. */
	NEEDS_SHM("size=16k");
	machine = common_of(&common);
	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), -ENOSPC);
	ck_assert_uint_eq(shm_files(), 0);
	free(machine);
}
END_TEST

START_TEST(a_folder_that_is_filled_later)
{
	char block[4096] = { 1 };
	struct sp_board *board;

	NEEDS_SHM("size=96k");
	board = board_of(JOB);
	int fd = open("/dev/shm/filling", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
	for (uint32_t rank = 0; rank < SIZE; rank++) {
		ck_assert_int_eq(sp_board_arrive(board, rank, false), 0);
		settle(board, rank, "5-9");
	}
	ck_assert_int_eq(decide(board, ONE), 0);
	ck_assert_int_eq(decided(board), ONE);
	sp_board_release(board);
}
END_TEST

START_TEST(no_room_for_a_file)
{
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM("nr_inodes=1");
	ck_assert_int_eq(sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem), -ENOSPC);
	ck_assert_ptr_null(problem);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written)
{
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM(NULL);
	ck_assert_int_eq(mount(NULL, "/dev/shm", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	ck_assert_int_eq(sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem), -EROFS);
}
END_TEST

START_TEST(no_folder)
{
	struct sp_other_jobs others;
	struct sp_board *board;
	const char *problem;

	NEEDS_SHM(NULL);
	ck_assert_int_eq(mount("tmpfs", "/dev", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem), -ENOENT);
	ck_assert_int_eq(sp_board_other_jobs(JOB, &others), -ENOENT);
}
END_TEST

static int
begin_as_user(int rank, void *data)
{
	struct sp_board *board;
	const char *problem;

	(void)rank;
	(void)data;
	if (setgid(4711) != 0 || setuid(4711) != 0)
		return 0;
	uint64_t begin = milliseconds();
	int error = sp_board_begin(JOB, SIZE, WAIT_MS, &board, &problem);
	return error != -EACCES || milliseconds() - begin >= WAIT_MS;
}

START_TEST(a_folder_of_another)
{
	static const char *const modes[] = { "mode=755", "mode=700" };

	NEEDS_SHM(modes[_i]);
	ck_assert_int_eq(status_of(start_rank(0, begin_as_user, NULL)), 0);
}
END_TEST

static void
limit_file_sizes(rlim_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = size;
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* SIGXFSZ would end the program.  (Nothing is asserted under the limit: that writes, too.) */
START_TEST(a_limit_of_file_sizes)
{
	struct sp_common common;
	struct sp_machine *machine;
	struct sp_seat seat = { .state = SP_SEAT_READY };
	struct sp_decision decision;
	struct sp_part part[SIZE];
	struct sp_board *board;

	NEEDS_SHM(NULL);
	machine = common_of(&common);
	signal(SIGXFSZ, SIG_DFL);
	limit_file_sizes(8192);
	int created = sp_board_create(JOB, SIZE, &common, &board);
	limit_file_sizes(RLIM_INFINITY);
	ck_assert_int_eq(created, -EFBIG);
	ck_assert_uint_eq(shm_files(), 0);

	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	fill_decision(ONE, &decision, part);
	limit_file_sizes(0);
	int arrived = sp_board_arrive(board, 2, false), written = sp_board_write(board, 1, &seat);
	int decision_written = sp_board_revise(board, NULL, NULL, &decision, part), holds = decided(board);
	bool reporter = sp_board_is_first(board, SP_FIRST_REPORT), last = sp_board_count_ready(board, 1);
	/* It cannot say that it leaves, but it can remove the board. */
	sp_board_leave(board, 1, 0);
	limit_file_sizes(RLIM_INFINITY);
	ck_assert_int_eq(arrived, -EFBIG);
	ck_assert_int_eq(written, -EFBIG);
	ck_assert_int_eq(decision_written, -EFBIG);
	ck_assert_int_eq(holds, -ENOENT);
	ck_assert(!reporter && !last);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
	free(machine);
}
END_TEST

START_TEST(no_descriptors)
{
	struct rlimit limit, none;
	struct sp_board *board, *other = NULL;
	struct sp_seat seat;
	const char *problem;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	int begun = sp_board_begin(JOB, SIZE, WAIT_MS, &other, &problem);
	int read = sp_board_read(board, 1, &seat), written = sp_board_write(board, 1, &seat);
	int decision_written = decide(board, ONE), holds = decided(board), locked = sp_board_lock_jobs(WAIT_MS);
	sp_board_leave(board, 1, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(begun, -EMFILE);
	ck_assert_ptr_null(problem);
	ck_assert_int_eq(read, -EMFILE);
	ck_assert_int_eq(written, -EMFILE);
	ck_assert_int_eq(decision_written, -EMFILE);
	ck_assert_int_eq(holds, -EMFILE);
	ck_assert_int_eq(locked, -EMFILE);
	ck_assert_uint_eq(shm_files(), 1);
	sp_board_release(board);
}
END_TEST

static void
ignore(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	(void)found;
	(void)board;
	(void)data;
}

/* What cannot be asked has the safe answer: nobody reports twice, nothing is taken away. */
START_TEST(without_descriptors_nothing_is_known)
{
	struct rlimit limit, none;
	struct sp_board *board, *opened = NULL;
	struct sp_other_jobs others;
	struct sp_common common;
	struct sp_machine *machine = NULL;
	const char *problem;
	bool first = true;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	ck_assert(sp_board_is_first(board, SP_FIRST_CROWD));
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	int arrived = sp_board_arrive(board, 2, false), common_read = sp_board_common(board, &common, &machine);
	int open_error = sp_board_open(JOB, SIZE, &opened, &problem), each = sp_board_each(NULL, ignore, NULL);
	int other_jobs = sp_board_other_jobs(JOB, &others);
	bool reports = sp_board_is_first(board, SP_FIRST_REPORT) || sp_board_is_first(board, SP_FIRST_OVERLAP);
	bool reported = sp_board_had_first(board, SP_FIRST_REPORT), uses = sp_board_use_gpus(board, true, &first);
	bool gave_up = sp_board_gave_gpus_up(board), ready = sp_board_count_ready(board, 1);
	bool speaks = sp_board_is_first_to_say(JOB, "x");
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(arrived, -EMFILE);
	ck_assert_int_eq(open_error, -EMFILE);
	ck_assert_int_eq(each, -EMFILE);
	ck_assert_int_eq(other_jobs, -EMFILE);
	ck_assert_uint_eq(others.jobs, 0);
	if (common_read == 0)
		free(machine);
	else
		ck_assert_int_eq(common_read, -EMFILE);
	ck_assert(!reports && !reported && !uses && !first && !gave_up && !ready);
	ck_assert(speaks);
	/* And with descriptors again all is as it was. */
	ck_assert(sp_board_is_first(board, SP_FIRST_REPORT));
	ck_assert(sp_board_had_first(board, SP_FIRST_REPORT));
	ck_assert(sp_board_use_gpus(board, true, &first));
	ck_assert(first);
	ck_assert(!sp_board_gave_gpus_up(board));
	sp_board_leave(board, 1, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
}
END_TEST

START_TEST(boards_without_memory)
{
	struct sp_board *board = NULL, *opened;
	struct sp_common common, read;
	struct sp_machine *machine, *whole;
	const char *problem;
	char job[32];
	int error;

	NEEDS_SHM(NULL);
	whole = common_of(&common);
	/* What was made before it ran short is a board for the other ranks. */
	SHORT_OF_MEMORY((snprintf(job, sizeof(job), "%d, 4 ranks", nth), error = sp_board_create(job, SIZE, &common, &board)))
		ck_assert_int_eq(error, was_short ? -ENOMEM : 0);
	SHORT_OF_MEMORY((opened = NULL, error = sp_board_open(job, SIZE, &opened, &problem))) {
		ck_assert_int_eq(error, was_short ? -ENOMEM : 0);
		sp_board_release(opened);
	}
	SHORT_OF_MEMORY((machine = NULL, error = sp_board_common(board, &read, &machine))) {
		ck_assert_int_eq(error, was_short ? -ENOMEM : 0);
		free(machine);
	}
	sp_board_release(board);
	free(whole);
}
END_TEST

/* Or every name would be some other job's, and files would grow where there is a limit. */
START_TEST(writing_fails_with_a_reason)
{
	char text[8] = "1234567";
	struct rlimit limit, small;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_int_eq(sp_board_write_at(fd, text, 8, 0), -EBADF);
	ck_assert_int_eq(sp_board_read_at(-1, text, 8, 0), -EBADF);
	ck_assert_int_eq(sp_board_read_at(fd, text, 8, 0), -EPROTO);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 16;
	setrlimit(RLIMIT_FSIZE, &small);
	int within = sp_board_write_at(file, text, 8, 8), beyond = sp_board_write_at(file, text, 8, 9);
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(within, 0);
	ck_assert_int_eq(beyond, -EFBIG);
	close(fd);
	close(file);
}
END_TEST

static int
lock_all(int rank, void *data)
{
	struct flock lock = { .l_type = F_WRLCK };
	int fd = open(board_path(), O_RDWR | O_CLOEXEC);

	(void)rank;
	if (fcntl(fd, F_SETLK, &lock) != 0)
		return 1;
	*(atomic_int *)data = 1;
	for (;;)
		pause();
}

/* Ranks that leave together: one removes the board, and no other waits for it. */
START_TEST(who_leaves_does_not_wait_for_who_removes)
{
	atomic_int *locked = shared_memory(sizeof(*locked));
	struct rusage before, after;
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	pid_t pid = start_rank(0, lock_all, locked);
	while (!*locked)
		sleep_ms(1);
	getrusage(RUSAGE_SELF, &before);
	sp_board_leave(board, 0, 0);
	getrusage(RUSAGE_SELF, &after);
	ck_assert_int_lt(after.ru_nvcsw - before.ru_nvcsw, 100);
	kill(pid, SIGKILL);
	status_of(pid);
	/* What is left of a remover that was killed goes with the next one. */
	sp_board_leave(board, 0, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
}
END_TEST

/* Any byte of it: a word, a seat, the machine at its end. */
static int
lock_byte(int at, void *data)
{
	int fd = open(board_path(), O_RDWR | O_CLOEXEC);

	if (sp_board_lock(fd, at, 1) != 0)
		return 1;
	*(atomic_int *)data = 1;
	return pause();
}

START_TEST(a_board_of_which_a_part_is_locked_is_not_removed)
{
	atomic_int *locked = shared_memory(sizeof(*locked));
	struct stat file;

	NEEDS_SHM(NULL);
	struct sp_board *board = board_of(JOB);
	ck_assert_int_eq(lstat(board_path(), &file), 0);
	const off_t places[] = { 0, sp_board_seat_at(SIZE) - 1, file.st_size - 1 };
	pid_t pid = start_rank((int)places[_i], lock_byte, locked);
	while (!*locked)
		sleep_ms(1);
	sp_board_leave(board, 1, 0);
	ck_assert_uint_eq(shm_files(), 1);
	kill(pid, SIGKILL);
	status_of(pid);
	sp_board_leave(board, 1, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(board);
}
END_TEST

START_TEST(a_board_that_somebody_has_locked)
{
	atomic_int *locked = shared_memory(sizeof(*locked));
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	pid_t pid = start_rank(0, lock_all, locked);
	while (!*locked)
		sleep_ms(1);
	uint64_t begin = milliseconds();
	ck_assert_int_eq(sp_board_arrive(board, 1, false), -EAGAIN);
	ck_assert_int_eq(decide(board, ONE), -EAGAIN);
	ck_assert_int_eq(decided(board), -ENOENT);
	sp_board_leave(board, 1, 0);
	ck_assert_uint_lt(milliseconds() - begin, 50000);
	ck_assert_uint_eq(shm_files(), 1);
	kill(pid, SIGKILL);
	status_of(pid);
	sp_board_release(board);
}
END_TEST

/* What is known is not read. */
START_TEST(states_of_those_that_are_not_known)
{
	const struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0") };
	uint32_t state[SIZE] = { [2] = SP_SEAT_READY };
	struct sp_board *board;

	NEEDS_SHM(NULL);
	board = board_of(JOB);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_int_eq(sp_board_write(board, 0, &seat), 0);
	ck_assert_int_eq(sp_board_states(board, state), 0);
	ck_assert_uint_eq(state[0], SP_SEAT_HERE);
	ck_assert_uint_eq(state[1], SP_SEAT_COMING);
	ck_assert_uint_eq(state[2], SP_SEAT_READY);
	ck_assert_uint_eq(state[3], SP_SEAT_EMPTY);
	sp_board_release(board);
}
END_TEST

Suite *
suite_board(void)
{
	Suite *suite = suite_create("board");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	tcase_add_test(facts, what_is_common_is_read_again);
	tcase_add_test(facts, states_of_those_that_are_not_known);
	tcase_add_test(facts, machine_and_terms_are_read_together);
	tcase_add_test(facts, the_cut_is_read_again);
	tcase_add_test(facts, a_cut_holds_for_its_terms);
	tcase_add_test(facts, without_a_cut_there_is_none);
	tcase_add_loop_test(facts, a_damaged_cut_is_refused, 0, 6);
	tcase_add_test(facts, gpus_as_many_as_there_is_room_for);
	tcase_add_loop_test(facts, a_sum_depends_on_each_byte_and_its_place, 1, 300);
	tcase_add_test(facts, every_job_has_a_board_of_its_own);
	tcase_add_loop_test(facts, nobody_else_may_read_it, 0, 3);
	tcase_add_test(facts, more_ranks_than_any_node_has_cpus);
	tcase_add_loop_test(facts, a_hostile_board_is_refused, 0, KINDS);
	tcase_add_loop_test(facts, a_hostile_lock_is_refused, 0, KINDS);
	tcase_add_loop_test(facts, a_hostile_draft_is_no_board, 0, KINDS);
	tcase_add_loop_test(facts, names_that_another_user_holds_block_nothing, 0, sizeof(squats) / sizeof(squats[0]));
	tcase_add_test(slow, a_damaged_board_is_refused);
	tcase_add_loop_test(facts, a_forged_machine_is_refused, 0, 7);
	tcase_add_loop_test(facts, a_cpu_of_a_forged_machine_is_checked_whole, 0, sizeof(struct sp_pu) / sizeof(uint32_t));
	tcase_add_loop_test(facts, a_forged_head_is_refused, 0, 8);
	tcase_add_loop_test(facts, a_forged_head_of_too_many_is_refused, 0, 2);
	tcase_add_test(slow, the_largest_board);
	tcase_add_test(facts, a_seat_is_read_as_it_was_written);
	tcase_add_test(facts, texts_of_a_seat_end);
	tcase_add_loop_test(facts, a_seat_that_cannot_be_is_none, 0, 5);
	tcase_add_test(facts, who_has_not_arrived_writes_nothing);
	tcase_add_test(facts, a_stopped_job_has_nothing);
	tcase_add_test(facts, a_stopped_rank_has_nothing);
	tcase_add_test(facts, a_seat_that_a_living_process_has_stays_its);
	tcase_add_loop_test(facts, a_rank_takes_its_seat_from_what_it_has_started, SP_SEAT_HERE, SP_SEAT_READY + 1);
	tcase_add_loop_test(facts, the_seat_of_a_shell_is_for_the_programs_that_it_starts, SP_SEAT_LEFT, SP_SEAT_COMING + 1);
	tcase_add_loop_test(facts, who_calls_MPI_Init_is_the_rank, 0, 6);
	tcase_add_test(slow, one_of_many_gets_the_seat);
	tcase_add_test(facts, a_process_finds_its_seat_after_exec);
	tcase_add_test(slow, a_seat_is_never_seen_half_written);
	tcase_add_test(facts, the_last_that_leaves_removes_it);
	tcase_add_test(facts, who_leaves_does_not_wait_for_who_removes);
	tcase_add_loop_test(facts, a_board_that_was_cut_short_goes_with_who_leaves, 0, 3);
	tcase_add_test(slow, nobody_sits_down_on_a_board_that_goes);
	tcase_add_test(facts, killed_ranks_do_not_keep_it);
	tcase_add_test(facts, a_new_board_under_its_name_is_not_touched);
	tcase_add_test(facts, a_board_is_not_removed_under_who_has_arrived);
	tcase_add_test(slow, nor_where_some_are_killed);
	tcase_add_test(facts, one_decides_for_all);
	tcase_add_test(facts, every_rank_has_a_part_of_its_own);
	tcase_add_loop_test(facts, parts_that_cannot_be_are_refused, 0, 6);
	tcase_add_test(facts, a_decision_changes_nothing_else);
	tcase_add_test(facts, without_a_board_nothing_is_decided);
	tcase_add_test(slow, a_decision_that_was_torn_does_not_hold);
	tcase_add_test(facts, one_reports);
	tcase_add_test(facts, each_has_a_reporter_of_its_own);
	tcase_add_test(facts, one_releases_for_those_that_settle_with_it);
	tcase_add_loop_test(facts, the_first_says_whether_gpus_count, 0, 2);
	tcase_add_test(facts, the_last_that_is_ready_is_told_so);
	tcase_add_test(facts, one_makes_it);
	tcase_add_test(facts, a_killed_holder_has_lost_it);
	tcase_add_test(slow, a_child_of_a_killed_holder_keeps_it_from_nobody);
	tcase_add_test(slow, a_stopped_holder_loses_it);
	tcase_add_test(slow, the_lock_of_jobs_can_be_had);
	tcase_add_test(slow, a_holder_that_gets_on_is_waited_for);
	tcase_add_test(facts, the_holder_of_the_lock_is_known_by_what_it_has_written);
	tcase_add_test(facts, a_lock_of_another_is_not_removed);
	tcase_add_test(facts, a_lock_is_not_taken_for_what_is_done);
	tcase_add_test(facts, a_machine_is_read_by_one_job_for_those_that_wait);
	tcase_add_loop_test(facts, who_cannot_read_a_machine_holds_nobody, 0, 3);
	tcase_add_test(facts, who_waited_in_vain_reads_the_machine);
	tcase_add_loop_test(facts, a_told_machine_is_of_the_same_source_and_whole, 0, 4);
	tcase_add_test(facts, one_rank_speaks_for_all_without_a_board);
	tcase_add_test(facts, speaking_first_leaves_standard_streams_closed);
	tcase_add_test(facts, a_message_has_a_name);
	tcase_add_test(facts, a_speaker_that_has_ended_is_not_the_first);
	tcase_add_test(facts, a_speaker_of_another_user_does_not_count);
	tcase_add_loop_test(facts, without_sockets_each_rank_speaks, 0, 2);
	tcase_add_test(facts, a_lock_that_nobody_can_open_is_replaced);
	tcase_add_test(facts, a_dead_board_of_the_same_name_is_replaced);
	tcase_add_test(facts, a_draft_that_has_become_a_board_is_no_other_job);
	tcase_add_loop_test(facts, a_job_around_this_one_is_no_other, 0, SIZE);
	tcase_add_loop_test(facts, where_threads_may_run_that_are_not_pinned, 0, 5);
	tcase_add_loop_test(facts, a_job_that_divides_nothing_claims_what_it_is_confined_to, 0, 2);
	tcase_add_test(facts, what_living_jobs_have_is_taken);
	tcase_add_test(facts, terms_are_revised_one_after_the_other);
	tcase_add_test(facts, terms_that_many_revise_are_always_whole);
	tcase_add_test(facts, boards_of_dead_jobs_are_removed);
	tcase_add_loop_test(facts, a_job_outlives_who_made_its_board, 0, SIZE);
	tcase_add_test(facts, what_lies_behind_the_last_seat_is_none);
	tcase_add_loop_test(facts, what_is_no_board_is_passed_over, 0, KINDS);
	tcase_add_test(facts, ranks_of_other_jobs_are_visited_as_far_as_is_wanted);
	tcase_add_test(facts, those_who_look_on_change_nothing);
	tcase_add_loop_test(facts, those_who_look_on_trust_nothing, 0, KINDS);
	tcase_add_test(facts, a_board_of_an_owner_beyond_all_is_none);
	tcase_add_test(facts, boards_that_vanish_are_not_shown);
	tcase_add_test(facts, more_boards_than_are_looked_at);
	tcase_add_loop_test(facts, another_user_fills_the_folder, 0, 2);
	tcase_add_test(facts, the_board_of_a_dead_job_is_seen_and_stays);
	tcase_add_test(facts, a_full_folder);
	tcase_add_test(facts, a_folder_that_is_filled_later);
	tcase_add_test(facts, no_room_for_a_file);
	tcase_add_test(facts, a_folder_that_cannot_be_written);
	tcase_add_test(facts, no_folder);
	tcase_add_loop_test(facts, a_folder_of_another, 0, 2);
	tcase_add_test(facts, a_limit_of_file_sizes);
	tcase_add_test(facts, no_descriptors);
	tcase_add_test(facts, without_descriptors_nothing_is_known);
	tcase_add_test(facts, boards_without_memory);
	tcase_add_test(facts, writing_fails_with_a_reason);
	tcase_add_loop_test(slow, a_board_of_which_a_part_is_locked_is_not_removed, 0, 3);
	tcase_add_test(slow, a_board_that_somebody_has_locked);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
