/*
 * Cores occupied by threads of other programs: of other users, of containers,
 * of programs without splitpin.
 */
#ifndef SP_PINNED_H
#define SP_PINNED_H

#include <stdbool.h>
#include <sys/types.h>

#include "cpus.h"
#include "machine.h"

/*
 * The limits of the search among the processes that sp_process_each lists: how
 * many whose mask is narrow, how many threads of each, and of all, are examined.
 */
#define SP_PINNED_NARROW_MAX (1 << 13)
#define SP_PINNED_THREADS_EACH (1 << 12)
#define SP_PINNED_THREADS_MAX (1 << 15)

/*
 * A sleeping thread counts as busy if it has run for at least this fraction of
 * its life (one part in SP_PINNED_BUSY_PART).
 */
#define SP_PINNED_BUSY_PART 10

/*
 * For so long after its start a process may still be about to open its first
 * parallel region, in which its threads are pinned.
 */
#define SP_PINNED_START_S 60

/* What other jobs occupy. */
struct sp_pinned {
	struct sp_cpus cores;	/* cores on which a thread is pinned and busy: those of their CPUs that are allowed */
	struct sp_cpus starting;	/* allowed CPUs to any of which a rank may be about to pin threads */
	pid_t starter;		/* the first of such ranks; 0: there is none */
	bool is_part;		/* a limit was reached: there may be more */
};

/* What is searched for. */
struct sp_pinned_search {
	const struct sp_machine *machine;	/* says which CPUs are a core */
	const struct sp_cpus *allowed;	/* only cores of these CPUs count, */
	const struct sp_cpus *known;	/* and none of these, of whose owners the caller knows; NULL: of nobody */
	pid_t own_launcher;		/* this process and its descendants are the caller's own job and do not count */
	bool (*is_launcher)(pid_t pid);	/* whether a process is a launcher: what it has started may be a rank */
	bool (*is_passing)(pid_t pid, void *data);	/* see below; NULL: none is */
	void (*found)(pid_t pid, const struct sp_cpus *cores, void *data);	/* is told of each process that holds cores that none before it did; NULL: nothing is */
	void *data;			/* is passed on to both */
};

/*
 * The cores on which a thread of another job is pinned and busy, and the CPUs
 * of ranks that are starting, as /proc shows them at this moment.
 *
 *   pinned        filled in; nothing on error
 *
 * MPI libraries and their launchers visit each CPU in turn while they start
 * (hwloc asks it what it is), for a millisecond each on some virtual machines.
 * is_passing is called for a process of which the first thread alone is pinned
 * and busy: the core counts unless it returns true.
 *
 * A thread is pinned if its mask lies within one core.  It is busy if it runs
 * or waits for a CPU (state R), or sleeps and has used a part of its life
 * (SP_PINNED_BUSY_PART) on CPUs: like a thread that waits for other threads of
 * its job.  Stopped threads are not busy.
 *
 * A rank has a launcher among its ancestors.  It is starting if it was started
 * less than SP_PINNED_START_S ago, its first thread is busy, and that thread's
 * mask is narrower than allowed but has CPUs of several cores, as a share of the
 * node has.  Only those count whose board, if they have one, cannot be read:
 * ranks of other users, and those in containers with a /dev/shm of their own.
 *
 * Only processes whose first thread has a mask narrower than allowed are
 * examined, so that a process that is not bound costs one system call; an
 * OpenMP runtime that binds threads also binds the first.  Processes are not
 * seen if they are hidden from this user (hidepid), are in PID name spaces
 * beside this one, or have no process group in this PID name space, as kernel
 * threads have none.
 *
 * Never waits: of others' processes nothing is read for which the kernel needs
 * their address space.  Processes that end meanwhile are skipped.
 *
 * Returns the number of these cores, or a negative errno where /proc cannot be
 * listed.  Keeps errno.
 */
int sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned);

#endif
