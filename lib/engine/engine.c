/* The engine: holds the one state of this process and calls the rest in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "elf/runtimes.h"
#include "engine.h"
#include "engine/double.h"
#include "engine/ending.h"
#include "engine/mask.h"
#include "engine/start.h"
#include "engine/state.h"
#include "report/node_report.h"
#include "report/report.h"

#define SENTENCE 512

/* Written while the rank settles, before any other thread may call the engine, and only read afterwards. */
static struct sp_state self = { .changing = PTHREAD_MUTEX_INITIALIZER, .native.lock = PTHREAD_MUTEX_INITIALIZER };

static void
watch(char *const environment[])
{
	int error = self.guard ? sp_guard_watch(self.guard) : 0;

	if (error && sp_say_once(&self, environment, SP_OF_RANKS, "SPLITPIN_GUARD=keep"))
		sp_warn_rank(&self.who, "SPLITPIN_GUARD=keep needs a thread: %s; masks are not restored", strerror(-error));
}

static void
mpi_starts(bool begins)
{
	if (self.guard)
		sp_guard_hold(self.guard, begins);
}

static void
ready(void)
{
	sp_double_report(&self);
	if (!sp_state_has_seat(&self) || self.is_ready)
		return;
	sp_state_renew_share(&self);
	const struct sp_node of_rank = sp_state_node(&self);
	sp_node_report_when_ready(&of_rank);
}

__attribute__((destructor)) static void
leave(void)
{
	if (self.pid != getpid())
		return;
	sp_ending_check_memory(&self);
	if (self.guard)
		sp_guard_end(self.guard);
	sp_ending_report(&self);
}

static int
settle(const struct sp_rank *rank, enum sp_by by, char *const environment[])
{
	int error = sp_state_settle(&self, rank, by, environment);

	/* Ranks without a share do not call ready(). */
	if (error == -ENOSPC && sp_state_has_seat(&self) && self.found.is_refused) {
		const struct sp_node of_rank = sp_state_node(&self);

		sp_node_report_when_refused(&of_rank);
	}
	if (!error)
		watch(environment);
	return error;
}

static void
leave_early(void)
{
	sp_start_leave(&self);
}

static void
show(enum sp_by by)
{
	sp_start_end(&self, by);
}

/* What the shim asks while the program runs. */
static const struct sp_cpus *
share(void)
{
	return self.config.dry_run ? NULL : self.share;
}

static const char *
setting_for(enum sp_runtime runtime)
{
	return runtime == SP_LIBGOMP ? self.omp_env.libgomp : self.omp_env.libomp;
}

/* A libomp that does not bind its threads sets the mask of each just once, before its team is known. */
static bool
may_leave_places(enum sp_runtime runtime)
{
	return setting_for(runtime) && !self.omp_env.keeps_places && !(runtime == SP_LIBOMP && self.omp_env.is_off[SP_LIBOMP]);
}

static enum sp_pinning
pinning(enum sp_runtime runtime)
{
	if (setting_for(runtime))
		return self.config.debug ? SP_LOG : SP_LEAVE;
	return self.workers && self.config.bind != SP_NO_BIND && !self.found.may_be_others ? SP_PIN : SP_LEAVE;
}

static void
note(const char *sentence)
{
	if (self.config.debug)
		sp_report_note(&self.who, sentence);
}

static bool
tool_announced(void)
{
	return self.omp_env.tool_announced;
}

/*
 * Whether the team has one thread, which OMPT does not pin either: the whole
 * share is then for other threads that the program starts.
 */
static bool
is_alone(void)
{
	return self.omp_env.team == 1 && self.omp_env.nested == 1;
}

static bool
is_native(bool is_taken)
{
	return !self.config.dry_run && pinning(SP_LIBOMP) == SP_PIN && !is_alone() &&
	       (self.config.pin == SP_PIN_NATIVE || (self.config.pin == SP_PIN_AUTO && is_taken));
}

