/*
 * The interposed functions of POSIX threads.
 *
 * libgomp's workers are recognised when they are made: the caller of
 * pthread_create, or the start routine, lies in libgomp.  A worker is pinned to
 * a slot; any other thread gets CPUs by the engine, not the slot of its creator.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "elf/objects.h"
#include "elf/runtimes.h"
#include "shim/attributes.h"
#include "shim/export.h"
#include "shim/libomp.h"
#include "shim/native.h"
#include "shim/next.h"
#include "shim/self.h"
#include "shim/settle.h"
#include "shim/widen.h"

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int thrd_create_fn(thrd_t *, thrd_start_t, void *);

/*
 * Whether an address lies in a libomp: a libomp that was loaded late and has
 * another tool starts without calling splitpin.
 */
static __attribute__((noinline)) bool
is_libomp(const void *caller)
{
	struct sp_object object;

	return sp_object_of(caller, &object) && sp_runtime_is(SP_LIBOMP, &object);
}

/* What a new thread has to do before its own start routine; freed by that thread. */
struct startup {
	void *(*start)(void *);
	void *arg;
	bool is_worker;
	struct sp_worker worker;
	int slot;		/* taken for a worker, or below 0 */
	int (*level)(void);	/* of a worker: its libgomp's omp_get_level */
};

/*
 * Runs in the new thread, with cancellation disabled: without splitpin, even a
 * thread that is cancelled at once reaches its own start routine.
 */
