/* The steps by which a rank finds and takes its share, from the settings to the record on the board. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pin.h"
#include "base/syslog.h"
#include "base/text.h"
#include "board/board.h"
#include "cut/explain.h"
#include "elf/runtimes.h"
#include "engine/start.h"
#include "engine/state.h"
#include "gpus/pbs.h"
#include "gpus/whose.h"
#include "launcher/job.h"
#include "launcher/launcher.h"
#include "launcher/nearest.h"
#include "launcher/tasks.h"
#include "node/neighbours.h"
#include "report/report.h"
#include "settings/settings.h"
#include "share/own_gpus.h"
#include "share/renew.h"
#include "share/share.h"

#define SENTENCE 512

static const char *
reason(const struct sp_state *self, int error)
{
	switch (error) {
	case -E2BIG:
		return "it has CPU numbers above 8191";
	case -EPROTO:
		return "a CPU, a core or a NUMA node in it has no number (os_index), one above 8191, or one that another has too";
	case -ENODATA:
		return "it does not say which CPUs share a core, or has no OS numbers of CPUs";
	case -ENXIO:
		return "indexes= takes numbers, or the names of levels above its own";
	case -EINVAL:
		if (self->config.topology)
			return "neither a file in hwloc's XML (lstopo NAME.xml writes one), nor the text of lstopo or lscpu -p, nor a description such as \"pack:2 core:8 pu:2\"";
		break;
	}
	return strerror(-error);
}

static int
give_up(struct sp_state *self, char *const environment[], int error, const char *what)
{
	if (sp_say_once(self, environment, SP_OF_RANKS, what))
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
	char sentence[SENTENCE], why[SP_SITE_WHY];

	if (is_asked && sp_site_forbids(&settings->site, why)) {
		snprintf(sentence, sizeof(sentence), "SPLITPIN=off by %s", why);
		sp_report_note(&self->who, sentence);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct sp_site_setting *line = sp_settings_line(settings, i);

		if (!line)
			continue;
		snprintf(sentence, sizeof(sentence), "%s by %s:%u", line->entry, sp_site_file(), line->line);
		sp_report_note(&self->who, sentence);
	}
}

struct complaint {
	const struct sp_state *self;
	char *const *environment;
};

/* The environment is the same for the whole job. */
static void
complain(void *data, const char *sentence)
{
	const struct complaint *complaint = data;

	if (sp_say_once(complaint->self, complaint->environment, SP_OF_JOB, sentence))
		sp_warn_node(&complaint->self->who, "%s", sentence);
}

/* The site's file is the node's.  Its staff read the log; users could do nothing about it. */
static void
complain_of_site(void *data, const char *sentence)
{
	const struct complaint *complaint = data;
	const struct sp_state *self = complaint->self;

	if (!sp_say_once(self, complaint->environment, SP_OF_NODE, sentence))
		return;
	if (sp_syslog_send(SP_SYSLOG_WARNING, sentence, strlen(sentence)) != 0 || self->config.debug || self->config.report)
		sp_warn_node(&self->who, "%s", sentence);
}

static void
count_complaint(void *data, const char *sentence)
{
	(void)sentence;
	++*(unsigned *)data;
}

static void
read_config(struct sp_state *self, char *const environment[])
{
	struct complaint complaint = { self, environment };
	struct sp_settings settings;
	unsigned faults = 0;

	/* Whether faults are to be told is a setting as well. */
	sp_settings_read(&settings, environment, sp_site_self, count_complaint, &faults);
	self->who.is_silent = settings.config.on && settings.config.observe;
	if (faults)
		sp_settings_combine(&settings, environment, complain, &complaint);
	self->config = sp_settings_keep(&settings);
	sp_site_summarise(&settings.site, complain_of_site, &complaint);
	if (self->config.on)
		sp_lasting_begin(&self->lasting, &settings, &self->rank, environment, &self->who);
	log_site(self, &settings);
	sp_settings_release(&settings);
}

