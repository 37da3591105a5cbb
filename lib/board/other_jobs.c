/* Other jobs of the user, and leaving. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "board/board_file.h"

/* A question about a board.  Returns 1 (yes), 0 (no), or a negative errno where the seats cannot be read. */
typedef int question(int fd, const struct sp_board *board);

/* Whether a seat has never been taken, or was marked as left by its process. */
static bool
is_vacant(int fd, uint32_t rank)
{
	uint32_t state;

	return sp_board_read_at(fd, &state, sizeof(state), sp_board_seat_at(rank)) == 0 && state <= SP_SEAT_LEFT;
}

/*
 * The search begins at the seat beside the own one, so that ranks that leave
 * one after the other do not all look through the seats of those that have
 * left.
 */
static int
anybody_else_there(int fd, const struct sp_board *board)
{
	struct sp_seat seat;

	for (uint32_t i = 1; i <= board->head.local_size; i++) {
		uint32_t rank = (board->seat + i) % board->head.local_size;

		if (is_vacant(fd, rank))
			continue;
		int error = sp_seat_read(fd, board, rank, &seat);

		if (!error && seat.state > SP_SEAT_LEFT && !sp_board_is_own(board, &seat))
			return 1;
		if (error && error != -ENOENT && error != -EPROTO)
			return error;
	}
	return 0;
}

/* A board whose ranks have not come yet is alive as long as the process that created it. */
static int
is_needed(int fd, const struct sp_board *board)
{
	return sp_process_lives(&board->head.maker) ? 1 : anybody_else_there(fd, board);
}

bool
sp_board_is_alive(const struct sp_board *board)
{
	/* Its ranks may not have come yet. */
	if (sp_process_lives(&board->head.maker))
		return true;
	int fd = sp_board_reopen(board);
	if (fd < 0)
		return sp_board_is_process_error(fd);
	bool alive = anybody_else_there(fd, board) != 0;
	close(fd);
	return alive;
}

/* Whether a process is about to remove this board: it alone locks the whole file. */
static bool
is_being_removed(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_start == 0 && lock.l_len == 0;
}

/* Remove a board if it is still unused under its lock.  A negative errno: it is not known whether it is. */
static int
remove_unless(const struct sp_board *board, question *used)
{
	int fd = sp_board_reopen(board);

	if (fd < 0)
		return fd;
	int answer = used(fd, board);
	if (answer == 0)
		answer = sp_board_lock(fd, 0, 0);
	if (answer == 0)
		answer = used(fd, board);
	if (answer == 0)
		sp_board_remove(fd, board->path);
	close(fd);
	return answer;
}

void
sp_board_remove_dead(const struct sp_board *board)
{
	remove_unless(board, is_needed);
}

/*
 * Whether others are there, or another process is about to remove the board.
 * That process has seen, before it took the lock, that nobody else is there;
 * ranks that leave together would otherwise wait for each other's locks.
 */
static int
is_left_to_others(int fd, const struct sp_board *board)
{
	int answer = anybody_else_there(fd, board);

	return answer ? answer : is_being_removed(fd);
}

/*
 * Each call is tried twice: a system call that fails once, for lack of memory
 * or by an interrupt, must not leave a file behind.
 */
void
sp_board_leave(struct sp_board *board, uint32_t local_rank, uint32_t threads)
{
	if (sp_seat_leave(board, local_rank, threads))
		sp_seat_leave(board, local_rank, threads);
	if (remove_unless(board, is_left_to_others) < 0)
		remove_unless(board, is_left_to_others);
}

/* Whether any process of a job can be seen, or may exist out of sight; SP_GONE: all have ended. */
static enum sp_sight
sight_of_job(int fd, const struct sp_board *board)
{
	enum sp_sight best = sp_process_sight(&board->head.maker);
	struct sp_seat seat;

	for (uint32_t rank = 0; rank < board->head.local_size && best != SP_SEEN; rank++) {
		if (sp_seat_read(fd, board, rank, &seat) != 0 || seat.state <= SP_SEAT_LEFT)
			continue;
		enum sp_sight sight = sp_process_sight(&seat.process);
		if (sight != SP_GONE)
			best = sight;
	}
	return best;
}

static int
may_be_needed(int fd, const struct sp_board *board)
{
	return sight_of_job(fd, board) != SP_GONE;
}

/* The search for other jobs. */
struct others {
	char prefix[BOARD_PREFIX], own[BOARD_NAME];
	pid_t above[SP_GENERATIONS_MAX];	/* the caller's ancestors, found once there is another job */
	uint32_t nabove;
	bool knows_above;
	struct sp_other_jobs *found;
	sp_board_rank_visitor *visitor;		/* NULL: none */
	bool has_seen_enough;
	void *data;
};

static void
find_above(struct others *others)
{
	pid_t above = others->knows_above ? 0 : getppid();

	others->knows_above = true;
	for (; above > 1 && others->nabove < SP_GENERATIONS_MAX; above = sp_process_parent(above))
		others->above[others->nabove++] = above;
}

