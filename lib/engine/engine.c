/*
 * The engine: holds the one state of this process and calls the rest in order.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "board/board.h"
#include "settings/config.h"
#include "engine.h"
#include "engine/guard.h"
#include "engine/membind.h"
#include "launcher/job.h"
#include "engine/node_report.h"
#include "engine/join.h"
#include "base/pin.h"
#include "report/report.h"
#include "base/log.h"
#include "engine/share.h"
#include "settings/site.h"
#include "settings/omp_env.h"
#include "engine/workers.h"

#define SENTENCE 512

/* Written by settle() before any other thread may come, and only read after that. */
static struct {
	struct sp_rank rank;
	struct sp_who who;
	struct sp_config config;
	struct sp_wishes wishes;
	struct sp_cpus inherited, allowed;
	struct sp_meeting meeting;
	struct sp_shared shared;
	struct sp_home home;
	struct sp_workers *workers;
	struct sp_guard *guard;		/* NULL: SPLITPIN_GUARD=off */
	pid_t pid;			/* of the process that settled: forked children are others */
	bool is_ready;			/* a PMPI tool between MPI_Init and PMPI_Init has both end */
	bool is_settled;		/* it has its share */
} self;

static const char *
name_of(enum sp_by by)
{
	static const char *const names[] = {
		[SP_BY_CONSTRUCTOR] = "constructor", [SP_BY_LIBGOMP] = "libgomp", [SP_BY_OMPT] = "ompt",
		[SP_BY_MPI_INIT] = "MPI_Init", [SP_BY_PMIX_INIT] = "PMIx_Init",
	};

	return names[by];
}

/* What is true of all ranks alike is said once, by the first. */
static void
warn_once_a_node(const char *sentence)
{
	if (self.rank.local_rank == 0)
		sp_warn("host=%s %s", self.who.host, sentence);
}

static int
give_up(int error, const char *what)
{
	sp_warn("host=%s rank=%u/%u %s: %s; the program runs as if splitpin were absent",
		self.who.host, self.rank.local_rank, self.rank.local_size, what, strerror(-error));
	return error;
}

static void
tell_faults(const struct sp_site *site)
{
	char sentence[SENTENCE];

	for (size_t i = 0; i < site->nkept; i++)
		warn_once_a_node(site->fault[i]);
	if (site->nfaults > site->nkept) {
		snprintf(sentence, sizeof(sentence), "%s: %zu more lines are wrong; splitpin config tells some",
			 sp_site_file(), site->nfaults - site->nkept);
		warn_once_a_node(sentence);
	}
}

/* What of the file holds; where SPLITPIN, the first setting, is off by it, no other does. */
static void
log_site(const struct sp_site *site, const char *const origin[])
{
	unsigned n = !self.config.debug ? 0 : self.config.on ? SP_SETTINGS_MAX : 1;
	char sentence[SENTENCE];

	for (unsigned i = 0; i < n; i++) {
		const struct sp_site_setting *setting = sp_site_find(site, origin[i]);

		if (!setting)
			continue;
		snprintf(sentence, sizeof(sentence), "%s by %s:%u", setting->entry, sp_site_file(), setting->line);
		sp_report_note(&self.who, sentence);
	}
}

/* SPLITPIN=off in the environment is above all: then the file is not even opened. */
static void
read_config(char *const environment[])
{
	const char *origin[SP_SETTINGS_MAX] = { NULL };
	static char program[PATH_MAX];	/* of the one thread that settles; its stack may be small */
	struct sp_site site = { 0 };

	sp_config_read(&self.config, environment, NULL);
	if (self.config.on)
		sp_site_read(&site, sp_site_program(program, sizeof(program)));
	sp_config_read_over(&self.config, site.entries, environment, warn_once_a_node, origin);
	tell_faults(&site);
	log_site(&site, origin);
	sp_site_release(&site);
}

static int
read_settings(const struct sp_rank *rank, char *const environment[])
{
	self.rank = *rank;
	self.pid = getpid();
	sp_who_init(&self.who, rank->local_rank, rank->local_size);
	read_config(environment);
	sp_wishes_read(&self.wishes, environment);
	if (self.config.topology && !self.config.dry_run) {
		warn_once_a_node("SPLITPIN_TOPOLOGY is for SPLITPIN_DRYRUN=1 alone: ignored");
		self.config.topology = NULL;
	}
	return self.config.on ? 0 : -ECANCELED;
}