/* A program linked with OpenMP has the runtimes that are there when it starts; any other one may load them later. */
static void
leave_out_absent(struct sp_omp_env *omp_env)
{
	struct sp_object object;

	if (!sp_omp_env_binds(omp_env) || !sp_runtimes_are_needed())
		return;
	for (unsigned runtime = 0; runtime < SP_RUNTIMES; runtime++)
		if (!sp_runtimes_find(runtime, &object))
			sp_omp_env_without(omp_env, runtime);
}

static int
read_settings(struct sp_state *self, const struct sp_rank *rank, char *const environment[])
{
	const char *node;

	self->rank = *rank;
	self->pid = getpid();
	sp_nearest_rank(self->pid, environment, &self->rank);
	sp_who_init(&self->who, self->rank.local_rank, self->rank.local_size);
	self->who.warnings = &self->warnings;
	if ((node = sp_job_node(&self->rank, environment)))
		sp_who_add_node(&self->who, node);
	read_config(self, environment);
	self->who.dry_run = self->config.dry_run;
	sp_omp_env_read(&self->omp_env, environment);
	leave_out_absent(&self->omp_env);
	return self->config.on ? 0 : -ECANCELED;
}

/*
 * Whether this node has as many ranks as this one takes it to have.  The rank that
 * made the board has seen it; by now others may have ended.
 */
static bool
is_size_known(const struct sp_state *self, char *const environment[])
{
	struct sp_board *board = NULL;
	char job[SP_JOB_NAME];
	const char *problem;

	if (sp_tasks_are_told(&self->rank, environment))
		return true;
	if (sp_job_name(&self->rank, environment, job) == 0)
		sp_board_open(job, self->rank.local_size, &board, &problem);
	bool is_seen = board != NULL;
	sp_board_release(board);
	return is_seen || sp_tasks_are(self->rank.local_size);
}

/* A share of too many would be too small, and one of too few would overlap others: the rank stays as it is. */
static int
check_size(struct sp_state *self, char *const environment[])
{
	if (is_size_known(self, environment))
		return 0;
	if (self->config.debug || self->config.report)
		sp_report_note(&self->who, "not active: whether this node has so many of the job's ranks is not known");
	return -ECANCELED;
}

static int
read_mask(struct sp_state *self, char *const environment[])
{
	int error = sp_pin_get(0, &self->inherited);

	return error ? give_up(self, environment, error, "cannot read the mask of this process") : 0;
}

/* Report which machine cannot be read: the one that the user named, or this one. */
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
join(struct sp_state *self, char *const environment[])
{
	char sentence[SENTENCE];
	struct sp_situation situation = sp_state_situation(self, environment);

	if (self->config.topology)
		situation.inherited = NULL;
	int error = sp_join(&situation, &self->joined);
	/* A part that cannot be loaded cannot be in any rank of the node. */
	if (error == -ELIBACC && !sp_say_once(self, environment, SP_OF_NODE, "") && !self->config.debug && !self->config.report)
		return error;
	if (error) {
		name_failure(self, sentence);
		return give_up(self, environment, error, sentence);
	}
	if (self->joined.problem && sp_say_once(self, environment, SP_OF_RANKS, self->joined.problem))
		sp_warn_rank(&self->who, "the board of this job in /dev/shm is not used: %s; ranks cannot see each other",
			     self->joined.problem);
	if (self->joined.overlooks)
		sp_warn_node(&self->who, "/dev/shm has too many files to find all of your other jobs, so this job may use cores of theirs; remove old splitpin-* files from it");
	/* A dry run for another machine starts with all of it. */
	self->allowed = self->joined.allowed;
	if (self->config.topology)
		self->inherited = self->allowed;
	sp_gpus_visible(environment, &self->joined.machine->gpus, &self->gpus);
	sp_start_undo(self);
	return 0;
}