static char *const *
native(bool is_taken)
{
	char line[SENTENCE];
	char *const *entries = !is_native(is_taken) ? NULL :
		sp_native_entries(&self.native, self.joined.machine, self.share, &self.config, &self.omp_env);

	if (!entries)
		return NULL;
	pthread_mutex_lock(&self.changing);
	self.binds_natively = true;
	if (self.is_settled)
		sp_state_write_seat(&self, self.is_ready ? SP_SEAT_READY : SP_SEAT_SETTLED);
	pthread_mutex_unlock(&self.changing);
	if (self.guard)
		sp_guard_leave_main(self.guard);
	snprintf(line, sizeof(line), "libomp and libiomp5 bind their threads themselves: %s %s", entries[1], entries[0]);
	note(line);
	return entries;
}

static bool
pins_when_made(void)
{
	return self.config.pin == SP_PIN_AUTO && pinning(SP_LIBOMP) == SP_PIN &&
	       !self.omp_env.has_uneven_teams && !self.omp_env.may_use_hwloc;
}

/* A team's threads have places now.  Cores are claimed for them if its size is known: a default size is a guess unless the user has set the number of threads. */
static void
heed_team(const struct sp_worker *worker, bool is_new)
{
	uint32_t changes, threads = sp_workers_wanted(self.workers, &changes);

	sp_state_heed_release(&self, threads, changes, is_new);
	if (!worker->guess || self.omp_env.team_announced)
		sp_state_grow(&self, threads);
}

static int
take(const struct sp_worker *worker, struct sp_cpus *cpus)
{
	int slot = sp_workers_take(self.workers, worker, self.omp_env.team_announced);

	if (slot < 0)
		return slot;
	heed_team(worker, true);
	if (!cpus || self.config.dry_run)
		return slot;
	if (sp_workers_cpus(self.workers, slot, cpus) != 0)
		*cpus = *self.unpinned;		/* not its creator's, which may be a pin */
	else if (sp_cpus_equal(cpus, self.unpinned))
		*cpus = (struct sp_cpus){ 0 };	/* no thread that has a slot is pinned, its creator neither */
	return slot;
}

static int
pin(int slot, const struct sp_worker *worker)
{
	int error = sp_workers_pin(self.workers, slot, worker);

	if (!error && self.guard)
		sp_guard_pinned(self.guard, slot);
	return error;
}

static void
repin(int slot)
{
	sp_workers_repin(self.workers, slot);
}

static void
resize(const struct sp_worker *worker)
{
	sp_workers_resize(self.workers, worker);
	heed_team(worker, false);
}

static void
give(int slot)
{
	if (self.guard)
		sp_guard_leaving(self.guard, slot);
	sp_workers_give(self.workers, slot);
	self.heeded.threads = 0;
}

static uint64_t
given_mask(int slot)
{
	return sp_mask_given(&self, slot);
}

static void
leave_mask(int slot, uint64_t given, pid_t forker)
{
	sp_who_drop_stderr(&self.who);
	sp_mask_leave(&self, slot, given, forker);
}

static void
widen(void)
{
	if (!self.config.dry_run)
		sp_pin_set(0, self.share);
}

static int
widen_for(int slot, struct sp_widened *widened)
{
	return sp_mask_widen(&self, slot, widened);
}

static void
restore(int slot, const struct sp_widened *widened)
{
	sp_mask_restore(&self, slot, widened);
}

/* A mask that splitpin has not set is reported unchanged. */
static const struct sp_cpus *
answer(int slot, const void *now, size_t size, enum sp_asker_of_mask asker)
{
	if ((self.config.answer == SP_ANSWER_PIN && asker != SP_RUNTIME_ASKS) || self.config.dry_run)
		return NULL;
	if (sp_cpus_equal_mask(self.unpinned, now, size))
		return self.share;
	if (slot < 0 || asker == SP_REGION_ASKS)
		return NULL;
	return sp_workers_are(self.workers, slot, now, size) == 1 ? self.share : NULL;
}

static bool
set_back(int slot, const void *mask, size_t size)
{
	return sp_mask_set_back(&self, slot, mask, size);
}

static bool
has_left(const void *mask, size_t size)
{
	return !sp_cpus_equal(self.share, self.unpinned) && sp_mask_is(self.unpinned) && sp_pin_is_readable(mask, size) &&
	       sp_cpus_equal_mask(self.share, mask, size);
}

