/*
 * The OpenMP threads of this process: which is assigned to which slot.
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

/*
 * The process has another share: its threads move there.  0, or a negative
 * errno: they stay where they are.
 */
int sp_workers_move(struct sp_workers *workers, const struct sp_cpus *share);

/* Whether a thread has, or had, a slot. */
bool sp_workers_are_there(struct sp_workers *workers);

/*
 * Take a slot for a thread that has started or is about to.  Its number, or a
 * negative errno.  *cpus, unless NULL: its CPUs; untouched on error.
 */
int sp_workers_take(struct sp_workers *workers, const struct sp_worker *worker, bool team_announced,
		    struct sp_cpus *cpus);

/*
 * Pin the calling thread to a slot that was taken; again after its mask was
 * changed.  0, or a negative errno: the mask is as it was.
 */
int sp_workers_pin(struct sp_workers *workers, int slot, const struct sp_worker *worker);

/* Pin the calling thread, which has this slot, once more: something else has set its mask. */
void sp_workers_repin(struct sp_workers *workers, int slot);

/*
 * The outermost team of this worker now has worker->team threads: where these
 * fit better in other slots, all threads of its pool are moved.
 */
void sp_workers_resize(struct sp_workers *workers, const struct sp_worker *worker);

/*
 * The CPUs of a slot.  0, -EINVAL (it is free), or -EBUSY where another thread
 * keeps the lock: callers are signal handlers and children of vfork, too, so
 * it is waited for only briefly.
 */
int sp_workers_cpus(struct sp_workers *workers, int slot, struct sp_cpus *cpus);

/* Which thread has a slot, and the CPUs of that. */
struct sp_assignment {
	int thread;		/* its number */
	pid_t tid;
	struct sp_cpus cpus;
};

/*
 * Fill in *assignment and call the visitor with it, under the lock: the thread
 * can neither give its slot back nor be moved meanwhile, and the visitor may
 * call none of these functions.
 * Returns 0, -EINVAL (the slot is free, or its thread has not started), -ERANGE
 * (past the last slot), or -EBUSY where another thread keeps the lock for more
 * than a second; the visitor is called only if 0.
 */
typedef void sp_workers_visitor(void *data, int slot, const struct sp_assignment *assignment);
int sp_workers_visit(struct sp_workers *workers, int slot, sp_workers_visitor *visitor, void *data,
		     struct sp_assignment *assignment);

/* Give a slot back: its thread ends, or has not started. */
void sp_workers_give(struct sp_workers *workers, int slot);

#endif
