/* From the settings to the record on the board: how a rank finds and takes its share. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/pin.h"
#include "base/text.h"
#include "engine/state.h"
#include "engine/visible.h"
#include "launcher/devices.h"
#include "launcher/job.h"
#include "launcher/nearest.h"
#include "launcher/pbs.h"
#include "report/report.h"
#include "settings/settings.h"

#define SENTENCE 512

static const char *
name_of(enum sp_by by)
{
	static const char *const names[] = {
		[SP_BY_CONSTRUCTOR] = "constructor", [SP_BY_LIBGOMP] = "libgomp", [SP_BY_POOL] = "pool", [SP_BY_OMPT] = "ompt",
		[SP_BY_RUNTIME_THREAD] = "thread",
		[SP_BY_MPI_INIT] = "MPI_Init", [SP_BY_PMIX_INIT] = "PMIx_Init",
	};

	return names[by];
}

/* What holds for all ranks alike is reported by the first. */
static void
warn_once_a_node(struct sp_state *self, const char *sentence)
{
	if (self->rank.local_rank == 0)
		sp_warn_node(&self->who, "%s", sentence);
}

/* What may be one rank's trouble, or that of all: one of them reports it. */
static bool
speaks_first(const struct sp_state *self, char *const environment[], const char *message)
{
	char job[SP_JOB_NAME];

	return self->config.debug || sp_job_name(&self->rank, environment, job) != 0 || sp_board_speaks_first(job, message);
}

static const char *
reason(const struct sp_state *self, int error)
{
	switch (error) {
	case -E2BIG:
		return "it has CPU numbers above 8191";
	case -EPROTO:
		return "a CPU, a core or a NUMA node in it has no number (os_index), one above 8191, or one that another has too";
	case -ENXIO:
		return "indexes= takes numbers, or the names of levels above its own";
	case -EINVAL:
		if (self->config.topology)
			return "neither a file in hwloc's XML (lstopo NAME.xml writes one) nor a description such as \"pack:2 core:8 pu:2\"";
		break;
	}
	return strerror(-error);
}

static int
give_up(struct sp_state *self, char *const environment[], int error, const char *what)
{
	if (speaks_first(self, environment, what))
		sp_warn_rank(&self->who, "%s: %s; the program runs as if splitpin were absent", what, reason(self, error));
	return error;
}

/*
 * The settings that come from the file.  Where SPLITPIN, the first of them, is
 * off, no other counts, and SPLITPIN_REPORT shows why this rank is missing.
 */
static void
log_site(struct sp_state *self, const struct sp_settings *settings)
{
	bool is_asked = self->config.debug || (self->config.report && !self->config.on);
	unsigned n = !is_asked ? 0 : self->config.on ? SP_SETTINGS_MAX : 1;
	char sentence[SENTENCE];

	for (unsigned i = 0; i < n; i++) {
		const struct sp_site_setting *line = sp_settings_line(settings, i);

		if (!line)
			continue;
		snprintf(sentence, sizeof(sentence), "%s by %s:%u", line->entry, sp_site_file(), line->line);
		sp_report_note(&self->who, sentence);
	}
}

/* The environment is the job's, the site's file the node's. */
struct complaint {
	struct sp_state *self;
	char *const *environment;
};

static void
warn_once_a_job(struct sp_state *self, char *const environment[], const char *sentence)
{
	if (sp_job_is_first_rank(&self->rank, environment))
		sp_warn_node(&self->who, "%s", sentence);
}

static void
complain(void *data, const char *sentence)
{
	const struct complaint *complaint = data;

	if (strstr(sentence, sp_site_file()))
		warn_once_a_node(complaint->self, sentence);
	else
		warn_once_a_job(complaint->self, complaint->environment, sentence);
}

static void
read_config(struct sp_state *self, char *const environment[])
{
	static char program[PATH_MAX];	/* of the one thread that settles; its stack may be small */
	struct sp_settings settings;

	const char *path = sp_site_program(program, sizeof(program));

	sp_settings_read(&settings, environment, path, complain, &(struct complaint){ self, environment });
	self->config = sp_settings_keep(&settings);
	if (self->config.on)
		sp_lasting_begin(&self->lasting, &settings, &self->rank, environment, path, &self->who);
	log_site(self, &settings);
	sp_settings_release(&settings);
}

