/*
 * The processes that started a rank, from its parent up to the launcher whose
 * command line the user wrote, read from /proc.
 *
 *   launcher  a process that starts ranks: mpirun, orted, hydra_pmi_proxy,
 *             slurmstepd.  On the node where the user called it mpirun is
 *             among the ancestors, on others only its daemon.
 *   wrapper   anything between launcher and rank that has the rank's
 *             variables: a shell, env, time, numactl
 */
#ifndef SP_ANCESTORS_H
#define SP_ANCESTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cpus.h"

/* More than any launch has.  A struct sp_ancestor is larger than 1 KB. */
#define SP_ANCESTORS_MAX 8

struct sp_ancestor {
	pid_t pid;
	bool is_launcher;
	const char *arguments;		/* /proc/PID/cmdline: NUL after each; "" where it cannot be read */
	size_t length;			/* of arguments, with the last NUL */
	char *const *environment;	/* at its start, as environ; NULL: not readable, another user's */
	struct sp_cpus mask;		/* on which its first thread may run; empty: not readable */
};

/*
 * Read the ancestors of a process of this user, parent first: wrappers, then
 * the nearest launcher, then further ancestors as long as they are launchers
 * (or shells that run a launcher's script).  Processes above those are not
 * read: shells, batch scripts, sshd.
 *
 * Returns how many were filled in, at most max; 0 where no launcher is among
 * the ancestors; or a negative errno of /proc.  Release the result with
 * sp_ancestors_release.  Keeps errno.
 */
int sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max);

void sp_ancestors_release(struct sp_ancestor ancestor[], size_t n);

/*
 * The launcher that started the rank, or NULL.  Its mask bounds what may be
 * cut anew: who confines mpirun (taskset, numactl, a batch system) confines
 * the job.
 */
const struct sp_ancestor *sp_ancestors_launcher(const struct sp_ancestor ancestor[], size_t n);

#endif
