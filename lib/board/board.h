/*
 * The board: a small file in /dev/shm, one for each user, job and node,
 * through which the ranks of a job see each other.
 *
 * The rank that makes it writes what is the same for all (the machine, what
 * other jobs have, what this one takes) before the file gets its name, so that
 * a board that can be seen is complete.  After that every rank writes its own
 * seat alone.  It is read and written as a file, not mapped: a file that is
 * cut short is then an error and no signal.
 *
 * Nothing in it is trusted: owner, mode, size, version and a sum over each
 * part are checked at each reading.  The last rank that leaves removes it;
 * what killed jobs left is removed when the next board is made.  Nothing here
 * waits without an end, whoever holds a lock.
 *
 * All functions return 0 or a negative errno; -EPROTO: what lies there is not
 * a board of ours (problem, where there is such an argument, says why in a
 * static text; NULL where the errno says it); -ESTALE: the board that was
 * opened has been removed.
 */
#ifndef SP_BOARD_H
#define SP_BOARD_H

#include "board/decision.h"
#include "board/job_terms.h"
#include "board/seat.h"
#include "cpus.h"
#include "launcher/job.h"
#include "machine.h"

struct sp_board;

/* What is the same for all ranks. */
struct sp_common {
	struct sp_cpus launcher;	/* the launcher's own mask; empty: it cannot be seen */
	const struct sp_machine *machine;
	bool dry_run;		/* other jobs need leave nothing to this one */
	const struct sp_terms *terms;	/* the first, for sp_board_create alone; NULL: nothing is claimed */
	const uint32_t *need;		/* of each rank, as in struct sp_demand, or SP_NEED_FIXED; likewise; NULL: of none known */
};

/*
 * Open the board of a job.  -ENOENT: there is none yet.  Release with
 * sp_board_release, which leaves the file alone.
 */
int sp_board_open(const char *job, uint32_t local_size, struct sp_board **board, const char **problem);

/*
 * Only one process of a user makes boards at a time: take the creation lock,
 * waiting as long as its holder gets on (idle_ms as for sp_patience_begin), and
 * looking whether the board of the job has come meanwhile (then it is opened and
 * the lock is not taken).  A board of that name on which nobody is left is removed.
 *
 * Returns 0: board is open, or, where it is NULL, the creation lock is held; -ETIME.
 */
int sp_board_begin(const char *job, uint32_t local_size, uint32_t idle_ms,
		   struct sp_board **board, const char **problem);

/*
 * Whether the calling process is the first of its job on this node to ask for
 * this message: for a warning that all its ranks may have to give, and where the
 * board may be what is wrong.  Where that cannot be told, as without a name of
 * the job (""), each is.  Ranks in network name spaces of their own do not see
 * each other.  Keeps a descriptor open.
 */
bool sp_board_speaks_first(const char *job, const char *message);

/* The creation lock alone, for a job that has its board and decides what it takes.  Returns as sp_board_begin. */
int sp_board_lock_jobs(uint32_t idle_ms);

/* Boards that are looked at, more than a node has jobs; what cannot be trusted does not count. */
#define BOARD_FILES_MAX 4096

/* What other living jobs of the user have on this node. */
struct sp_other_jobs {
	struct sp_cpus taken;	/* the cores that they claim */
	uint32_t jobs;		/* how many there are, from 0; dry runs are none */
	uint64_t threads;	/* of all their ranks, as in struct sp_terms */
	bool are_anywhere;	/* one of them divides nothing: its threads may be on any core */
};

/*
 * Look at all jobs but the named one.  Those of which no process can be seen,
 * since they are in a container beside this one, or were killed in it, do not
 * count, nor does one of which a rank has started the caller.  Where the creation lock is held boards of dead jobs are removed.
 * -E2BIG: there are more boards than are looked at; others has what was found.
 */
int sp_board_other_jobs(const char *job, struct sp_other_jobs *others);

/*
 * Make the board; under the creation lock.  All of its room is taken at once, so
 * that later writing does not fail for want of it.  -E2BIG: too many ranks; -ESTALE:
 * another rank has come, was the last to leave, and has removed it.
 */
int sp_board_create(const char *job, uint32_t local_size, const struct sp_common *common,
		    struct sp_board **board);

/* Release the creation lock. */
void sp_board_end(void);

/* The machine is the caller's, to free(). */
int sp_board_common(struct sp_board *board, struct sp_common *common, struct sp_machine **machine);

/*
 * The calling process takes the seat of its rank; from then on, and as long as
 * it lives, the board stays.  A process that has the seat already, from before
 * an exec, keeps it as it is.  One that is the rank itself takes it from an
 * OpenMP program that the rank has started: an ancestor of that process, or one
 * that calls MPI_Init (is_rank) where the other has not.
 *
 * -EBUSY: another living process has it; -ESTALE: nobody was there any more,
 * and the last has removed the board.
 */
int sp_board_arrive(struct sp_board *board, uint32_t local_rank, bool is_rank);

/* Whether the calling process has arrived at this seat. */
bool sp_board_is_own(const struct sp_board *board, const struct sp_seat *seat);

/* What a seat's process wrote last, of state LEFT if that has ended; -ENOENT: nobody ever had it. */
int sp_board_read(struct sp_board *board, uint32_t local_rank, struct sp_seat *seat);

