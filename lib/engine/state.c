/* Functions on a rank's state that are used both when it settles and when its share changes. */
#include "engine/state.h"

#include <stdio.h>
#include <string.h>

#include "base/pin.h"
#include "base/text.h"
#include "launcher/job.h"
#include "report/report.h"

#define SENTENCE 512

struct sp_situation
sp_state_situation(struct sp_state *self, char *const environment[])
{
	return (struct sp_situation){
		.config = &self->config, .rank = &self->rank, .machine = self->joined.machine,
		.inherited = &self->inherited, .allowed = &self->allowed, .terms = &self->joined.terms, .need = self->joined.need,
		.launcher = &self->joined.launcher, .board = self->joined.board, .job = self->joined.job,
		.environment = environment, .gpus = &self->gpus, .listed = &self->omp_env.numbers,
		.listed_by = self->omp_env.numbers_from, .list = self->omp_env.numbers_sum,
		.is_absent = self->omp_env.is_absent, .threads = self->omp_env.threads, .is_bound = sp_omp_env_binds(&self->omp_env),
		.places = sp_omp_env_places(&self->omp_env),
		.is_close = self->omp_env.is_close, .on_hardware_threads = self->omp_env.on_hardware_threads,
		.comer = self->by == SP_BY_MPI_INIT ? SP_COMES_RANK : self->by == SP_BY_START ? SP_COMES_STARTED : SP_COMES_PROGRAM,
		.spawned = sp_job_is_spawned(environment) };
}

bool
sp_say_once(const struct sp_state *self, char *const environment[], enum sp_scope scope, const char *key)
{
	const char *job = self->joined.job;
	char name[SP_JOB_NAME];

	if (scope == SP_OF_RANKS && self->config.debug)
		return true;
	if (scope == SP_OF_RANKS && !*job)
		job = sp_job_name(&self->rank, environment, name) == 0 ? name : "";
	if (scope == SP_OF_RANKS)
		return sp_board_is_first_to_say(job, key);
	return !sp_launcher_is_taken(environment) &&
	       (scope == SP_OF_JOB ? sp_job_is_first_rank(&self->rank, environment) : self->rank.local_rank == 0);
}

struct sp_node
sp_state_node(const struct sp_state *self)
{
	struct sp_node of_rank = {
		.who = &self->who, .config = &self->config, .machine = self->joined.machine, .domain = self->allowed,
		.from = self->rank.from, .list = self->omp_env.numbers_from, .board = self->joined.board,
		.job = self->joined.job, .record = &self->lasting.record,
		.is_bound = sp_omp_env_binds(&self->omp_env) };

	if (sp_cpus_intersect(&self->joined.launcher, &self->allowed))
		sp_cpus_and(&of_rank.domain, &self->joined.launcher);
	of_rank.is_confined = !sp_cpus_equal(&of_rank.domain, &self->allowed);
	return of_rank;
}

uint32_t
sp_state_claimed(const struct sp_state *self)
{
	if (self->claims || !self->joined.need || !sp_state_is_rank(self))
		return self->claims;
	return self->joined.need[self->rank.local_rank];
}

void
sp_state_set_memory(struct sp_state *self)
{
	char sentence[SENTENCE], why[SP_MEMBIND_WHY];

	if (sp_membind_settle(&self->config, self->joined.machine, self->share, &self->membind, why) == 0 || self->has_noted_membind)
		return;
	self->has_noted_membind = true;
	snprintf(sentence, sizeof(sentence), "SPLITPIN_MEMORY=%s is not available: %s; the memory policy is unchanged (%s)",
		 sp_config_memory_name(self->config.memory), why, self->membind.name);
	if (self->rank.local_rank == 0 && sp_state_is_rank(self))
		sp_warn_node(&self->who, "%s", sentence);
	else if (self->config.debug)
		sp_report_note(&self->who, sentence);
}

