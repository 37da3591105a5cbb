/*
 * The board: a small file in /dev/shm, one for each user, job and node,
 * through which the ranks of a job see each other.
 *
 * The rank that creates the board writes what is the same for all ranks (the
 * machine, what other jobs have, what this job takes) before the file gets its
 * name, so that a visible board is complete.  After that every rank writes only
 * its own seat.  The board is read and written as a file, not mapped: a
 * truncated file then causes an error instead of a signal.
 *
 * Nothing in the file is trusted: owner, mode, size, version and a checksum of
 * each part are checked at each reading.  The last rank that leaves removes the
 * file; files of killed jobs are removed when the next board is created.  All
 * waits are bounded, whoever holds a lock.
 *
 * All functions return 0 or a negative errno; -EPROTO: the file is not a valid
 * board of this user (*problem, where there is such an argument, says why in a
 * static text; NULL where the errno says it); -ESTALE: the board has been
 * removed since it was opened.
 */
#ifndef SP_BOARD_H
#define SP_BOARD_H

#include "board/plan.h"
#include "board/seat.h"
#include "cpus.h"
#include "decide/decide.h"
#include "decide/job_terms.h"
#include "decide/others.h"
#include "launcher/job.h"
#include "machine.h"

struct sp_board;

/* From what the kernel's description of the machine was read: where all of it is the same, so is the machine. */
struct sp_machine_source {
	uint64_t device, inode;	/* of the folder of CPUs in /sys; inode 0: the machine is none that others may take over */
	char online[112];	/* the list of CPUs in it */
};

/* What is the same for all ranks. */
struct sp_common {
	struct sp_cpus launcher;	/* the launcher's own mask; empty: it cannot be seen */
	const struct sp_machine *machine;
	struct sp_machine_source source;	/* of the machine; written by sp_board_create only */
	bool dry_run;		/* other jobs need not leave cores to this job */
	bool observe;		/* a dry run by SPLITPIN=observe */
	const struct sp_terms *terms;	/* the first terms, read by sp_board_create only; NULL: nothing is claimed */
	const uint32_t *need;		/* of each rank, as in struct sp_demand, or SP_NEED_FIXED; likewise; NULL: no need is known */
	const struct sp_plan *plan;	/* its cut is read by sp_board_create only, with need; NULL: each rank cuts by itself */
	const struct sp_policy *policy;	/* by which it was made; likewise */
};

/*
 * Open the board of a job.  -ENOENT: the job has no board yet.  Release with
 * sp_board_release, which does not touch the file.
 */
int sp_board_open(const char *job, uint32_t local_size, struct sp_board **board, const char **problem);

/*
 * Open the job's board, or take the lock with which one process of a job at a
 * time makes it.  Waits as long as the holder makes progress (idle_ms as for
 * sp_patience_begin); if the board appears meanwhile, opens the board and does
 * not take the lock.  A board of the same name whose ranks have all ended is
 * removed.  Where there is one rank there is no such lock.
 *
 * Returns 0: board is open, or, where it is NULL, the caller is to make it; -ETIME.
 */
int sp_board_begin(const char *job, uint32_t local_size, uint32_t idle_ms,
		   struct sp_board **board, const char **problem);

/*
 * Whether the calling process is the first of its job on this node to ask for
 * this message: for warnings that would be the same in every rank, and that
 * cannot be arranged through the board because the board may be what is wrong.
 * Every process counts as the first where the order cannot be found out, as
 * without a name of the job ("").  Ranks in network name spaces of their own do
 * not see each other.  Keeps a descriptor open.
 */
bool sp_board_is_first_to_say(const char *job, const char *message);

/*
 * Take the lock of all jobs of the user, under which one of them at a time
 * decides which cores it takes.  It is held for as little as can be: others
 * wait.  Who is stopped meanwhile loses it.  Returns 0 or -ETIME.
 */
int sp_board_lock_jobs(uint32_t idle_ms);

