/*
 * The interposed functions that read and change masks of threads.
 *
 * Reading: a library that counts CPUs by the mask is a sign that the process is
 * parallel, and comes early enough to settle it.  A pinned thread that reads
 * its mask gets the share, which is what the program may use, outside of
 * parallel regions, and its pin inside.
 *
 * Changing: calls are passed on unchanged, unless a thread sets the mask that
 * was reported to it.  The engine gets the caller's address, so that it can name
 * the library.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/pin.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "shim/export.h"
#include "shim/next.h"
#include "shim/old_set.h"
#include "shim/progress.h"
#include "shim/self.h"
#include "shim/settle.h"

typedef int sched_getaffinity_fn(pid_t, size_t, cpu_set_t *);
typedef int pthread_getaffinity_fn(pthread_t, size_t, cpu_set_t *);
typedef int sched_setaffinity_fn(pid_t, size_t, const cpu_set_t *);
typedef int pthread_setaffinity_fn(pthread_t, size_t, const cpu_set_t *);

/* Whether an address lies in a libgomp; or, the next function, in a library that creates a pool of threads. */
static __attribute__((noinline)) bool
is_libgomp(const void *caller)
{
	struct sp_object object;

	return sp_object_of(caller, &object) && sp_runtime_is(SP_LIBGOMP, &object);
}

static __attribute__((noinline)) bool
is_pool(const void *caller)
{
	struct sp_object object;

	return sp_object_of(caller, &object) && sp_runtime_is_pool(&object);
}

/*
 * Whether a statically linked libgomp may be calling: from within the
 * executable, which exports nothing of libgomp.  Any MPI program without
 * another OpenMP runtime is taken for such a program: settling early does no
 * harm, since MPI_Init would settle it anyway.
 *
 * Searched for once, at the latest in libgomp's constructor: the search takes a
 * lock of the loader, and later calls may come from a profiler's signal
 * handler.
 */
static __attribute__((noinline)) bool
may_be_static_libgomp(const void *caller)
{
	static _Atomic bool asked;
	struct sp_object object;

	return sp_object_of(caller, &object) && object.path[0] == '\0' && !atomic_exchange(&asked, true) &&
	       !sp_runtimes_are_loaded() && sp_objects_export_after((void *)is_libgomp, "MPI_Init");
}

/*
 * Whether the caller is the wrapper of another library, preloaded before
 * splitpin: libgomp's constructor may be calling through it.
 */
static __attribute__((noinline)) bool
may_be_for_libgomp(const void *caller)
{
	struct sp_object object, libgomp;

	return sp_object_of(caller, &object) && sp_object_export(&object, "pthread_getaffinity_np") &&
	       sp_runtimes_find(SP_LIBGOMP, &libgomp);
}

/*
 * Called after the calling thread, which splitpin has placed, has read its own
 * mask into set: replace the mask by the one to report.
 */
static __attribute__((noinline)) void
answer(const struct sp_engine *engine, struct sp_old_set set, enum sp_asker_of_mask asker)
{
	const struct sp_cpus *share = engine->answer(sp_self_slot(), set.cpus, set.size, asker);

	if (asker != SP_RUNTIME_ASKS)
		sp_self_set_told_share(share != NULL);
	if (!share)
		return;
	memset(set.cpus, 0, set.size);
	memcpy(set.cpus, share, set.size < sizeof(*share) ? set.size : sizeof(*share));
}

static bool
is_in_region(void)
{
	return sp_self_in_region();
}

/* Whether a call for this thread is for the calling thread. */
static bool
is_own(pid_t tid)
{
	return tid == 0 || tid == sp_own_tid();
}

static enum sp_asker_of_mask
asker_here(void)
{
	return is_in_region() ? SP_REGION_ASKS : SP_PROGRAM_ASKS;
}

/* In a child that a rank has forked, which counts CPUs as the rank does, too. */
static const struct sp_engine *
engine_to_ask(void)
{
	const struct sp_engine *engine = sp_settled();

	return engine ? engine : sp_left();
}

/* A process that has not settled calls the next function last of all, so that tools behind us see the caller. */

static __attribute__((noinline)) int
sched_get_settled(sched_getaffinity_fn *next, pid_t tid, struct sp_old_set set)
{
	int error = next(tid, set.size, set.cpus);
	const struct sp_engine *engine = error ? NULL : engine_to_ask();

	if (engine && is_own(tid))
		answer(engine, set, asker_here());
	return error;
}

