#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/deadline.h"
#include "base/descriptor.h"
#include "base/order.h"
#include "threads/drift.h"
#include "threads/guard.h"
#include "elf/objects.h"
#include "base/pin.h"
#include "process/process.h"
#include "elf/runtimes.h"
#include "base/text.h"

#define LOOK_NS (SP_GUARD_LOOK_MS * 1000000L)

/* Threads that end within so many milliseconds of the first share one scan. */
#define TOGETHER_MS 10

enum changer {
	NOBODY,
	PROGRAM,		/* the executable itself, through libc: its mask is kept */
	OTHERS,
};

/* What the guard remembers of the thread of a slot. */
struct watched {
	pid_t tid;
	struct sp_cpus pinned;	/* the mask that splitpin set last */
	uint64_t seen;		/* hash of the changed mask that the last scan found; 0: it was unchanged */
	bool concluded;		/* the change has been noted for the report */
};

struct sp_guard {
	struct sp_workers *workers;	/* or NULL: the main thread alone */
	const struct sp_cpus *_Atomic share, *_Atomic unpinned;
	const struct sp_config *config;
	const struct sp_who *who;
	_Atomic bool is_main_ours, is_held;
	int filters;		/* as filters_now, at first */
	atomic_flag is_watching;
	struct sp_changes *changes;

	/* Guarded by the lock of workers: touched by visitors alone. */
	struct watched *watched;
	uint32_t nwatched;

	pthread_mutex_t leaving;	/* guards what follows */
	struct timespec together;	/* threads leaving before this time reuse the last scan */

	pthread_mutex_t lock;		/* guards what follows */
	struct watched main;		/* the main thread while it has no slot */
	struct sp_drifts drifts;
	bool has_restored;
	_Atomic bool ended;
};

/* The filters of system calls that the calling thread is under (seccomp), as a container or the program itself sets them; -1: not known. */
static int
filters_now(void)
{
	char text[2048];	/* threads that settle may have small stacks */
	int fd = sp_descriptor_open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[length < 0 ? 0 : length] = '\0';
	const char *line = strstr(text, "\nSeccomp_filters:");
	return line ? atoi(line + strlen("\nSeccomp_filters:")) : -1;
}

struct sp_guard *
sp_guard_create(struct sp_workers *workers, const struct sp_cpus *share, const struct sp_cpus *unpinned, struct sp_changes *changes,
		const struct sp_config *config, const struct sp_who *who, bool is_main_ours)
{
	bool on = config->guard == SP_GUARD_AUTO ? config->debug : config->guard != SP_GUARD_OFF;
	struct sp_guard *guard = on && !config->dry_run ? calloc(1, sizeof(*guard)) : NULL;

	if (!guard)
		return NULL;
	*guard = (struct sp_guard){ .workers = workers, .share = share, .unpinned = unpinned, .changes = changes, .config = config, .who = who,
				    .is_watching = ATOMIC_FLAG_INIT, .main = { .tid = getpid() } };
	pthread_mutex_init(&guard->leaving, NULL);
	pthread_mutex_init(&guard->lock, NULL);
	guard->filters = filters_now();
	guard->is_main_ours = sp_pin_get(guard->main.tid, &guard->main.pinned) == 0 && is_main_ours;
	return guard;
}

void
sp_guard_move(struct sp_guard *guard, const struct sp_cpus *share, const struct sp_cpus *unpinned)
{
	pthread_mutex_lock(&guard->lock);
	if (sp_cpus_equal(&guard->main.pinned, guard->share))
		guard->main.pinned = *share;
	guard->share = share;
	guard->unpinned = unpinned;
	pthread_mutex_unlock(&guard->lock);
}

void
sp_guard_leave_main(struct sp_guard *guard)
{
	guard->is_main_ours = false;
}

void
sp_guard_hold(struct sp_guard *guard, bool hold)
{
	guard->is_held = hold;
}