/*
 * Take that lock (job NULL), or the lock of a job whose board is opened, under
 * which one rank collects the facts of all, unless another process does meanwhile
 * what the lock was to be taken for: is_done is asked whenever the lock may have
 * been released (NULL: not at all).  -EALREADY: it is done, and the lock is not held.
 *
 *   processes  how many may wait at once
 *
 * A holder of a job's lock that waits in turn calls sp_board_go_on now and then,
 * so that those who wait for it, as patient as idle_ms says, see that it goes on.
 */
int sp_board_lock_unless(const char *job, uint32_t processes, uint32_t idle_ms, bool (*is_done)(void *data), void *data);
void sp_board_go_on(void);

/* How many boards are examined at most: more than a node has jobs.  Files that cannot be trusted do not count. */
#define BOARD_FILES_MAX 4096

/*
 * Collect what all jobs except the named one have.  A job does not count if
 * none of its processes can be seen, because they run, or were killed, in
 * another container; nor if one of its ranks has started the caller, or all have
 * been stopped.  The share of a single rank that was stopped is not taken.  If the
 * caller holds the lock of all jobs, what dead jobs have left is removed.  -E2BIG:
 * there are more boards than are examined; others is filled in from those that were.
 */
int sp_board_other_jobs(const char *job, struct sp_other_jobs *others);

/*
 * Visit the ranks of the jobs that count there: those whose state is SP_SEAT_HERE or
 * later, and that were not stopped.  Returns as sp_board_each.
 */
enum sp_visit {
	SP_VISIT_ON,
	SP_VISIT_NEXT_JOB,	/* no more ranks of this one */
	SP_VISIT_END,
};
typedef enum sp_visit sp_board_rank_visitor(const struct sp_seat *seat, void *data);
int sp_board_other_ranks(const char *job, sp_board_rank_visitor *visitor, void *data);

/*
 * The machine from another job of the user that has read it from the same source:
 * from the board of a job in this PID name space, or from one in any that is just
 * reading it: to discover it takes long on some, and longer where many do.  most_ms:
 * how long to wait for that one, whatever it does, but for the last nap.  *machine
 * is the caller's, to free().  -ENOENT: there is none; the caller discovers it and
 * then calls sp_board_tell_machine, for whose end others may wait (NULL: it cannot
 * be read).
 */
int sp_board_machine(const struct sp_machine_source *source, uint32_t most_ms, struct sp_machine **machine);
void sp_board_tell_machine(const struct sp_machine_source *source, const struct sp_machine *machine);

/*
 * Create the board; the caller holds the locks of the job and of all jobs.  The
 * file's space is allocated at once, so that later writes do not fail for lack
 * of space.  -E2BIG: too many ranks; -ESTALE: the caller has lost the lock, or
 * another rank has arrived, was the last to leave, and has removed the board.
 */
int sp_board_create(const char *job, uint32_t local_size, const struct sp_common *common,
		    struct sp_board **board);

/* Release both locks, as far as they are held. */
void sp_board_end(void);

/* Read what is the same for all ranks.  *machine is the caller's, to free(). */
int sp_board_common(struct sp_board *board, struct sp_common *common, struct sp_machine **machine);

/*
 * That and the current terms (NULL: not these), as sp_board_terms, with one opening
 * of the file.  *machine is the caller's also where the terms cannot be read.
 */
int sp_board_common_terms(struct sp_board *board, struct sp_common *common, struct sp_machine **machine,
			  struct sp_terms *terms, uint32_t need[]);

/*
 * The calling process takes the seat of its rank; from then on the board exists
 * as long as the process.  A process that has had the seat since before an exec
 * keeps the seat unchanged.  The process that is the rank itself takes the seat
 * over from an OpenMP program that the rank has started.  It counts as the rank
 * itself if it is an ancestor of that program, or calls MPI_Init
 * (SP_COMES_RANK) where the program has not.  Programs take the seat over from
 * the process that is the rank from its start only (struct sp_seat: keeper).
 *
 * -EBUSY: another living process has the seat; -ESTALE: the last process has
 * left and removed the board.
 */
