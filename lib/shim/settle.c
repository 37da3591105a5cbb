/* The state of this process: whether it is a rank, and whether that has settled. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/deadline.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/text.h"
#include "elf/late.h"
#include "elf/objects.h"
#include "elf/runtimes.h"
#include "launcher/launcher.h"
#include "shim/native.h"
#include "shim/open_engine.h"
#include "shim/self.h"
#include "shim/settle.h"
#include "shim/signals.h"
#include "shim/switches.h"
#include "shim/unseen.h"

#define NAP_NS 1000000L		/* between two looks of a thread that finds another settling */
#define NAPS 200		/* looks after which it gives up */

enum state {
	UNDECIDED,
	NO_RANK,		/* not a rank, to be said at the first sign that the process is parallel */
	NOBODY,			/* not a rank, or something failed: do nothing, say nothing */
	AWAITS_PMIX,		/* a rank whose number only PMIx can give */
	RANK,			/* a rank that has not settled */
	SETTLING,
	SETTLED,
};

/*
 * The shim's own state.  `state` is changed by compare-and-swap; the thread that
 * changes it to SETTLING is the only one that writes the rest, before it changes
 * it again.
 */
static _Atomic int state;
static struct sp_rank self;
static int self_error;		/* what sp_launcher_rank returned */
static const struct sp_engine *engine;
static const struct sp_engine *left;	/* in a forked child: the rank's */

static _Atomic bool is_only_started;	/* settled from its start, and nothing has shown yet that this process is parallel itself */
static _Atomic bool has_explained;	/* the user has been told that PMIx has yet to give the rank, or need not */

static _Thread_local bool inside;	/* the calling thread is the one that settles */

/* __environ throughout: for its alias environ the loader would take another look-up in every process. */

/*
 * What pthread_atfork of the compiler's and libc's start files would call; the
 * shim is linked without these, which would make the loader look up four more
 * names in every process.  The last argument tells libraries apart that are
 * unloaded, which the shim never is.
 */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library);

/* What atexit would call, by libc's start files. */
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static enum state
state_for(int error)
{
	if (sp_switch_is_off() || sp_switch_is_setuid())
		return NO_RANK;
	return error == 0 || error == -EINVAL ? RANK : error == -EAGAIN ? AWAITS_PMIX : NO_RANK;
}

/*
 * Once, while the process is loaded: a program that is not a rank may free its
 * environment later, or another thread of it may, and call what is interposed.
 */
static int
decide(void)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);

	if (now != UNDECIDED)
		return now;
	if (!sp_objects_are_reached())
		return NOBODY;
	struct sp_rank rank = { 0 };
	int error = sp_launcher_rank(__environ, &rank);
	int next = error == -ENOENT ? NO_RANK : state_for(error);
	if (next == NO_RANK && !(rank.may_be_asked && sp_switch_is_asked_why()))
		next = NOBODY;

	/* Two threads may come here; only one of them writes. */
	if (!atomic_compare_exchange_strong(&state, &now, next == RANK ? SETTLING : next))
		return now;
	if (next == RANK) {
		self = rank;
		self_error = error;
		atomic_store_explicit(&state, RANK, memory_order_release);
	}
	return next;
}

/* Whether an object is a libsplitpin.so, this one or another: no other library exports all of these names. */
static bool
is_splitpin(const struct sp_object *object, const void *own)
{
	return sp_object_holds(object, own) ||
	       (sp_object_export(object, "ompt_start_tool") && sp_object_export(object, "PMIx_Init") &&
		sp_object_export(object, "execvpe"));
}

/*
 * A site and a user may each have preloaded a libsplitpin.so of their own.  Calls
 * reach the first, which acts alone: two would take each other for another
 * process of the rank, and for another OMPT tool.
 */
static bool
is_second(void)
{
	struct sp_object first;

	return sp_objects_find(is_splitpin, (void *)is_second, &first) && !sp_object_holds(&first, (void *)is_second);
}

#define NOT_ACTIVE "not active"

/* Not inlined, so that other processes need no stack for it. */
static __attribute__((noinline)) void
explain(const char *what, const char *why)
{
	struct utsname node;
	int keep = errno;

	if (is_second())
		return;
	sp_log("host=%s pid=%d %s: %s", sp_node_name(&node), (int)syscall(SYS_getpid), what, why);
	errno = keep;
}

