/*
 * What changes in a rank while it runs: its share, when all ranks have come and
 * have announced their needs, and when there are more threads than announced;
 * and where threads may run that are not pinned.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/order.h"
#include "base/pin.h"
#include "engine/state.h"
#include "node/neighbours.h"
#include "node/release.h"
#include "share/renew.h"

static char *const nothing[] = { NULL };	/* used instead of the environment, which the program may have changed meanwhile */

/* Threads that are not pinned. */

static struct sp_cpus
unpinned_cpus(const struct sp_state *self, const struct sp_cpus *share)
{
	struct sp_cpus cpus = *share, more = self->found.open;

	/* From a launcher's binding that is kept, only a team that has claimed other cores leaves. */
	if (sp_cpus_within(&self->found.cpus, &self->inherited))
		sp_cpus_and(&more, &self->inherited);
	if (self->config.bind != SP_NO_BIND)
		sp_cpus_or(&cpus, &more);
	return cpus;
}

/*
 * Move threads that are not OpenMP workers, except the main thread: as one thread
 * it has a core in the share, and MPI polls in it.
 */
static void
move_helpers(const struct sp_cpus *from, const struct sp_cpus *to)
{
	struct sp_cpus main;
	bool is_main_there = sp_pin_get(getpid(), &main) == 0 && sp_cpus_equal(&main, from);

	sp_pin_process(from, to);
	if (is_main_there)
		sp_pin_set(getpid(), from);
}

/*
 * This rank's threads have too few cores.  Beside pinned threads they would have to
 * make do with what these leave: those of the user's other jobs are left to the
 * kernel, too, which then balances all, as without splitpin.
 */
static void
make_way(const struct sp_state *self)
{
	const struct sp_cpus *cpus = sp_omp_env_binds(&self->omp_env) && !self->leaves_places ? self->share : self->unpinned;

	if (!self->config.dry_run && self->joined.board && sp_config_avoids_others(&self->config))
		sp_release_pinned(self->joined.job, self->joined.machine, cpus);
}

static bool
is_confined(const struct sp_state *self)
{
	return !sp_cpus_within(&self->allowed, self->unpinned);
}

/* Whether cores are too few.  If another job is only starting, threads that can go anywhere find free ones. */
static bool
lacks_cores(const struct sp_state *self)
{
	return self->joined.terms.is_crowded || (self->found.is_node_shared && (!self->joined.terms.starter || is_confined(self)));
}

/* In milliseconds; 0: not known. */
static uint64_t
age_of_process(void)
{
	struct sp_process process;

	return sp_process_self(&process) == 0 ? sp_process_age_ns(&process) / 1000000 : 0;
}

/*
 * Whether another rank of the job makes way for this one, too, while they settle: their threads may be on the same CPUs, those
 * of the launcher or of the machine.  Ranks settle together within SPLITPIN_WAIT; what other jobs pin between two programs of a
 * job is released by the second, if its process started later than the first one did so: with "a; exec b" in a shell it may not have.
 */
static bool
is_for_another(const struct sp_state *self)
{
	bool is_common = sp_cpus_equal(self->unpinned, &self->joined.launcher) || sp_machine_is_within(self->joined.machine, self->unpinned);

	return is_common && !self->is_settled && self->joined.board && !sp_omp_env_binds(&self->omp_env) &&
	       sp_board_is_released(self->joined.board, (uint32_t)sp_smaller(self->config.wait_ms, age_of_process()));
}

/* The size of a team that may have several threads on each core, as sp_slots_release takes it. */
static uint32_t
full_team(const struct sp_state *self)
{
	return self->found.is_uneven ? SP_UNEVEN : self->omp_env.threads;
}