/*
 * Report that this rank has no share.  Of ranks that were confined together
 * only the first reports; other groups may report the same.
 */
static void
tell_refusal(struct sp_state *self, char *const environment[])
{
	const char *why = self->found.why;

	if (self->found.is_reporter && !self->found.is_expected && sp_say_once(self, environment, SP_OF_RANKS, why))
		sp_warn_node(&self->who, "%s", why);
}

static int
find_share(struct sp_state *self, char *const environment[])
{
	struct sp_situation situation = sp_state_situation(self, environment);
	int error = sp_share_find(&situation, &self->found);
	char sentence[SENTENCE];

	if (error == -ENOSPC) {
		tell_refusal(self, environment);
		return error;
	}
	if (error)
		return give_up(self, environment, error, "cannot divide the machine into shares");
	if (self->found.domain_fault[0])
		sp_warn_node(&self->who, "SPLITPIN_DOMAIN names CPUs twice: %s", self->found.domain_fault);
	/* A site's file may be that of several nodes. */
	if (sp_environment_value(environment, "SPLITPIN_RESERVE") && sp_state_is_rank(self) &&
	    sp_reserved_fault(self->joined.machine, &self->config.policy, sentence, sizeof(sentence)) && sp_say_once(self, environment, SP_OF_NODE, ""))
		sp_warn_node(&self->who, "%s", sentence);
	if (self->found.waited_for_gpus)
		sp_warn_node(&self->who, "not all %u ranks of this node appeared within %g seconds (SPLITPIN_WAIT), so their GPUs are unknown: cores are chosen without regard to GPUs",
			     self->rank.local_size, self->config.wait_ms / 1000.0);
	if (self->found.waited_in_vain)
		sp_warn_node(&self->who, "not all %u ranks of this node appeared within %g seconds (SPLITPIN_WAIT): all run as if splitpin were absent",
			     self->rank.local_size, self->config.wait_ms / 1000.0);
	return 0;
}

/* Other processes of a rank inherit what the rank's first process has set. */
static void
set_visible(struct sp_state *self, char *const environment[])
{
	char what[SP_VISIBLE_WHY];

	if (self->config.visible != SP_VISIBLE_SET || !sp_state_is_rank(self))
		return;
	const struct sp_situation situation = sp_state_situation(self, environment);
	sp_visible_settle(&situation, what);
	if (self->config.debug || (self->config.report && self->rank.local_rank == 0))
		sp_report_note(&self->who, what);
}

/*
 * Warn of a list of CPU numbers: it is the same in every rank, so it lies
 * outside the shares of all ranks but one.  Some runtimes obey it nevertheless,
 * some ignore a part of it.  The verdict warns for all ranks that are on the
 * board.
 */
static void
check_numbers(const struct sp_state *self)
{
	struct sp_cpus outside;
	char text[SP_CPUS_TEXT], share[SP_CPUS_TEXT];

	if (sp_state_has_seat(self) || !sp_state_is_rank(self) || sp_cpus_within(&self->omp_env.numbers, self->share))
		return;
	outside = self->omp_env.numbers;
	sp_cpus_sub(&outside, self->share);
	sp_warn_rank(&self->who, "%s names CPU%s %s, outside this rank's share %s: leave it unset, or use OMP_PLACES=cores",
		     self->omp_env.numbers_from, sp_plural(sp_cpus_count(&outside)),
		     sp_cpus_format(&outside, text, sizeof(text)),
		     sp_cpus_format(self->share, share, sizeof(share)));
}

/*
 * Note that this rank announces other threads than were expected; the other
 * ranks find out when all have come.  A rank that announces nothing takes the
 * cores that are left.
 */
static void
note_need(const struct sp_state *self)
{
	const struct sp_joined *joined = &self->joined;

	const uint32_t need = joined->need[self->rank.local_rank];

	if (sp_state_has_seat(self) && self->rank.local_size > 1 && need != SP_NEED_FIXED && self->omp_env.threads != need)
		sp_board_mark_stale(joined->board);
}

