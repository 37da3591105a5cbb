/*
 * The board.
 *
 *   head     what it is, and of which job
 *   outcome  whether all ranks came while they waited
 *   told     whether somebody tells how the shares meet
 *   seats    one a rank, each written by its rank alone
 *   places   the machine
 *
 * Head, seats and places carry a sum over themselves, which a reader checks:
 * what is being written is then not there yet.
 *
 * Locks: a process that takes a seat locks it, one that removes the board
 * locks all of it, and one that decides locks the outcome; so nobody sits down
 * on a board that is about to go, and two never have the same seat.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "board/board.h"

#define FOLDER "/dev/shm"
#define MAGIC "splitpin"
#define VERSION 2
#define RANKS_MAX SP_CPUS_MAX	/* with more there is no CPU for each */
#define ENTRIES_MAX 65536	/* of FOLDER; more are not looked at */
#define NAME 96			/* room for the name of a file in FOLDER */
#define BOARD_PATH (NAME + sizeof(FOLDER))	/* and for its path: PATH_MAX is a quarter of a small thread's stack */
#define FIRST_NAP_US 500	/* while another makes the board; doubled up to the last */
#define LAST_NAP_US 8000
#define LOCK_TRIES 1000		/* for a part that another has locked, which takes it no longer than a few system calls */
#define READ_TRIES 40		/* for a seat that is just being written */
#define TRY_NAP_US 500

struct head {
	char magic[8];
	uint32_t version;
	uint32_t seat_size, place_size;	/* a board of another build is not read */
	uint32_t local_size;
	uint32_t ncpus;
	uint32_t dry_run;
	struct sp_process maker;
	char job[SP_JOB_NAME];
	struct sp_cpus taken, claim;
	uint64_t places_sum;
	uint64_t sum;
};

struct written_seat {
	struct sp_seat seat;
	uint64_t sum;
};

/*
 * No descriptor is kept: a program that closes all of them and opens its own
 * would have us write into its file.
 */
struct sp_board {
	dev_t device;
	ino_t inode;
	struct head head;
	struct sp_process self;	/* the calling process once it has arrived */
	char name[NAME];
	uid_t owner;
	int opening;		/* flags of open(2): who looks on does not write */
};

#define OUTCOME_AT ((off_t)sizeof(struct head))
#define OUTCOME_SIZE ((off_t)sizeof(uint64_t))
#define TOLD_AT (OUTCOME_AT + OUTCOME_SIZE)
#define SEATS_AT (TOLD_AT + (off_t)sizeof(uint64_t))
#define SEAT_SIZE ((off_t)sizeof(struct written_seat))

static off_t
seat_at(uint32_t rank)
{
	return SEATS_AT + (off_t)rank * SEAT_SIZE;
}

static off_t
places_at(const struct head *head)
{
	return seat_at(head->local_size);
}

static off_t
size_of(const struct head *head)
{
	return places_at(head) + (off_t)(head->ncpus * sizeof(struct sp_place));
}

/*
 * FNV-1a by words: tells a torn or foreign text, not a forged one, which its
 * owner alone could write.  size is a multiple of 4.
 */
static uint64_t
sum_of(const void *data, size_t size)
{
	const char *p = data;
	uint64_t sum = 0xcbf29ce484222325u;
	uint32_t word;

	for (; size; size -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3u;
	}
	return sum;
}

static uint64_t
sum_of_name(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325u;

	while (*name)
		sum = (sum ^ (unsigned char)*name++) * 0x100000001b3u;
	return sum;
}

_Static_assert(sizeof(struct sp_seat) % 4 == 0 && offsetof(struct head, sum) % 4 == 0 &&
	       sizeof(struct sp_place) % 4 == 0, "sums go over whole words");

static int
read_at(int fd, void *data, size_t size, off_t at)
{
	ssize_t n = pread(fd, data, size, at);

	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -EPROTO;
}

/* Beyond the limit of file sizes the kernel would not only refuse but kill. */
static int
write_at(int fd, const void *data, size_t size, off_t at)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < (rlim_t)at + size)
		return -EFBIG;
	ssize_t n = pwrite(fd, data, size, at);
	return n == (ssize_t)size ? 0 : n < 0 ? -errno : -ENOSPC;
}

