/*
 * The guard: finds masks that others have changed, tells when the rank ends,
 * and restores them where it is asked to (SPLITPIN_GUARD).
 *
 * It looks at the OpenMP threads to which splitpin gave places and at the main
 * thread.  Other threads are their makers' own.  What the program's executable
 * itself has set through libc stands.
 */
#ifndef SP_GUARD_H
#define SP_GUARD_H

#include "settings/config.h"
#include "report/report.h"
#include "engine/workers.h"

struct sp_guard;

/*
 * To be called by a thread that is on the share, when the process is.  All that
 * is given has to outlive the guard.  is_main_ours: no setting of the user lets
 * a runtime bind the main thread.
 * Returns NULL where nothing is to be guarded, or memory is short.  Never destroyed.
 */
struct sp_guard *sp_guard_create(struct sp_workers *workers, const struct sp_cpus *share,
				 const struct sp_config *config, const struct sp_who *who, bool is_main_ours);

/*
 * A thread's mask was changed through libc; caller is where the call returned
 * to.  Keeps errno; safe in a signal handler and in a child of vfork.
 */
void sp_guard_changed(struct sp_guard *guard, pid_t tid, const void *caller);

/* The calling thread has sat down at a slot; it is about to give it back. */
void sp_guard_sat(struct sp_guard *guard, int slot);
void sp_guard_leaves(struct sp_guard *guard, int slot);

/*
 * SPLITPIN_GUARD=keep: start the thread that restores masks, if it is not
 * there.  A change that lasts for two of its looks is undone, so that one for
 * a moment (a library that measures CPU after CPU) is left alone.
 */
void sp_guard_watch(struct sp_guard *guard);

/* The rank ends: look once more, and tell. */
void sp_guard_end(struct sp_guard *guard);

#endif
