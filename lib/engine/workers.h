/*
 * The OpenMP threads of this process: which sits in which slot.
 *
 * Every function may be called by any thread; a lock is held inside, and over
 * nothing but the table and the system call that sets a mask.
 */
#ifndef SP_WORKERS_H
#define SP_WORKERS_H

#include "settings/config.h"
#include "engine.h"
#include "machine.h"
#include "report/report.h"

struct sp_workers;

/* NULL where memory is short.  Everything given has to outlive the workers; never destroyed. */
struct sp_workers *sp_workers_create(const struct sp_machine *machine, const struct sp_cpus *share,
				     const struct sp_config *config, const struct sp_who *who);

/* Take a slot for a thread that is there or about to start.  Its number, or a negative errno. */
int sp_workers_take(struct sp_workers *workers, const struct sp_worker *worker, bool team_announced);

/*
 * Pin the calling thread to a slot that was taken; again after its mask was
 * changed.  0, or a negative errno: the mask is as it was.
 */
int sp_workers_sit(struct sp_workers *workers, int slot, const struct sp_worker *worker);

/* A team of this worker's size is there: if its threads have to move for that, they are moved. */
void sp_workers_team(struct sp_workers *workers, const struct sp_worker *worker);

/*
 * The CPUs of a slot.  Does not wait for long, since a signal handler or a child
 * of vfork may ask: -EBUSY where another thread stays at the table.
 */
int sp_workers_cpus(struct sp_workers *workers, int slot, struct sp_cpus *cpus);

/* The thread of a slot, and where it belongs. */
struct sp_sitting {
	int thread;		/* its number */
	pid_t tid;
	struct sp_cpus cpus;
};

/*
 * Show the thread that sits in a slot to the visitor, and in *sitting; it can
 * neither leave nor be moved meanwhile.  The visitor calls none of these functions.
 * Returns 0, -EINVAL (nobody sits there), -ERANGE (past the last slot), or
 * -EBUSY where another thread stays at the table for more than a second.
 */
typedef void sp_workers_visitor(void *data, int slot, const struct sp_sitting *sitting);
int sp_workers_visit(struct sp_workers *workers, int slot, sp_workers_visitor *visitor, void *data,
		     struct sp_sitting *sitting);

/* Give a slot back: its thread ends, or has not started. */
void sp_workers_give(struct sp_workers *workers, int slot);

#endif