static int
read_masks(void)
{
	int error = sp_pin_get(0, &self.inherited);

	if (error)
		return give_up(error, "cannot read the mask of this process");
	if (sp_pin_allowed(&self.allowed) != 0)
		self.allowed = self.inherited;
	return 0;
}

/* A dry run for another machine starts with all of it. */
static void
take_masks_of_machine(void)
{
	self.allowed = (struct sp_cpus){ 0 };
	for (uint32_t i = 0; i < self.meeting.machine->ncpus; i++)
		sp_cpus_add(&self.allowed, self.meeting.machine->place[i].cpu);
	self.inherited = self.allowed;
}

static int
meet(char *const environment[])
{
	char sentence[SENTENCE];
	const struct sp_cpus *allowed = self.config.topology ? NULL : &self.allowed;
	bool bound = allowed && !sp_cpus_equal(&self.inherited, &self.allowed);
	int error = sp_meet(&self.rank, &self.config, environment, allowed, bound, &self.meeting);

	if (error) {
		snprintf(sentence, sizeof(sentence), "cannot read the topology%s%s",
			 self.meeting.problem ? ": " : "", self.meeting.problem ? self.meeting.problem : "");
		return give_up(error, sentence);
	}
	if (self.meeting.problem)
		sp_warn("host=%s rank=%u/%u the board of this job in /dev/shm is not used: %s; ranks cannot see each other",
			self.who.host, self.rank.local_rank, self.rank.local_size, self.meeting.problem);
	if (self.config.topology)
		take_masks_of_machine();
	return 0;
}

static int
find_share(char *const environment[])
{
	int error = sp_share_find(&(struct sp_situation){
		.config = &self.config, .rank = &self.rank, .machine = self.meeting.machine,
		.inherited = &self.inherited, .allowed = &self.allowed, .taken = &self.meeting.taken,
		.board = self.meeting.board, .spawned = sp_job_is_spawned(environment) }, &self.shared);

	if (error == -ENOSPC) {
		if (self.shared.speaks)
			sp_warn("host=%s %s", self.who.host, self.shared.why);
		return error;
	}
	if (error)
		return give_up(error, "cannot cut the machine");
	if (self.shared.waited_in_vain)
		sp_warn("host=%s not all %u ranks of this node came within %g seconds (SPLITPIN_WAIT): masks are kept as they were inherited",
			self.who.host, self.rank.local_size, self.config.wait_ms / 1000.0);
	return 0;
}

static uint32_t
cores_and_nodes(struct sp_cpus *nodes)
{
	struct sp_cpus cores;

	return sp_report_cores(self.meeting.machine, &self.shared.share, &cores, nodes);
}

static void
set_memory(void)
{
	char sentence[SENTENCE], why[SP_HOME_WHY];

	if (sp_home_settle(&self.config, self.meeting.machine, &self.shared.share, &self.home, why) == 0)
		return;
	snprintf(sentence, sizeof(sentence), "SPLITPIN_MEMORY=%s cannot be had: %s; the memory policy stays as it was (%s)",
		 sp_config_memory_name(self.config.memory), why, self.home.name);
	if (self.rank.local_rank == 0 && !self.shared.child_of.pid)
		warn_once_a_node(sentence);
	else if (self.config.debug)
		sp_report_note(&self.who, sentence);
}

static void
check_memory(void)
{
	struct sp_pages now;

	if (self.home.is_checked && self.pid == getpid() && !self.shared.child_of.pid && sp_pages_read(&now) == 0)
		sp_report_pages(&self.who, self.home.name, &self.home.nodes, &self.home.before, &now);
}

/*
 * A list of CPU numbers is the same in every rank, so it leaves the share of
 * all but one; some runtimes obey it nevertheless, some drop a part of it.
 */
static void
check_numbers(void)
{
	struct sp_cpus outside = self.wishes.numbers;
	char text[SP_CPUS_TEXT], share[SP_CPUS_TEXT];

	sp_cpus_sub(&outside, &self.shared.share);
	if (!self.wishes.numbers_from || sp_cpus_empty(&outside))
		return;
	sp_warn("host=%s rank=%u/%u %s names CPUs %s, which are outside of this rank's share %s: leave it unset, or use OMP_PLACES=cores",
		self.who.host, self.rank.local_rank, self.rank.local_size, self.wishes.numbers_from,
		sp_cpus_format(&outside, text, sizeof(text)),
		sp_cpus_format(&self.shared.share, share, sizeof(share)));
}