/*
 * An OpenMP runtime counts as the program, since it changes no mask that splitpin
 * has set: a call that returns to the runtime was the last statement of a
 * parallel region, compiled to a jump (tail call).
 */
bool
sp_guard_is_program(const void *caller, char *name, size_t size)
{
	struct sp_object object;

	if (!sp_object_of(caller, &object)) {
		snprintf(name, size, "a library that has been unloaded");
		return false;
	}
	snprintf(name, size, "%s", sp_last_part(object.path));
	return !*object.path || sp_runtime_is_any(&object);
}

/* Who changed the mask of drift->tid.  Fills in drift->now and drift->by; the caller has filled in the rest. */
static enum changer
changer_of(struct sp_guard *guard, const struct sp_cpus *pinned, struct sp_drift *drift)
{
	struct sp_given given = { .assigned = &drift->assigned, .pinned = pinned, .share = guard->share, .unpinned = guard->unpinned };

	if (sp_pin_get(drift->tid, &drift->now) != 0)
		return NOBODY;
	const void *caller = sp_changes_find(guard->changes, drift->tid, sp_drift_hash(&drift->now));
	if (!sp_drifted(&given, &drift->now, caller != NULL))
		return NOBODY;
	return caller && sp_guard_is_program(caller, drift->by, sizeof(drift->by)) ? PROGRAM : OTHERS;
}

static void
note(const struct sp_guard *guard, const struct sp_drift *drift, const char *what)
{
	char text[SP_DRIFT_TEXT], sentence[SP_DRIFT_TEXT + 64];

	if (!guard->config->debug)
		return;
	snprintf(sentence, sizeof(sentence), "%s%s", sp_drift_format(drift, text, sizeof(text)), what);
	sp_report_note(guard->who, sentence);
}

/* Waits for a second at most: a signal handler that interrupted the holder of the lock may end the program. */
static bool
lock(pthread_mutex_t *mutex)
{
	return sp_deadline_lock(mutex, 1000);
}

/* The thread or the rank ends: note a change for the report. */
static void
conclude(struct sp_guard *guard, struct watched *watched, struct sp_drift *drift)
{
	enum changer changer = watched->concluded ? NOBODY : changer_of(guard, &watched->pinned, drift);

	if (changer == NOBODY)
		return;
	watched->concluded = true;
	if (changer == PROGRAM)
		*drift->by = '\0';
	else
		sp_drifts_add(&guard->drifts, drift, guard->share);
	note(guard, drift, changer == PROGRAM ? " by the program itself, and is kept" : "");
}

/* Undo a change that two scans in a row have found. */
static void
restore(struct sp_guard *guard, struct watched *watched, struct sp_drift *drift)
{
	char text[SP_DRIFT_TEXT];
	uint64_t now = changer_of(guard, &watched->pinned, drift) == OTHERS ? sp_drift_hash(&drift->now) : 0;
	bool lasts = now && watched->seen == now;

	watched->seen = now;
	if (!lasts || sp_pin_set(drift->tid, &drift->assigned) != 0)
		return;
	*watched = (struct watched){ .tid = drift->tid, .pinned = drift->assigned };
	sp_changes_forget(guard->changes, drift->tid);
	if (guard->has_restored)
		note(guard, drift, ": restored");
	else
		sp_warn_rank(guard->who, "%s: restored (SPLITPIN_GUARD=keep); later changes are restored silently",
			     sp_drift_format(drift, text, sizeof(text)));
	guard->has_restored = true;
}

/* Visitors: the workers are locked. */

/* The record of a slot's thread, reset if the slot has got another thread; NULL if memory is short. */
static struct watched *
watched_at(struct sp_guard *guard, int slot, const struct sp_assignment *assignment)
{
	struct watched *all = sp_array_grow(guard->watched, &guard->nwatched, (uint32_t)slot, sizeof(*all));

	if (!all)
		return NULL;
	guard->watched = all;
	struct watched *watched = &all[slot];
	if (watched->tid != assignment->tid)
		*watched = (struct watched){ .tid = assignment->tid, .pinned = assignment->cpus };
	return watched;
}