/*
 * Whether a rank has started the caller: it is then a launcher that runs as a
 * task of another launcher (srun torchrun).  It waits for the processes that it
 * started, and leaves its cores to them.
 */
static bool
is_above_us(const struct others *others, pid_t pid)
{
	for (uint32_t i = 0; i < others->nabove; i++)
		if (others->above[i] == pid)
			return true;
	return false;
}

/* What the seats of a job show. */
struct shown {
	bool is_seen;		/* a rank that is there has the caller's PID name space */
	bool is_around;		/* one of its ranks has started the caller */
	bool is_there, runs;	/* a rank is there; and one of these was not stopped */
	struct sp_other_jobs has;
};

/* A rank that was stopped has nothing, unless its share is other ranks' as well.  is_known: the terms say what the job takes. */
static void
add_seat(const struct sp_seat *seat, const struct sp_activity *activity, bool is_known, struct sp_terms *terms, struct shown *shown)
{
	/* It was stopped, as by scontrol suspend: others may use its cores meanwhile. */
	bool is_still = activity->state == 'T';

	shown->is_there |= seat->state > SP_SEAT_LEFT;
	shown->runs |= seat->state > SP_SEAT_LEFT && !is_still;
	if (seat->state != SP_SEAT_LEFT && !is_still)
		shown->has.threads += seat->state > SP_SEAT_COMING ? sp_seat_threads_of(seat, activity) : 1;
	if (seat->state > SP_SEAT_COMING && !is_still)
		sp_cpus_or(&shown->has.usable, sp_seat_usable(seat));
	if (is_still && seat->ownership == SP_OWNED)
		sp_cpus_sub(&terms->claim, &seat->share);
	else if (seat->state == SP_SEAT_REFUSED || (seat->state == SP_SEAT_HERE && !is_known))
		sp_cpus_or(&shown->has.taken, &seat->inherited);
	else if (seat->state >= SP_SEAT_SETTLED && !is_known)
		sp_cpus_or(&shown->has.taken, &seat->share);
}

/*
 * Look at each seat once.  A job that its launcher bound is known only by its
 * ranks' masks and shares until it has decided, or where it has given up
 * deciding; so are ranks without a share.
 */
static void
look_at_seats(int fd, const struct sp_board *board, const struct others *others, struct shown *shown)
{
	struct sp_terms terms = { 0 };
	struct sp_activity activity;
	struct sp_seat seat;
	struct sp_written_plan *plan;

	*shown = (struct shown){ .is_there = false };
	if (sp_plan_read(fd, &board->head, &plan) == 0)
		sp_plan_terms(&board->head, plan, &terms, NULL);
	free(plan);
	bool is_known = terms.how == SP_TERMS_SHARED || !sp_cpus_empty(&terms.claim);

	for (uint32_t rank = 0; rank < board->head.local_size; rank++) {
		if (sp_seat_look(fd, board, rank, &seat, &activity) != 0)
			continue;
		pid_t pid = seat.state > SP_SEAT_LEFT ? sp_process_here(&seat.process) : 0;
		shown->is_seen |= pid > 0;
		shown->is_around |= pid > 0 && is_above_us(others, pid);
		add_seat(&seat, &activity, is_known, &terms, shown);
	}
	sp_cpus_or(&shown->has.taken, &terms.claim);
	if (terms.how == SP_TERMS_SHARED && sp_cpus_empty(&terms.claim))
		shown->has.loose = shown->has.threads;
}

static void
visit_ranks(int fd, const struct sp_board *board, struct others *others)
{
	enum sp_visit next = others->visitor ? SP_VISIT_ON : SP_VISIT_END;
	struct sp_activity activity;
	struct sp_seat seat;

	for (uint32_t rank = 0; next == SP_VISIT_ON && rank < board->head.local_size; rank++)
		if (sp_seat_look(fd, board, rank, &seat, &activity) == 0 && seat.state >= SP_SEAT_HERE && activity.state != 'T')
			next = others->visitor(&seat, others->data);
	others->has_seen_enough |= others->visitor && next == SP_VISIT_END;
}

int
sp_board_each_file(sp_board_file_visitor *visitor, void *data)
{
	DIR *folder = opendir(BOARD_FOLDER);
	struct dirent *entry;
	uint32_t found = 0, entries = 0;

	if (!folder)
		return -errno;
	while (found <= BOARD_FILES_MAX && entries < BOARD_ENTRIES_MAX && (entry = readdir(folder))) {
		found += visitor(entry->d_name, data);
		entries++;
	}
	closedir(folder);
	return found > BOARD_FILES_MAX || entries == BOARD_ENTRIES_MAX ? -E2BIG : 0;
}

static bool
is_under_its_name(const struct sp_board *board)
{
	char sum[32];
	int length = snprintf(sum, sizeof(sum), "-%016llx", (unsigned long long)sp_text_sum(board->head.job));
	const char *end = strrchr(board->path, '-');

	return strncmp(end, sum, (size_t)length) == 0 && sp_board_is_number(end + length);
}