/*
 * Look once more for jobs whose boards cannot be read, now that this rank has
 * its mask: of two that looked before either had set one, the later sees the
 * earlier now.  Ranks that have settled find the new terms when all have come.
 */
static void
look_again(struct sp_state *self, char *const environment[])
{
	const struct sp_joined *joined = &self->joined;
	struct sp_other_jobs others;
	struct sp_cpus divided;

	if (!joined->discovered || !sp_state_has_seat(self) || joined->terms.how == SP_TERMS_SHARED || self->found.is_kept ||
	    self->config.policy.domain == SP_DOMAIN_LISTS || sp_omp_env_binds(&self->omp_env) || !sp_config_avoids_others(&self->config))
		return;
	const struct sp_situation situation = sp_state_situation(self, environment);
	if (!sp_share_domain(&situation, &divided))
		return;
	sp_others_find(&situation, 0, &others);
	if (sp_cpus_intersect(&others.starting, &joined->terms.claim))
		sp_terms_leave(&situation, &divided, others.starter);
	else if (sp_cpus_intersect(&others.taken, &joined->terms.claim))
		sp_board_mark_stale(joined->board);
}

/* Mark the seat, so that the rank's other processes, which find it taken, need neither try nor warn again. */
static void
refuse(struct sp_state *self, int error)
{
	if (!sp_state_is_rank(self))
		return;
	snprintf(self->found.why, sizeof(self->found.why), "cannot set the mask of this process: %s", strerror(-error));
	sp_state_write_seat(self, SP_SEAT_REFUSED);
}

/* Whether this is a setuid program, preloaded by /etc/ld.so.preload: its settings are not those of its owner. */
static bool
is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

int
sp_state_settle(struct sp_state *self, const struct sp_rank *rank, enum sp_by by, char *const environment[])
{
	if (by == SP_BY_START && rank->from_start && sp_start_is_later())
		return -EAGAIN;
	int error = is_secure() ? -ECANCELED : read_settings(self, rank, environment);

	self->by = by;
	self->share = self->unpinned = &self->found.cpus;

	if (!error)
		error = check_size(self, environment);
	if (!error)
		environment = sp_pbs_environment(environment);
	if (!error)
		error = read_mask(self, environment);
	if (!error)
		error = join(self, environment);
	if (!error)
		error = find_share(self, environment);
	if (error == -ENOSPC && sp_state_is_rank(self))
		sp_state_log_decision(self);
	if (error)
		return error;
	if (!self->config.dry_run)
		error = sp_pin_set(0, self->share);
	if (!error && !self->config.dry_run)
		error = sp_pin_process(&self->inherited, self->share);
	if (error) {
		refuse(self, error);
		return give_up(self, environment, error, "cannot set the mask of this process");
	}
	sp_state_set_memory(self);
	set_visible(self, environment);
	check_numbers(self);
	self->workers = sp_workers_create(self->joined.machine, self->share, &self->config, &self->who);
	if (self->workers)
		sp_workers_claim(self->workers, sp_state_claimed(self));
	sp_state_find_unpinned(self);
	if (sp_state_is_rank(self))
		self->guard = sp_guard_create(self->workers, self->share, self->unpinned, &self->changes, &self->config, &self->who,
					     !sp_omp_env_binds(&self->omp_env));
	sp_state_write_seat(self, SP_SEAT_SETTLED);
	sp_state_heed_earlier_release(self);
	note_need(self);
	look_again(self, environment);
	self->is_settled = true;
	if (by == SP_BY_START && self->config.report && !self->who.log)
		sp_who_keep_stderr(&self->who);
	if (by != SP_BY_START || !sp_cpus_equal(self->share, &self->before))
		sp_state_log_share(self);
	return 0;
}
