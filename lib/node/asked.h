/*
 * Evidence, beside the launcher's options (launcher/binding.h), that somebody
 * wants a rank's mask unchanged.
 */
#ifndef SP_ASKED_H
#define SP_ASKED_H

#include <stdbool.h>

#include "cpus.h"
#include "launcher/ancestors.h"

/*
 * Whether, by a rank's environment, splitpin is not active in the rank or keeps
 * its mask: SPLITPIN=off, SPLITPIN_INHERITED=keep, or an LD_PRELOAD that does
 * not name the library although the calling rank's does.  If the process with
 * this pid is still a shell or env, it may yet set LD_PRELOAD, so a missing
 * LD_PRELOAD does not count there.
 */
bool sp_asked_to_stay(char *const own_environment[], pid_t pid, char *const environment[]);

/* Whether this is a program that starts the rank and may set variables for it: a shell, env, or one of which nothing can be seen. */
bool sp_asked_is_starter(pid_t pid);

/*
 * The program that binds the ranks, if the launcher's command line names one:
 * "taskset" in "mpirun -n 1 taskset -c 3 ./program".  NULL: none, or it is to
 * bind memory alone (numactl --membind=1).  *is_for_all: the line starts no
 * other programs; undefined without a wrapper.
 *
 * The command line can be read on one node only.  If the job has other nodes
 * (has_other_nodes), only what the launcher passes to all ranks in their
 * environment counts (Open MPI does).
 */
const char *sp_asked_of_wrapper(bool has_other_nodes, char *const environment[], const struct sp_ancestor ancestor[], size_t n,
				bool *is_for_all);

/*
 * Whether the mask of the calling process differs from the mask of the shell or
 * script that started it and was itself started by the launcher (its pid; 0:
 * unknown).
 */
bool sp_asked_below_launcher(pid_t launcher, const struct sp_cpus *inherited);

#endif