static void
mask_changed(pid_t tid, const void *caller)
{
	sp_mask_note(&self, tid, caller);
}

static bool
keeps_mask(void)
{
	return sp_mask_is_kept(&self, sp_state_runtime_binds(&self));
}

static bool
is_debugging(void)
{
	return self.config.debug;
}

static void
log_foreign(void)
{
	bool is_out = !sp_cpus_equal(self.unpinned, self.share) && self.has_many_threads;

	sp_state_log_pin(&self, -1, sp_own_tid(), is_out ? self.unpinned : self.share, NULL,
		is_out ? "not an OpenMP thread, and there are more threads than claimed cores: left to the kernel" :
			 "not an OpenMP thread: may use the whole share");
}

static void
log_bound(const struct sp_worker *worker)
{
	struct sp_cpus cpus;
	char why[SENTENCE];

	if (sp_pin_get(0, &cpus) != 0)
		return;
	if (sp_cpus_within(&cpus, &self.found.cpus))
		snprintf(why, sizeof(why), "%sbound by the runtime (%s)", self.omp_env.is_off[worker->runtime] ? "not " : "", setting_for(worker->runtime));
	else
		snprintf(why, sizeof(why), "the team has more threads than the runtime has places: may leave them");
	sp_state_log_pin(&self, worker->thread, sp_own_tid(), &cpus, sp_runtime_seen_by(worker->runtime), why);
}

static const struct sp_cpus *
cpus_of_helper(int slot)
{
	static const struct sp_cpus of_creator;
	const struct sp_cpus *cpus = sp_mask_is_given(&self, slot) ? sp_state_cpus_of_helper(&self) : NULL;

	/* Threads that have slots may be moved meanwhile, and what inherits a pin keeps it. */
	return cpus && slot < 0 && sp_mask_is(cpus) ? &of_creator : cpus;
}

static const struct sp_cpus *
cpus_of_larger_team(uint32_t team, bool guess)
{
	const bool is_known = !guess || self.omp_env.team_announced;

	return is_known && !self.config.dry_run ? sp_state_cpus_of_larger_team(&self, team) : NULL;
}

static void
leave_place(const struct sp_worker *worker)
{
	const struct sp_cpus *cpus = cpus_of_larger_team(worker->team, worker->guess);

	if (cpus)
		sp_pin_set(0, cpus);
}

static bool
release(pid_t tid)
{
	return !self.config.dry_run && sp_pin_set(tid, self.unpinned) == 0;
}

/*
 * A runtime that counted CPUs before the rank was known would create as many
 * threads as the wide mask had CPUs.
 */
static uint32_t
default_team(void)
{
	return self.omp_env.team_announced || self.config.dry_run ? 0 : sp_cpus_count(self.share);
}

__attribute__((visibility("default"))) extern const struct sp_engine sp_engine;

const struct sp_engine sp_engine = {
	.version = SP_ENGINE_VERSION,
	.size = sizeof(struct sp_engine),
	.settle = settle,
	.show = show,
	.leave = leave_early,
	.mpi_starts = mpi_starts,
	.ready = ready,
	.share = share,
	.cpus_of_helper = cpus_of_helper,
	.cpus_of_larger_team = cpus_of_larger_team,
	.leave_place = leave_place,
	.release = release,
	.default_team = default_team,
	.pinning = pinning,
	.may_leave_places = may_leave_places,
	.tool_announced = tool_announced,
	.native = native,
	.pins_when_made = pins_when_made,
	.keeps_mask = keeps_mask,
	.take = take,
	.pin = pin,
	.repin = repin,
	.resize = resize,
	.give = give,
	.widen = widen,
	.given_mask = given_mask,
	.leave_mask = leave_mask,
	.mask_words = sp_pin_words,
	.widen_for = widen_for,
	.restore = restore,
	.answer = answer,
	.set_back = set_back,
	.has_left = has_left,
	.mask_changed = mask_changed,
	.is_debugging = is_debugging,
	.log_bound = log_bound,
	.log_foreign = log_foreign,
	.note = note,
};