void
sp_state_find_unpinned(struct sp_state *self)
{
	const struct sp_cpus *before = self->unpinned;
	struct sp_cpus *now = malloc(sizeof(*now));	/* never freed: others may read it at any time */

	if (!now)
		return;
	*now = unpinned_cpus(self, self->share);
	self->unpinned = now;
	if (self->guard)
		sp_guard_move(self->guard, self->share, now);
	if (self->workers)
		sp_workers_release(self->workers, full_team(self), now);
	if (!self->config.dry_run && !sp_cpus_equal(before, now) && !sp_cpus_equal(before, self->share))
		sp_pin_process(before, now);
	if (lacks_cores(self) && !is_for_another(self))
		make_way(self);
}

/* The number of cores that the rank has claimed in its share. */
static uint32_t
claimed_cores(const struct sp_state *self)
{
	uint32_t claimed = sp_state_claimed(self), cores = sp_machine_cores(self->joined.machine, self->share);

	return claimed ? (uint32_t)sp_smaller(claimed, cores) : cores;
}

/* The threads of this process, without those that MPI made. */
static uint32_t
count_threads(const struct sp_state *self)
{
	struct stat all;
	uint32_t threads = stat("/proc/self/task", &all) == 0 && all.st_nlink > 2 ? (uint32_t)all.st_nlink - 2 : UINT32_MAX;

	return (uint32_t)sp_excess(threads, self->helpers);
}

const struct sp_cpus *
sp_state_cpus_of_helper(struct sp_state *self)
{
	if (self->config.dry_run)
		return NULL;
	if (!self->has_many_threads && !sp_cpus_equal(self->unpinned, self->share) && count_threads(self) >= claimed_cores(self)) {
		self->has_many_threads = true;
		move_helpers(self->share, self->unpinned);
		if (is_confined(self))
			make_way(self);
	}
	return self->has_many_threads ? self->unpinned : self->share;
}

/*
 * MPI_Init has returned: the threads that it made, most of which sleep, may be
 * anywhere, and do not count as such for which the share has to have cores.
 */
static void
release_helpers(struct sp_state *self)
{
	if (self->config.dry_run || sp_cpus_equal(self->unpinned, self->share))
		return;
	self->helpers = count_threads(self) - 1;
	self->has_many_threads = false;
	move_helpers(self->share, self->unpinned);
}

/* A share that has changed. */

/* Move the OpenMP threads to where they belong in the share, after this or what is claimed of it has changed. */
static void
place_workers(struct sp_state *self)
{
	if (!self->workers)
		return;
	sp_workers_claim(self->workers, sp_state_claimed(self));
	sp_workers_move(self->workers, self->share, full_team(self), self->unpinned);
}

static int
move(struct sp_state *self, const struct sp_cpus *to)
{
	struct sp_cpus *now = malloc(sizeof(*now));	/* never freed, either */
	int error = now ? 0 : -ENOMEM;

	if (!error) {
		*now = *to;
		error = self->config.dry_run ? 0 : sp_pin_process(self->share, now);
	}
	if (error) {
		free(now);
		return error;
	}
	self->share = now;
	place_workers(self);
	return 0;
}

/* Take over what was found, except found.cpus: other threads may be reading the previous share. */
static void
tell(struct sp_state *self, const struct sp_rank_share *again)
{
	struct sp_rank_share next = *again;

	next.cpus = self->found.cpus;
	self->found = next;
	sp_state_find_unpinned(self);
	sp_state_set_memory(self);
	sp_state_write_seat(self, self->is_ready ? SP_SEAT_READY : SP_SEAT_SETTLED);
	sp_state_log_share(self);
}

/*
 * Other cores of the same share are claimed than before, when it was for that
 * many threads.  These stay on their cores, unless one is no longer claimed.
 */
static void
claim_in_place(struct sp_state *self, uint32_t before)
{
	if (!sp_claim_stays(self->joined.machine, self->share, before, sp_state_claimed(self), self->config.bind)) {
		place_workers(self);
	} else if (self->workers) {
		sp_workers_claim(self->workers, sp_state_claimed(self));
		sp_workers_release(self->workers, full_team(self), self->unpinned);
	}
	sp_state_write_seat(self, self->is_ready ? SP_SEAT_READY : SP_SEAT_SETTLED);
}

