/*
 * Cores occupied by threads of other programs: of other users, of containers,
 * of programs without splitpin.
 */
#ifndef SP_PINNED_H
#define SP_PINNED_H

#include <sys/types.h>

#include "cpus.h"
#include "machine.h"

/* The limits of the search: how many processes, and how many threads of pinned processes, are examined. */
#define SP_PINNED_PROCESSES_MAX 32768
#define SP_PINNED_THREADS_MAX 4096

/*
 * A sleeping thread counts as busy if it has run for at least this fraction of
 * its life (one part in SP_PINNED_BUSY_PART).
 */
#define SP_PINNED_BUSY_PART 10

/*
 * The cores on which a thread of another job is pinned and busy, as /proc shows
 * it at this moment.
 *
 *   machine       says which CPUs are a core
 *   allowed       only cores of these CPUs count
 *   own_launcher  this process and its descendants are the caller's own job and do not count
 *   cores         filled in: the allowed CPUs of these cores; empty on error
 *
 * A thread is pinned if its mask lies within one core.  It is busy if it runs
 * or waits for a CPU (state R), or sleeps and has used a part of its life
 * (SP_PINNED_BUSY_PART) on CPUs: like a thread that waits for other threads of
 * its job.  Stopped threads are not busy.
 *
 * Only processes whose first thread has a mask narrower than allowed are
 * examined, so that a process that is not bound costs two system calls; an
 * OpenMP runtime that binds threads also binds the first.  Processes are not
 * seen if they are hidden from this user (hidepid), are in PID name spaces
 * beside this one, or have no process group in this PID name space, as kernel
 * threads have none.
 *
 * Never waits.  Processes that end meanwhile are skipped.
 *
 * Returns the number of these cores, or a negative errno where /proc cannot be
 * listed.  Keeps errno.
 */
int sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher,
			struct sp_cpus *cores);

#endif
