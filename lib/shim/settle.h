/*
 * Decides once whether this process is a rank, opens the engine once, and
 * hands out its table.
 */
#ifndef SP_SETTLE_H
#define SP_SETTLE_H

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

/*
 * What the shim's constructor does: look at the environment while it is sure
 * to be there, remember where the engine lies while the working directory is
 * that of the start, and settle where no later hook would.
 */
void sp_load_begin(void);

#endif