static void
log_pin(int thread, pid_t tid, const struct sp_cpus *cpus, const char *by, const char *why)
{
	if (self.config.debug)
		sp_report_pin(&self.who, self.meeting.machine, &(struct sp_pin_line){
			.thread = thread, .tid = tid, .cpus = cpus, .by = by, .why = why });
}

static void
log_share(enum sp_by by)
{
	struct sp_cpus nodes;

	if (!self.config.debug)
		return;
	sp_report_share(&self.who, &(struct sp_share_line){
		.share = &self.shared.share, .inherited = &self.inherited, .allowed = &self.allowed,
		.cores = cores_and_nodes(&nodes), .from = self.rank.from, .by = name_of(by),
		.memory = self.home.name, .why = self.shared.why });
	if (self.meeting.note)
		sp_report_note(&self.who, self.meeting.note);
	if (self.meeting.node_is_shared)
		sp_report_note(&self.who, "another job has cores of this node, and too few are left to leave them to it: the node is shared");
	log_pin(0, gettid(), &self.shared.share, "mask",
		self.config.dry_run ? "the process would be on its share" : "the process is on its share");
}

/* Tell the other ranks. */
static void
write_seat(enum sp_seat_state state)
{
	struct sp_seat seat = { .state = state, .threads = self.wishes.team,
				.inherited = self.inherited, .share = self.shared.share };

	if (!self.meeting.board || self.shared.child_of.pid || sp_process_self(&seat.process) != 0)
		return;
	snprintf(seat.memory, sizeof(seat.memory), "%s", self.home.name);
	snprintf(seat.why, sizeof(seat.why), "%s", self.shared.why);
	sp_board_write(self.meeting.board, self.rank.local_rank, &seat);
}

/* A setuid program, by way of /etc/ld.so.preload: the settings are not those of its owner. */
static bool
is_secure(void)
{
	return getauxval(AT_SECURE) != 0;
}

static int
settle(const struct sp_rank *rank, enum sp_by by, char *const environment[])
{
	int error = is_secure() ? -ECANCELED : read_settings(rank, environment);

	if (!error)
		error = read_masks();
	if (!error)
		error = meet(environment);
	if (!error)
		error = find_share(environment);
	if (error)
		return error;
	if (!self.config.dry_run)
		error = sp_pin_process(&self.inherited, &self.shared.share);
	if (error)
		return give_up(error, "cannot set the mask of this process");
	set_memory();
	check_numbers();
	self.workers = sp_workers_create(self.meeting.machine, &self.shared.share, &self.config, &self.who);
	if (!self.shared.child_of.pid)
		self.guard = sp_guard_create(self.workers, &self.shared.share, &self.config, &self.who,
					     !self.wishes.libgomp && !self.wishes.libomp);
	write_seat(SP_SEAT_SETTLED);
	self.is_settled = true;
	log_share(by);
	return 0;
}

static void
judge(void (*how)(const struct sp_node *node))
{
	how(&(struct sp_node){
		.who = &self.who, .config = &self.config, .machine = self.meeting.machine,
		.allowed = &self.allowed, .board = self.meeting.board, .memory_failed = self.home.failed });
}

static void
ready(void)
{
	if (self.guard)
		sp_guard_watch(self.guard);
	if (!self.meeting.board || self.shared.child_of.pid || self.is_ready)
		return;
	self.is_ready = true;
	write_seat(SP_SEAT_READY);
	if (self.rank.local_rank == 0)
		judge(sp_judge_when_settled);
}

__attribute__((destructor)) static void
leave(void)
{
	check_memory();
	if (self.guard && self.pid == getpid())
		sp_guard_end(self.guard);
	if (!self.meeting.board || self.pid != getpid() || self.shared.child_of.pid)
		return;
	if (self.is_settled && !self.is_ready)
		judge(sp_judge_at_end);
	sp_board_leave(self.meeting.board, self.rank.local_rank);
}

/* What the shim asks while the program runs. */

static const struct sp_cpus *
share(void)
{
	return &self.shared.share;
}

static const char *
wish_of(enum sp_runtime runtime)
{
	return runtime == SP_LIBGOMP ? self.wishes.libgomp : self.wishes.libomp;
}