enum sp_comer {
	SP_COMES_PROGRAM,	/* maybe a program that the rank has started */
	SP_COMES_RANK,
	SP_COMES_STARTED,	/* from its start, and nothing shows that it is parallel */
};
int sp_board_arrive(struct sp_board *board, uint32_t local_rank, enum sp_comer comer);

/* Whether the calling process has arrived at its seat, no process had it before, and nothing has been written there since. */
bool sp_board_came_first(const struct sp_board *board);

/* Whether the calling process has arrived at this seat. */
bool sp_board_is_own(const struct sp_board *board, const struct sp_seat *seat);

/*
 * Read what the process of a seat wrote last, with state LEFT if that process
 * has ended; -ENOENT: no process has ever had the seat.
 */
int sp_board_read(struct sp_board *board, uint32_t local_rank, struct sp_seat *seat);

/*
 * Read the enum sp_seat_state at the beginning of each seat, unchecked: the
 * rest of a seat need not be read again while its state is the same.  Seats for
 * which state[] has SP_SEAT_HERE or later are not read.  On an error state[] is
 * untouched.
 */
int sp_board_states(struct sp_board *board, uint32_t state[]);

/*
 * Write the seat at which this process has arrived; -EBUSY: another process has
 * the seat.  The inherited mask is written only with state HERE: a process that
 * wrote it again after exec would write its share instead.
 */
int sp_board_write(struct sp_board *board, uint32_t local_rank, const struct sp_seat *seat);

/*
 * Read the current terms, and the need of each rank (room for local_size needs,
 * or NULL).  -EPROTO: the terms are damaged.
 */
int sp_board_terms(struct sp_board *board, struct sp_terms *terms, uint32_t need[]);

/*
 * Read the cut that whoever decided made for all ranks, if it was made for
 * these CPUs, this policy (asked->cut is not read) and the needs of all ranks:
 * its owners, one for each of the n CPUs of the board's machine, and its
 * figures.  -ENOENT: none was, or for a machine of other CPUs; -EPROTO: it is
 * damaged; owner is undefined then.
 */
int sp_board_cut(struct sp_board *board, const struct sp_common_cut *asked, const uint32_t need[],
		       uint32_t owner[], uint32_t n, struct sp_cut *cut);

/*
 * Replace the plan, one record that others see as it was or as it will be.
 *
 *   terms, need     of all ranks, in place of those of generation terms->generation, which
 *                   is the new generation on success; NULL: they stay
 *   decision, part  how the ranks divide their masks, one part for each: the first decision holds
 *                   for good; NULL: as it was
 *
 * -EEXIST: the terms are of another generation, or there is a decision;
 * -ESTALE: the caller held the lock of all jobs, and has lost it.
 */
int sp_board_revise(struct sp_board *board, struct sp_terms *terms, const uint32_t need[], const struct sp_decision *decision,
		    const struct sp_part part[]);

/* The same with all that was decided, and by which policy: where the plan has a cut for all ranks, none need cut by itself. */
int sp_board_revise_all(struct sp_board *board, struct sp_plan *plan, const struct sp_policy *policy, const struct sp_decision *decision);

/*
 * Read the decision, and the rank's part of it, or the parts of all ranks; -ENOENT: there is no decision yet.
 * From the same plan, also on -ENOENT, the terms as sp_board_terms; NULL: not these.
 */
int sp_board_decision(struct sp_board *board, uint32_t local_rank, struct sp_decision *decision, struct sp_part *part,
		      struct sp_terms *terms, uint32_t need[]);
int sp_board_parts(struct sp_board *board, struct sp_decision *decision, struct sp_part part[]);

/* Read the group of each rank's part; valid once there is a decision.  Not checked. */
int sp_board_groups(struct sp_board *board, uint32_t group[]);

/* What one process of the job does for all on this node. */
enum sp_first {
	SP_FIRST_REPORT,	/* reports on the node */
	SP_FIRST_OVERLAP,	/* warns of another job on the same CPUs */
	SP_FIRST_CROWD,		/* warns of threads that crowd a core */
	SP_FIRST_SPARE,		/* searches all seats for cores that were left idle */
};

