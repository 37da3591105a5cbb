/*
 * Decides once whether this process is a rank, opens the engine once, and
 * hands out its table.
 */
#ifndef SP_LOAD_H
#define SP_LOAD_H

#include "engine.h"

/*
 * Settle this rank, unless that has been done: find its share and put the
 * process on it.  Keeps errno.  Safe at any time in any process; in one that
 * is no rank it does nothing.
 *
 * Returns the engine; NULL in a process that is no rank, after a failure (the
 * user has been told), when called from within itself, and where another
 * thread has not finished settling after a bounded wait.
 */
const struct sp_engine *sp_settle(enum sp_by by);

/*
 * The same where PMIx has told the rank; in a process whose rank the
 * environment has told, rank is not looked at.
 */
const struct sp_engine *sp_settle_as(const struct sp_rank *rank, enum sp_by by);

/* Whether only PMIx can tell the rank of this process, and has not yet. */
bool sp_waits_for_pmix(void);

/* The engine where this process has settled, else NULL.  Costs one load. */
const struct sp_engine *sp_settled(void);

/* Whether this process is a rank that has still to settle. */
bool sp_may_settle(void);

/* Slot of the calling thread, or -1: not pinned by splitpin. */
int sp_own_slot(void);

/*
 * Number of the root thread in whose teams the calling thread is: its own, from
 * 1, unless it has joined one.
 */
uint32_t sp_own_root(void);

/* Whether the calling thread is in no other's teams. */
bool sp_is_root(void);

/* The calling thread is a worker in the teams of this root thread from now on. */
void sp_join_root(uint32_t root);

/*
 * Pin the calling thread, which has no slot, to one that was taken for it, and
 * remember that until the thread ends, when it is given back.  A slot below 0
 * is none: nothing happens.
 */
void sp_sit(const struct sp_engine *table, int slot, const struct sp_worker *worker);

/* Give the slot of the calling thread back, if it has one. */
void sp_stand_up(const struct sp_engine *table);

/*
 * What the shim's constructor does: look at the environment while it is sure
 * to be there, remember where the engine lies while the working directory is
 * that of the start, and settle where no later hook would.
 */
void sp_load_begin(void);

#endif