static void
prefix_of(char *text, size_t size)
{
	snprintf(text, size, "splitpin-%u-", (unsigned)geteuid());
}

static void
board_name(const char *job, char name[NAME])
{
	char prefix[48];

	prefix_of(prefix, sizeof(prefix));
	snprintf(name, NAME, "%s%016llx", prefix, (unsigned long long)sum_of_name(job));
}

static void
path_of(const char *name, char path[BOARD_PATH])
{
	snprintf(path, BOARD_PATH, "%s/%s", FOLDER, name);
}

static bool
is_named(int fd, const char *path)
{
	struct stat open_file, named;

	return fstat(fd, &open_file) == 0 && lstat(path, &named) == 0 &&
	       open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/*
 * Released when the file is closed or the process dies.  Never F_SETLKW: a
 * holder that has been stopped would make that endless.  size 0: all of it.
 */
static int
lock_part(int fd, off_t at, off_t size)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = size };

	for (int i = 0; fcntl(fd, F_SETLK, &lock) != 0; i++) {
		if ((errno != EAGAIN && errno != EACCES) || i == LOCK_TRIES)
			return -errno;
		usleep(TRY_NAP_US);
	}
	return 0;
}

/* Opening. */

/* O_NONBLOCK: a fifo, or a file that somebody has leased, would be waited for. */
#define OPENING (O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define OPENING_TO_READ ((OPENING & ~O_ACCMODE) | O_RDONLY)

static const char *
distrust_file_of(const struct stat *file, uid_t owner)
{
	if (!S_ISREG(file->st_mode))
		return "it is no regular file";
	if (file->st_uid != owner)
		return "it belongs to another user";
	if (file->st_mode & (S_IRWXG | S_IRWXO))
		return "others may read or write it";
	return NULL;
}

static const char *
distrust_file(const struct stat *file)
{
	return distrust_file_of(file, geteuid());
}

static const char *
distrust_head(const struct head *head, off_t size)
{
	if (memcmp(head->magic, MAGIC, sizeof(head->magic)) != 0)
		return "it is no board";
	if (head->version != VERSION || head->seat_size != sizeof(struct written_seat) ||
	    head->place_size != sizeof(struct sp_place))
		return "it is of another version of splitpin";
	if (head->sum != sum_of(head, offsetof(struct head, sum)) ||
	    memchr(head->job, '\0', sizeof(head->job)) == NULL ||
	    head->local_size == 0 || head->local_size > RANKS_MAX || head->ncpus > SP_CPUS_MAX)
		return "its head is damaged";
	return size == size_of(head) ? NULL : "it is cut short";
}

static int
open_board_file(const char *name, int opening, struct stat *file)
{
	char path[BOARD_PATH];

	path_of(name, path);
	int fd = open(path, opening);
	if (fd < 0)
		return -errno;
	if (fstat(fd, file) == 0)
		return fd;
	int error = -errno;
	close(fd);
	return error;
}

static const char *
examine(int fd, const struct stat *file, uid_t owner, struct head *head)
{
	const char *problem = distrust_file_of(file, owner);

	if (problem)
		return problem;
	if (read_at(fd, head, sizeof(*head), 0) != 0)
		return "it is cut short";
	return distrust_head(head, file->st_size);
}

