/*
 * OMPT: a thread of libomp or libiomp5 is pinned at its first implicit task.
 *
 * It is not pinned earlier, since the runtime sets the mask itself after
 * thread_begin.  It is not pinned at the initial task, since the runtime reads
 * the mask after that task, and the whole process would have one CPU.  And it
 * is pinned only once, since the index of a task does not identify its thread
 * for good (a nested team numbers its threads from 0 again).
 */
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/pin.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "ompt/ompt.h"
#include "shim/export.h"
#include "shim/libomp.h"
#include "shim/native.h"
#include "shim/self.h"
#include "shim/settle.h"

/*
 * parallel_data says which thread opened the team: its upper half is the number
 * of that thread's root, its lower half the slot of that (outer) thread, plus
 * 1.
 */
#define ROOT_SHIFT 32
#define OUTER_NOT_PINNED 0	/* or the team is an outermost team */
#define HELPER_TEAM UINT64_MAX	/* the team of libomp's hidden helper threads, not one of the program */

#define NO_TOOL (-2)		/* what omp_control_tool returns without one */

/* State of the calling thread; one object, since each object would cost every process of a site a relocation. */
static _Thread_local struct {
	int depth;		/* number of teams that it is in */
	unsigned size;		/* size of the outermost team that it was in last */
	unsigned number;	/* its index in the team for which it has its slot */
	bool done;		/* it has been pinned, or logged */
	bool inner;		/* it has its slot as a worker of a nested team */
	bool narrowed;		/* put on the share after the runtime had seen a wider mask */
} self;

/* Whether a runtime started before PMIx gave the rank. */
static _Atomic bool started_wide;

/* The runtimes that have started and not ended: libomp and libiomp5 may both be there. */
#define RUNTIMES_MAX 4

enum { UNUSED, FILLING, STARTED };

static struct started_runtime {
	struct sp_object object;	/* valid only where the state is STARTED */
	_Atomic int state;
	_Atomic bool has_program;	/* the program's code is in the same object, or cannot be told from the runtime's */
} runtimes[RUNTIMES_MAX];

/* The started runtime that holds this code, or NULL. */
static struct started_runtime *
runtime_of(const void *code)
{
	for (unsigned i = 0; i < RUNTIMES_MAX; i++)
		if (runtimes[i].state == STARTED && runtimes[i].object.start <= (uintptr_t)code &&
		    (uintptr_t)code < runtimes[i].object.end)
			return &runtimes[i];
	return NULL;
}

static void
add_runtime(const void *code)
{
	for (unsigned i = 0; i < RUNTIMES_MAX; i++) {
		int now = UNUSED;

		if (!atomic_compare_exchange_strong(&runtimes[i].state, &now, FILLING))
			continue;
		bool found = sp_object_of(code, &runtimes[i].object);
		runtimes[i].has_program = found && runtimes[i].object.path[0] == '\0';
		runtimes[i].state = found ? STARTED : UNUSED;
		return;
	}
}

/*
 * Whether this is the one team that libomp opens by itself, of helper threads
 * for "target nowait": the call comes from the runtime's code, in a thread of
 * the runtime's own.  Where such a call comes from the process's first thread,
 * or from a thread inside a team, the same object holds the program's code (a
 * runtime linked statically), or the runtime gives no better address (libomp
 * for gcc's teams): the helpers' team cannot be recognised there.
 */
static bool
opened_by_runtime(const void *code)
{
	struct started_runtime *runtime = runtime_of(code);

	if (!runtime || runtime->has_program)
		return false;
	if (self.depth > 0 || !sp_self_is_root() || sp_own_tid() == syscall(SYS_getpid))
		runtime->has_program = true;
	return !runtime->has_program;
}

static bool
in_region(void)
{
	return self.depth > 0;
}

static void
set_team(uint32_t team)
{
	for (unsigned i = 0; i < RUNTIMES_MAX; i++)
		if (runtimes[i].state == STARTED)
			sp_runtime_set_team(&runtimes[i].object, team);
}

static void
parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
	       unsigned int requested, int flags, const void *code)
{
	(void)task;
	(void)frame;
	(void)requested;
	(void)flags;
	bool nested = self.depth > 0 || !sp_self_is_root();

	if (opened_by_runtime(code))
		parallel->value = HELPER_TEAM;
	else
		parallel->value = (uint64_t)sp_self_root() << ROOT_SHIFT |
			(nested ? (uint32_t)(sp_self_slot() + 1) : OUTER_NOT_PINNED);
}

