/*
 * The one state of a rank's process.  engine.c owns it; steps.c fills it in.
 */
#ifndef SP_STATE_H
#define SP_STATE_H

#include <pthread.h>

#include "engine.h"
#include "node/join.h"
#include "report/lasting.h"
#include "report/node.h"
#include "settings/config.h"
#include "settings/omp_env.h"
#include "share/membind.h"
#include "share/share.h"
#include "threads/drift.h"
#include "threads/guard.h"
#include "threads/native_entries.h"
#include "threads/workers.h"

struct sp_state {
	struct sp_rank rank;
	struct sp_who who;
	_Atomic uint32_t warnings;	/* of this process; who counts them here */
	struct sp_config config;
	struct sp_lasting lasting;
	struct sp_omp_env omp_env;
	struct sp_cpus inherited, allowed;
	struct sp_cpus before;		/* the share of the rank from its start, in an earlier program of this process; empty: there was none */
	struct sp_joined joined;
	struct sp_gpu_list gpus;	/* the GPUs that this rank sees, as indexes into those of joined.machine */
	struct sp_rank_share found;
	const struct sp_cpus *_Atomic share;	/* the current CPUs of this process; earlier values stay readable */
	const struct sp_cpus *_Atomic unpinned;	/* where threads may run that are not pinned: all CPUs that they could use without splitpin */
	_Atomic uint32_t most_wanted;	/* the most threads for which cores were searched */
	struct {
		_Atomic uint32_t threads, changes;	/* sp_slots_wanted and sp_slots_changes when the board was read last (sp_state_heed_release); 0: a thread has ended since */
		uint64_t releases;	/* sp_board_releases, that has been heeded; written under `changing` */
		bool is_stopped;	/* for that no thread is pinned */
	} heeded;
	_Atomic uint32_t helpers;	/* threads that MPI_Init has made */
	_Atomic bool has_many_threads;	/* more than cores, so that those that are not OpenMP workers have left the share */
	uint32_t claims;		/* threads for which it has claimed cores since it settled; 0: as announced */
	pthread_mutex_t changing;	/* held while the share is replaced */
	struct sp_membind membind;
	bool has_noted_membind;		/* the missing memory policy was reported: once, though the share may change */
	struct sp_workers *workers;
	struct sp_native native;
	_Atomic bool leaves_places;	/* new threads of a runtime that binds them may be outside the share: a team had too few places */
	_Atomic bool binds_natively;	/* the runtime has been given places to which it binds threads */
	struct sp_changes changes;	/* recorded changes of masks by calls through libc */
	struct sp_guard *guard;		/* NULL: SPLITPIN_GUARD=off */
	pid_t pid;			/* the process that settled; differs from that of a forked child */
	bool is_ready;			/* ready() was called; with a PMPI tool both MPI_Init and PMPI_Init call it */
	bool is_settled;		/* it has its share */
	bool has_grown;			/* the share has grown for a larger team, or is all CPUs, so it is not replaced when all ranks have come */
	enum sp_by by;			/* the hook that was called first */
};

/* Whether this process is the rank itself, and not another process, which found the rank's seat taken. */
static inline bool
sp_state_is_rank(const struct sp_state *self)
{
	return !self->found.child_of;
}

/* Whether there is a board, and the rank's seat on it is this process's. */
static inline bool
sp_state_has_seat(const struct sp_state *self)
{
	return self->joined.board && sp_state_is_rank(self);
}

/*
 * Read settings and masks, join the other ranks, find the share and put every
 * thread of the process on it.  Returns as the engine's settle (include/engine.h).
 */
int sp_state_settle(struct sp_state *self, const struct sp_rank *rank, enum sp_by by, char *const environment[]);

/* Of whom a message holds, so that one of them says it. */
enum sp_scope {
	SP_OF_JOB,	/* of all ranks on all nodes, as what follows from the environment: the job's first rank */
	SP_OF_NODE,	/* of all ranks of the node: its first one */
	SP_OF_RANKS,	/* of one rank or of all: the first to find it (sp_board_is_first_to_say); with SPLITPIN_DEBUG each */
};

