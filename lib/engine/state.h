/*
 * The one state of a rank's process.  engine.c owns it; steps.c fills it in.
 */
#ifndef SP_STATE_H
#define SP_STATE_H

#include <pthread.h>

#include "engine.h"
#include "node/join.h"
#include "report/lasting.h"
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
	struct sp_config config;
	struct sp_lasting lasting;
	struct sp_omp_env omp_env;
	struct sp_cpus inherited, allowed;
	struct sp_joined joined;
	struct sp_gpu_list gpus;	/* that this rank sees, of those of the machine in joined */
	struct sp_shared shared;
	const struct sp_cpus *_Atomic share;	/* the CPUs of this process by now; what it was before stays readable */
	const struct sp_cpus *_Atomic reach;	/* of threads that are not OpenMP workers, where that is more; NULL: the share */
	_Atomic uint32_t largest_team;	/* for which cores were looked for; 0: none was larger than announced */
	uint32_t claims;		/* threads for which it has claimed cores since then; 0: as announced */
	pthread_mutex_t changing;	/* held while the share is replaced */
	struct sp_membind membind;
	bool has_noted_membind;		/* that its policy is not available: once, though the share may change */
	struct sp_workers *workers;
	struct sp_native native;
	_Atomic bool binds_natively;	/* the runtime has been given places to which it binds threads */
	struct sp_changes changes;	/* of masks, by calls through libc, where these are noted */
	struct sp_guard *guard;		/* NULL: SPLITPIN_GUARD=off */
	pid_t pid;			/* of the process that settled: forked children are others */
	bool is_ready;			/* a PMPI tool between MPI_Init and PMPI_Init has both end */
	bool is_settled;		/* it has its share */
	bool has_grown;			/* of its own accord, so that it stays what it is when all ranks have come */
	enum sp_by by;			/* what was first */
};

/* Whether this process is the rank itself, and not another one that found the rank's seat taken. */
static inline bool
sp_state_is_rank(const struct sp_state *self)
{
	return !self->shared.child_of.pid;
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

/* What it knows when it looks for a share; points into the state. */
struct sp_situation sp_state_situation(struct sp_state *self, char *const environment[]);

/*
 * All ranks have come: move the process to the share that it has by what all of
 * them need, where that is another one, and write on the board that it is ready.
 */
void sp_state_renew_share(struct sp_state *self);

/*
 * An outermost team has so many threads: where that is more than the rank has
 * claimed cores for, claim more of those that nobody has, and move to them.
 * Looked for once for each larger team.  Any thread may call it.
 */
void sp_state_grow(struct sp_state *self, uint32_t team);

/* Find where threads that are not OpenMP workers may run, from the share and the terms as they are now. */
void sp_state_find_reach(struct sp_state *self);

/* Set the memory policy for the share as it is now, or say that there is none. */
void sp_state_set_memory(struct sp_state *self);

/* The line of SPLITPIN_DEBUG with the share and why, or, of a rank that is not active, with the CPUs that it had. */
void sp_state_log_decision(const struct sp_state *self, bool is_active);

/* All lines of SPLITPIN_DEBUG about the share. */
void sp_state_log_share(struct sp_state *self);

/* Write the own record on the board, where there is one and the seat is this process's. */
void sp_state_write_seat(struct sp_state *self, enum sp_seat_state state);

/* One line for SPLITPIN_DEBUG: a thread (-1: no OpenMP thread) is on these CPUs. */
void sp_state_log_pin(const struct sp_state *self, int thread, pid_t tid, const struct sp_cpus *cpus,
		      const char *by, const char *why);

#endif