/* Whether threads must stay where they are, because they are pinned, or bound to places of the share. */
static bool
has_to_stay(const struct sp_state *self, const struct sp_rank_share *again)
{
	return self->binds_natively ||
	       (again->may_be_others && !self->found.may_be_others && self->workers && sp_workers_are_there(self->workers));
}

/* If the last terms of the job cannot be read, the other ranks may have followed them. */
static void
renew(struct sp_state *self)
{
	const struct sp_situation situation = sp_state_situation(self, nothing);
	const uint32_t claimed = sp_state_claimed(self);
	struct sp_rank_share again = self->found;
	int error = sp_terms_renew(&situation);

	if (error < 0)
		sp_warn_rank(&self->who, "cannot read how many threads the other ranks of this node have: %s; ranks may have the same cores", strerror(-error));
	bool may_follow = error == 0 && sp_share_again(&situation, &again) == 0 && !has_to_stay(self, &again);
	if (may_follow && sp_cpus_equal(&again.cpus, self->share) && again.may_be_others == self->found.may_be_others) {
		self->found.is_uneven = again.is_uneven;
		claim_in_place(self, claimed);
	} else if (may_follow && move(self, &again.cpus) == 0) {
		tell(self, &again);
	}
}

void
sp_state_renew_share(struct sp_state *self)
{
	pthread_mutex_lock(&self->changing);
	if (self->is_settled && !self->has_grown)
		renew(self);
	release_helpers(self);
	self->is_ready = true;
	sp_state_write_seat(self, SP_SEAT_READY);
	pthread_mutex_unlock(&self->changing);
}

/* Growth. */

static bool
may_grow(const struct sp_state *self)
{
	return self->is_settled && (self->joined.board || self->config.dry_run) && !sp_cpus_empty(&self->found.open) &&
	       !self->found.may_be_others && !self->binds_natively &&
	       !(sp_omp_env_binds(&self->omp_env) && self->omp_env.keeps_places);
}

/* Claim a core for each of so many threads; the caller holds the lock of all jobs.  Returns 1 if there are too few: a confined rank then claims what it has. */
static int
claim_more(struct sp_state *self, uint32_t threads, struct sp_rank_share *again)
{
	const struct sp_situation situation = sp_state_situation(self, nothing);
	struct sp_view view = sp_situation_view(&situation);
	static struct sp_other_jobs others;	/* as in sp_state_grow */
	static struct sp_plan plan;
	int error = sp_board_terms(self->joined.board, &self->joined.terms, self->joined.need);

	if (error)
		return error;
	sp_others_find(&situation, 0, &others);
	const struct sp_larger_team team = {
		.open = &self->found.open, .bounds = is_confined(self) ? self->unpinned : NULL, .claims = sp_state_claimed(self), .threads = threads, .share = &again->cpus };
	plan = (struct sp_plan){ .terms = self->joined.terms };
	view.grown = &team;
	const bool has_grown = sp_decide(&view, NULL, &others, &plan) == SP_DIVISION_GROWN;
	if (!has_grown && !is_confined(self))
		return 1;
	self->joined.terms = plan.terms;
	error = sp_board_revise(self->joined.board, &self->joined.terms, self->joined.need, NULL, NULL);
	if (has_grown && !error)
		self->claims = threads;
	return has_grown ? error : 1;
}

static int
grow(struct sp_state *self, uint32_t threads, struct sp_rank_share *again)
{
	if (self->config.dry_run) {	/* nobody else is there */
		if (threads > sp_machine_cores(self->joined.machine, self->share))
			return 1;
		self->claims = threads;
		return 0;
	}
	int error = sp_board_lock_jobs(self->config.wait_ms);
	if (error)
		return error;
	error = claim_more(self, threads, again);
	sp_board_end();
	return error;
}

/* Threads that other jobs have released. */

/* Whether another job of this user is there; the caller holds the lock `changing`, or settles. */
static bool
is_beside_others(const struct sp_state *self)
{
	static struct sp_other_jobs others;	/* used by one thread at a time; its stack may be small */

	sp_board_other_jobs(self->joined.job, &others);
	return others.jobs > 0;
}

