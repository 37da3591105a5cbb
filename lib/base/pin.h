/*
 * The CPUs that the kernel lets threads run on: the only functions that change
 * masks.  They go to the kernel directly, past any other library that
 * interposes libc's.
 *
 * All return 0 or a negative errno; sets are untouched on error.
 */
#ifndef SP_PIN_H
#define SP_PIN_H

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "cpus.h"

/* The calling thread's.  Not gettid: glibc has that since 2.30, and the loader would look its version up in every process. */
static inline pid_t
sp_own_tid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* The mask of a thread by its tid; 0 is the calling one.  -E2BIG: the system can have CPU numbers of SP_CPUS_MAX and above. */
int sp_pin_get(pid_t tid, struct sp_cpus *cpus);

/* -EINVAL: no CPU of the set is online and allowed. */
int sp_pin_set(pid_t tid, const struct sp_cpus *cpus);

/*
 * The same for a thread whose stack may have no room for a set: in an array of
 * sp_pin_words() words, which is as large as this kernel's masks are, at most a set.
 * Of an array that has become too small (a process that was moved to another
 * machine) sp_pin_get_words returns -E2BIG once.
 */
size_t sp_pin_words(void);
int sp_pin_get_words(pid_t tid, uint64_t *mask, size_t n);
int sp_pin_set_words(pid_t tid, const uint64_t *mask, size_t n);

/* Whether the kernel can read a mask of size bytes there, which may be any address that a program has given.  errno stays. */
bool sp_pin_is_readable(const void *mask, size_t size);

/*
 * The CPUs that are online and that the cgroup allows, whatever the mask is.
 * Asks the kernel by giving the calling thread all CPUs for a moment: what it
 * then has is the answer, in containers too, where the cgroup's files are out
 * of sight.
 */
int sp_pin_allowed(struct sp_cpus *allowed);

/*
 * Move every thread of the process whose mask is `from` to `to`.  Threads with
 * another mask are left alone.  A thread that starts meanwhile inherits from one
 * of these, or is moved too.  If /proc does not list the threads, only the
 * calling one is moved.
 */
int sp_pin_process(const struct sp_cpus *from, const struct sp_cpus *to);

#endif