/*
 * What stands at the beginning of each seat, an enum sp_seat_state, unchecked: where
 * it is as before the rest need not be read again.  Those of which state[] has
 * SP_SEAT_HERE or later are not looked at.  On an error state[] is as it was.
 */
int sp_board_states(struct sp_board *board, uint32_t state[]);

/*
 * Write the seat at which this process has arrived; -EBUSY: it is another's.
 * The mask as inherited is written with state HERE alone: a process that
 * writes that again after exec has its share as its mask.
 */
int sp_board_write(struct sp_board *board, uint32_t local_rank, const struct sp_seat *seat);

/*
 * The terms that hold now, and the need of each rank (room for local_size of
 * them, or NULL).  -EPROTO: they are damaged.
 */
int sp_board_terms(struct sp_board *board, struct sp_terms *terms, uint32_t need[]);

/*
 * Replace the terms of terms->generation by these.  -EEXIST: others hold by now;
 * on success terms->generation is that of the new ones.
 */
int sp_board_revise(struct sp_board *board, struct sp_terms *terms, const uint32_t need[]);

/*
 * A rank announces other threads than the terms say: they are to be computed again
 * once all ranks have come.  To be called before MPI_Init.
 */
void sp_board_note_unlike(struct sp_board *board);
bool sp_board_is_unlike(struct sp_board *board);

/*
 * One rank looks at all others, which are many, until it can decide; the others
 * watch the board.
 */
struct sp_looker {
	struct sp_process process;	/* pid 0: it has given that up */
	uint64_t looks;			/* of all lookers so far: more, as long as one is at it */
	uint64_t known;			/* ranks whose masks it has seen so far */
};

/*
 * Which it is; -EALREADY: there is a decision; -ENOENT: none, or this process; or
 * another negative errno: it cannot be told.
 */
int sp_board_looker(struct sp_board *board, struct sp_looker *looker);

/*
 * Become it.  -EBUSY: another has become it, or looked again, since there were
 * so many looks (0: none so far).  On other errors look all the same.
 */
int sp_board_look(struct sp_board *board, uint64_t looks);

/* To be called by the looker at each look, after which it knows so many ranks' masks, and when it ends without a decision. */
void sp_board_looks_on(struct sp_board *board, uint32_t known);
void sp_board_looks_away(struct sp_board *board);

/*
 * Decide for all ranks: the first call on a board holds.  part: one a rank.
 * Returns 0; -EEXIST: another rank has decided, see sp_board_decision; or
 * another negative errno: it is not known what holds.
 */
int sp_board_decide(struct sp_board *board, const struct sp_decision *decision, const struct sp_part part[]);

/* The decision that holds, and the rank's part of it; -ENOENT: there is none so far. */
int sp_board_decision(struct sp_board *board, uint32_t local_rank, struct sp_decision *decision, struct sp_part *part);

/* Of each rank's part the group; read when there is a decision.  Not checked. */
int sp_board_groups(struct sp_board *board, uint32_t group[]);

/*
 * True for the first process that asks: it reports on the node.  False for the
 * others, and where the board cannot be written.
 */
bool sp_board_become_reporter(struct sp_board *board);
bool sp_board_is_reported(struct sp_board *board);

/* The same for the process that warns of another job on the same CPUs. */
bool sp_board_become_overlap_reporter(struct sp_board *board);

/* And for the one that warns of threads that crowd. */
bool sp_board_become_crowd_reporter(struct sp_board *board);

/* And for the one that looks at all seats for cores that were left idle. */
bool sp_board_become_spare_finder(struct sp_board *board);

/*
 * Whether the ranks' lists of GPUs decide where they are placed: the first
 * call holds, which knows whether all lists are on the board.  *first: it was
 * this call.  False, too, where the board cannot be written.
 */
bool sp_board_use_gpus(struct sp_board *board, bool all_told, bool *first);

/* Whether the call that holds did not have them all: nobody need wait for them any more. */
bool sp_board_gave_gpus_up(struct sp_board *board);

/*
 * Count so many ranks as ready: the calling one, once, or those that will never
 * say so.  Returns how many are so now; 0: the board cannot be written.
 */
uint32_t sp_board_count_ready(struct sp_board *board, uint32_t n);

/* Mark the own seat as left, by a process of so many threads (0: not known), and remove the file if nobody is there any more. */
void sp_board_leave(struct sp_board *board, uint32_t local_rank, uint32_t threads);

void sp_board_release(struct sp_board *board);

/* A board that lies there, for those who look on. */
struct sp_board_found {
	const char *name;	/* of the file in /dev/shm */
	uid_t owner;		/* as its name says */
	int error;		/* 0, or what sp_board_open would return; -EACCES: it may not be read */
	const char *problem;	/* as for sp_board_open */
	/* Without an error: */
	const char *job;
	uint32_t local_size;
	bool is_alive;		/* one of its ranks is there, or what made it */
};

/* board is NULL on an error; sp_board_read and sp_board_common may be used, and nothing that writes. */
typedef void sp_board_visitor(const struct sp_board_found *found, struct sp_board *board, void *data);

/*
 * Visit the boards of a user, of all users where owner is NULL, without
 * changing anything.  What found and board point to is valid during the visit.
 * Returns 0, -E2BIG where there are more than are looked at, or another negative errno where /dev/shm cannot be listed.
 */
int sp_board_each(const uid_t *owner, sp_board_visitor *visitor, void *data);

#endif