void
sp_state_heed_release(struct sp_state *self, uint32_t threads, uint32_t changes, bool is_new)
{
	if (!self->joined.board || ((!is_new || threads == self->heeded.threads) && changes == self->heeded.changes))
		return;
	self->heeded.threads = threads;
	self->heeded.changes = changes;
	uint64_t releases = sp_board_releases(self->joined.board);
	if (!releases)
		return;
	pthread_mutex_lock(&self->changing);
	if (releases != self->heeded.releases || (self->heeded.is_stopped && !is_beside_others(self))) {
		self->heeded.is_stopped = releases != self->heeded.releases;
		self->heeded.releases = releases;
		sp_workers_stop(self->workers, self->heeded.is_stopped);
	}
	pthread_mutex_unlock(&self->changing);
}

void
sp_state_heed_earlier_release(struct sp_state *self)
{
	uint64_t releases = self->joined.board && !self->config.dry_run ? sp_board_releases(self->joined.board) : 0;

	if (!releases)
		return;
	self->heeded.releases = releases;
	self->heeded.is_stopped = is_beside_others(self);
	if (!self->heeded.is_stopped || sp_state_is_bound(self))
		return;
	if (self->workers)
		sp_workers_stop(self->workers, true);
	sp_pin_process(self->share, self->unpinned);
}

/* Whether as many cores are idle as threads want, as far as this rank knows: other jobs may have claimed them. */
static bool
may_be_enough(const struct sp_state *self, uint32_t threads)
{
	struct sp_cpus taken = self->joined.terms.claim, idle = self->found.open;

	sp_machine_fill_cores(self->joined.machine, &taken);
	sp_cpus_sub(&idle, &taken);
	return !sp_cpus_empty(&taken) && sp_machine_cores(self->joined.machine, &idle) + claimed_cores(self) >= threads;
}

/*
 * Whether a team has more threads than announced, and than places.  The runtime has
 * read its places from the share that was found first.
 */
static bool
has_too_few_places(const struct sp_state *self, uint32_t threads)
{
	const struct sp_cpus *cpus = &self->found.cpus;
	uint32_t places = self->omp_env.on_cores ? sp_machine_cores(self->joined.machine, cpus) : sp_cpus_count(cpus);

	return threads > sp_larger(self->omp_env.threads, places) && !sp_cpus_within(self->unpinned, cpus);
}

const struct sp_cpus *
sp_state_cpus_of_larger_team(struct sp_state *self, uint32_t threads)
{
	if (!may_grow(self) || !has_too_few_places(self, threads))
		return NULL;
	self->leaves_places = true;
	sp_state_grow(self, threads);
	const struct sp_cpus *share = self->share;
	return threads <= sp_machine_cores(self->joined.machine, share) ? share : self->unpinned;
}

void
sp_state_grow(struct sp_state *self, uint32_t threads)
{
	if (threads <= self->most_wanted || !may_grow(self))
		return;
	pthread_mutex_lock(&self->changing);
	const uint32_t claimed = sp_state_claimed(self);
	static struct sp_rank_share again;	/* used by the one thread that holds the lock; its stack may be small */

	again = self->found;
	again.cpus = *self->share;
	const bool is_more = threads > self->most_wanted && threads > claimed_cores(self);
	const int error = !is_more ? 0 : may_be_enough(self, threads) || is_confined(self) ? grow(self, threads, &again) : 1;
	if (is_more && !error) {
		snprintf(again.why, sizeof(again.why), "%u threads, more than announced: idle cores were claimed for them", threads);
		self->has_grown = true;
		if (sp_cpus_equal(&again.cpus, self->share))
			claim_in_place(self, claimed);
		else if (move(self, &again.cpus) == 0)
			tell(self, &again);
	} else if (error > 0) {
		make_way(self);
	}
	self->most_wanted = (uint32_t)sp_larger(threads, self->most_wanted);
	pthread_mutex_unlock(&self->changing);
}
