/*
 * The calling thread: its slot, and the root thread in whose teams it works.
 *
 * Kept in thread-local memory and changed by the thread itself alone.  A
 * worker's root is the thread that opened the outermost team around it; a
 * thread that works in nobody's teams is its own root.
 */
#ifndef SP_SELF_H
#define SP_SELF_H

#include "engine.h"

/*
 * Before any thread is pinned, once a process.  settled: the engine of a process
 * that has settled, or NULL, as sp_settled.  0, or a negative errno.
 */
int sp_self_init(const struct sp_engine *(*settled)(void));

/* The calling thread's slot; -1: not pinned by splitpin. */
int sp_self_slot(void);

/* The number of its root, from 1. */
uint32_t sp_self_root(void);

/* Whether it is its own root. */
bool sp_self_is_root(void);

/* From now on it works in the teams of this root. */
void sp_self_join(uint32_t root);

/*
 * Pin the calling thread, which has no slot, to one that was taken for it.
 * The slot is given back when the thread ends, and at once where it cannot be
 * pinned.  Below 0: no slot was to be had, nothing happens.
 */
void sp_self_pin(const struct sp_engine *engine, int slot, const struct sp_worker *worker);

/* Give its slot back, if it has one.  The mask stays until something else sets it. */
void sp_self_unpin(const struct sp_engine *engine);

/*
 * What a runtime exports that returns in how many parallel regions the calling
 * thread is, and its address in the runtime for which that thread is pinned; may
 * be NULL.  The runtime may be unloaded later.
 */
#define SP_SELF_LEVEL "omp_get_level"
void sp_self_set_level(int (*level)(void));

/*
 * What the OMPT tool, which lies above, is asked once a runtime has found it.
 *
 *   in_region  whether the calling thread is in a parallel region of an OMPT
 *              runtime, of one thread too
 *   set_team   sets this default team size in every such runtime that has
 *              started: they counted CPUs before the process had its share
 */
void sp_self_set_tool(bool (*in_region)(void), void (*set_team)(uint32_t team));

/* Whether it is in a parallel region, of that runtime or of the tool's. */
bool sp_self_in_region(void);

/* set_team of the tool, where there is one. */
void sp_self_set_team(uint32_t team);

/*
 * Whether the calling thread was told the share when it last asked for its mask:
 * what it then sets back is its pin.
 */
void sp_self_set_told_share(bool told);
bool sp_self_told_share(void);

/*
 * In a forked child, which is not a rank: put its thread on the share, if it was
 * pinned, and forget the slot, which is the parent's.
 */
void sp_self_leave(const struct sp_engine *engine);

#endif
