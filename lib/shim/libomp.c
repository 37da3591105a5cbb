#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf/references.h"
#include "elf/runtimes.h"
#include "elf/teams.h"
#include "shim/libomp.h"
#include "shim/self.h"
#include "shim/settle.h"

/*
 * Since LLVM 13, libiomp5 2021.4.  Earlier versions may make a thread that counts
 * time, by the same call and before the workers.
 */
#define RECENT "omp_display_env"

#define RUNTIMES_MAX 4		/* libomp and libiomp5 may both be there, a wheel's beside the system's */

/* The start address of each such runtime; 0: none. */
static _Atomic uintptr_t starts[RUNTIMES_MAX];

/* A worker that has started and is still to be pinned; freed by that thread. */
struct waiting {
	struct sp_worker worker;
	int slot;
};

static _Thread_local struct waiting *waiting;	/* the calling thread is one, or NULL */

/* The index of a runtime; RUNTIMES_MAX: the object is not one of them. */
static unsigned
index_of(const struct sp_object *object)
{
	unsigned i = 0;

	while (i < RUNTIMES_MAX && starts[i] != object->start)
		i++;
	return i;
}

/* Whether splitpin is called first: a library before it may wrap what new threads start with. */
static bool
is_ours_first(const char *name)
{
	struct sp_object own;
	const void *first = sp_objects_export_after(NULL, name);

	return first && sp_object_of((void *)is_ours_first, &own) && sp_object_holds(&own, first);
}

static unsigned
sets_by_hwloc(const char *name)
{
	return sp_name_begins(name, "hwloc_set_");
}

/*
 * Whether this is a runtime whose calls are known and can be redirected; those
 * of a runtime in the executable are bound to itself.
 */
static bool
is_known(const struct sp_object *object)
{
	return object->path[0] != '\0' && sp_runtime_is_needed(object) && sp_runtime_is(SP_LIBOMP, object) &&
	       sp_object_export(object, RECENT) && sp_object_export(object, SP_SELF_LEVEL) &&
	       !sp_object_kinds(object, sets_by_hwloc) && is_ours_first("pthread_create");
}

static bool
add(const struct sp_object *object)
{
	for (unsigned i = 0; i < RUNTIMES_MAX; i++) {
		uintptr_t now = 0;

		if (atomic_compare_exchange_strong(&starts[i], &now, object->start) || now == object->start)
			return true;
	}
	return false;
}

bool
sp_libomp_is(const struct sp_object *object)
{
	return index_of(object) < RUNTIMES_MAX;
}

/* Whether workers may leave the places to which their runtime binds them, so that none waits to be pinned. */
static bool
may_leave_places(void)
{
	const struct sp_engine *engine = sp_settled();

	return engine && engine->may_leave_places(SP_LIBOMP);
}

/* While one waits to be pinned, or if it may leave its place, what it makes is no worker: it opens the team of helpers for "target nowait". */
bool
sp_libomp_makes_worker(const struct sp_object *runtime)
{
	return !waiting && sp_libomp_is(runtime) && (sp_self_is_root() || !may_leave_places());
}

/* The thread that opens the team is not yet inside it, so the runtime gives the default size, which is that of all teams. */
struct sp_worker
sp_libomp_worker(const struct sp_object *runtime)
{
	int team = sp_runtime_ask(runtime, "omp_get_max_threads");

	return (struct sp_worker){ .thread = -1, .team = team > 1 ? (uint32_t)team : 2,
				   .near = sp_self_is_root() ? -1 : sp_self_slot(), .root = sp_self_root(),
				   .runtime = SP_LIBOMP, .instance = index_of(runtime), .when_made = true };
}

void
sp_libomp_await(int slot, const struct sp_worker *worker)
{
	waiting = may_leave_places() ? NULL : malloc(sizeof(*waiting));
	if (waiting)
		*waiting = (struct waiting){ .worker = *worker, .slot = slot };
}

/* Pin with cancellation disabled; keeps errno. */
static void
pin_again(void)
{
	const struct sp_engine *engine = sp_settled();
	int keep = errno, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (engine && waiting)
		sp_self_pin(engine, waiting->slot, &waiting->worker);
	else if (engine && sp_self_slot() >= 0)
		engine->repin(sp_self_slot());
	free(waiting);
	waiting = NULL;
	pthread_setcancelstate(cancel, NULL);
	errno = keep;
}

/*
 * The function that a runtime calls as syscall.  A runtime puts its new threads on
 * the mask that it has read.  One that may be anywhere would then wait for the CPUs
 * of its share, where its creator is, to be free.
 */
static long
call_beside_tool(long number, long a, long b, long c, long d, long e, long f)
{
	const struct sp_engine *engine = number == SYS_sched_setaffinity && a == 0 ? sp_settled() : NULL;

	return engine && engine->has_left((const void *)c, (size_t)b) ? 0 : syscall(number, a, b, c, d, e, f);
}

/* The same for one whose workers are pinned when they are made. */
static long
call_of_runtime(long number, long a, long b, long c, long d, long e, long f)
{
	long result = call_beside_tool(number, a, b, c, d, e, f);

	if (number == SYS_sched_setaffinity && a == 0)
		pin_again();
	return result;
}

/*
 * The runtime has bound this thread, which it has made, to a place.  It does so last
 * when the thread is in its team, whose size is then known.  A worker of an outermost
 * team has a number above 0, unlike the thread that opens the team of helpers for
 * "target nowait".  Keeps errno.
 */
static void
leave_place(const void *caller)
{
	const struct sp_engine *engine = sp_settled();
	struct sp_object runtime;
	int keep = errno, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (engine && sp_object_of(caller, &runtime) && sp_runtime_ask(&runtime, "omp_get_thread_num") > 0 &&
	    sp_runtime_ask(&runtime, "omp_get_active_level") == 1) {
		const int team = sp_runtime_ask(&runtime, "omp_get_num_threads");
		const struct sp_worker worker = { .thread = -1, .team = team > 0 ? (uint32_t)team : 1, .near = -1, .runtime = SP_LIBOMP };

		engine->leave_place(&worker);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = keep;
}

/* The same for one whose workers may leave their places. */
static long
call_then_leave(long number, long a, long b, long c, long d, long e, long f)
{
	long result = syscall(number, a, b, c, d, e, f);

	if (number == SYS_sched_setaffinity && a == 0 && !sp_self_is_root())
		leave_place(__builtin_return_address(0));
	return result;
}

bool
sp_libomp_begin(const struct sp_engine *engine, const void *code)
{
	struct sp_object object;

	if (!sp_object_of(code, &object))
		return false;
	bool is_ours = engine->pinning(SP_LIBOMP) == SP_PIN && is_known(&object);
	if (engine->may_leave_places(SP_LIBOMP) && is_known(&object) && add(&object) &&
	    sp_object_redirect(&object, "syscall", (void *)call_then_leave))
		return false;
	if (is_ours && engine->pins_when_made() && sp_teams_are_even() && add(&object) &&
	    sp_object_redirect(&object, "syscall", (void *)call_of_runtime))
		return true;
	if (is_ours)
		sp_object_redirect(&object, "syscall", (void *)call_beside_tool);
	/* A runtime that was at this address before has been unloaded. */
	unsigned i = index_of(&object);
	if (i < RUNTIMES_MAX)
		starts[i] = 0;
	return false;
}
