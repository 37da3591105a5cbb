/*
 * Decides once whether this process is a rank, opens the engine once, and
 * hands out its table.
 */
#ifndef SP_SETTLE_H
#define SP_SETTLE_H

#include "engine.h"

/*
 * Settle this rank, unless it has settled: find its share and put the process
 * on it.  Keeps errno.  Safe at any time in any process.  In a process that is
 * not a rank the first call says why, in one line, if SPLITPIN_DEBUG or
 * SPLITPIN_REPORT is on; otherwise the call does nothing.
 *
 * Returns the engine; NULL in a process that is not a rank, after a failure (the
 * user has been warned), when called from within itself, and where another
 * thread has not finished settling after a bounded wait.
 */
const struct sp_engine *sp_settle(enum sp_by by);

/*
 * The same with a rank number from PMIx, which is ignored if the rank is known
 * from the environment.
 */
const struct sp_engine *sp_settle_as(const struct sp_rank *rank, enum sp_by by);

/* Whether this process is a rank whose number only PMIx can give, and has not given yet. */
bool sp_awaits_pmix(void);

/* Whether a thread is settling this rank right now. */
bool sp_is_settling(void);

/* The engine where this process has settled, else NULL.  Costs one load. */
const struct sp_engine *sp_settled(void);

/* The engine where this process is a rank from its start, and nothing has shown yet that it is parallel; else NULL. */
const struct sp_engine *sp_only_started(void);

/* The engine of the rank that has forked this process, which is to be asked for the mask to report alone, else NULL. */
const struct sp_engine *sp_left(void);

/* Whether sp_settle still has something to do: a rank has to settle, or a process that is not a rank has to say why. */
bool sp_may_settle(void);

/*
 * What fork's handlers do, for a fork that runs none: before it, in the rank,
 * and after it, in the child, which is not a rank.
 */
void sp_before_fork(void);
void sp_in_child(void);

/*
 * To be called by the shim's constructor: reads the environment while it is
 * sure to be intact, notes where the engine lies before the working directory
 * can change, and settles where no later hook would, or where the user means
 * each process to be a rank from its start.  A rank that never settles
 * says so at its end, where SPLITPIN_DEBUG or SPLITPIN_REPORT is on and it has
 * a runtime that calls none of the hooks.  Other calls of the program are not
 * taken as a sign that it is parallel: they may come while locks are held that
 * settling takes, too (a profiler's malloc creates a thread).
 */
void sp_settle_at_load(void);

#endif