/* Say why this process does nothing, once; forked children inherit that it was said. */
static void
explain_once(void)
{
	int now = NO_RANK;

	if (!atomic_compare_exchange_strong(&state, &now, NOBODY))
		return;
	explain(NOT_ACTIVE, sp_switch_is_setuid() ? "a setuid or setgid program" : sp_switch_is_off() ? "switched off by SPLITPIN=off" :
		"not started by a known launcher");
}

/* Say that the rank awaits PMIx; if PMIx_Init is called, the decision follows. */
static void
explain_waiting(void)
{
	if (!atomic_exchange(&has_explained, true) && sp_switch_is_debugging())
		explain(NOT_ACTIVE, "its local rank is not known before PMIx_Init has returned");
}

void
sp_before_fork(void)
{
	int keep = errno;

	if (sp_settled())
		sp_self_prepare_fork(engine);
	errno = keep;
}

/*
 * A forked child is not a rank: its OpenMP threads stay on the share, unpinned, so
 * that several children do not pile up on the same slots.  Nor is one that was
 * forked while another thread settled, which is not there to finish.
 */
void
sp_in_child(void)
{
	int keep = errno;

	if (sp_settled()) {
		sp_native_end();
		sp_self_leave(engine);
		left = engine;
	} else if (inside || atomic_load(&state) != SETTLING) {
		return;
	}
	atomic_store(&state, NOBODY);
	errno = keep;
}

/* Another thread's setenv may free the array while a rank waits for others; it never frees the strings. */
static char **
environment_now(void)
{
	static char **_Atomic kept;	/* reachable, for leak checkers; a plain one would be optimised away */
	char **copy = sp_environment_copy(__environ, 0);

	if (!copy)
		return __environ;
	atomic_store(&kept, copy);
	return copy;
}

/*
 * Whether to say what holds for all ranks of the node.  The first rank says it,
 * since there is no board yet on which ranks could see who has; so do all ranks
 * that were asked to report.
 */
static bool
speaks_for_node(void)
{
	return (self.local_rank == 0 && !sp_launcher_is_taken(__environ)) || sp_switch_is_asked_why();
}

/* Returns the state that follows: RANK is for a program that only starts others, which is no rank from its start. */
static enum state
settle_now(enum sp_by by)
{
	static bool handles_forks;	/* used by the one thread that settles */

	if (self_error) {
		bool is_set = *self.bad_value;

		sp_warn("%s%s%s is %s: set SPLITPIN_LOCAL_RANK to a number from 0 and SPLITPIN_LOCAL_SIZE to a larger one; the program runs as if libsplitpin.so were absent",
			self.bad_name, is_set ? "=" : "", self.bad_value, is_set ? "wrong" : "not set");
		return NOBODY;
	}
	sp_engine_remember_folder();
	if (!handles_forks)
		__register_atfork(sp_before_fork, NULL, sp_in_child, NULL);
	handles_forks = true;
	const struct sp_engine *table = sp_engine_open(speaks_for_node);
	int error = table ? table->settle(&self, by, environment_now()) : -ELIBACC;
	if (error)
		return error == -EAGAIN ? RANK : NOBODY;
	if (sp_self_init(sp_settled) != 0) {
		sp_warn("no key for thread-specific data is left; threads are not pinned");
		return NOBODY;
	}
	engine = table;
	atomic_store(&is_only_started, by == SP_BY_START);
	/* A runtime that asks for our tool has not found another. */
	if (by != SP_BY_OMPT && sp_native_is_needed())
		sp_native_begin(engine, true);
	return SETTLED;
}

/* Wait for the thread that settles.  True if the state is SETTLED in the end. */
static bool
wait_for_other(void)
{
	struct sp_nap nap = { .ns = NAP_NS, .max_ns = NAP_NS };

	for (int i = 0; i < NAPS && atomic_load(&state) == SETTLING; i++)
		sp_nap(&nap);
	return atomic_load_explicit(&state, memory_order_acquire) == SETTLED;
}

static const struct sp_engine *
settle_once(enum sp_by by)
{
	int now = RANK, cancel;
	sigset_t signals;

	sp_late_bind();
	/* Before the state says that this thread settles: from then on no handler may leave. */
	bool held = sp_signals_hold(&signals);
	if (!atomic_compare_exchange_strong(&state, &now, SETTLING)) {
		if (held)
			sigprocmask(SIG_SETMASK, &signals, NULL);
		return wait_for_other() ? engine : NULL;
	}
	inside = true;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	enum state next = settle_now(by);
	pthread_setcancelstate(cancel, NULL);
	inside = false;
	atomic_store_explicit(&state, next, memory_order_release);
	if (held)
		sigprocmask(SIG_SETMASK, &signals, NULL);
	return next == SETTLED ? engine : NULL;
}

