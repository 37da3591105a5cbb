/*
 * Shared by the files of the board: the layout of its file, and the checked
 * ways to access it.  Private to lib/board.
 *
 *   head      what the file is, and of which job
 *   reporter  whether a process has claimed to report on the node
 *   shared    whether a process has claimed to warn of another job on the same CPUs
 *   crowded   whether a process has claimed to warn of threads that crowd a core
 *   ready     how many ranks have returned from MPI_Init
 *   plan      the generation of the current plan
 *   spare     whether a process has claimed to search for cores that were left idle
 *   stale     whether a rank announces another number of threads than the terms have
 *   releases  how often other jobs have counted that they release pinned threads of this one
 *   releaser  when a process last began to release those of the others while ranks settle, in milliseconds since the start of the system
 *   seats     one for each rank, written by that rank alone
 *   parts     of the decision, one for each rank: written before the plan that has the decision
 *   copies    two of the plan: that of the current generation is never written, the other is for the next one
 *   machine   the node's CPUs
 *
 * Head, seats, plan and machine carry a checksum, which a reader checks: a part that
 * is being written counts as not there yet.
 *
 * Locks: a process that takes a seat locks the seat, a process that removes the
 * board locks the whole file, and a process that writes a word locks that
 * word.  So no seat is taken on a board that is about to be removed, and two
 * processes never have the same seat.  A process that leaves does not wait for
 * one that removes the board.
 *
 * Functions return 0 (or a descriptor) or a negative errno, as board.h has it.
 */
#ifndef SP_BOARD_FILE_H
#define SP_BOARD_FILE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "board/board.h"
#include "process/mount.h"
#include "process/patience.h"

#define BOARD_FOLDER SP_SHM
#define BOARD_MAGIC "splitpin"
#define BOARD_VERSION 23
#define BOARD_RANKS_MAX SP_CPUS_MAX	/* with more there is no CPU for each */
#define BOARD_ENTRIES_MAX (1 << 24)	/* of BOARD_FOLDER, as a tmpfs of 128 GB holds: some seconds, also where it never ends (Linux 6.6 while files are renamed) */
#define BOARD_NAME 96		/* room for the name of a file in BOARD_FOLDER */
#define BOARD_PATH (BOARD_NAME + sizeof(BOARD_FOLDER))	/* and for its path: PATH_MAX is a quarter of a small thread's stack */

/* O_NONBLOCK: opening a fifo, or a file on which somebody holds a lease, would wait. */
#define BOARD_OPENING (O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
#define BOARD_MODE (S_IRUSR | S_IWUSR)	/* whatever the umask makes of it */
#define BOARD_READING ((BOARD_OPENING & ~O_ACCMODE) | O_RDONLY)

struct sp_board_head {
	char magic[8];
	uint32_t version;
	uint32_t seat_size, pu_size;	/* differ on a board of another build, which is not read */
	uint32_t local_size;
	uint32_t ncpus;
	uint32_t dry_run;	/* 0, 1, or */
#define BOARD_OBSERVED 2
	uint32_t head_size, part_size, plan_size, no_gap_either;
	struct sp_process maker;
	char job[SP_JOB_NAME];
	struct sp_cpus launcher;
	struct sp_cpus gpu_memory, far_memory;	/* NUMA nodes, as in struct sp_machine */
	struct sp_gpus gpus;
	uint32_t no_gap;	/* fills a gap, on whose content the checksum would depend */
	struct sp_machine_source source;
	uint64_t machine_sum;
	uint64_t sum;
};

struct sp_written_seat {
	struct sp_seat seat;
	uint64_t sum;
};

_Static_assert(sizeof(struct sp_written_seat) == sizeof(struct sp_seat) + sizeof(uint64_t) &&
	       sizeof(struct sp_seat) == 7 * sizeof(uint32_t) + 2 * sizeof(uint16_t) + 2 * sizeof(struct sp_process) + 5 * sizeof(struct sp_cpus) +
	       sizeof(uint64_t) + sizeof(struct sp_gpu_list) + SP_SEAT_MEMORY + SP_WHY,
	       "no gaps, whose content a sum would depend on");

/*
 * An open board.  No descriptor is kept once a rank has arrived: in a program that
 * closes all descriptors and opens its own, splitpin would write into the program's file.
 */
struct sp_board {
	dev_t device;
	ino_t inode;
	int fd;			/* as it was opened, until the process arrives; -1: none */
	struct sp_board_head head;
	struct sp_process self;	/* the calling process once it has arrived, ... */
	uint32_t seat;		/* ... and where */
	bool is_first;		/* nobody had the seat before, and nothing else is written there */
	uint16_t bound;		/* for that seat when it leaves */
	struct sp_written_plan *plan;	/* as it was read with what is common; NULL: it was not */
	char path[BOARD_PATH];
	uid_t owner;
	int opening;		/* flags of open(2): an observer does not open it for writing */
};