/* What is wrong with this process, not with the file. */
static bool
is_own_trouble(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

/* Open a file of this name as a board, of whatever job. */
static int
open_name_of(const char *name, uid_t owner, int opening, struct sp_board **board, const char **problem)
{
	struct stat file;
	int fd = open_board_file(name, opening, &file);

	*problem = NULL;
	if (fd == -ENOENT || fd == -EACCES || is_own_trouble(fd))
		return fd;
	if (fd < 0) {
		*problem = fd == -ELOOP ? "it is a symbolic link" : "it cannot be opened";
		return -EPROTO;
	}
	struct sp_board *opened = calloc(1, sizeof(*opened));
	if (opened)
		*problem = examine(fd, &file, owner, &opened->head);
	close(fd);
	if (!opened || *problem) {
		free(opened);
		return opened ? -EPROTO : -ENOMEM;
	}
	snprintf(opened->name, sizeof(opened->name), "%s", name);
	opened->device = file.st_dev;
	opened->inode = file.st_ino;
	opened->owner = owner;
	opened->opening = opening;
	*board = opened;
	return 0;
}

static int
open_name(const char *name, struct sp_board **board, const char **problem)
{
	return open_name_of(name, geteuid(), OPENING, board, problem);
}

/* The file again, if its name still is that of the one that was examined; else -ESTALE. */
static int
reopen(const struct sp_board *board)
{
	struct stat file;
	int fd = open_board_file(board->name, board->opening, &file);

	if (fd < 0)
		return fd == -ENOENT ? -ESTALE : fd;
	if (file.st_dev == board->device && file.st_ino == board->inode && !distrust_file_of(&file, board->owner))
		return fd;
	close(fd);
	return -ESTALE;
}

int
sp_board_open(const char *job, uint32_t local_size, struct sp_board **board, const char **problem)
{
	char name[NAME];
	struct sp_board *opened;

	board_name(job, name);
	int error = open_name(name, &opened, problem);
	if (error)
		return error;
	*problem = strcmp(opened->head.job, job) != 0 ? "it is of another job" :
		opened->head.local_size != local_size ? "it is of a job with another number of ranks on this node" : NULL;
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
	free(board);
}

/* Seats. */

static bool
is_written(const struct written_seat *written)
{
	return written->seat.state >= SP_SEAT_LEFT && written->seat.state <= SP_SEAT_READY &&
	       written->sum == sum_of(&written->seat, sizeof(written->seat));
}

bool
sp_board_is_own(const struct sp_board *board, const struct sp_seat *seat)
{
	return board->self.pid && sp_process_same(&board->self, &seat->process);
}

/*
 * One that is just being written is looked at again; its writer may have been
 * killed over it.  Who looks on waits for no seat: there may be thousands, each
 * torn on purpose.
 */
static int
read_seat(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat)
{
	struct written_seat written;

	for (int i = 0; i < READ_TRIES; i++) {
		int error = read_at(fd, &written, sizeof(written), seat_at(rank));

		if (error)
			return error;
		if (is_written(&written))
			break;
		if (written.seat.state == SP_SEAT_EMPTY)
			return -ENOENT;
		if (board->opening != OPENING_TO_READ)
			usleep(TRY_NAP_US);
	}
	if (!is_written(&written))
		return -ENOENT;
	*seat = written.seat;
	seat->memory[sizeof(seat->memory) - 1] = '\0';
	seat->why[sizeof(seat->why) - 1] = '\0';
	if (seat->state > SP_SEAT_LEFT && !sp_board_is_own(board, seat) && !sp_process_lives(&seat->process))
		seat->state = SP_SEAT_LEFT;
	return 0;
}

static int
write_seat(int fd, uint32_t rank, const struct sp_seat *seat)
{
	struct written_seat written;

	memset(&written, 0, sizeof(written));
	written.seat = *seat;
	written.sum = sum_of(&written.seat, sizeof(written.seat));
	return write_at(fd, &written, sizeof(written), seat_at(rank));
}

int
sp_board_read(struct sp_board *board, uint32_t local_rank, struct sp_seat *seat)
{
	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int fd = reopen(board);
	if (fd < 0)
		return fd;
	int error = read_seat(fd, board, local_rank, seat);
	close(fd);
	return error;
}

static int
sit_down(int fd, const struct sp_board *board, const struct sp_process *self, uint32_t rank)
{
	struct sp_seat seat;
	int error = read_seat(fd, board, rank, &seat);

	if (error == -ENOENT)
		memset(&seat, 0, sizeof(seat));
	else if (error)
		return error;
	if (seat.state > SP_SEAT_LEFT)
		return sp_process_same(self, &seat.process) ? 0 : -EBUSY;
	seat.state = SP_SEAT_COMING;
	seat.process = *self;
	return write_seat(fd, rank, &seat);
}

int
sp_board_arrive(struct sp_board *board, uint32_t local_rank)
{
	char path[BOARD_PATH];
	struct sp_process self;

	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int error = sp_process_self(&self);
	if (error)
		return error;
	int fd = reopen(board);
	if (fd < 0)
		return fd;
	path_of(board->name, path);
	error = lock_part(fd, seat_at(local_rank), SEAT_SIZE);
	if (!error && !is_named(fd, path))
		error = -ESTALE;
	if (!error)
		error = sit_down(fd, board, &self, local_rank);
	close(fd);
	if (!error)
		board->self = self;
	return error;
}

static int
rewrite_seat(int fd, const struct sp_board *board, uint32_t rank, const struct sp_seat *seat)
{
	struct sp_seat before, now = *seat;
	int error = read_seat(fd, board, rank, &before);

	if (error)
		return error;
	if (!sp_board_is_own(board, &before))
		return -EBUSY;
	now.process = board->self;
	if (before.state >= SP_SEAT_HERE && now.state != SP_SEAT_HERE)
		now.inherited = before.inherited;
	return write_seat(fd, rank, &now);
}

int
sp_board_write(struct sp_board *board, uint32_t local_rank, const struct sp_seat *seat)
{
	if (local_rank >= board->head.local_size)
		return -EINVAL;
	int fd = reopen(board);
	if (fd < 0)
		return fd;
	int error = rewrite_seat(fd, board, local_rank, seat);
	close(fd);
	return error;
}

/* The outcome. */

static enum sp_outcome
read_outcome(int fd)
{
	uint64_t outcome;

	if (read_at(fd, &outcome, sizeof(outcome), OUTCOME_AT) != 0)
		return SP_GIVEN_UP;
	return outcome <= SP_GIVEN_UP ? (enum sp_outcome)outcome : SP_GIVEN_UP;
}

enum sp_outcome
sp_board_outcome(struct sp_board *board)
{
	int fd = reopen(board);

	if (fd < 0)
		return SP_GIVEN_UP;
	enum sp_outcome outcome = read_outcome(fd);
	close(fd);
	return outcome;
}

bool
sp_board_given_up(struct sp_board *board)
{
	return sp_board_outcome(board) == SP_GIVEN_UP;
}

/* Where it cannot be written others may decide otherwise; then nothing is changed, here at least. */
static enum sp_outcome
decide(int fd, enum sp_outcome outcome, bool *first)
{
	const uint64_t word = outcome;
	int error = lock_part(fd, OUTCOME_AT, OUTCOME_SIZE);
	enum sp_outcome before = read_outcome(fd);

	*first = before == SP_UNDECIDED;
	if (!*first)
		return before;
	if (!error)
		error = write_at(fd, &word, sizeof(word), OUTCOME_AT);
	return error ? SP_GIVEN_UP : outcome;
}

enum sp_outcome
sp_board_decide(struct sp_board *board, enum sp_outcome outcome, bool *first)
{
	int fd = reopen(board);

	*first = true;
	if (fd < 0)
		return SP_GIVEN_UP;
	outcome = decide(fd, outcome, first);
	close(fd);
	return outcome;
}

bool
sp_board_first_to_tell(struct sp_board *board)
{
	uint64_t told = 1;
	int fd = reopen(board);

	if (fd < 0)
		return false;
	bool first = lock_part(fd, TOLD_AT, sizeof(told)) == 0 && read_at(fd, &told, sizeof(told), TOLD_AT) == 0 && !told;
	told = 1;
	if (first)
		first = write_at(fd, &told, sizeof(told), TOLD_AT) == 0;
	close(fd);
	return first;
}

/* Leaving and removing. */

static bool
anybody_else_there(int fd, const struct sp_board *board)
{
	struct sp_seat seat;

	for (uint32_t rank = 0; rank < board->head.local_size; rank++)
		if (read_seat(fd, board, rank, &seat) == 0 && seat.state > SP_SEAT_LEFT && !sp_board_is_own(board, &seat))
			return true;
	return false;
}

/* A board whose ranks have not come yet is alive as long as the one that made it. */
static bool
is_alive(int fd, const struct sp_board *board)
{
	return sp_process_lives(&board->head.maker) || anybody_else_there(fd, board);
}

static bool
board_is_alive(const struct sp_board *board)
{
	if (sp_process_lives(&board->head.maker))
		return true;
	int fd = reopen(board);
	if (fd < 0)
		return is_own_trouble(fd);
	bool alive = anybody_else_there(fd, board);
	close(fd);
	return alive;
}

/* If what tells whether somebody needs it still says no under the lock. */
static void
remove_board(const struct sp_board *board, bool (*is_needed)(int fd, const struct sp_board *board))
{
	char path[BOARD_PATH];
	int fd = reopen(board);

	if (fd < 0)
		return;
	path_of(board->name, path);
	if (!is_needed(fd, board) && lock_part(fd, 0, 0) == 0 && is_named(fd, path) && !is_needed(fd, board))
		unlink(path);
	close(fd);
}

static void
mark_left(struct sp_board *board, uint32_t local_rank)
{
	struct sp_seat seat;
	int fd = reopen(board);

	if (fd < 0)
		return;
	if (local_rank < board->head.local_size && read_seat(fd, board, local_rank, &seat) == 0 &&
	    sp_board_is_own(board, &seat)) {
		seat.state = SP_SEAT_LEFT;
		write_seat(fd, local_rank, &seat);
	}
	close(fd);
}

void
sp_board_leave(struct sp_board *board, uint32_t local_rank)
{
	mark_left(board, local_rank);
	remove_board(board, anybody_else_there);
}

/* What is common. */

static bool
are_places(const struct sp_place *place, uint32_t n)
{
	struct sp_cpus seen = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		if (place[i].cpu >= SP_CPUS_MAX || sp_cpus_has(&seen, place[i].cpu))
			return false;
		sp_cpus_add(&seen, place[i].cpu);
	}
	return n > 0;
}