static struct sp_drift
drift_of(const struct sp_assignment *assignment)
{
	return (struct sp_drift){ .thread = assignment->thread, .tid = assignment->tid, .assigned = assignment->cpus };
}

static void
visit_pinned(void *data, int slot, const struct sp_assignment *assignment)
{
	struct sp_guard *guard = data;
	struct watched *watched = watched_at(guard, slot, assignment);

	if (!watched)
		return;
	*watched = (struct watched){ .tid = assignment->tid, .pinned = assignment->cpus };
	sp_changes_forget(guard->changes, assignment->tid);
}

/* The record of a slot's thread, with the guard locked; NULL, and not locked: memory is short, or the guard has ended. */
static struct watched *
lock_watched(struct sp_guard *guard, int slot, const struct sp_assignment *assignment)
{
	struct watched *watched = watched_at(guard, slot, assignment);

	if (!watched || !lock(&guard->lock))
		return NULL;
	if (!guard->ended)
		return watched;
	pthread_mutex_unlock(&guard->lock);
	return NULL;
}

static void
visit_conclude(void *data, int slot, const struct sp_assignment *assignment)
{
	struct sp_guard *guard = data;
	struct watched *watched = lock_watched(guard, slot, assignment);
	struct sp_drift drift = drift_of(assignment);

	if (!watched)
		return;
	conclude(guard, watched, &drift);
	pthread_mutex_unlock(&guard->lock);
}

/* The main thread is guarded further without a slot, on the CPUs that it had. */
static void
visit_leaving(void *data, int slot, const struct sp_assignment *assignment)
{
	struct sp_guard *guard = data;

	if (assignment->tid != sp_own_tid())
		return;
	visit_conclude(guard, slot, assignment);
	if (assignment->tid == guard->main.tid && lock(&guard->lock)) {
		guard->main.pinned = assignment->cpus;
		pthread_mutex_unlock(&guard->lock);
	}
}

static void
visit_restore(void *data, int slot, const struct sp_assignment *assignment)
{
	struct sp_guard *guard = data;
	struct watched *watched = lock_watched(guard, slot, assignment);
	struct sp_drift drift = drift_of(assignment);

	if (!watched)
		return;
	restore(guard, watched, &drift);
	pthread_mutex_unlock(&guard->lock);
}

/* Visit every thread that has a slot.  Returns whether the main thread is left: guarded, and without a slot. */
static bool
visit_all(struct sp_guard *guard, sp_workers_visitor *visitor)
{
	struct sp_assignment assignment;
	bool is_main_left = guard->is_main_ours;

	for (int slot = 0; guard->workers; slot++) {
		int error = sp_workers_visit(guard->workers, slot, visitor, guard, &assignment);

		if (error == -ERANGE)
			break;
		if (error == -EBUSY)
			return false;
		if (!error && assignment.tid == guard->main.tid)
			is_main_left = false;
	}
	return is_main_left;
}

static struct sp_drift
drift_of_main(const struct sp_guard *guard)
{
	return (struct sp_drift){ .thread = -1, .tid = guard->main.tid, .assigned = guard->main.pinned };
}

static void
look(struct sp_guard *guard)
{
	if (guard->is_held || !visit_all(guard, visit_restore) || !lock(&guard->lock))
		return;
	struct sp_drift drift = drift_of_main(guard);
	if (!guard->ended)
		restore(guard, &guard->main, &drift);
	pthread_mutex_unlock(&guard->lock);
}

/*
 * A library may pin all threads at each of its calls: named when the rank ends,
 * it has slowed the rank down already, and where nobody can configure it only a
 * thread that looks again helps.
 */
