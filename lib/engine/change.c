/*
 * Changes of a rank's share while it runs: when all ranks have come and have
 * announced their needs, and when a team is larger than announced.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/pin.h"
#include "engine/state.h"
#include "node/neighbours.h"
#include "share/renew.h"
#include "terms/terms.h"

static char *const nothing[] = { NULL };	/* used instead of the environment, which the program may have changed meanwhile */

/* Move the OpenMP threads to where they belong in the share, after this or what is claimed of it has changed. */
static void
place_workers(struct sp_state *self)
{
	if (!self->workers)
		return;
	sp_workers_claim(self->workers, sp_state_claimed(self));
	sp_workers_move(self->workers, self->share);
}

static int
move(struct sp_state *self, const struct sp_cpus *to)
{
	struct sp_cpus *now = malloc(sizeof(*now));	/* never freed: others may read it at any time */
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
	if (self->guard)
		sp_guard_move(self->guard, now);
	return 0;
}

/* Where threads that are not OpenMP workers may run. */
static const struct sp_cpus *
helpers_cpus(const struct sp_state *self)
{
	const struct sp_cpus *reach = self->reach;	/* another thread may be clearing it */

	return reach ? reach : self->share;
}

/* Move threads that are not OpenMP workers off the CPUs that were idle before. */
static void
move_helpers(const struct sp_state *self, const struct sp_cpus *before)
{
	if (before && !self->config.dry_run)
		sp_pin_process(before, helpers_cpus(self));
}

/* Where threads of libgomp may run that are more than CPUs; its threads do not spin then. */
static void
find_beyond(struct sp_state *self)
{
	if (!self->looks_beyond || !self->workers || self->shared.may_be_others)
		return;
	const struct sp_cpus wider = sp_terms_beyond(&self->joined.terms, self->share, &self->shared.open);
	sp_workers_beyond(self->workers, SP_LIBGOMP, &wider);
}

void
sp_state_find_beyond(struct sp_state *self)
{
	pthread_mutex_lock(&self->changing);
	if (!self->looks_beyond) {
		self->looks_beyond = true;
		find_beyond(self);
	}
	pthread_mutex_unlock(&self->changing);
}

/* Take over what was found, except shared.share: other threads may be reading the previous share. */
static void
tell(struct sp_state *self, const struct sp_shared *again)
{
	const struct sp_cpus *reach = self->reach;
	struct sp_shared next = *again;

	next.share = self->shared.share;
	self->shared = next;
	sp_state_find_reach(self);
	find_beyond(self);
	move_helpers(self, reach);
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
	const struct sp_machine *machine = self->joined.machine;
	struct sp_cpus had = { 0 }, has = { 0 };

	sp_claim_add(machine, self->share, before, self->config.bind, &had);
	sp_claim_add(machine, self->share, sp_state_claimed(self), self->config.bind, &has);
	if (!sp_cpus_within(&had, &has))
		place_workers(self);
	else if (self->workers)
		sp_workers_claim(self->workers, sp_state_claimed(self));
	find_beyond(self);
	sp_state_write_seat(self, self->is_ready ? SP_SEAT_READY : SP_SEAT_SETTLED);
}

/* Whether threads must stay where they are, because they are pinned, or bound to places of the share. */
static bool
has_to_stay(const struct sp_state *self, const struct sp_shared *again)
{
	return self->binds_natively ||
	       (again->may_be_others && !self->shared.may_be_others && self->workers && sp_workers_are_there(self->workers));
}

/* If the last terms of the job cannot be read, the other ranks may have followed them. */
static void
renew(struct sp_state *self)
{
	const struct sp_situation situation = sp_state_situation(self, nothing);
	const uint32_t claimed = sp_state_claimed(self);
	struct sp_shared again = self->shared;
	int error = sp_terms_renew(&situation);

	if (error < 0)
		sp_warn_rank(&self->who, "cannot learn what all ranks of this node need: %s; shares may overlap", strerror(-error));
	bool may_follow = error == 0 && sp_share_again(&situation, &again) == 0 && !has_to_stay(self, &again);
	if (may_follow && sp_cpus_equal(&again.share, self->share) && again.may_be_others == self->shared.may_be_others)
		claim_in_place(self, claimed);
	else if (may_follow && move(self, &again.share) == 0)
		tell(self, &again);
	else
		find_beyond(self);	/* the terms may have changed all the same */
}

void
sp_state_renew_share(struct sp_state *self)
{
	pthread_mutex_lock(&self->changing);
	if (self->is_settled && !self->has_grown)
		renew(self);
	self->is_ready = true;
	sp_state_write_seat(self, SP_SEAT_READY);
	pthread_mutex_unlock(&self->changing);
}

/* Threads that are not OpenMP workers. */

/* Whether the rank's own threads take all cores of its share. */
static bool
is_full(const struct sp_state *self)
{
	return !self->omp_env.threads || self->omp_env.threads >= sp_machine_cores(self->joined.machine, self->share);
}

/* The open CPUs whose cores are claimed neither by another job nor by another rank of this job. */
static struct sp_cpus
find_idle(const struct sp_state *self, const struct sp_cpus *claimed)
{
	struct sp_cpus taken = *claimed, idle = self->shared.open;

	sp_machine_fill_cores(self->joined.machine, &taken);
	sp_cpus_sub(&idle, &taken);
	return idle;
}

/* How many cores of these NUMA nodes are in a set. */
static uint32_t
cores_in(const struct sp_machine *machine, const struct sp_cpus *nodes, const struct sp_cpus *cpus, struct sp_cpus *in)
{
	*in = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (sp_cpus_has(cpus, machine->pu[i].cpu) && sp_cpus_has(nodes, machine->pu[i].numa))
			sp_cpus_add(in, machine->pu[i].cpu);
	return sp_machine_cores(machine, in);
}