static int
read_places(const struct sp_board *board, struct sp_place *place, size_t size)
{
	int fd = reopen(board);

	if (fd < 0)
		return fd;
	int error = read_at(fd, place, size, places_at(&board->head));
	close(fd);
	return error;
}

int
sp_board_common(struct sp_board *board, struct sp_common *common, struct sp_machine **machine)
{
	const struct head *head = &board->head;
	size_t size = head->ncpus * sizeof(struct sp_place);
	struct sp_machine *made = malloc(sp_machine_size(head->ncpus));

	if (!made)
		return -ENOMEM;
	made->ncpus = head->ncpus;
	int error = read_places(board, made->place, size);
	if (!error && (head->places_sum != sum_of(made->place, size) || !are_places(made->place, made->ncpus)))
		error = -EPROTO;
	if (error) {
		free(made);
		return error;
	}
	*common = (struct sp_common){ .taken = head->taken, .claim = head->claim, .machine = made,
				      .dry_run = head->dry_run };
	*machine = made;
	return 0;
}

/* Making. */

static int
fill_head(struct head *head, const char *job, uint32_t local_size, const struct sp_common *common)
{
	memset(head, 0, sizeof(*head));
	memcpy(head->magic, MAGIC, sizeof(head->magic));
	head->version = VERSION;
	head->seat_size = sizeof(struct written_seat);
	head->place_size = sizeof(struct sp_place);
	head->local_size = local_size;
	head->ncpus = common->machine->ncpus;
	head->taken = common->taken;
	head->claim = common->claim;
	head->dry_run = common->dry_run;
	head->places_sum = sum_of(common->machine->place, head->ncpus * sizeof(struct sp_place));
	snprintf(head->job, sizeof(head->job), "%s", job);
	int error = sp_process_self(&head->maker);
	head->sum = sum_of(head, offsetof(struct head, sum));
	return error;
}

