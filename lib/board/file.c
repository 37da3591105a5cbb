/* The board's file: names, trust, locks, reading and writing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/descriptor.h"
#include "base/text.h"
#include "board/board_file.h"

#define LOCK_TRIES 1000		/* for a part that another has locked, which takes it no longer than a few system calls */
#define LOCK_NAP_NS 500000

#define SUM_BEGIN SP_FNV_BEGIN
#define SUM_PRIME SP_FNV_PRIME
#define SUM_LANES 4
#define SUM_WORDS 16		/* at a time */

/* The sum and a word more, of which there may be fewer bytes. */
static inline uint64_t
sum_with(uint64_t sum, const void *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	return (sum ^ word) * SUM_PRIME;
}

/*
 * Most of the work on a board.  A step waits for the one before: four sums that
 * do not depend on each other take a quarter of the time.
 */
uint64_t
sp_board_sum(const void *data, size_t size)
{
	uint64_t lane[SUM_LANES] = { SUM_BEGIN, SUM_BEGIN, SUM_BEGIN, SUM_BEGIN };
	const size_t word = sizeof(lane[0]);
	const char *p = data;

	for (; size >= SUM_WORDS * word; size -= SUM_WORDS * word) {
#pragma GCC unroll 16
		for (int i = 0; i < SUM_WORDS; i++, p += word)
			lane[i % SUM_LANES] = sum_with(lane[i % SUM_LANES], p, word);
	}
	for (; size > word; size -= word, p += word)
		lane[0] = sum_with(lane[0], p, word);
	lane[0] = sum_with(lane[0], p, size);
	for (int i = 1; i < SUM_LANES; i++)
		lane[0] = sum_with(lane[0], &lane[i], word);
	return lane[0];
}

int
sp_board_read_at(int fd, void *data, size_t size, off_t at)
{
	ssize_t n = pread(fd, data, size, at);

	return n == (ssize_t)size ? 0 : n == -1 ? -errno : -EPROTO;
}

/* A write beyond the limit of file sizes would not only fail but kill the process. */
static bool
is_beyond_limit(off_t end)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (rlim_t)end;
}

bool
sp_board_allocate(int fd, off_t size)
{
	return !is_beyond_limit(size) && fallocate(fd, 0, 0, size) == 0;
}

int
sp_board_write_at(int fd, const void *data, size_t size, off_t at)
{
	if (is_beyond_limit(at + (off_t)size))
		return -EFBIG;
	ssize_t n = pwrite(fd, data, size, at);
	return n == (ssize_t)size ? 0 : n == -1 ? -errno : -ENOSPC;
}

void
sp_board_prefix(char prefix[BOARD_PREFIX])
{
	struct sp_text text = sp_text_begin(prefix, BOARD_PREFIX);

	sp_text_put(&text, "splitpin-");
	sp_text_put_number(&text, geteuid());
	sp_text_put(&text, "-");
}

void
sp_board_name(const char *job, char name[BOARD_NAME])
{
	char prefix[BOARD_PREFIX];

	sp_board_prefix(prefix);
	snprintf(name, BOARD_NAME, "%s%016llx", prefix, (unsigned long long)sp_text_sum(job));
}

void
sp_board_path(const char *name, char path[BOARD_PATH])
{
	struct sp_text text = sp_text_begin(path, BOARD_PATH);

	sp_text_put(&text, BOARD_FOLDER "/");
	sp_text_put(&text, name);
}

static bool has_no_numbers;	/* written by the one thread that joins */

void
sp_board_note_numbers(bool has_none)
{
	has_no_numbers = has_none;
}

void
sp_board_choose_name(char path[BOARD_PATH])
{
	const size_t length = strlen(path);
	struct sp_text text = sp_text_begin(path + length, BOARD_PATH - length);
	int chosen = -1;
	struct stat file;

	for (int i = 0; i < BOARD_NAMES; i++) {
		if (i) {
			text = sp_text_begin(path + length, BOARD_PATH - length);
			sp_text_put(&text, ".");
			sp_text_put_number(&text, (uint64_t)i);
		}
		if (lstat(path, &file) != 0)
			chosen = chosen < 0 ? i : chosen;
		else if (file.st_uid == geteuid())
			return;
		if (chosen == 0 && has_no_numbers)
			return;
	}
	text = sp_text_begin(path + length, BOARD_PATH - length);
	if (chosen > 0) {
		sp_text_put(&text, ".");
		sp_text_put_number(&text, (uint64_t)chosen);
	}
}

bool
sp_board_is_number(const char *rest)
{
	return *rest == '\0' || (rest[0] == '.' && rest[1] >= '1' && rest[1] < '0' + BOARD_NAMES && rest[2] == '\0');
}

bool
sp_board_is_named(int fd, const char *path)
{
	struct stat open_file, named;

	return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 &&
	       open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

void
sp_board_remove(int fd, const char *path)
{
	for (int i = 0; i < 2; i++)
		if (sp_board_is_named(fd, path) && unlink(path) == 0)
			return;
}

/* F_SETLKW is not used: if the holder of the lock has been stopped, it would wait forever. */
int
sp_board_lock(int fd, off_t at, off_t size)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = size };
	struct sp_nap nap = { .ns = LOCK_NAP_NS, .max_ns = LOCK_NAP_NS };

	for (int i = 0; fcntl(fd, F_SETLK, &lock) != 0; i++) {
		if ((errno != EAGAIN && errno != EACCES) || i == LOCK_TRIES)
			return -errno;
		sp_nap(&nap);
	}
	return 0;
}

