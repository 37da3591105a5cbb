/*
 * The one state of a rank's process.  engine.c owns it; settle.c fills it in.
 */
#ifndef SP_STATE_H
#define SP_STATE_H

#include "engine.h"
#include "engine/drift.h"
#include "engine/guard.h"
#include "engine/join.h"
#include "engine/lasting.h"
#include "engine/membind.h"
#include "engine/native.h"
#include "engine/share.h"
#include "engine/workers.h"
#include "settings/config.h"
#include "settings/omp_env.h"

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
	struct sp_membind membind;
	struct sp_workers *workers;
	struct sp_native native;
	_Atomic bool binds_natively;	/* the runtime has been given places to which it binds threads */
	struct sp_changes changes;	/* of masks, by calls through libc, where these are noted */
	struct sp_guard *guard;		/* NULL: SPLITPIN_GUARD=off */
	pid_t pid;			/* of the process that settled: forked children are others */
	bool is_ready;			/* a PMPI tool between MPI_Init and PMPI_Init has both end */
	bool is_settled;		/* it has its share */
	enum sp_by by;			/* what was first */
};

/*
 * Read settings and masks, join the other ranks, find the share and put every
 * thread of the process on it.  Returns as the engine's settle (include/engine.h).
 */
int sp_state_settle(struct sp_state *self, const struct sp_rank *rank, enum sp_by by, char *const environment[]);

/*
 * All ranks have come: move the process to the share that it has by what all of
 * them need, where that is another one.
 */
void sp_state_renew_share(struct sp_state *self);

/* Write the own record on the board, where there is one and the seat is this process's. */
void sp_state_write_seat(struct sp_state *self, enum sp_seat_state state);

/* One line for SPLITPIN_DEBUG: a thread (-1: no OpenMP thread) is on these CPUs. */
void sp_state_log_pin(const struct sp_state *self, int thread, pid_t tid, const struct sp_cpus *cpus,
		      const char *by, const char *why);

#endif