/* The seats, too: zeros that are written take their room now, a hole would later. */
static int
write_parts(int fd, const struct head *head, const struct sp_machine *machine)
{
	size_t size = (size_t)size_of(head);
	char *image = calloc(1, size);

	if (!image)
		return -ENOMEM;
	memcpy(image, head, sizeof(*head));
	memcpy(image + places_at(head), machine->place, head->ncpus * sizeof(struct sp_place));
	int error = write_at(fd, image, size, 0);
	free(image);
	return error;
}

/*
 * Written under another name first, of which there is one a user: the right to
 * make boards is held, so what has it was left by one that was killed.
 */
static int
make_file(const struct sp_board *board, const struct sp_machine *machine)
{
	char prefix[48], draft[BOARD_PATH], path[BOARD_PATH];

	prefix_of(prefix, sizeof(prefix));
	snprintf(draft, sizeof(draft), "%s/%sdraft", FOLDER, prefix);
	path_of(board->name, path);
	unlink(draft);
	int fd = open(draft, OPENING | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -errno;
	int error = fchmod(fd, S_IRUSR | S_IWUSR) ? -errno : 0;	/* whatever the umask is */
	if (!error)
		error = write_parts(fd, &board->head, machine);
	if (!error && link(draft, path) != 0)
		error = -errno;
	unlink(draft);
	close(fd);
	return error;
}

int
sp_board_create(const char *job, uint32_t local_size, const struct sp_common *common, struct sp_board **board)
{
	struct sp_board made;
	const char *problem;

	if (local_size > RANKS_MAX)
		return -E2BIG;
	memset(&made, 0, sizeof(made));
	board_name(job, made.name);
	int error = fill_head(&made.head, job, local_size, common);
	if (!error)
		error = make_file(&made, common->machine);
	if (error)
		return error;
	error = sp_board_open(job, local_size, board, &problem);
	/* Another rank has come and gone meanwhile, and was the last on it. */
	return error == -ENOENT ? -ESTALE : error;
}

/* Other jobs. */

/* What a job that the launcher bound will have is known by its ranks' masks alone. */
static void
add_shares(int fd, const struct sp_board *board, struct sp_cpus *taken)
{
	bool bound = sp_cpus_empty(&board->head.claim);
	struct sp_seat seat;

	sp_cpus_or(taken, &board->head.claim);
	for (uint32_t rank = 0; rank < board->head.local_size; rank++) {
		if (read_seat(fd, board, rank, &seat) != 0)
			continue;
		if (seat.state >= SP_SEAT_SETTLED)
			sp_cpus_or(taken, &seat.share);
		else if (seat.state == SP_SEAT_HERE && bound)
			sp_cpus_or(taken, &seat.inherited);
	}
}

static void
visit(const char *name, struct sp_cpus *taken)
{
	struct sp_board *board;
	const char *problem;

	if (open_name(name, &board, &problem) != 0)
		return;
	int fd = reopen(board);
	bool alive = fd < 0 || is_alive(fd, board);
	if (fd >= 0 && alive && !board->head.dry_run)
		add_shares(fd, board, taken);
	if (fd >= 0)
		close(fd);
	if (!alive)
		remove_board(board, is_alive);
	sp_board_release(board);
}

int
sp_board_taken(const char *job, struct sp_cpus *taken)
{
	char prefix[48], own[NAME];
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	if (!folder)
		return -errno;
	prefix_of(prefix, sizeof(prefix));
	board_name(job, own);
	*taken = (struct sp_cpus){ 0 };
	for (int i = 0; i < ENTRIES_MAX && (entry = readdir(folder)); i++)
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && strcmp(entry->d_name, own) != 0)
			visit(entry->d_name, taken);
	closedir(folder);
	return 0;
}

