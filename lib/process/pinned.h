/*
 * Cores that threads of other programs occupy: of other users, of containers, of
 * programs without splitpin.
 */
#ifndef SP_PINNED_H
#define SP_PINNED_H

#include <sys/types.h>

#include "cpus.h"
#include "machine.h"

/* More processes are not looked at, nor more threads of those that are pinned. */
#define SP_PINNED_PROCESSES_MAX 32768
#define SP_PINNED_THREADS_MAX 4096

/* A thread that sleeps now is busy all the same where it has run for one part in so many of its life. */
#define SP_PINNED_BUSY_PART 10

/*
 * The cores on which a thread of another job is pinned and busy, as /proc shows
 * it at this moment.
 *
 *   machine       says which CPUs are a core
 *   allowed       cores elsewhere do not count
 *   own_launcher  it and its descendants are the caller's own job and do not count
 *   cores         filled in: the allowed CPUs of these cores; empty on error
 *
 * Pinned is a thread whose mask lies within one core.  It is busy if it runs or
 * waits for a CPU (state R), or sleeps and has used a part of its life
 * (SP_PINNED_BUSY_PART) on CPUs: as a thread does that waits for others of its
 * job.  Stopped threads are not busy.
 *
 * Looked at are processes whose first thread has a mask that is narrower than
 * allowed, so what is not bound costs two system calls each; an OpenMP runtime
 * that binds, binds the first thread too.  Not seen are processes that are
 * hidden from this user (hidepid) or in PID name spaces beside this one, and
 * those without a process group in this PID name space, as kernel threads are.
 *
 * Reads what is there and never waits.  What ends meanwhile is passed over.
 *
 * Returns how many cores there are, or a negative errno where /proc cannot be
 * listed.  Keeps errno.
 */
int sp_pinned_by_others(const struct sp_machine *machine, const struct sp_cpus *allowed, pid_t own_launcher,
			struct sp_cpus *cores);

#endif