void
sp_state_log_pin(const struct sp_state *self, int thread, pid_t tid, const struct sp_cpus *cpus, const char *trigger, const char *why)
{
	if (self->config.debug)
		sp_report_pin(&self->who, self->joined.machine, &(struct sp_pin_line){
			.thread = thread, .tid = tid, .cpus = cpus, .trigger = trigger, .why = why });
}

static const char *
name_of(enum sp_by by)
{
	static const char *const names[] = {
		[SP_BY_START] = "start", [SP_BY_CONSTRUCTOR] = "constructor", [SP_BY_LIBGOMP] = "libgomp", [SP_BY_POOL] = "pool", [SP_BY_OMPT] = "ompt",
		[SP_BY_RUNTIME_THREAD] = "thread",
		[SP_BY_MPI_INIT] = "MPI_Init", [SP_BY_PMIX_INIT] = "PMIx_Init",
	};

	return names[by];
}

void
sp_state_log_decision(const struct sp_state *self)
{
	if (self->config.debug)
		sp_report_share(&self->who, self->joined.machine, &(struct sp_share_line){
			.is_active = self->is_settled && !self->config.dry_run, .cpus = self->is_settled ? self->share : &self->inherited,
			.inherited = &self->inherited, .allowed = &self->allowed, .from = self->rank.from, .trigger = name_of(self->by),
			.threads = self->omp_env.threads, .memory = *self->membind.name ? self->membind.name : "default", .why = self->found.why });
}

void
sp_state_log_share(struct sp_state *self)
{
	if (!self->config.debug)
		return;
	sp_state_log_decision(self);
	if (self->joined.note)
		sp_report_note(&self->who, self->joined.note);
	sp_state_log_pin(self, 0, sp_own_tid(), self->share, NULL,
		self->config.dry_run ? "the program would start on the CPUs of its rank" : "the program starts on the CPUs of its rank");
}

/* Whether the runtime has read the mask before MPI_Init. */
static bool
has_counted(const struct sp_state *self)
{
	return self->by != SP_BY_START && self->by != SP_BY_MPI_INIT && self->by != SP_BY_PMIX_INIT;
}

static enum sp_ownership
ownership_of(const struct sp_state *self)
{
	const struct sp_rank_share *found = &self->found;

	return found->is_node_shared ? SP_NODE_SHARED : self->has_grown ? SP_HAS_GROWN : found->may_be_others ? SP_MAY_BE_OTHERS : SP_OWNED;
}

bool
sp_state_runtime_binds(const struct sp_state *self)
{
	return sp_omp_env_binds(&self->omp_env) || self->binds_natively;
}

bool
sp_state_is_bound(const struct sp_state *self)
{
	return self->config.bind != SP_SPREAD || sp_state_runtime_binds(self);
}

void
sp_state_write_seat(struct sp_state *self, enum sp_seat_state state)
{
	struct sp_seat seat = { .state = state, .threads = self->omp_env.threads,
				.inherited = self->inherited, .share = *self->share, .unpinned = *self->unpinned,
				.is_bound = sp_state_is_bound(self), .ownership = ownership_of(self),
				.listed = self->omp_env.numbers, .list = self->omp_env.numbers_sum, .gpus = self->gpus,
				.fixed = self->found.is_kept || (self->has_grown && !self->found.is_node_shared) || self->binds_natively || (has_counted(self) && sp_omp_env_binds(&self->omp_env)) };

	if (!sp_state_has_seat(self))
		return;
	sp_text_copy(seat.memory, sizeof(seat.memory), self->membind.name);
	sp_text_copy(seat.why, sizeof(seat.why), self->found.why);
	if (has_counted(self))
		seat.counted = sp_machine_cores(self->joined.machine, self->share);
	if (self->by == SP_BY_START)
		seat.keeper.pid = self->pid;
	sp_board_write(self->joined.board, self->rank.local_rank, &seat);
}