const char *
sp_board_distrust(const struct stat *file, uid_t owner)
{
	if (!S_ISREG(file->st_mode))
		return "it is not a regular file";
	if (file->st_uid != owner)
		return "it belongs to another user";
	if (file->st_mode & (S_IRWXG | S_IRWXO))
		return "others may read or write it";
	return NULL;
}

static const char *
distrust_head(const struct sp_board_head *head, off_t size)
{
	if (memcmp(head->magic, BOARD_MAGIC, sizeof(head->magic)) != 0)
		return "it is not a board";
	if (head->version != BOARD_VERSION || head->seat_size != sizeof(struct sp_written_seat) ||
	    head->pu_size != sizeof(struct sp_pu) || head->head_size != sizeof(*head) ||
	    head->part_size != sizeof(struct sp_part) || head->plan_size != sizeof(struct sp_written_plan))
		return "another version of splitpin wrote it";
	if (head->sum != sp_board_sum(head, offsetof(struct sp_board_head, sum)) ||
	    memchr(head->job, '\0', sizeof(head->job)) == NULL ||
	    head->local_size == 0 || head->local_size > BOARD_RANKS_MAX || head->ncpus > SP_CPUS_MAX ||
	    head->gpus.n > SP_GPUS_MAX)
		return "its header is damaged";
	return size == sp_board_size(head) ? NULL : "it is truncated";
}

static int
open_board_file(const char *path, int opening, struct stat *file)
{
	int fd = sp_descriptor_open(path, opening, 0);
	if (fd < 0)
		return -errno;
	if (fstat(fd, file) == 0)
		return fd;
	int error = -errno;
	close(fd);
	return error;
}

static const char *
examine(int fd, const struct stat *file, uid_t owner, struct sp_board_head *head)
{
	const char *problem = sp_board_distrust(file, owner);

	if (problem)
		return problem;
	if (sp_board_read_at(fd, head, sizeof(*head), 0) != 0)
		return "it is truncated";
	return distrust_head(head, file->st_size);
}

bool
sp_board_is_process_error(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

int
sp_board_open_file(const char *name, uid_t owner, int opening, struct sp_board **board, const char **problem)
{
	char path[BOARD_PATH];
	struct stat file;

	sp_board_path(name, path);
	int fd = open_board_file(path, opening, &file);
	*problem = NULL;
	if (fd == -ENOENT || fd == -EACCES || sp_board_is_process_error(fd))
		return fd;
	if (fd < 0) {
		*problem = fd == -ELOOP ? "it is a symbolic link" : "it cannot be opened";
		return -EPROTO;
	}
	/* The head is read whole; zeros first would cost as much as its checksum. */
	struct sp_board *opened = malloc(sizeof(*opened));
	if (opened)
		*problem = examine(fd, &file, owner, &opened->head);
	if (!opened || *problem) {
		close(fd);
		free(opened);
		return opened ? -EPROTO : -ENOMEM;
	}
	memcpy(opened->path, path, sizeof(path));
	opened->fd = -1;
	opened->is_first = false;
	opened->self = (struct sp_process){ .pid = 0 };
	opened->seat = 0;
	opened->bound = 0;
	opened->device = file.st_dev;
	opened->inode = file.st_ino;
	opened->plan = NULL;
	opened->owner = owner;
	opened->opening = opening;
	*board = opened;
	return fd;
}

int
sp_board_open_name(const char *name, uid_t owner, int opening, struct sp_board **board, const char **problem)
{
	int fd = sp_board_open_file(name, owner, opening, board, problem);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int
sp_board_reopen(const struct sp_board *board)
{
	return sp_board_reopen_as(board, board->opening);
}

int
sp_board_reopen_as(const struct sp_board *board, int opening)
{
	struct stat file;
	int fd = open_board_file(board->path, opening, &file);

	if (fd < 0)
		return fd == -ENOENT ? -ESTALE : fd;
	if (file.st_dev == board->device && file.st_ino == board->inode && !sp_board_distrust(&file, board->owner))
		return fd;
	close(fd);
	return -ESTALE;
}

int
sp_board_take_open(struct sp_board *board)
{
	int fd = board->fd;

	board->fd = -1;
	return fd >= 0 ? fd : sp_board_reopen(board);
}

int
sp_board_open(const char *job, uint32_t local_size, struct sp_board **board, const char **problem)
{
	char name[BOARD_NAME], path[BOARD_PATH];
	struct sp_board *opened = NULL;

	sp_board_name(job, name);
	sp_board_path(name, path);
	sp_board_choose_name(path);
	int fd = sp_board_open_file(path + sizeof(BOARD_FOLDER), geteuid(), BOARD_OPENING, &opened, problem);
	if (fd < 0 || !opened)
		return fd;
	opened->fd = fd;
	*problem = strcmp(opened->head.job, job) != 0 ? "it belongs to another job" :
		opened->head.local_size != local_size ? "it belongs to a job with a different number of ranks on this node" : NULL;
	if (*problem) {
		sp_board_release(opened);
		return -EPROTO;
	}
	*board = opened;
	return 0;
}

void
sp_board_release(struct sp_board *board)
{
	if (!board)
		return;
	if (board->fd >= 0)
		close(board->fd);
	free(board->plan);
	free(board);
}