/* The thread with this index in a team whose parallel_data is opener. */
static struct sp_worker
worker_of(uint64_t opener, unsigned int team, unsigned int index)
{
	return (struct sp_worker){ .thread = (int)index, .team = team, .near = (int)(uint32_t)opener - 1,
				   .root = (uint32_t)(opener >> ROOT_SHIFT), .runtime = SP_LIBOMP };
}

static void
pin(const struct sp_engine *engine, uint64_t opener, unsigned int team, unsigned int index)
{
	struct sp_worker worker = worker_of(opener, team, index);

	self.done = true;
	self.size = team;
	self.inner = worker.near >= 0;
	self.number = index;
	if (engine->pinning(SP_LIBOMP) == SP_LOG)
		engine->log_bound(&worker);
	else if (sp_self_slot() >= 0)
		engine->pin(sp_self_slot(), &worker);
	else
		sp_self_pin(engine, engine->take(&worker, NULL), &worker);
}

/*
 * Handle a pinned thread that begins a task in an outermost team of another
 * size, or has been reassigned.  The runtime keeps idle threads for later teams
 * of any root thread, and reports neither change by another event.
 */
static void
update(uint64_t opener, unsigned int team, unsigned int index, bool reassigned)
{
	struct sp_worker worker = worker_of(opener, team, index);
	const struct sp_engine *engine = sp_settled();

	self.size = team;
	if (!engine || sp_self_slot() < 0)
		return;
	if (reassigned) {
		self.inner = worker.near >= 0;
		self.number = index;
		sp_self_unpin(engine);
		sp_self_pin(engine, engine->take(&worker, NULL), &worker);
	}
	if (worker.near < 0)
		engine->resize(&worker);
}

/*
 * Whether the runtime has moved this worker to the teams of another root thread,
 * from a nested team to an outermost one, or to another index.
 */
static bool
is_reassigned(uint64_t opener, unsigned int index)
{
	uint32_t root = (uint32_t)(opener >> ROOT_SHIFT);

	if (index == 0)
		return false;
	if (root == sp_self_root())
		return (uint32_t)opener == OUTER_NOT_PINNED && (self.inner || index != self.number);
	sp_self_join(root);
	return true;
}

/* A runtime that read the wide mask sets its threads' masks to the wide mask: libiomp5 does. */
static void
narrow(void)
{
	const struct sp_engine *engine = sp_settled();

	if (!engine || self.narrowed)
		return;
	self.narrowed = true;
	engine->widen();
}

/* libiomp5 2019 passes garbage as flags: flags are read only in a team of one. */
static void
implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
	      unsigned int team, unsigned int index, int flags)
{
	(void)task;
	if (team <= 1 && (flags & ompt_task_initial))
		return;
	if (endpoint != ompt_scope_begin) {
		self.depth--;
		return;
	}
	self.depth++;
	if (started_wide && sp_self_slot() < 0)
		narrow();
	if (team <= 1 || !parallel || parallel->value == HELPER_TEAM)
		return;
	bool reassigned = self.depth == 1 && is_reassigned(parallel->value, index);
	if (self.done) {
		if (self.depth == 1 && (reassigned || team != self.size))
			update(parallel->value, team, index, reassigned);
		return;
	}
	const struct sp_engine *engine = sp_settled();
	if (engine && engine->pinning(SP_LIBOMP) != SP_LEAVE)
		pin(engine, parallel->value, team, index);
}

/* The answer of a runtime that has no tool: a program cannot control splitpin. */
static int
control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
	(void)command;
	(void)modifier;
	(void)argument;
	(void)code;
	return NO_TOOL;
}

static int
initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device;
	(void)data;
	if (!set)
		return 0;
	add_runtime((void *)lookup);
	set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
	set(ompt_callback_control_tool, (ompt_callback_t)control_tool);
	return 1;
}

/*
 * The runtime ends, for good or to start again (omp_pause_hard), or is
 * unloaded.  The calling thread, unlike its workers, lives on: if it were still
 * pinned, the runtime would find one place when it counts CPUs again.  A
 * runtime that starts again asks for no tool, so that its threads stay on the
 * share.
 */