/* Looking on. */

/* "splitpin-1000-0123456789abcdef"; not the lock, and not a draft. */
static bool
is_board_name(const char *name, uid_t *owner)
{
	unsigned number;
	int head = 0, end = 0;

	if (sscanf(name, "splitpin-%u-%n%*16[0-9a-f]%n", &number, &head, &end) != 1 ||
	    end != head + 16 || name[end] != '\0')
		return false;
	*owner = number;
	return true;
}

static bool
is_under_its_name(const struct sp_board *board)
{
	char sum[32];

	snprintf(sum, sizeof(sum), "-%016llx", (unsigned long long)sum_of_name(board->head.job));
	return strcmp(strrchr(board->name, '-'), sum) == 0;
}

static void
show_board(const char *name, uid_t owner, sp_board_visitor *visitor, void *data)
{
	struct sp_board_found found = { .name = name, .owner = owner };
	struct sp_board *board = NULL;

	found.error = open_name_of(name, owner, OPENING_TO_READ, &board, &found.problem);
	if (found.error == -ENOENT)
		return;
	if (board && !is_under_its_name(board)) {
		found.error = -EPROTO;
		found.problem = "it is of another job";
		sp_board_release(board);
		board = NULL;
	}
	if (board) {
		found.job = board->head.job;
		found.local_size = board->head.local_size;
		found.is_alive = board_is_alive(board);
	}
	visitor(&found, board, data);
	sp_board_release(board);
}