static int
read_settings(struct sp_state *self, const struct sp_rank *rank, char *const environment[])
{
	const char *node;

	self->rank = *rank;
	self->pid = getpid();
	sp_nearest_rank(self->pid, environment, &self->rank);
	sp_who_init(&self->who, self->rank.local_rank, self->rank.local_size);
	if ((node = sp_job_node(&self->rank, environment)))
		sp_who_add_node(&self->who, node);
	read_config(self, environment);
	self->who.dry_run = self->config.dry_run;
	sp_omp_env_read(&self->omp_env, environment);
	return self->config.on ? 0 : -ECANCELED;
}

static int
read_mask(struct sp_state *self, char *const environment[])
{
	int error = sp_pin_get(0, &self->inherited);

	return error ? give_up(self, environment, error, "cannot read the mask of this process") : 0;
}

/* What cannot be loaded here cannot in any rank of the node: there is no board on which they could see who has said it. */
static bool
speaks_for_node(const struct sp_state *self)
{
	return self->rank.local_rank == 0 || self->config.debug || self->config.report;
}

/* What cannot be read: the machine that the user named, or this one. */
static void
name_failure(const struct sp_state *self, char sentence[SENTENCE])
{
	const char *source = self->config.topology, *problem = self->joined.problem;
	char quoted[SP_QUOTED];

	if (source && !problem)
		snprintf(sentence, SENTENCE, "cannot read the topology of SPLITPIN_DRYRUN=%s",
			 sp_config_quote(source, strlen(source), quoted));
	else
		snprintf(sentence, SENTENCE, "cannot read the topology%s%s", problem ? ": " : "", problem ? problem : "");
}

static int
join(struct sp_state *self, enum sp_by by, char *const environment[])
{
	char sentence[SENTENCE];
	int error = sp_join(&(struct sp_joining){
		.rank = &self->rank, .config = &self->config, .environment = environment,
		.inherited = self->config.topology ? NULL : &self->inherited, .threads = self->omp_env.threads,
		.has_places = sp_omp_env_has_places(&self->omp_env), .is_rank = by == SP_BY_MPI_INIT }, &self->joined);

	if (error == -ELIBACC && !speaks_for_node(self))
		return error;
	if (error) {
		name_failure(self, sentence);
		return give_up(self, environment, error, sentence);
	}
	if (self->joined.problem && speaks_first(self, environment, self->joined.problem))
		sp_warn_rank(&self->who, "the board of this job in /dev/shm is not used: %s; ranks cannot see each other",
			     self->joined.problem);
	if (self->joined.overlooks)
		sp_warn_node(&self->who, "/dev/shm has too many files to find all of your other jobs, so this job may use cores of theirs; remove old splitpin-* files from it");
	/* A dry run for another machine starts with all of it. */
	self->allowed = self->joined.allowed;
	if (self->config.topology)
		self->inherited = self->allowed;
	sp_gpus_visible(environment, &self->joined.machine->gpus, &self->gpus);
	return 0;
}

struct sp_situation
sp_state_situation(struct sp_state *self, char *const environment[])
{
	return (struct sp_situation){
		.config = &self->config, .rank = &self->rank, .machine = self->joined.machine,
		.inherited = &self->inherited, .allowed = &self->allowed, .terms = &self->joined.terms, .need = self->joined.need,
		.launcher = &self->joined.launcher, .board = self->joined.board, .job = self->joined.job,
		.environment = environment, .gpus = &self->gpus, .threads = self->omp_env.threads, .is_bound = sp_omp_env_binds(&self->omp_env),
		.has_places = sp_omp_env_has_places(&self->omp_env),
		.on_hardware_threads = self->omp_env.on_hardware_threads,
		.spawned = sp_job_is_spawned(environment) };
}

/* Of ranks that were confined together the first has to say it; other groups may have the same to say. */
static void
tell_refusal(struct sp_state *self, char *const environment[])
{
	const char *why = self->shared.why;

	if (!self->shared.is_reporter)
		return;
	if (!self->shared.is_expected && speaks_first(self, environment, why))
		sp_warn_node(&self->who, "%s", why);
}