static void
finalize(ompt_data_t *data)
{
	const struct sp_engine *engine = sp_settled();
	struct started_runtime *runtime = runtime_of(__builtin_return_address(0));

	(void)data;
	if (runtime)
		runtime->state = UNUSED;
	if (!engine || sp_self_slot() < 0)
		return;
	engine->widen();
	sp_self_unpin(engine);
	self.done = false;
}

/* The result is filled in here: initial values would be relocated in every process. */
static ompt_start_tool_result_t *
result_of(ompt_start_tool_result_t *result, ompt_initialize_t on_start, ompt_finalize_t on_end)
{
	result->initialize = on_start;
	result->finalize = on_end;
	return result;
}

/*
 * Called at the point where the runtime goes on without a tool; a runtime that
 * binds natively has read its places by then.
 */
static int
decline(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)lookup;
	(void)device;
	(void)data;
	sp_native_end();
	return 0;
}

/* The same where another tool is present. */
static ompt_start_tool_result_t *_Atomic relayed;

static int
initialize_other(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)data;
	sp_native_end();
	return relayed->initialize(lookup, device, &relayed->tool_data);
}

static void
finalize_other(ompt_data_t *data)
{
	(void)data;
	relayed->finalize(&relayed->tool_data);
}

static ompt_start_tool_result_t *
relay(ompt_start_tool_result_t *other)
{
	static ompt_start_tool_result_t result;
	ompt_start_tool_result_t *now = NULL;

	/* Two runtimes with a tool that returns a different result to each: the second result is passed on unchanged. */
	if (!atomic_compare_exchange_strong(&relayed, &now, other) && now != other)
		return other;
	return result_of(&result, initialize_other, finalize_other);
}

/*
 * Whether ThreadSanitizer is loaded: libomp then loads Archer by itself, unless
 * another tool has answered, and without Archer false races are reported.
 */
static bool
has_tsan(void)
{
	return sp_objects_bound_export("__tsan_init") != NULL;
}

/*
 * The result for the runtime where another tool has precedence, or native
 * binding is requested; own: the result where neither is so.
 */
static ompt_start_tool_result_t *
native_result(const struct sp_engine *engine, ompt_start_tool_result_t *other, ompt_start_tool_result_t *own, const void *code)
{
	static ompt_start_tool_result_t declining;
	bool is_taken = other || engine->tool_announced() || has_tsan();

	if (!is_taken && sp_libomp_begin(engine, code)) {
		sp_self_unpin(engine);
		return result_of(&declining, decline, finalize);
	}

	if (sp_native_begin(engine, is_taken))
		return other ? relay(other) : is_taken ? NULL :
			result_of(&declining, decline, finalize);
	if (!is_taken)
		return own;
	engine->note("another OMPT tool takes precedence: threads may use the whole share and are not pinned individually");
	return other;
}

static ompt_start_tool_result_t *
next_tool(unsigned int version, const char *name)
{
	ompt_start_tool_result_t *(*next)(unsigned int, const char *) =
		(ompt_start_tool_result_t * (*)(unsigned int, const char *))
			sp_objects_export_after((void *)next_tool, "ompt_start_tool");

	return next ? next(version, name) : NULL;
}

/*
 * A runtime accepts one tool.  A tool that the user has brought has precedence:
 * threads are then bound natively.  Where PMIx has not given the rank yet, or
 * another thread has not finished settling (MPI_Init waits for other ranks),
 * threads are pinned from the moment that the rank has settled.
 */
SP_EXPORT ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *name)
{
	static ompt_start_tool_result_t result;
	ompt_start_tool_result_t *ours = result_of(&result, initialize, finalize);
	sp_self_set_tool(in_region, set_team);
	const struct sp_engine *engine = sp_settle(SP_BY_OMPT);
	ompt_start_tool_result_t *other = next_tool(version, name);

	if (!engine) {
		bool later = !other && !has_tsan() && (sp_awaits_pmix() || sp_is_settling());

		if (later)
			started_wide = true;
		return later ? ours : other;
	}
	/*
	 * Another runtime's team may have pinned this thread: it is widened, so
	 * that this runtime counts the share, and pinned again at its next
	 * task.
	 */
	if (sp_self_slot() >= 0)
		engine->widen();
	self.done = false;
	return native_result(engine, other, engine->pinning(SP_LIBOMP) == SP_LEAVE ? NULL : ours, __builtin_return_address(0));
}