SP_EXPORT int
sched_getaffinity(pid_t tid, size_t size, cpu_set_t *cpus)
{
	sched_getaffinity_fn *next = (sched_getaffinity_fn *)sp_next(SP_SCHED_GETAFFINITY);
	struct sp_old_set set = sp_old_set_of(size, cpus, __builtin_return_address(0), "sched_getaffinity");

	if (sp_may_settle() && is_pool(__builtin_return_address(0)))
		sp_settle(SP_BY_POOL);
	return engine_to_ask() ? sched_get_settled(next, tid, set) : next(tid, set.size, set.cpus);
}

static __attribute__((noinline)) int
pthread_get_settled(pthread_getaffinity_fn *next, pthread_t thread, struct sp_old_set set, const void *caller)
{
	int error = next(thread, set.size, set.cpus);
	const struct sp_engine *engine = error ? NULL : engine_to_ask();

	if (engine && pthread_equal(thread, pthread_self()))
		answer(engine, set, is_libgomp(caller) || may_be_for_libgomp(caller) ? SP_RUNTIME_ASKS : asker_here());
	return error;
}

/*
 * libgomp calls this in its constructor, which settles a rank before libgomp
 * counts CPUs, and in omp_get_num_procs(), anywhere.
 */
SP_EXPORT int
pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus)
{
	const void *caller = __builtin_return_address(0);
	pthread_getaffinity_fn *next = (pthread_getaffinity_fn *)sp_next(SP_PTHREAD_GETAFFINITY_NP);
	struct sp_old_set set = sp_old_set_of(size, cpus, caller, "pthread_getaffinity_np");

	if (sp_may_settle() && (is_libgomp(caller) || may_be_static_libgomp(caller) || may_be_for_libgomp(caller)))
		sp_settle(SP_BY_LIBGOMP);
	else if (sp_may_settle() && is_pool(caller))
		sp_settle(SP_BY_POOL);
	return engine_to_ask() ? pthread_get_settled(next, thread, set, caller) : next(thread, set.size, set.cpus);
}

/*
 * Calls that change masks.  Not inlined, so that a process that has not settled
 * needs no more stack than libc's own.  The engine is an argument: where a
 * signal handler forks during the call, the child comes back here and is no
 * longer settled.
 */

/* The calling thread has set the share, which was reported to it as its mask: whether it has got back the mask that it had. */
static bool
is_set_back(const struct sp_engine *engine, pid_t tid, struct sp_old_set set)
{
	return sp_self_told_share() && is_own(tid) && !is_in_region() && engine->set_back(sp_self_slot(), set.cpus, set.size);
}

static __attribute__((noinline)) int
sched_settled(const struct sp_engine *engine, sched_setaffinity_fn *next, pid_t tid, struct sp_old_set set, const void *caller)
{
	int error = next(tid, set.size, set.cpus);

	if (!error && !is_set_back(engine, tid, set))
		engine->mask_changed(tid, caller);
	return error;
}

SP_EXPORT int
sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *cpus)
{
	sched_setaffinity_fn *next = (sched_setaffinity_fn *)sp_next(SP_SCHED_SETAFFINITY);
	const struct sp_engine *engine = sp_settled();
	struct sp_old_set set = sp_old_set_of(size, cpus, __builtin_return_address(0), "sched_setaffinity");

	return engine ? sched_settled(engine, next, tid, set, __builtin_return_address(0)) :
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
pthread_settled(const struct sp_engine *engine, pthread_setaffinity_fn *next, pthread_t thread, struct sp_old_set set, const void *caller)
{
	int error = next(thread, set.size, set.cpus);
	pid_t tid = error ? -1 : tid_of(thread);

	if (tid >= 0 && !is_set_back(engine, tid, set) && !sp_progress_pinned(tid, caller))
		engine->mask_changed(tid, caller);
	return error;
}

SP_EXPORT int
pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus)
{
	pthread_setaffinity_fn *next = (pthread_setaffinity_fn *)sp_next(SP_PTHREAD_SETAFFINITY_NP);
	const struct sp_engine *engine = sp_settled();
	struct sp_old_set set = sp_old_set_of(size, cpus, __builtin_return_address(0), "pthread_setaffinity_np");

	return engine ? pthread_settled(engine, next, thread, set, __builtin_return_address(0)) :
		next(thread, set.size, set.cpus);
}