int
sp_board_each(const uid_t *owner, sp_board_visitor *visitor, void *data)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;
	uid_t its;

	if (!folder)
		return -errno;
	for (int i = 0; i < ENTRIES_MAX && (entry = readdir(folder)); i++)
		if (is_board_name(entry->d_name, &its) && (!owner || its == *owner))
			show_board(entry->d_name, its, visitor, data);
	closedir(folder);
	return 0;
}

/* The right to make a board: a lock on a file, which a killed holder loses. */

static int right = -1;		/* written by sp_board_begin and _end, which one thread calls */

static void
right_path(char path[BOARD_PATH])
{
	char prefix[48];

	prefix_of(prefix, sizeof(prefix));
	snprintf(path, BOARD_PATH, "%s/%slock", FOLDER, prefix);
}

/*
 * A umask may have made it so that not even its owner can open it.  One that
 * was killed before it could mend that has left it; the next makes another.
 */
static int
mend_right(const char *path)
{
	struct stat file;

	if (lstat(path, &file) != 0)
		return errno == ENOENT && faccessat(AT_FDCWD, FOLDER, W_OK | X_OK, AT_EACCESS) == 0 ? -EAGAIN : -EACCES;
	if (distrust_file(&file) || (file.st_mode & S_IRUSR && file.st_mode & S_IWUSR))
		return -EPROTO;
	return unlink(path) == 0 ? -EAGAIN : -EPROTO;
}

static int
open_right(const char *path)
{
	int fd = open(path, OPENING | O_CREAT, S_IRUSR | S_IWUSR);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case EACCES:
		return mend_right(path);
	case EAGAIN:
	case ELOOP:
	case EISDIR:
	case ENXIO:
		return -EPROTO;
	default:
		return -errno;
	}
}

/* 0, or -EAGAIN: somebody has it, or has just removed the file. */
static int
try_right(void)
{
	char path[BOARD_PATH];
	struct stat file;

	right_path(path);
	int fd = open_right(path);
	if (fd < 0)
		return fd;
	int error = fstat(fd, &file) != 0 || distrust_file(&file) ? -EPROTO : 0;
	if (!error && fchmod(fd, S_IRUSR | S_IWUSR) != 0)
		error = -errno;
	if (!error && (flock(fd, LOCK_EX | LOCK_NB) != 0 || !is_named(fd, path)))
		error = -EAGAIN;
	if (error)
		close(fd);
	else
		right = fd;
	return error;
}

void
sp_board_end(void)
{
	char path[BOARD_PATH];

	if (right < 0)
		return;
	right_path(path);
	if (is_named(right, path))
		unlink(path);
	close(right);
	right = -1;
}

/* Like sp_board_open; one on which nobody is left counts as none, and is removed by who has the right. */
static int
open_living(const char *job, uint32_t local_size, struct sp_board **board, const char **problem)
{
	int error = sp_board_open(job, local_size, board, problem);

	if (error || board_is_alive(*board))
		return error;
	if (right >= 0)
		remove_board(*board, is_alive);
	sp_board_release(*board);
	*board = NULL;
	return -ENOENT;
}

/* The one who had the right may have made it just before. */
static int
take_right(const char *job, uint32_t local_size, struct sp_board **board, const char **problem)
{
	int error = try_right();

	if (error) {
		*problem = error == -EPROTO ? "the lock beside it is not to be trusted" : NULL;
		return error;
	}
	error = open_living(job, local_size, board, problem);
	if (error == -ENOENT)
		return 0;
	sp_board_end();
	return error;
}

static uint64_t
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

int
sp_board_begin(const char *job, uint32_t local_size, uint32_t wait_ms,
	       struct sp_board **board, const char **problem)
{
	uint64_t end = now_us() + (uint64_t)wait_ms * 1000;
	long nap = FIRST_NAP_US;

	for (;;) {
		*board = NULL;
		int error = open_living(job, local_size, board, problem);
		if (error == -ENOENT)
			error = take_right(job, local_size, board, problem);
		if (error != -EAGAIN)
			return error;
		if (now_us() >= end)
			return -ETIME;
		usleep((useconds_t)nap);
		nap = nap * 2 < LAST_NAP_US ? nap * 2 : LAST_NAP_US;
	}
}
