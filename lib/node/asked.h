/*
 * What shows, beside the launcher's options (launcher/binding.h), that a rank's
 * mask is to stay as it is.
 */
#ifndef SP_ASKED_H
#define SP_ASKED_H

#include <stdbool.h>

#include "cpus.h"
#include "launcher/ancestors.h"

/*
 * Whether splitpin will not act in a rank, or is to keep its mask, by the rank's
 * environment: SPLITPIN=off, SPLITPIN_INHERITED=keep, or an LD_PRELOAD that does
 * not name the library, while that of the calling rank does.  A shell or env with
 * this pid may still set LD_PRELOAD, so one that is missing there does not count.
 */
bool sp_asked_to_stay(char *const own_environment[], pid_t pid, char *const environment[]);

/*
 * The program that binds the ranks, if the launcher's command line names one:
 * "taskset" in "mpirun -n 1 taskset -c 3 ./program".  NULL: none, or it is to
 * bind memory alone (numactl --membind=1).  *is_for_all: the line starts no
 * other programs; undefined without a wrapper.
 *
 * That line is on one node.  Where the job has others (has_other_nodes) it
 * counts as far as Open MPI gives it to all ranks in their environment.
 */
const char *sp_asked_of_wrapper(bool has_other_nodes, char *const environment[], const struct sp_ancestor ancestor[], size_t n,
				bool *is_for_all);

/*
 * Whether the mask of the calling process differs from that of the shell or script
 * that started it, and that the launcher (its pid; 0: unknown) started.
 */
bool sp_asked_below_launcher(pid_t launcher, const struct sp_cpus *inherited);

#endif