/* True for the first process that asks; false for all others, and where the board cannot be written. */
bool sp_board_is_first(struct sp_board *board, enum sp_first what);

/* Whether some process has asked. */
bool sp_board_had_first(struct sp_board *board, enum sp_first what);

/*
 * Whether another process of the job has released, within so many milliseconds,
 * the pinned threads of the user's other jobs, of which there may be hundreds.
 * False: the caller is to do it, and others are told that it has; false for all
 * where the board cannot be written.  A process that is killed meanwhile leaves
 * threads pinned, at most until a rank asks again after that time.
 */
bool sp_board_is_released(struct sp_board *board, uint32_t ms);

/*
 * Mark the terms as stale, since a rank announces another number of threads than
 * they have: they are computed again once all ranks have come.  To be called
 * before MPI_Init.
 */
void sp_board_mark_stale(struct sp_board *board);
bool sp_board_is_stale(struct sp_board *board);

/*
 * Count on the board of another job of the user, on a visit (sp_board_each), that
 * threads which its ranks have pinned are being released.  sp_board_releases: how often
 * that was, on the own board; 0 also where it cannot be read.
 */
void sp_board_count_release(const struct sp_board *board);
uint64_t sp_board_releases(struct sp_board *board);

/*
 * Whether the ranks' lists of GPUs decide where ranks are placed.  The first
 * call on a board decides for all: yes, if all lists are on the board
 * (all_told).  *first: whether this was that call.  False, too, where the board
 * cannot be written.
 */
bool sp_board_use_gpus(struct sp_board *board, bool all_told, bool *first);

/* Whether that first call lacked some of the lists: no rank need wait for these any more. */
bool sp_board_gave_gpus_up(struct sp_board *board);

/*
 * Count n more ranks as ready: the calling rank, once, or ranks that will never
 * report.  Returns how many are ready now; 0: the board cannot be written.
 */
uint32_t sp_board_count_ready(struct sp_board *board, uint32_t n);

/* To be called before the next function: the calling process's first thread may run on this CPU alone. */
void sp_board_note_bound(struct sp_board *board, uint32_t cpu);

/*
 * Mark the own seat as left, by a process that had this many threads (0: not
 * known, up to 65535), and remove the file if all processes have left.
 */
void sp_board_leave(struct sp_board *board, uint32_t local_rank, uint32_t threads);

void sp_board_release(struct sp_board *board);

/* Begins the name of a dry run's job, which is thereby another than that of the job itself. */
#define SP_DRY_RUN "dry run of "

/* Whether one of the board's ranks is alive, or the process that created it, whose other ranks may not have started yet. */
bool sp_board_is_alive(const struct sp_board *board);

/* Remove the file of an opened board that is not alive, which is checked again under its lock. */
void sp_board_remove_dead(const struct sp_board *board);

/* A board that was found, for commands that only observe. */
struct sp_board_found {
	const char *name;	/* name of the file in /dev/shm */
	uid_t owner;		/* the user in the file's name */
	int error;		/* 0, or the error of sp_board_open; -EACCES: the file may not be read */
	const char *problem;	/* as for sp_board_open */
	/* Without an error: */
	const char *job;
	uint32_t local_size;
	bool dry_run;		/* its shares were decided, not applied */
	pid_t maker;		/* the process that created it; 0: it has ended, or cannot be seen */
};

/* board is NULL on an error.  The visitor may call sp_board_read, sp_board_common and sp_board_is_alive, but nothing that writes, except sp_board_count_release. */
typedef void sp_board_visitor(const struct sp_board_found *found, struct sp_board *board, void *data);

/*
 * Visit the boards of a user, or of all users where owner is NULL, without
 * changing anything.  found and board are valid during the visit only.  Returns
 * 0, -E2BIG where there are more boards than are examined, or another negative
 * errno where /dev/shm cannot be listed.
 */
int sp_board_each(const uid_t *owner, sp_board_visitor *visitor, void *data);

#endif
