/*
 * Which launcher's variables count where one runs inside of another's job:
 * those of the nearest ancestor that starts ranks.
 *
 * PyTorch's torchrun is started by srun or mpirun, one a node, and its workers
 * are the ranks; but a worker may start an MPI program with mpirun, whose ranks
 * inherit the worker's variables.  Both environments have the same variables;
 * the processes above the rank show which of them came last.
 */
#ifndef SP_NEAREST_H
#define SP_NEAREST_H

#include <sys/types.h>

#include "rank.h"

/*
 * Correct what sp_launcher_rank has found for a process of this user.
 *
 *   pid          the process
 *   environment  its own, as sp_launcher_rank was given it
 *   rank         as sp_launcher_rank filled it in; unchanged unless it is of a
 *                launcher inside of which another has started the process
 *
 * Reads /proc only where the environment has the variables of both kinds.
 * Where it does not show which came last, rank stays as it is.
 */
void sp_nearest_rank(pid_t pid, char *const environment[], struct sp_rank *rank);

/* sp_launcher_rank, whose errors it returns, and that correction. */
int sp_nearest_find(pid_t pid, char *const environment[], struct sp_rank *rank);

#endif
