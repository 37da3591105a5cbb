/*
 * Settles as the rank would in whose place this process stands, in a dry run:
 * nothing is changed, and no other job sees it.
 */
#ifndef PROBE_SETTLE_H
#define PROBE_SETTLE_H

#include "rank.h"
#include "runtime.h"
#include "settings/settings.h"

/*
 * runtime: that of the program's OpenMP; SP_RUNTIMES: it has none, or not only one.
 *
 * Settle by the engine that lies beside a libsplitpin.so, with the settings that
 * hold for the program, and wait, a bounded time, for the other ranks of this
 * node to do so.  The engine writes to standard error what SPLITPIN_DEBUG and
 * SPLITPIN_REPORT ask for, the report at the latest when the process ends.
 *
 * Returns 0, or a negative errno: the rank would run as without splitpin; the
 * engine has said why, unless *problem, the caller's to free(), does.
 */
int probe_settle(const char *library, const struct sp_rank *rank, enum sp_runtime runtime, const struct sp_settings *settings, char **problem);

#endif