static void *
watch(void *data)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	struct sp_guard *guard = data;

	pthread_setname_np(pthread_self(), "splitpin");
	/* Ends where it is the only thread left: it must not keep a process alive whose main thread called pthread_exit. */
	while (!guard->ended && !sp_process_is_left()) {
		sp_pin_set(0, guard->share);
		nanosleep(&nap, NULL);
		look(guard);
	}
	return NULL;
}

/* Start the thread with all signals blocked: those of the program are not for it. */
static int
start(struct sp_guard *guard)
{
	pthread_t thread;
	sigset_t all, before;

	sigfillset(&all);
	int error = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (error)
		return error;
	error = pthread_create(&thread, NULL, watch, guard);
	if (!error)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int
sp_guard_watch(struct sp_guard *guard)
{
	if (guard->config->guard != SP_GUARD_KEEP || atomic_flag_test_and_set(&guard->is_watching))
		return 0;
	return -start(guard);
}

void
sp_guard_pinned(struct sp_guard *guard, int slot)
{
	struct sp_assignment assignment;

	sp_workers_visit(guard->workers, slot, visit_pinned, guard, &assignment);
	sp_guard_watch(guard);
}

/*
 * Scan all threads before a slot is given back: another thread may move to that
 * slot, and its new mask would hide what others had done to the old one.  Of
 * threads that leave together the first one scans, and the others wait for it.
 */
static void
look_before_moves(struct sp_guard *guard)
{
	if (guard->config->guard == SP_GUARD_KEEP || !lock(&guard->leaving))
		return;
	if (sp_deadline_is_over(&guard->together)) {
		guard->together = sp_deadline_in(TOGETHER_MS);
		visit_all(guard, visit_conclude);
	}
	pthread_mutex_unlock(&guard->leaving);
}

void
sp_guard_leaving(struct sp_guard *guard, int slot)
{
	struct sp_assignment assignment;

	sp_workers_visit(guard->workers, slot, visit_leaving, guard, &assignment);
	look_before_moves(guard);
}

/*
 * Whether the kernel would refuse to give all of them their CPUs back: the cgroup
 * has lost some, or they are offline.  It is not asked where the program has set a
 * filter of system calls since, which may end it for that; nor where that is not
 * known, before Linux 5.9.
 */
static bool
is_out_of_reach(const struct sp_guard *guard)
{
	const struct sp_drifts *drifts = &guard->drifts;
	struct sp_cpus allowed;

	if (guard->filters < 0 || filters_now() != guard->filters || sp_pin_allowed(&allowed) != 0)
		return false;
	for (uint32_t i = 0; i < sp_smaller(drifts->count, SP_DRIFTS); i++)
		if (!sp_cpus_within(&drifts->worst[i].assigned, &allowed))
			return true;
	return false;
}

static const char *
outlook(const struct sp_guard *guard)
{
	if (is_out_of_reach(guard))
		return "not all of these CPUs are available to the job any more";
	if (guard->config->guard == SP_GUARD_KEEP)
		return "not restored by SPLITPIN_GUARD=keep: the rank ended too soon, or the kernel refused";
	return guard->drifts.count == 1 ? "SPLITPIN_GUARD=keep would restore it" : "SPLITPIN_GUARD=keep would restore them";
}

static void
report(const struct sp_guard *guard)
{
	char text[SP_DRIFTS_TEXT];

	if (guard->drifts.count)
		sp_warn_rank(guard->who, "%s; %s", sp_drifts_format(&guard->drifts, text, sizeof(text)), outlook(guard));
}

void
sp_guard_end(struct sp_guard *guard)
{
	bool is_main_left = visit_all(guard, visit_conclude);

	if (!lock(&guard->lock))
		return;
	struct sp_drift drift = drift_of_main(guard);
	if (is_main_left && !guard->ended)
		conclude(guard, &guard->main, &drift);
	if (!guard->ended)
		report(guard);
	guard->ended = true;
	pthread_mutex_unlock(&guard->lock);
}