static void *
start_up(void *data)
{
	struct startup startup = *(struct startup *)data;
	const struct sp_engine *engine = sp_settled();
	int cancel;

	free(data);
	if (startup.is_worker) {
		sp_self_join(startup.worker.root);
		sp_self_set_level(startup.level);
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	if (engine && !startup.is_worker)
		engine->log_foreign();
	else if (startup.worker.when_made)
		sp_libomp_await(startup.slot, &startup.worker);
	else if (engine && engine->pinning(SP_LIBGOMP) == SP_LOG)
		engine->log_bound(&startup.worker);
	else if (engine)
		sp_self_pin(engine, startup.slot, &startup.worker);
	pthread_setcancelstate(cancel, NULL);
	return startup.start(startup.arg);
}

/*
 * Whether the attributes say where the thread is to run.  glibc sets all bits of
 * the set if they have no mask, and returns an error if they have one with CPUs
 * that the set has no room for: so a byte tells, without a set on the stack.
 */
static bool
has_affinity(const pthread_attr_t *attr)
{
	unsigned char byte = 0;

	return attr && (pthread_attr_getaffinity_np(attr, 0, (cpu_set_t *)&byte) != 0 ||
			pthread_attr_getaffinity_np(attr, sizeof(byte), (cpu_set_t *)&byte) != 0 || byte == 0);
}

/*
 * The index of a libgomp.  Several may be loaded, a Python wheel's beside the
 * system's, each with threads of its own.  Those beyond the expected number
 * count as one.
 */
static uint32_t
instance_of(const struct sp_object *libgomp)
{
	static _Atomic uintptr_t starts[8];
	uint32_t i = 0;

	for (; i < sizeof(starts) / sizeof(starts[0]) - 1; i++) {
		uintptr_t now = 0;

		if (atomic_compare_exchange_strong(&starts[i], &now, libgomp->start) || now == libgomp->start)
			break;
	}
	return i;
}

/*
 * Describes a worker of libgomp.  While libgomp creates the threads of a team,
 * the thread that opens the team counts as inside already, so that libgomp's
 * own functions return size and nesting.  Where they do not, the default size
 * is used as a guess.  A worker of another runtime that opens a team is the
 * outer thread of that.
 */
static struct sp_worker
libgomp_worker(const struct sp_object *libgomp)
{
	int team = sp_runtime_ask(libgomp, "omp_get_num_threads");
	bool guess = team <= 1;

	if (guess)
		team = sp_runtime_ask(libgomp, "omp_get_max_threads");
	bool inner = !sp_self_is_root() || sp_runtime_ask(libgomp, "omp_get_active_level") > 1;
	return (struct sp_worker){ .thread = -1, .team = team > 0 ? (uint32_t)team : 1, .guess = guess,
				   .near = inner ? sp_self_slot() : -1, .root = sp_self_root(),
				   .runtime = SP_LIBGOMP, .instance = instance_of(libgomp) };
}

/*
 * The thread that opens a team is its thread 0.  Slots are taken here, where
 * libgomp makes its threads in the order of their numbers, and not in the new
 * threads, which start in any order.  cpus: may be NULL.
 */
static void
take_slots(const struct sp_engine *engine, struct startup *startup, struct sp_cpus *cpus)
{
	struct sp_worker primary = startup->worker;

	primary.thread = 0;
	sp_self_set_level(startup->level);
	if (sp_self_slot() < 0)
		sp_self_pin(engine, engine->take(&primary, NULL), &primary);
	startup->slot = engine->take(&startup->worker, cpus);
}

/*
 * Whether the new thread has anything to do before it starts.  *cpus: where it
 * may start, as take() of the engine fills it in, to free(); in a dry run empty;
 * untouched where no slot is taken.
 */
static bool
plan_startup(const struct sp_engine *engine, const struct sp_object *caller, struct startup *startup, struct sp_cpus **cpus)
{
	bool of_libomp = caller && sp_libomp_makes_worker(caller);
	enum sp_pinning pinning = engine->pinning(of_libomp ? SP_LIBOMP : SP_LIBGOMP);

	if (!of_libomp && !(caller && sp_runtime_is(SP_LIBGOMP, caller)))
		return engine->is_debugging() && !(caller && sp_runtime_is(SP_LIBOMP, caller));
	if (pinning == SP_LEAVE && !of_libomp)
		return false;
	startup->is_worker = true;
	startup->worker = of_libomp ? sp_libomp_worker(caller) : libgomp_worker(caller);
	startup->level = (int (*)(void))sp_object_export(caller, SP_SELF_LEVEL);
	if (pinning == SP_PIN) {
		*cpus = calloc(1, sizeof(**cpus));
		take_slots(engine, startup, *cpus);
	}
	return true;
}

static int
create_planned(create_fn *next, pthread_t *thread, const pthread_attr_t *attr, const struct startup *plan)
{
	struct startup *startup = malloc(sizeof(*startup));

	if (!startup)
		return next(thread, attr, plan->start, plan->arg);
	*startup = *plan;
	int error = next(thread, attr, start_up, startup);
	if (error)
		free(startup);
	return error;
}

static int
create(create_fn *next, pthread_t *thread, const pthread_attr_t *attr, const struct startup *plan, bool planned)
{
	return planned ? create_planned(next, thread, attr, plan) : next(thread, attr, plan->start, plan->arg);
}

static bool
is_empty(const struct sp_cpus *set)
{
	size_t i = 0;

	while (i < sizeof(set->word) / sizeof(set->word[0]) && !set->word[i])
		i++;
	return i == sizeof(set->word) / sizeof(set->word[0]);
}

/*
 * Create a thread whose attributes say on which CPUs it starts, so that its
 * creator need not move: moved to the share and back for each thread, the
 * creator would wait for a CPU of a busy node each time.
 */
static int
create_placed(create_fn *next, pthread_t *thread, const pthread_attr_t *attr, const struct sp_cpus *cpus,
	      const struct startup *plan, bool planned)
{
	pthread_attr_t placed;
	int error = sp_attributes_copy(&placed, attr, cpus);

	if (error)
		return error;
	error = create(next, thread, &placed, plan, planned);
	pthread_attr_destroy(&placed);
	return error;
}

/*
 * Create a thread with the creator's mask widened meanwhile: a thread that
 * starts on the CPU of its busy creator would wait for that CPU before it could
 * move to its own.
 */
static int
create_widened(create_fn *next, pthread_t *thread, const pthread_attr_t *attr, const struct startup *plan, bool planned)
{
	uint64_t before[sp_widen_words()];
	struct sp_widening widening;

	sp_widen_begin(&widening, before, sizeof(before) / sizeof(before[0]));
	int error = create(next, thread, attr, plan, planned && (plan->is_worker || widening.done));
	sp_widen_end(&widening);
	return error;
}

/* cpus: NULL: they are not known. */
static int
create_elsewhere(create_fn *next, pthread_t *thread, const pthread_attr_t *attr, const struct sp_cpus *cpus,
		 const struct startup *plan, bool planned)
{
	int error = cpus ? create_placed(next, thread, attr, cpus, plan, planned) : EOPNOTSUPP;

	/* Without memory for a thread there is none this way either; but a cpuset may have shrunk. */
	return error && error != EAGAIN ? create_widened(next, thread, attr, plan, planned) : error;
}

/*
 * The object that creates the thread: the one that holds the caller.  But if a
 * tool that wraps pthread_create calls for libgomp, the start routine is still
 * libgomp's, and the object is libgomp.
 */
static const struct sp_object *
maker_of(const void *caller, void *(*start)(void *), struct sp_object *object)
{
	if (sp_object_of((const void *)start, object) && (sp_libomp_is(object) || sp_runtime_is(SP_LIBGOMP, object)))
		return object;
	return sp_object_of(caller, object) ? object : NULL;
}

/*
 * Where the new thread starts.  NULL: that is not known, or the program has
 * chosen the mask of its creator; empty: with the mask of its creator.
 */
static const struct sp_cpus *
cpus_to_start_on(const struct sp_engine *engine, const struct sp_object *maker, const struct startup *plan, const struct sp_cpus *taken)
{
	if (plan->is_worker)
		return plan->slot >= 0 ? taken : NULL;
	return maker && sp_runtime_is_any(maker) ? NULL : engine->cpus_of_helper(sp_self_slot());
}

/* The same where a libgomp that binds its threads itself has too few places for the team of the new one; NULL: as above. */
static const struct sp_cpus *
cpus_of_larger_team(const struct sp_engine *engine, const struct sp_object *maker)
{
	if (!engine->may_leave_places(SP_LIBGOMP) || !maker || sp_libomp_is(maker) || !sp_runtime_is(SP_LIBGOMP, maker))
		return NULL;
	const struct sp_worker worker = libgomp_worker(maker);
	return engine->cpus_of_larger_team(worker.team, worker.guess);
}

static __attribute__((noinline)) int
create_in_rank(const struct sp_engine *engine, create_fn *next, const void *caller, pthread_t *thread,
	       const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct startup plan = { .start = start, .arg = arg, .slot = -1 };
	struct sp_object object;
	bool bound = has_affinity(attr);
	struct sp_cpus *taken = NULL;
	const struct sp_object *maker = maker_of(caller, start, &object);
	bool planned = plan_startup(engine, maker, &plan, &taken);
	const struct sp_cpus *outside = cpus_of_larger_team(engine, maker);
	const struct sp_cpus *cpus = outside ? outside : bound ? NULL : cpus_to_start_on(engine, maker, &plan, taken);
	bool as_creator = !outside && (bound || (cpus && is_empty(cpus)));
	int error = as_creator ? create(next, thread, attr, &plan, planned && (plan.is_worker || !bound)) :
		create_elsewhere(next, thread, attr, cpus, &plan, planned);

	if (error && plan.slot >= 0)
		engine->give(plan.slot);
	free(taken);
	return error;
}

/*
 * In a process that is not a rank this is a tail call: tools that come next
 * (sanitizers) report the caller, which must be the program.
 */
SP_EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	const void *caller = __builtin_return_address(0);
	const struct sp_engine *engine = sp_settled();
	create_fn *next = (create_fn *)sp_next(SP_PTHREAD_CREATE);

	sp_next_find_all();
	if (sp_may_settle() && is_libomp(caller))
		engine = sp_settle(SP_BY_RUNTIME_THREAD);
	sp_native_thread(caller, (const void *)start);
	return engine ? create_in_rank(engine, next, caller, thread, attr, start, arg) :
		next(thread, attr, start, arg);
}

/* libc makes C11 threads by an internal call. */
static __attribute__((noinline)) int
thrd_create_widened(thrd_create_fn *next, thrd_t *thread, thrd_start_t start, void *arg)
{
	uint64_t before[sp_widen_words()];
	struct sp_widening widening;

	sp_widen_begin(&widening, before, sizeof(before) / sizeof(before[0]));
	int error = next(thread, start, arg);
	sp_widen_end(&widening);
	return error;
}

SP_EXPORT int
thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	thrd_create_fn *next = (thrd_create_fn *)sp_next(SP_THRD_CREATE);

	sp_next_find_all();
	return sp_settled() ? thrd_create_widened(next, thread, start, arg) : next(thread, start, arg);
}
