/*
 * The interposed functions that change masks of threads.
 *
 * Calls are passed on as they are.  In a rank that guards its masks
 * (SPLITPIN_GUARD) the engine gets the caller's address, so that it can name the
 * library that changed a mask.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "shim/export.h"
#include "shim/next.h"
#include "shim/old_set.h"
#include "shim/settle.h"

typedef int sched_setaffinity_fn(pid_t, size_t, const cpu_set_t *);
typedef int pthread_setaffinity_fn(pthread_t, size_t, const cpu_set_t *);

/*
 * Not inlined, so that a process that has not settled needs no more stack than
 * libc's own.  The engine is an argument: where a signal handler forks during
 * the call, the child comes back here and is no longer settled.
 */
static __attribute__((noinline)) int
sched_guarded(const struct sp_engine *engine, sched_setaffinity_fn *next, pid_t tid, struct sp_old_set set, const void *caller)
{
	int error = next(tid, set.size, set.cpus);

	if (!error)
		engine->mask_changed(tid, caller);
	return error;
}

SP_EXPORT int
sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *cpus)
{
	sched_setaffinity_fn *next = (sched_setaffinity_fn *)sp_next(SP_SCHED_SETAFFINITY);
	const struct sp_engine *engine = sp_settled();
	struct sp_old_set set = sp_old_set_of(size, cpus);

	return engine && engine->is_noting() ? sched_guarded(engine, next, tid, set, __builtin_return_address(0)) :
		next(tid, set.size, set.cpus);
}

/*
 * The tid of a thread; 0: the calling one; below 0: unknown.  No function of
 * pthreads has it, but the id of a thread's CPU clock does: its complement,
 * shifted left by three bits.
 */
static pid_t
tid_of(pthread_t thread)
{
	clockid_t clock;

	if (pthread_equal(thread, pthread_self()))
		return 0;
	return pthread_getcpuclockid(thread, &clock) == 0 ? ~(clock >> 3) : -1;
}

static __attribute__((noinline)) int
pthread_guarded(const struct sp_engine *engine, pthread_setaffinity_fn *next, pthread_t thread, struct sp_old_set set, const void *caller)
{
	int error = next(thread, set.size, set.cpus);
	pid_t tid = error ? -1 : tid_of(thread);

	if (tid >= 0)
		engine->mask_changed(tid, caller);
	return error;
}

SP_EXPORT int
pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus)
{
	pthread_setaffinity_fn *next = (pthread_setaffinity_fn *)sp_next(SP_PTHREAD_SETAFFINITY_NP);
	const struct sp_engine *engine = sp_settled();
	struct sp_old_set set = sp_old_set_of(size, cpus);

	return engine && engine->is_noting() ? pthread_guarded(engine, next, thread, set, __builtin_return_address(0)) :
		next(thread, set.size, set.cpus);
}