static enum sp_pinning
pinning(enum sp_runtime runtime)
{
	if (wish_of(runtime))
		return self.config.debug ? SP_LOG : SP_LEAVE;
	return self.workers && self.config.bind != SP_NO_BIND && !self.shared.may_be_others ? SP_PIN : SP_LEAVE;
}

static bool
tool_announced(void)
{
	return self.wishes.tool_announced;
}

static bool
bound_by_user(void)
{
	struct sp_cpus mine;

	return (self.wishes.libgomp || self.wishes.libomp) && sp_pin_get(0, &mine) == 0 &&
	       !sp_cpus_equal(&mine, &self.shared.share) && sp_cpus_within(&mine, &self.shared.share);
}

static int
take(const struct sp_worker *worker)
{
	return sp_workers_take(self.workers, worker, self.wishes.team_announced);
}

static int
sit(int slot, const struct sp_worker *worker)
{
	int error = sp_workers_sit(self.workers, slot, worker);

	if (!error && self.guard)
		sp_guard_sat(self.guard, slot);
	return error;
}

static void
team(const struct sp_worker *worker)
{
	sp_workers_team(self.workers, worker);
}

static void
give(int slot)
{
	if (self.guard)
		sp_guard_leaves(self.guard, slot);
	sp_workers_give(self.workers, slot);
}

static void
widen(void)
{
	if (!self.config.dry_run)
		sp_pin_set(0, &self.shared.share);
}

static int
lend(int slot, struct sp_cpus *before)
{
	struct sp_cpus own;
	int error = self.config.dry_run ? -ECANCELED : sp_pin_get(0, before);

	if (error)
		return error;
	if (slot >= 0 && sp_workers_cpus(self.workers, slot, &own) == 0 && !sp_cpus_equal(before, &own))
		return -ECANCELED;
	return sp_pin_set(0, &self.shared.share);
}

/* Another thread may have moved this one meanwhile: the program's, or ours, since a core fell free. */
static void
take_back(int slot, const struct sp_cpus *before)
{
	struct sp_cpus cpus;	/* one alone: the stack may be a page that a child was given */

	if (sp_pin_get(0, &cpus) != 0 || !sp_cpus_equal(&cpus, &self.shared.share))
		return;
	bool known = slot >= 0 && sp_workers_cpus(self.workers, slot, &cpus) == 0;
	sp_pin_set(0, known ? &cpus : before);
}

static bool
is_guarding(void)
{
	return self.guard != NULL;
}

static void
changed(pid_t tid, const void *caller)
{
	sp_guard_changed(self.guard, tid ? tid : gettid(), caller);
}

static bool
is_telling(void)
{
	return self.config.debug;
}

static void
log_foreign(void)
{
	log_pin(-1, gettid(), &self.shared.share, "mask",
		"no thread of OpenMP: it has the share, not the place of its creator");
}

static void
log_bound(const struct sp_worker *worker)
{
	struct sp_cpus cpus;
	char why[SENTENCE];

	if (sp_pin_get(0, &cpus) != 0)
		return;
	snprintf(why, sizeof(why), "the runtime bound it: %s", wish_of(worker->runtime));
	log_pin(worker->thread, gettid(), &cpus, sp_workers_seen_by(worker->runtime), why);
}

/*
 * A runtime that counted before the rank was known would make as many threads
 * as the wide mask had CPUs.
 */
static uint32_t
default_team(void)
{
	return self.wishes.team_announced ? 0 : sp_cpus_count(&self.shared.share);
}

static void
note(const char *sentence)
{
	if (self.config.debug)
		sp_report_note(&self.who, sentence);
}

__attribute__((visibility("default"))) extern const struct sp_engine sp_engine;

const struct sp_engine sp_engine = {
	.version = SP_ENGINE_VERSION,
	.size = sizeof(struct sp_engine),
	.settle = settle,
	.ready = ready,
	.share = share,
	.default_team = default_team,
	.pinning = pinning,
	.tool_announced = tool_announced,
	.bound_by_user = bound_by_user,
	.take = take,
	.sit = sit,
	.team = team,
	.give = give,
	.widen = widen,
	.lend = lend,
	.take_back = take_back,
	.is_guarding = is_guarding,
	.changed = changed,
	.is_telling = is_telling,
	.log = log_bound,
	.log_foreign = log_foreign,
	.note = note,
};
