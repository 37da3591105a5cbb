/*
 * The OpenMP threads of this process: which is assigned to which slot.
 *
 * Any thread may call these functions.  They hold a lock only while they use the
 * table and set masks.
 */
#ifndef SP_WORKERS_H
#define SP_WORKERS_H

#include "settings/config.h"
#include "engine.h"
#include "machine.h"
#include "report/report.h"

struct sp_workers;

/* NULL: memory is short, or no CPU of the share is in the machine.  All arguments have to outlive the workers, which are never destroyed. */
struct sp_workers *sp_workers_create(const struct sp_machine *machine, const struct sp_cpus *share,
				     const struct sp_config *config, const struct sp_who *who);

/* As sp_slots_claim: for threads that come, and from the next sp_workers_move on for all; all are pinned or released as it says. */
void sp_workers_claim(struct sp_workers *workers, uint32_t team);

/* As sp_slots_release: threads move to where they may be then. */
void sp_workers_release(struct sp_workers *workers, uint32_t full, const struct sp_cpus *unpinned);

/*
 * The process has another share: its threads move there, and then as by
 * sp_workers_release.  Returns 0; or a negative errno, and they stay where they are.
 */
int sp_workers_move(struct sp_workers *workers, const struct sp_cpus *share, uint32_t full, const struct sp_cpus *unpinned);

/* As sp_slots_wanted; changes: as sp_slots_changes. */
uint32_t sp_workers_wanted(struct sp_workers *workers, uint32_t *changes);

/* As sp_slots_stop, with the threads that are there. */
void sp_workers_stop(struct sp_workers *workers, bool is_stopped);

/* Whether a thread has, or had, a slot. */
bool sp_workers_are_there(struct sp_workers *workers);

/*
 * Take a slot for a thread that has started or is about to.  team_announced: the
 * user set the number of threads, and the runtime's default team is then no guess.
 * Returns the slot's number, or a negative errno.
 */
int sp_workers_take(struct sp_workers *workers, const struct sp_worker *worker, bool team_announced);

/*
 * Pin the calling thread to a slot that was taken for it; may be repeated after
 * its mask was changed.  Returns 0; or a negative errno, and the mask is as it was.
 */
int sp_workers_pin(struct sp_workers *workers, int slot, const struct sp_worker *worker);

/* Pin the calling thread to its slot again, after something else set its mask. */
void sp_workers_repin(struct sp_workers *workers, int slot);

/*
 * The outermost team of this worker now has worker->team threads: if they fit
 * better in other places (sp_slots_resize), the threads of the pool are moved.
 */
void sp_workers_resize(struct sp_workers *workers, const struct sp_worker *worker);

/*
 * The CPUs of a slot.  Returns 0, -EINVAL (it is free), or -EBUSY if the lock is
 * kept for more than 100 ms: signal handlers call this, too, which may have
 * interrupted the thread that has it.
 */
int sp_workers_cpus(struct sp_workers *workers, int slot, struct sp_cpus *cpus);

/* Whether the CPUs of a slot are those of a mask in memory (sp_cpus_equal_mask): 1 or 0; or a negative errno, as above. */
int sp_workers_are(struct sp_workers *workers, int slot, const void *mask, size_t size);

/* The CPUs of a slot as a mask of n words, for a thread whose stack may have no room for a set (sp_pin_words). */
int sp_workers_mask(struct sp_workers *workers, int slot, uint64_t *mask, size_t n);

/*
 * The same, but -EBUSY at once: for a forked child, where nobody releases a lock that
 * another thread had at the fork.
 */
int sp_workers_mask_at_once(struct sp_workers *workers, int slot, uint64_t *mask, size_t n);

/* Which thread has a slot, and the CPUs of that. */
struct sp_assignment {
	int thread;		/* its number */
	pid_t tid;
	struct sp_cpus cpus;
};

/*
 * Fill in *assignment and call the visitor with it, under the lock, so that the
 * thread can neither give its slot back nor be moved meanwhile.  The visitor may
 * not call any function of this header.
 * Returns 0; -EINVAL (the slot is free, or its thread has not started), -ERANGE
 * (past the last slot), or -EBUSY (another thread keeps the lock for more than a
 * second), and the visitor is not called.
 */
typedef void sp_workers_visitor(void *data, int slot, const struct sp_assignment *assignment);
int sp_workers_visit(struct sp_workers *workers, int slot, sp_workers_visitor *visitor, void *data,
		     struct sp_assignment *assignment);

/* Give a slot back: its thread ends, or could not be started. */
void sp_workers_give(struct sp_workers *workers, int slot);

#endif