/*
 * Whether this process is to say what it has found: the message, or a key of it.
 * Of job and node false where the process that is the rank from its start has
 * said it.  environment: NULL where the rank has joined the others and the scope is SP_OF_RANKS.
 */
bool sp_say_once(const struct sp_state *self, char *const environment[], enum sp_scope scope, const char *key);

/* What the rank knows when it looks for a share; points into the state. */
struct sp_situation sp_state_situation(struct sp_state *self, char *const environment[]);

/* The same as reports take it; points into the state, too. */
struct sp_node sp_state_node(const struct sp_state *self);

/*
 * To be called when all ranks have come: find the share again from the needs of
 * all ranks, move the process to it if it has changed, and write on the board
 * that the rank is ready.
 */
void sp_state_renew_share(struct sp_state *self);

/* The number of threads for which the rank has claimed cores; 0 or SP_NEED_FIXED: for all of its share. */
uint32_t sp_state_claimed(const struct sp_state *self);

/*
 * To be called when threads have come: if they want more cores (sp_slots_wanted) than
 * the rank has claimed, claim unclaimed ones, and move to them.  Cores are searched for
 * only once for each larger number of threads.  Any thread may call it.
 */
void sp_state_grow(struct sp_state *self, uint32_t threads);

/*
 * The same where a setting decides where the threads of the team are, for one of
 * them: returns the CPUs for it if the team has too few places, or NULL.
 */
const struct sp_cpus *sp_state_cpus_of_larger_team(struct sp_state *self, uint32_t threads);

/*
 * To be called when threads have places: if another job with too few cores has had
 * threads of this one released, none is pinned any more, until no other job of the
 * user is there.  The board is read, which takes some microseconds, for the first new
 * thread (is_new) of a team of another size than before, or since a thread has ended,
 * and where all are pinned again.  threads, changes: sp_slots_wanted and
 * sp_slots_changes now.  Any thread may call it.
 */
void sp_state_heed_release(struct sp_state *self, uint32_t threads, uint32_t changes, bool is_new);

/* The same for a rank that has just written its seat, since it was not found before: its threads leave the share. */
void sp_state_heed_earlier_release(struct sp_state *self);

/* Whether a runtime binds its threads, as the user's settings or splitpin have told it. */
bool sp_state_runtime_binds(const struct sp_state *self);

/* Whether the user's settings, or a runtime, say where its threads are. */
bool sp_state_is_bound(const struct sp_state *self);

/* Find where threads may run that are not pinned, from the current share, and move them.  Without memory that is as before; at first it is the share. */
void sp_state_find_unpinned(struct sp_state *self);

/*
 * The CPUs of a thread that is about to start and is not an OpenMP worker: the
 * share, near the memory of the rank, as long as that has a claimed core for
 * each thread; then, and for all such threads, `unpinned`.  NULL: a dry run.
 */
const struct sp_cpus *sp_state_cpus_of_helper(struct sp_state *self);

/* Set the memory policy for the current share, or report that it is not available. */
void sp_state_set_memory(struct sp_state *self);

/* The line of SPLITPIN_DEBUG with the share and why, or, of a rank that is not active, with the CPUs that it had. */
void sp_state_log_decision(const struct sp_state *self);

/* All lines of SPLITPIN_DEBUG about the share. */
void sp_state_log_share(struct sp_state *self);

/* Write the rank's record on the board, if there is a board and the seat is this process's. */
void sp_state_write_seat(struct sp_state *self, enum sp_seat_state state);

/* Write one line for SPLITPIN_DEBUG: a thread (-1: not an OpenMP thread) is on these CPUs. */
void sp_state_log_pin(const struct sp_state *self, int thread, pid_t tid, const struct sp_cpus *cpus,
		      const char *by, const char *why);

#endif
