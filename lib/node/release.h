/*
 * Releases threads of the user's other jobs from cores on which this rank's threads
 * run, which have too few of their own.
 */
#ifndef SP_RELEASE_H
#define SP_RELEASE_H

#include "board/board.h"
#include "machine.h"

/*
 * Let threads that splitpin keeps on some of these CPUs run wherever their rank's
 * threads may that are not pinned: the kernel then balances them, too.  Other users'
 * threads, and those of ranks that the user's settings bind, stay.  A mask is taken
 * for splitpin's if it is the share of the rank or a whole core of it.  A job that
 * claims some of these CPUs pins no threads later, either, until a team comes when no other job of the user is there.
 *
 *   job    the caller's own, whose threads stay
 *
 * Returns the number of threads that were released.
 */
uint32_t sp_release_pinned(const char *job, const struct sp_machine *machine, const struct sp_cpus *cpus);

#endif
