/*
 * The launchers that started a rank, read from /proc: the nearest, whose child
 * (or grandchild, behind a shell) the rank is, and those above it.  On the node
 * where the user called mpirun that is among them, with the user's options; on
 * others there is only its daemon (orted, hydra_pmi_proxy).
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
	const char *arguments;		/* /proc/PID/cmdline: NUL after each */
	size_t length;			/* of arguments, with the last NUL */
	char *const *environment;	/* at its start, as environ; NULL: not readable, another user's */
	struct sp_cpus mask;		/* on which its first thread may run; empty: not known */
};

/*
 * Read the launchers among the ancestors of a process of this user, the
 * nearest first: what lies between it and the process (shells, env, time,
 * numactl) is passed over, and nothing above the first process that is no
 * launcher counts (a shell, a batch script, sshd).
 *
 * A task of Slurm's is a child of slurmstepd, and srun no ancestor: sruns of
 * the same job that run on this node follow slurmstepd in the array.
 *
 * Returns how many were filled in, at most max; 0: no launcher is among the
 * ancestors; or a negative errno of /proc.  Release what was filled in with
 * sp_ancestors_release.  Keeps errno.
 */
int sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max);

void sp_ancestors_release(struct sp_ancestor ancestor[], size_t n);

/*
 * The same as an array of *n, which is 0 where none can be read; NULL where
 * memory is short.  Free with sp_ancestors_free.
 */
struct sp_ancestor *sp_ancestors_of(pid_t pid, size_t *n);
void sp_ancestors_free(struct sp_ancestor *ancestor, size_t n);

/*
 * The launcher that started the rank, or NULL.  Its mask bounds what may be
 * cut anew: who confines mpirun (taskset, numactl, a batch system) confines
 * the job.
 */
const struct sp_ancestor *sp_ancestors_launcher(const struct sp_ancestor ancestor[], size_t n);

/* The nearest one that users start, or NULL: mpirun, above its daemon, or within srun. */
const struct sp_ancestor *sp_ancestors_command(const struct sp_ancestor ancestor[], size_t n);

/* The process of the launcher that started the calling one, or 0. */
pid_t sp_ancestors_own_launcher(void);

/* Whether a process has the same command line as the ancestor, as its forked child or parent has. */
bool sp_ancestor_is_like(const struct sp_ancestor *ancestor, pid_t pid);

/*
 * Which launcher these arguments start: "mpirun", "slurmstepd", ... of
 * mpirun.openmpi, "slurmstepd: [1.0]", or a shell that runs a script called
 * mpirun.  NULL: no launcher.
 */
const char *sp_ancestors_name(const char *arguments, size_t length);

/* Whether it is one that users start, with the options for the job; one that such a command started, without options that say what it runs. */
bool sp_ancestor_is_command(const struct sp_ancestor *ancestor);
bool sp_ancestor_is_daemon(const struct sp_ancestor *ancestor);

/* The arguments from the launcher's own name on, without a shell in front that runs it as a script; *length is set to match. */
const char *sp_ancestors_line(const struct sp_ancestor *ancestor, size_t *length);

/* Whether the process is a launcher; the first fills it in then, for sp_ancestors_release. */
bool sp_ancestor_read(pid_t pid, struct sp_ancestor *ancestor);
bool sp_ancestors_is_launcher(pid_t pid);

#endif