/* The words that one rank writes for all; all zero at first. */
struct sp_board_words {
	uint64_t reporter, ready, shared, gpus, crowded, spare, plan, stale, releases, releaser;
};

#define BOARD_WORD_AT(word) ((off_t)(sizeof(struct sp_board_head) + offsetof(struct sp_board_words, word)))
#define BOARD_SEATS_AT ((off_t)(sizeof(struct sp_board_head) + sizeof(struct sp_board_words)))
#define BOARD_SEAT_SIZE ((off_t)sizeof(struct sp_written_seat))

static inline off_t
sp_board_seat_at(uint32_t rank)
{
	return BOARD_SEATS_AT + (off_t)rank * BOARD_SEAT_SIZE;
}

static inline off_t
sp_board_part_at(const struct sp_board_head *head, uint32_t rank)
{
	return sp_board_seat_at(head->local_size) + (off_t)rank * (off_t)sizeof(struct sp_part);
}

/* A copy of the plan begins with this; the needs, the groups (of each rank the first that divides the same part), the owner of each CPU by the cut, and a checksum follow. */
struct sp_written_plan {
	uint64_t generation;
	struct sp_terms terms;
	struct sp_decision decision;	/* what 0: there is none yet */
	uint64_t is_cut;
	struct sp_common_cut cut;
};

/* Words of 4 bytes, as many as fill words of 8. */
static inline size_t
sp_board_even(uint32_t n)
{
	return ((size_t)n + 1) / 2 * 2;
}

static inline size_t
sp_board_plan_size(const struct sp_board_head *head)
{
	return sizeof(struct sp_written_plan) + (2 * sp_board_even(head->local_size) + sp_board_even(head->ncpus)) * sizeof(uint32_t) + sizeof(uint64_t);
}

static inline off_t
sp_board_plan_at(const struct sp_board_head *head, uint64_t generation)
{
	return sp_board_part_at(head, head->local_size) + (off_t)(generation % 2 * sp_board_plan_size(head));
}

static inline off_t
sp_board_machine_at(const struct sp_board_head *head)
{
	return sp_board_plan_at(head, 0) + 2 * (off_t)sp_board_plan_size(head);
}

static inline off_t
sp_board_size(const struct sp_board_head *head)
{
	return sp_board_machine_at(head) + (off_t)(head->ncpus * sizeof(struct sp_pu));
}

/* file.c */

/*
 * Checksum: FNV-1a over words of 8 bytes, the last padded with zeros; of four
 * words in a row each has a sum of its own, and these are summed.  Detects torn
 * or foreign contents; not forged ones, which only the file's owner could
 * write.
 */
uint64_t sp_board_sum(const void *data, size_t size);

/* -EPROTO: the file is shorter. */
int sp_board_read_at(int fd, void *data, size_t size, off_t at);
/* Give an empty file this size, of zeros, and all of its space.  False: it stays empty; to write the zeros may do. */
bool sp_board_allocate(int fd, off_t size);
/* -EFBIG where a limit of file sizes would otherwise cause a signal. */
int sp_board_write_at(int fd, const void *data, size_t size, off_t at);

/* "splitpin-UID-", with which all of the user's files in BOARD_FOLDER begin. */
#define BOARD_PREFIX 48
void sp_board_prefix(char prefix[BOARD_PREFIX]);
void sp_board_name(const char *job, char name[BOARD_NAME]);
void sp_board_path(const char *name, char path[BOARD_PATH]);

/*
 * Each of these files may have one of a few names, its own and that with ".1"
 * and so on behind it, in case another user holds some of them.  Replace the
 * first by the one that is to be used: the first that is this user's, else the
 * first that nobody has; all of this user's processes choose alike.  Where
 * others hold them all, the path stays.
 */
#define BOARD_NAMES 8
void sp_board_choose_name(char path[BOARD_PATH]);

/*
 * Whether none of this user's files had one of the others when the names in
 * BOARD_FOLDER were read, just now: one look then chooses.  Until sp_board_end, or a wait
 * for a lock.
 */
void sp_board_note_numbers(bool has_none);

/* Whether this, behind a name, makes one of the others. */
bool sp_board_is_number(const char *rest);

/* Whether the open file still has this path. */
bool sp_board_is_named(int fd, const char *path);

/*
 * Remove the open file, whose lock the caller holds, if it still has this
 * path.  A system call that fails once is repeated, so that no file is left
 * behind.
 */