/* The first sign that a process that settled from its start is parallel itself. */
static __attribute__((noinline)) void
show(enum sp_by by)
{
	int keep = errno;

	if (atomic_exchange(&is_only_started, false))
		engine->show(by);
	errno = keep;
}

const struct sp_engine *
sp_settle(enum sp_by by)
{
	const struct sp_engine *table = sp_settled();

	if (table && is_only_started)
		show(by);
	if (table || inside)
		return table;
	int now = decide();
	if ((now == RANK || now == AWAITS_PMIX) && is_second() && atomic_compare_exchange_strong(&state, &now, NOBODY))
		return NULL;
	if (now == NO_RANK)
		explain_once();
	else if (now == AWAITS_PMIX)
		explain_waiting();
	if (now == NO_RANK || now == NOBODY || now == AWAITS_PMIX)
		return NULL;
	int keep = errno;
	table = settle_once(by);
	errno = keep;
	return table;
}

bool
sp_awaits_pmix(void)
{
	return decide() == AWAITS_PMIX;
}

bool
sp_is_settling(void)
{
	return decide() == SETTLING;
}

const struct sp_engine *
sp_settle_as(const struct sp_rank *rank, enum sp_by by)
{
	int now = AWAITS_PMIX;

	if (atomic_compare_exchange_strong(&state, &now, SETTLING)) {
		self = *rank;
		atomic_store_explicit(&state, RANK, memory_order_release);
	}
	return sp_settle(by);
}

const struct sp_engine *
sp_settled(void)
{
	return atomic_load_explicit(&state, memory_order_acquire) == SETTLED ? engine : NULL;
}

const struct sp_engine *
sp_only_started(void)
{
	return is_only_started ? sp_settled() : NULL;
}

const struct sp_engine *
sp_left(void)
{
	return left;
}

bool
sp_may_settle(void)
{
	int now = decide();

	if (now == AWAITS_PMIX)
		return !has_explained;
	return now == NO_RANK || (now == RANK && !inside) || (now == SETTLED && is_only_started);
}

/* At the end of a rank whose user asked, in the process in which it was loaded: forked children inherit the call. */
static void
explain_unseen(void *loaded_in)
{
	char text[SP_UNSEEN];

	if ((decide() != RANK && !sp_only_started()) || (long)loaded_in != syscall(SYS_getpid))
		return;
	const char *why = sp_unseen_reason(text);
	if (why)
		explain(sp_only_started() ? "threads not pinned" : NOT_ACTIVE, why);
}

/* What this process starts need not settle as well, unless it is parallel. */
static void
take_seat(void)
{
	static char taken[sizeof(SP_RUN "=" SP_RUN_TAKEN) + 12];
	struct sp_text text = sp_text_begin(taken, sizeof(taken));

	sp_text_put(&text, SP_RUN "=" SP_RUN_TAKEN);
	sp_text_put_number(&text, (uint64_t)syscall(SYS_getpid));
	sp_environment_put(taken);
}

/* Whether this process was a rank from its start already, and has executed another program. */
static bool
was_from_start(void)
{
	const char *run = sp_environment_value(__environ, SP_RUN);
	uint64_t pid;

	if (run && strncmp(run, SP_RUN_TAKEN, sizeof(SP_RUN_TAKEN) - 1) == 0)
		run += sizeof(SP_RUN_TAKEN) - 1;
	return run && sp_ascii_digits(run, &pid) && pid == (uint64_t)syscall(SYS_getpid);
}

static void
settle_rank_at_load(void)
{
	if (sp_switch_is_asked_why())
		__cxa_atexit(explain_unseen, (void *)syscall(SYS_getpid), NULL);
	sp_engine_remember_folder();
	if (sp_runtimes_have_silent() || sp_native_is_passed_over() || sp_unseen_is_taken_over())
		sp_settle(SP_BY_CONSTRUCTOR);
	else if (self.from_start || was_from_start())
		sp_settle(SP_BY_START);
}

void
sp_settle_at_load(void)
{
	int now = decide();

	/* libgomp's constructor comes first, and may have settled in vain. */
	if (now != RANK && !self.from_start)
		return;
	int keep = errno;
	if (now == RANK)
		settle_rank_at_load();
	if (self.from_start && decide() != RANK)
		take_seat();
	errno = keep;
}
