/*
 * The guard: finds masks that others have changed, reports them when the rank
 * ends, and restores them on request (SPLITPIN_GUARD).
 *
 * It looks at the OpenMP threads that splitpin has pinned and at the main
 * thread; other threads belong to those that made them.  A mask that the
 * program's executable itself has set through libc is kept.
 */
#ifndef SP_GUARD_H
#define SP_GUARD_H

#include "settings/config.h"
#include "report/report.h"
#include "threads/drift.h"
#include "threads/workers.h"

/* Milliseconds between two scans of the thread that restores masks. */
#define SP_GUARD_LOOK_MS 400

struct sp_guard;

/*
 * Call once the process is on its share.  All arguments have to outlive the
 * guard, which is never destroyed.
 *
 *   workers       NULL: only the main thread is guarded
 *   unpinned      the mask of threads that are not pinned, and of the main thread for a moment
 *   changes       calls through libc that changed masks, from which the guard
 *                 learns who called
 *   is_main_ours  no setting of the user has a runtime bind the main thread
 *
 * Returns NULL if the settings turn the guard off, or memory is short.
 */
struct sp_guard *sp_guard_create(struct sp_workers *workers, const struct sp_cpus *share, const struct sp_cpus *unpinned, struct sp_changes *changes,
				 const struct sp_config *config, const struct sp_who *who, bool is_main_ours);

/* The process has another share, or other CPUs for threads that are not pinned; both have to outlive the guard. */
void sp_guard_move(struct sp_guard *guard, const struct sp_cpus *share, const struct sp_cpus *unpinned);

/* The runtime binds the main thread from now on: its mask is ignored while it has no slot. */
void sp_guard_leave_main(struct sp_guard *guard);

/* The calling thread has been pinned to a slot; it is about to give it back. */
void sp_guard_pinned(struct sp_guard *guard, int slot);
void sp_guard_leaving(struct sp_guard *guard, int slot);

/*
 * SPLITPIN_GUARD=keep: start the thread that restores masks, unless it runs.
 * A change is undone if two scans in a row find it, so that brief changes (by a
 * library that measures one CPU after the other) are ignored.
 *
 * Returns 0, or a negative errno at the call that could not start it.
 */
int sp_guard_watch(struct sp_guard *guard);

/* From now on until it is called with false no mask is restored; one that is changed then still is later. */
void sp_guard_hold(struct sp_guard *guard, bool hold);

/* Whether the program itself has made the call that returns to caller, whose mask is kept; name is that of the library otherwise. */
bool sp_guard_is_program(const void *caller, char *name, size_t size);

/* The rank ends: scan all threads once more, and report. */
void sp_guard_end(struct sp_guard *guard);

#endif