void sp_board_remove(int fd, const char *path);

/*
 * Lock size bytes, 0: the whole file.  The lock is released when the file is
 * closed or the process dies.  Gives up after half a second.
 */
int sp_board_lock(int fd, off_t at, off_t size);

/* Why a file cannot be trusted to be this user's, as a static text; NULL: it can. */
const char *sp_board_distrust(const struct stat *file, uid_t owner);

/* Whether an error comes from the calling process, which is short of memory or descriptors, and not from the file. */
bool sp_board_is_process_error(int error);

/* Open a file of this name as a board, of any job; opening: flags of open(2).  Release with sp_board_release. */
int sp_board_open_name(const char *name, uid_t owner, int opening, struct sp_board **board, const char **problem);

/* The same, and returns the file's descriptor, the caller's to close. */
int sp_board_open_file(const char *name, uid_t owner, int opening, struct sp_board **board, const char **problem);

/*
 * Open the board's file again, the caller's to close, if its name still belongs
 * to the file that was examined; else -ESTALE.
 */
int sp_board_reopen(const struct sp_board *board);

/* The same, with the descriptor with which it was opened, if that is still there: then it is the caller's. */
int sp_board_take_open(struct sp_board *board);

/* As sp_board_reopen, to open it in another way (open(2)). */
int sp_board_reopen_as(const struct sp_board *board, int opening);

/* seats.c: as sp_board_read and sp_board_write, for an open file and any rank; activity: of its process, if that can be seen and is not the own one; else all 0. */
int sp_seat_read(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat);
int sp_seat_look(int fd, const struct sp_board *board, uint32_t rank, struct sp_seat *seat, struct sp_activity *activity);
/* As sp_seat_threads, where it is known what the process is doing. */
uint32_t sp_seat_threads_of(const struct sp_seat *seat, const struct sp_activity *activity);
int sp_seat_write(int fd, uint32_t rank, const struct sp_seat *seat);

/* Mark the own seat as left, as sp_board_leave. */
int sp_seat_leave(struct sp_board *board, uint32_t local_rank, uint32_t threads);

/*
 * plan.c: fill in the first plan, sp_board_plan_size bytes of zeros; read the current one, the caller's
 * to free; and take the terms and needs (NULL: not these) from it.
 */
void sp_plan_begin(const struct sp_board_head *head, const struct sp_common *common, struct sp_written_plan *plan);
int sp_plan_read(int fd, const struct sp_board_head *head, struct sp_written_plan **plan);
void sp_plan_terms(const struct sp_board_head *head, struct sp_written_plan *plan, struct sp_terms *terms, uint32_t need[]);

/* other_jobs.c */

/*
 * Called for each name in BOARD_FOLDER.  Returns whether the file counts: it is
 * of the kind that is sought, and belongs to the user in its name.
 */
typedef bool sp_board_file_visitor(const char *name, void *data);

/*
 * Visit the files of BOARD_FOLDER, by their names.  Other users may have filled
 * the folder: files that are not sought do not count towards the limit, so that
 * they hide no board.  Returns 0, -E2BIG where there are more files than are
 * examined, or another negative errno where the folder cannot be listed.
 */
int sp_board_each_file(sp_board_file_visitor *visitor, void *data);

/* Whether a name is that of a board, as "splitpin-1000-0123456789abcdef" and that with ".1" behind, and not that of the lock or of a draft. */
bool sp_board_is_name(const char *name, uid_t *owner);

/* lock.c */

/* As the name of a job: the lock whose holder reads the machine for others. */
extern const char BOARD_OF_MACHINE[];

/* Open the file of a lock, to read it, the caller's to close; -1: nobody holds it. */
int sp_board_open_lock(const char *job);

/* Who holds it is at the beginning of the file, and fits into this; what is behind is the holder's. */
#define BOARD_HOLDER_SIZE 64

/* The file of a lock that this process holds, or -1; and give it back. */
int sp_board_held_lock(const char *job);
void sp_board_unlock(const char *job);

/* The end of the name of a lock's file: that of all jobs of the user, or that of one job. */
#define BOARD_LOCK "-lock"

/*
 * Nap until the holder may have released the lock of a job, or of all jobs of the
 * user (NULL); one that has ended or was stopped, and can be seen, loses it.
 * Returns as sp_patience_nap;
 * sp_patience_end is to be called at last.
 */
bool sp_board_wait_for_lock(const char *job, struct sp_patience *patience);

/* Whether this process holds the lock of all jobs, */
bool sp_board_holds_lock(void);

/* and was stopped meanwhile, so that others have taken it: what it has seen of them may be no longer so. */
bool sp_board_has_lost_lock(void);

#endif