/*
 * The idle CPUs in the share's NUMA nodes, if these have an idle core for each
 * core that the job's own threads use there; else all idle CPUs.
 */
static struct sp_cpus
idle_near(const struct sp_state *self, const struct sp_cpus *idle)
{
	const struct sp_machine *machine = self->joined.machine;
	struct sp_cpus nodes, cores, used, near;

	sp_machine_extent(machine, self->share, &cores, &nodes);
	uint32_t all = cores_in(machine, &nodes, &self->joined.terms.claim, &used);

	return cores_in(machine, &nodes, idle, &near) >= all ? near : *idle;
}

void
sp_state_find_reach(struct sp_state *self)
{
	const struct sp_machine *machine = self->joined.machine;
	const struct sp_terms *terms = &self->joined.terms;
	struct sp_cpus reach = *self->share, claimed = terms->taken;

	if (sp_cpus_empty(&self->shared.open) || sp_cpus_empty(&terms->claim) || self->config.dry_run || !is_full(self)) {
		self->reach = NULL;
		return;
	}
	sp_cpus_or(&claimed, &terms->claim);
	struct sp_cpus idle = find_idle(self, &claimed);
	idle = idle_near(self, &idle);
	sp_machine_fill_cores(machine, &reach);
	sp_cpus_and(&reach, &self->shared.open);
	sp_cpus_or(&reach, &idle);
	struct sp_cpus *now = sp_cpus_equal(&reach, self->share) ? NULL : malloc(sizeof(*now));	/* never freed, like the share */
	if (now)
		*now = reach;
	self->reach = now;
}

bool
sp_state_release(const struct sp_state *self, pid_t tid)
{
	bool has_room = self->reach || (!self->config.dry_run && !is_full(self));

	return has_room && sp_pin_set(tid, helpers_cpus(self)) == 0;
}

/* Growth. */

static bool
may_grow(const struct sp_state *self)
{
	return self->is_settled && self->joined.board && !sp_cpus_empty(&self->shared.open) && !self->shared.may_be_others &&
	       !self->config.dry_run && !sp_omp_env_binds(&self->omp_env) && !self->binds_natively;
}

/*
 * Whether there are cores that no rank of this job has claimed, as far as this
 * rank knows; other jobs may have claimed them.
 */
static bool
has_idle(const struct sp_state *self)
{
	const struct sp_cpus idle = find_idle(self, &self->joined.terms.claim);

	return !sp_cpus_empty(&self->joined.terms.claim) && !sp_cpus_empty(&idle);
}

/*
 * Claim cores for a team, or find that its threads are better left unpinned; the
 * caller holds the creation lock.  Returns 1 if there are no cores.
 */
static int
claim_more(struct sp_state *self, uint32_t team, struct sp_shared *again)
{
	struct sp_other_jobs others;
	int error = sp_board_terms(self->joined.board, &self->joined.terms, self->joined.need);

	if (error)
		return error;
	sp_others_find(&(struct sp_asker){
		.job = self->joined.job, .rank = &self->rank, .config = &self->config, .machine = self->joined.machine,
		.allowed = &self->allowed }, &others);
	const struct sp_growth growth = {
		.machine = self->joined.machine, .bind = self->config.bind, .open = &self->shared.open, .taken = &others.taken,
		.need = sp_state_claimed(self), .team = team };
	enum sp_grown grown = sp_terms_grow(&growth, &self->joined.terms, &again->share);
	if (grown == SP_GROWN_NOT)
		return 1;
	again->may_be_others = again->is_node_shared = grown == SP_GROWN_SHARED;
	if (grown == SP_GROWN_SHARED)
		return 0;
	error = sp_board_revise(self->joined.board, &self->joined.terms, self->joined.need);
	if (!error)
		self->claims = team;
	return error;
}

static int
grow(struct sp_state *self, uint32_t team, struct sp_shared *again)
{
	int error = sp_board_lock_jobs(self->config.wait_ms);

	if (error)
		return error;
	error = claim_more(self, team, again);
	sp_board_end();
	return error;
}

/* The number of threads for which a rank claimed cores when it settled. */
static uint32_t
first_claim(const struct sp_state *self)
{
	uint32_t cores = sp_machine_cores(self->joined.machine, self->share);

	return self->omp_env.threads ? (uint32_t)sp_smaller(self->omp_env.threads, cores) : cores;
}

void
sp_state_grow(struct sp_state *self, uint32_t team)
{
	if (team <= self->largest_team || !may_grow(self))
		return;
	pthread_mutex_lock(&self->changing);
	const uint32_t claimed = sp_state_claimed(self);
	static struct sp_shared again;	/* used by the one thread that holds the lock; its stack may be small */

	again = self->shared;
	again.share = *self->share;
	if (team > self->largest_team && team > first_claim(self) && has_idle(self) && grow(self, team, &again) == 0) {
		snprintf(again.why, sizeof(again.why), "a team of %u threads started, more than announced: %s", team,
			 again.is_node_shared ? "larger teams of others have cores of the share, so threads are not pinned" :
						"idle cores were added to the share");
		self->has_grown = true;
		if (again.is_node_shared && self->workers)
			sp_workers_unbind(self->workers);
		if (!again.is_node_shared && sp_cpus_equal(&again.share, self->share))
			claim_in_place(self, claimed);
		else if (move(self, &again.share) == 0)
			tell(self, &again);
	}
	self->largest_team = (uint32_t)sp_larger(team, self->largest_team);
	pthread_mutex_unlock(&self->changing);
}