/*
 * Whether the file is the board of a running job, of which a process can be
 * seen.  A draft has the name of its board as a second name for a moment; or,
 * if its creator is killed then, until the next board is created.  Only the
 * board's name counts, or a job would be its own neighbour.
 */
static bool
add_if_seen(int fd, const struct sp_board *board, struct others *others)
{
	struct shown shown;

	find_above(others);
	look_at_seats(fd, board, others, &shown);
	if (!shown.is_seen && sight_of_job(fd, board) != SP_SEEN)
		return false;
	if (board->head.dry_run || !is_under_its_name(board))
		return true;
	if (!shown.is_around && (shown.runs || !shown.is_there)) {
		others->found->jobs++;
		others->found->threads += shown.has.threads;
		others->found->loose += shown.has.loose;
		sp_cpus_or(&others->found->usable, &shown.has.usable);
		sp_others_claim(others->found, &shown.has.taken);
		visit_ranks(fd, board, others);
	}
	return true;
}

/* Remove the lock of a job that nobody holds: its holder was killed. */
static void
remove_lock_left(const char *name)
{
	char path[BOARD_PATH];
	struct stat file;

	sp_board_path(name, path);
	int fd = sp_descriptor_open(path, BOARD_OPENING, 0);
	if (fd < 0)
		return;
	if (fstat(fd, &file) == 0 && file.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
		sp_board_remove(fd, path);
	close(fd);
}

static bool
add_other_job(const char *name, void *data)
{
	struct others *others = data;
	struct sp_board *board;
	const char *problem;

	const size_t own = strlen(others->own);

	if (others->has_seen_enough)
		return false;
	if (strncmp(name, others->prefix, strlen(others->prefix)) != 0 || (strncmp(name, others->own, own) == 0 && sp_board_is_number(name + own)))
		return false;
	const char *end = strrchr(name, '-');
	if (strncmp(end, BOARD_LOCK, sizeof(BOARD_LOCK) - 1) == 0 && sp_board_is_number(end + sizeof(BOARD_LOCK) - 1)) {
		if (sp_board_holds_lock())
			remove_lock_left(name);
		return false;
	}
	int fd = sp_board_open_file(name, geteuid(), BOARD_OPENING, &board, &problem);
	if (fd < 0)
		return false;
	bool is_seen = add_if_seen(fd, board, others);
	close(fd);
	if (!is_seen && sp_board_holds_lock())
		remove_unless(board, may_be_needed);
	sp_board_release(board);
	return true;
}

static int
find_others(const char *job, struct others *search)
{
	*search->found = (struct sp_other_jobs){ .jobs = 0 };
	sp_board_prefix(search->prefix);
	sp_board_name(job, search->own);
	return sp_board_each_file(add_other_job, search);
}

int
sp_board_other_jobs(const char *job, struct sp_other_jobs *others)
{
	return find_others(job, &(struct others){ .found = others });
}

int
sp_board_other_ranks(const char *job, sp_board_rank_visitor *visitor, void *data)
{
	struct sp_other_jobs others;

	return find_others(job, &(struct others){ .found = &others, .visitor = visitor, .data = data });
}

bool
sp_board_is_name(const char *name, uid_t *owner)
{
	uint64_t number;
	static const char prefix[] = "splitpin-";

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	const char *rest = sp_ascii_digits(name + sizeof(prefix) - 1, &number);
	if (!rest || number > UINT32_MAX || *rest != '-' || strspn(++rest, "0123456789abcdef") != 16 || !sp_board_is_number(rest + 16))
		return false;
	*owner = (uid_t)number;
	return true;
}

/* Observers. */
struct look {
	const uid_t *owner;
	sp_board_visitor *visitor;
	void *data;
};

static bool
show_board(const char *name, void *data)
{
	const struct look *look = data;
	struct sp_board_found found = { .name = name };
	struct sp_board *board = NULL;

	if (!sp_board_is_name(name, &found.owner) || (look->owner && found.owner != *look->owner))
		return false;
	found.error = sp_board_open_name(name, found.owner, BOARD_READING, &board, &found.problem);
	if (found.error == -ENOENT)
		return false;
	if (board && !is_under_its_name(board)) {
		found.error = -EPROTO;
		found.problem = "it belongs to another job";
		sp_board_release(board);
		board = NULL;
	}
	if (board) {
		found.job = board->head.job;
		found.local_size = board->head.local_size;
		found.dry_run = board->head.dry_run != 0;
		found.maker = sp_process_here(&board->head.maker);
	}
	look->visitor(&found, board, look->data);
	sp_board_release(board);
	return !found.error;
}

int
sp_board_each(const uid_t *owner, sp_board_visitor *visitor, void *data)
{
	return sp_board_each_file(show_board, &(struct look){ .owner = owner, .visitor = visitor, .data = data });
}
