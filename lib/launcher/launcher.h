/*
 * Which rank of the node am I?  Read from the environment that the launcher
 * left, by one table of launchers.
 *
 * Pure: reads the strings it is given, allocates nothing, calls nothing of
 * the program's (a program may define its own getenv), so that it can be
 * asked in any process at any time.
 */
#ifndef SP_LAUNCHER_H
#define SP_LAUNCHER_H

#include "rank.h"

/*
 * The variable by which "splitpin run" says that it was typed.  It sets
 * SP_RUN_RANKS: each process that a launcher starts is a rank from its start.
 * Such a process sets SP_RUN_TAKEN and its number for what it starts itself, and
 * for the program that it executes; "splitpin run --alone" the number alone.
 */
#define SP_RUN "SPLITPIN_RUN"
#define SP_RUN_RANKS "ranks"
#define SP_RUN_TAKEN "taken by "

/*
 * environment: NULL-terminated array of "NAME=value", as environ is; NULL is
 * an empty one.
 *
 * SPLITPIN_LOCAL_RANK=alone makes a process of no launcher rank 0 of 1, from "alone".
 *
 * Returns 0; -ENOENT: no rank of any launcher; -EAGAIN: a rank, but only PMIx
 * has its number (PMIX_RANK alone); -EINVAL: the user's own
 * SPLITPIN_LOCAL_RANK or SPLITPIN_LOCAL_SIZE is wrong (bad_name, bad_value),
 * or contradicts the other.
 *
 * A launcher that is there but whose values are nonsense (no number, a rank
 * not below the size), and two mpiruns that contradict each other, are
 * -ENOENT, or -EAGAIN where PMIx can be asked: no launcher further down the
 * table is used instead, for its rank would be that of mpirun itself,
 * the same for all ranks of the node.
 */
int sp_launcher_rank(char *const environment[], struct sp_rank *rank);

/*
 * Whether this process, or the one that started it, has been a rank from its
 * start: what holds for the node or the job has been said by then.
 */
bool sp_launcher_is_taken(char *const environment[]);

#endif