static int
find_share(struct sp_state *self, char *const environment[])
{
	struct sp_situation situation = sp_state_situation(self, environment);
	int error = sp_share_find(&situation, &self->shared);

	if (error == -ENOSPC) {
		tell_refusal(self, environment);
		return error;
	}
	if (error)
		return give_up(self, environment, error, "cannot divide the machine into shares");
	if (self->shared.domain_fault[0])
		sp_warn_node(&self->who, "SPLITPIN_DOMAIN names CPUs twice: %s", self->shared.domain_fault);
	if (self->shared.waited_for_gpus)
		sp_warn_node(&self->who, "not all %u ranks of this node appeared within %g seconds (SPLITPIN_WAIT), so the GPUs that each of them sees are unknown: cores are chosen without regard to GPUs",
			     self->rank.local_size, self->config.wait_ms / 1000.0);
	if (self->shared.waited_in_vain)
		sp_warn_node(&self->who, "not all %u ranks of this node appeared within %g seconds (SPLITPIN_WAIT): inherited masks are kept",
			     self->rank.local_size, self->config.wait_ms / 1000.0);
	return 0;
}

void
sp_state_set_memory(struct sp_state *self)
{
	char sentence[SENTENCE], why[SP_MEMBIND_WHY];

	if (sp_membind_settle(&self->config, self->joined.machine, self->share, &self->membind, why) == 0)
		return;
	snprintf(sentence, sizeof(sentence), "SPLITPIN_MEMORY=%s is not available: %s; the memory policy is unchanged (%s)",
		 sp_config_memory_name(self->config.memory), why, self->membind.name);
	if (self->rank.local_rank == 0 && !self->shared.child_of.pid)
		sp_warn_node(&self->who, "%s", sentence);
	else if (self->config.debug)
		sp_report_note(&self->who, sentence);
}

/* Other processes of a rank inherit what its first one has set. */
static void
set_visible(struct sp_state *self, char *const environment[])
{
	char what[SP_VISIBLE_WHY];

	if (self->config.visible != SP_VISIBLE_SET || self->shared.child_of.pid)
		return;
	const struct sp_situation situation = sp_state_situation(self, environment);
	sp_visible_settle(&situation, what);
	if (self->config.debug || (self->config.report && self->rank.local_rank == 0))
		sp_report_note(&self->who, what);
}

/*
 * A list of CPU numbers is the same in every rank, so it leaves the share of
 * all but one; some runtimes obey it nevertheless, some drop a part of it.
 * The verdict has it for all ranks that are on the board.
 */
static void
check_numbers(const struct sp_state *self)
{
	struct sp_cpus outside = self->omp_env.numbers;
	char text[SP_CPUS_TEXT], share[SP_CPUS_TEXT];

	sp_cpus_sub(&outside, self->share);
	if (sp_cpus_empty(&outside) || (self->joined.board && !self->shared.child_of.pid))
		return;
	sp_warn_rank(&self->who, "%s names CPU%s %s, outside this rank's share %s: leave it unset, or use OMP_PLACES=cores",
		     self->omp_env.numbers_from, sp_plural(sp_cpus_count(&outside)),
		     sp_cpus_format(&outside, text, sizeof(text)),
		     sp_cpus_format(self->share, share, sizeof(share)));
}

void
sp_state_log_pin(const struct sp_state *self, int thread, pid_t tid, const struct sp_cpus *cpus, const char *seen_by, const char *why)
{
	if (self->config.debug)
		sp_report_pin(&self->who, self->joined.machine, &(struct sp_pin_line){
			.thread = thread, .tid = tid, .cpus = cpus, .seen_by = seen_by, .why = why });
}

/* Of a rank that has no share: the CPUs that it had. */
static void
log_decision(const struct sp_state *self, bool is_active)
{
	if (self->config.debug)
		sp_report_share(&self->who, self->joined.machine, &(struct sp_share_line){
			.is_active = is_active, .cpus = is_active || self->config.dry_run ? self->share : &self->inherited,
			.inherited = &self->inherited, .allowed = &self->allowed, .from = self->rank.from, .seen_by = name_of(self->by),
			.memory = *self->membind.name ? self->membind.name : "default", .why = self->shared.why });
}

