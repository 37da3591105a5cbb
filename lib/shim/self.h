/*
 * The calling thread: its slot, and the root thread in whose teams it works.
 *
 * Kept in thread-local memory and changed by the thread itself alone.  A
 * worker's root is the thread that opened the outermost team around it; a
 * thread that does not work in another thread's teams is its own root.
 */
#ifndef SP_SELF_H
#define SP_SELF_H

#include "engine.h"

/*
 * To be called once in a process, before any thread is pinned.  settled:
 * returns the engine of a process that has settled, or NULL, as sp_settled
 * does.  Returns 0, or a negative errno.
 */
int sp_self_init(const struct sp_engine *(*settled)(void));

/* The calling thread's slot; -1: not pinned by splitpin. */
int sp_self_slot(void);

/* The number of the calling thread's root, from 1. */
uint32_t sp_self_root(void);

/* Whether the calling thread is its own root. */
bool sp_self_is_root(void);

/* From now on the calling thread works in the teams of this root. */
void sp_self_join(uint32_t root);

/*
 * Pin the calling thread, which has no slot, to one that was taken for it.  The
 * slot is given back when the thread ends, and at once where it cannot be
 * pinned.  slot below 0: there was no slot, nothing happens.
 */
void sp_self_pin(const struct sp_engine *engine, int slot, const struct sp_worker *worker);

/* Release the calling thread's slot, if it has one.  The mask stays until something else sets it. */
void sp_self_unpin(const struct sp_engine *engine);

/*
 * SP_SELF_LEVEL is the function of a runtime that returns in how many parallel
 * regions the calling thread is.  sp_self_set_level sets its address in the
 * runtime for which the calling thread is pinned; may be NULL.  The runtime may
 * be unloaded later.
 */
#define SP_SELF_LEVEL "omp_get_level"
void sp_self_set_level(int (*level)(void));

/*
 * Sets the functions by which the OMPT tool, which lies above the shim, is
 * called once a runtime has found it.
 *
 *   in_region  whether the calling thread is in a parallel region of an OMPT
 *              runtime, also in one with a single thread
 *   set_team   sets this default team size in every started OMPT runtime: these
 *              counted CPUs before the process had its share
 */
void sp_self_set_tool(bool (*in_region)(void), void (*set_team)(uint32_t team));

/* Whether the calling thread is in a parallel region: of the runtime of sp_self_set_level, or of an OMPT runtime. */
bool sp_self_in_region(void);

/* Calls set_team of the OMPT tool, if one was set. */
void sp_self_set_team(uint32_t team);

/*
 * Whether the share was reported to the calling thread when it last asked for
 * its mask: if it then sets that mask, it means its pin.
 */
void sp_self_set_told_share(bool told);
bool sp_self_told_share(void);

/*
 * Before the calling thread forks: note which mask it was given.  The child may be
 * unable to find it out: another thread may hold the lock at that moment, and is
 * not there to release it.
 */
void sp_self_prepare_fork(const struct sp_engine *engine);

/*
 * In a forked child, which is not a rank: put its thread on the share, unless the
 * program has chosen its mask, also in a handler of the fork; and forget the slot,
 * which is the parent's.
 */
void sp_self_leave(const struct sp_engine *engine);

#endif