void
sp_state_log_share(struct sp_state *self)
{
	if (!self->config.debug)
		return;
	log_decision(self, !self->config.dry_run);
	if (self->joined.note)
		sp_report_note(&self->who, self->joined.note);
	sp_state_log_pin(self, 0, sp_own_tid(), self->share, NULL,
		self->config.dry_run ? "the program would start on the CPUs of its rank" : "the program starts on the CPUs of its rank");
}

/* Its runtime has looked at the CPUs before MPI_Init. */
static bool
has_counted(const struct sp_state *self)
{
	return self->by != SP_BY_MPI_INIT && self->by != SP_BY_PMIX_INIT;
}

static enum sp_loose
loose_of(const struct sp_state *self)
{
	const struct sp_shared *shared = &self->shared;

	return self->has_grown ? SP_HAS_GROWN : shared->is_node_shared ? SP_NODE_SHARED : shared->may_be_others ? SP_MAY_BE_OTHERS : SP_NOT_LOOSE;
}

void
sp_state_write_seat(struct sp_state *self, enum sp_seat_state state)
{
	struct sp_seat seat = { .state = state, .threads = self->omp_env.threads,
				.inherited = self->inherited, .share = *self->share, .loose = loose_of(self),
				.listed = self->omp_env.numbers, .gpus = self->gpus,
				.fixed = self->shared.is_kept || self->has_grown || self->binds_natively || (has_counted(self) && sp_omp_env_binds(&self->omp_env)) };

	if (!self->joined.board || self->shared.child_of.pid || sp_process_self(&seat.process) != 0)
		return;
	snprintf(seat.memory, sizeof(seat.memory), "%s", self->membind.name);
	snprintf(seat.why, sizeof(seat.why), "%s", self->shared.why);
	if (has_counted(self))
		seat.counted = sp_machine_cores(self->joined.machine, self->share);
	sp_board_write(self->joined.board, self->rank.local_rank, &seat);
}

/* The others find out when all have come; a rank that announces nothing takes what is left. */
static void
note_need(const struct sp_state *self)
{
	const struct sp_joined *joined = &self->joined;

	if (joined->board && !self->shared.child_of.pid && self->rank.local_size > 1 &&
	    self->omp_env.threads != joined->need[self->rank.local_rank])
		sp_board_note_unlike(joined->board);
}

/* The rank's other processes, which find the seat taken, need neither try nor warn again. */
static void
refuse(struct sp_state *self, int error)
{
	if (self->shared.child_of.pid)
		return;
	snprintf(self->shared.why, sizeof(self->shared.why), "cannot set the mask of this process: %s", strerror(-error));
	sp_state_write_seat(self, SP_SEAT_REFUSED);
}

/* A setuid program, by way of /etc/ld.so.preload: the settings are not those of its owner. */
static bool
is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

int
sp_state_settle(struct sp_state *self, const struct sp_rank *rank, enum sp_by by, char *const environment[])
{
	int error = is_secure() ? -ECANCELED : read_settings(self, rank, environment);

	self->by = by;
	self->share = &self->shared.share;

	if (!error)
		environment = sp_pbs_environment(environment);
	if (!error)
		error = read_mask(self, environment);
	if (!error)
		error = join(self, by, environment);
	if (!error)
		error = find_share(self, environment);
	if (error == -ENOSPC && !self->shared.child_of.pid)
		log_decision(self, false);
	if (error)
		return error;
	if (!self->config.dry_run)
		error = sp_pin_process(&self->inherited, self->share);
	if (error) {
		refuse(self, error);
		return give_up(self, environment, error, "cannot set the mask of this process");
	}
	sp_state_set_memory(self);
	set_visible(self, environment);
	check_numbers(self);
	self->workers = sp_workers_create(self->joined.machine, self->share, &self->config, &self->who);
	if (!self->shared.child_of.pid)
		self->guard = sp_guard_create(self->workers, self->share, &self->changes, &self->config, &self->who,
					     !sp_omp_env_binds(&self->omp_env));
	sp_state_write_seat(self, SP_SEAT_SETTLED);
	note_need(self);
	self->is_settled = true;
	sp_state_find_reach(self);
	sp_state_log_share(self);
	return 0;
}
