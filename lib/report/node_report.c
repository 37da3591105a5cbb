#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/order.h"
#include "base/text.h"
#include "launcher/ancestors.h"
#include "launcher/known/torchrun.h"
#include "launcher/remedy.h"
#include "launcher/siblings.h"
#include "launcher/without.h"
#include "process/process.h"
#include "report/measure.h"
#include "report/node_report.h"
#include "report/overlap.h"
#include "report/report.h"
#include "report/two_names.h"
#include "report/verdict.h"

/* Whether the first rank itself has warned that its memory policy is missing, as no other rank does. */
static bool
first_has_warned(const struct sp_node *node, const struct sp_seat seats[])
{
	return !sp_cpus_empty(&seats[0].share) && !sp_config_memory_is_as_asked(node->config, seats[0].memory);
}

static void
warn_of_missing_memory(const struct sp_node *node, const struct sp_seat seats[])
{
	uint32_t missing = 0, first = 0;

	for (uint32_t rank = 0; rank < node->who->local_size && !first_has_warned(node, seats); rank++)
		if (seats[rank].state >= SP_SEAT_SETTLED && !sp_config_memory_is_as_asked(node->config, seats[rank].memory) && !missing++)
			first = rank;
	if (missing)
		sp_warn_node(node->who, "SPLITPIN_MEMORY=%s is not available to %u of %u rank%s, such as rank %u: their memory policy is unchanged; SPLITPIN_DEBUG=1 shows why",
			     sp_config_memory_name(node->config->memory), missing, node->who->local_size, sp_plural(node->who->local_size), first);
}

/* A rank that has ended has left its share behind, or why it had none. */
static enum sp_seat_state
state_to_report(const struct sp_seat *seat)
{
	if (seat->state != SP_SEAT_LEFT)
		return seat->state >= SP_SEAT_REFUSED ? seat->state : SP_SEAT_EMPTY;
	if (!sp_cpus_empty(&seat->share))
		return SP_SEAT_LEFT;
	return *seat->why ? SP_SEAT_REFUSED : SP_SEAT_EMPTY;
}

static struct sp_seat *
read_seats(const struct sp_node *node)
{
	struct sp_seat *seats = calloc(node->who->local_size, sizeof(*seats));

	for (uint32_t rank = 0; seats && rank < node->who->local_size; rank++)
		seats[rank].state = sp_board_read(node->board, rank, &seats[rank]) == 0 ? state_to_report(&seats[rank]) : SP_SEAT_EMPTY;
	return seats;
}

/* Where the user has not asked to share the node. */
static bool
find_other_jobs(const struct sp_node *node, struct sp_other_jobs *others)
{
	if (!sp_config_avoids_others(node->config))
		return false;
	int error = sp_board_other_jobs(node->job, others);

	return (!error || error == -E2BIG) && others->jobs > 0;
}

/* Take the cores of other jobs off a set. */
static void
leave_to_others(const struct sp_node *node, const struct sp_other_jobs *others, struct sp_cpus *cpus)
{
	struct sp_cpus taken = others->taken;

	sp_machine_fill_cores(node->machine, &taken);
	sp_cpus_sub(cpus, &taken);
}

static bool
was_bound_below_launcher(const struct sp_node *node)
{
	struct sp_decision decision;
	struct sp_part part;

	return sp_board_decision(node->board, 0, &decision, &part, NULL, NULL) == 0 && decision.is_below;
}

/* What keeps two jobs off each other's cores. */
static const char *
remedy_beside(const struct sp_node *node, bool are_claimed, char text[SP_REMEDY])
{
	struct sp_seat seat;

	if (are_claimed && node->config->policy.domain == SP_DOMAIN_LISTS)
		return "name other CPUs (SPLITPIN_DOMAIN)";
	if (sp_board_read(node->board, node->who->local_rank, &seat) == 0 && sp_verdict_is_bound(&node->domain, &seat))
		return sp_launcher_remedy(was_bound_below_launcher(node) ? NULL : node->from, 0, text, SP_REMEDY);
	return "with fewer threads each (OMP_NUM_THREADS)";
}

/* Threads of two jobs on the same cores.  Returns whether there are any. */
static bool
report_other_jobs(const struct sp_node *node, const struct sp_other_jobs *others)
{
	char text[SP_REMEDY], holder[SP_HOLDER];
	bool are_claimed;
	const struct sp_cpus common = sp_overlap_find(node, others, &are_claimed);

	if (sp_cpus_empty(&common))
		return false;
	if (sp_board_is_first(node->board, SP_FIRST_OVERLAP)) {
		pid_t same = sp_names_find(node);

		if (same)
			sp_names_warn(node, same);
		else
			sp_report_other_job(node->who, &common, sp_holder_find(node, &common, holder), remedy_beside(node, are_claimed, text));
	}
	return true;
}

static uint32_t
most_threads(const struct sp_node *node, const struct sp_seat seats[])
{
	uint32_t most = 0;

	for (uint32_t rank = 0; rank < node->who->local_size; rank++)
		if (seats[rank].state >= SP_SEAT_REFUSED)
			most = (uint32_t)sp_larger(most, seats[rank].threads);
	return most;
}

static bool
is_recorded(const struct sp_node *node, const struct sp_record_line *line)
{
	return node->record->to != SP_RECORD_OFF && (!node->config->dry_run || node->config->observe) && sp_record_is_needed(node->record, line);
}

/* A record that cannot be written concerns the user only with SPLITPIN_DEBUG=1. */
static void
write_record(const struct sp_node *node, struct sp_record_line line)
{
	const struct sp_config *config = node->config;

	line.from = node->from;
	line.is_observed = config->observe;
	line.warnings = node->who->warnings ? *node->who->warnings : 0;
	int error = is_recorded(node, &line) ? sp_record_write(node->record, node->who, &line) : 0;

	/* What keeps one line from the file keeps the other from it. */
	if (error && config->debug && line.event != SP_RECORD_END)
		sp_log_node(node->who, "the site's record of this job cannot be written: %s", sp_log_file_problem(error));
}

/* others: NULL, there are none. */
static void
report(const struct sp_node *node, const struct sp_seat seats[], const struct sp_verdict *verdict, const struct sp_other_jobs *others)
{
	struct sp_outcome outcome = { .why = "" };

	if (node->config->report) {
		sp_report_table(node->who, node->machine, seats);
		sp_notes_memory(node->who, node->machine);
		sp_notes_slow_ranks(node->who, node->machine, seats);
	}
	sp_report_verdict(node->who, node->machine, node->from, seats, verdict, node->config->report);
	if (verdict->listed)
		sp_report_listed(node->who, node->list, seats, verdict);
	bool shares_node = others && report_other_jobs(node, others);
	warn_of_missing_memory(node, seats);
	const struct sp_record_line line = {
		.event = SP_RECORD_JOB, .verdict = verdict, .threads = most_threads(node, seats), .outcome = &outcome,
		.crowded = verdict->crowded, .shares_node = shares_node };
	if (is_recorded(node, &line))
		sp_outcome_find(node->machine, &node->domain, node->is_bound, seats, node->who->local_size, verdict, &outcome);
	write_record(node, line);
}

/* The ranks that have not come, as /proc shows them. */
struct absence {
	const struct sp_seat *seats;
	const struct sp_cpus *shares;	/* of all that have come */
	uint32_t may_come;		/* their processes are there */
	struct sp_report_without without;
};

static bool
look_for_absent(const struct sp_sibling *sibling, void *data)
{
	struct absence *absence = data;

	if (absence->seats[sibling->local_rank].state != SP_SEAT_EMPTY)
		return true;
	if (!sp_is_without_library(sibling->pid)) {
		absence->may_come++;
		return true;
	}
	absence->without.meets |= sp_cpus_intersect(sibling->mask, absence->shares);
	if (absence->without.ranks++ && absence->without.rank < sibling->local_rank)
		return true;
	absence->without.rank = sibling->local_rank;
	absence->without.pid = sibling->pid;
	absence->without.is_preloaded = sp_is_preloaded(sibling->environment);
	return true;
}

static void
find_absent(const struct sp_node *node, struct absence *absence)
{
	pid_t launcher = sp_ancestors_own_launcher();

	if (launcher)
		sp_siblings_visit(launcher, node->job, node->who->local_size, NULL, look_for_absent, absence);
}

static bool
others_may_come(const struct sp_node *node, const struct sp_seat seats[])
{
	const struct sp_cpus none = { 0 };
	struct absence absence = { .seats = seats, .shares = &none };

	find_absent(node, &absence);
	return absence.may_come > 0;
}

/*
 * When the first rank comes out of MPI_Init, all have gone into it.  Those
 * without the library never say that they are ready.  Returns how many they are.
 */
static uint32_t
report_without(const struct sp_node *node)
{
	struct sp_seat *seats = read_seats(node);
	struct sp_cpus shares = { 0 };
	struct absence absence = { .seats = seats, .shares = &shares };
	uint32_t here = 0;

	for (uint32_t rank = 0; seats && rank < node->who->local_size; rank++) {
		here += seats[rank].state != SP_SEAT_EMPTY;
		sp_cpus_or(&shares, &seats[rank].share);
	}
	if (seats && here < node->who->local_size)
		find_absent(node, &absence);
	if (absence.without.ranks && (absence.without.meets || node->config->report))
		sp_report_without(node->who, &absence.without);
	free(seats);
	return absence.without.ranks;
}

/* Nobody lacks the cores of other jobs, which ranks that keep their masks have not left to these. */
static void
report_beside(const struct sp_node *node, const struct sp_seat seats[], bool is_crowded, struct sp_cpus *cpus, struct sp_verdict *verdict)
{
	struct sp_other_jobs others;
	bool are_there = find_other_jobs(node, &others);

	if (are_there && verdict->starving && verdict->is_gain) {
		leave_to_others(node, &others, cpus);
		sp_verdict(node->machine, cpus, seats, node->who->local_size, verdict);
	}
	verdict->is_confined = node->is_confined;
	verdict->is_crowded = is_crowded;
	verdict->is_below = verdict->starving && was_bound_below_launcher(node);
	report(node, seats, verdict, are_there ? &others : NULL);
}

/* Returns whether this process has reported. */
static bool
report_once(const struct sp_node *node)
{
	struct sp_verdict verdict;
	struct sp_cpus cpus = node->domain;
	struct sp_terms terms = { .is_crowded = 0 };
	struct sp_seat *seats = read_seats(node);

	if (!seats)
		return false;
	if (sp_board_terms(node->board, &terms, NULL) == 0)
		sp_cpus_sub(&cpus, &terms.taken);
	sp_verdict(node->machine, &cpus, seats, node->who->local_size, &verdict);
	bool does = (verdict.all_came || !others_may_come(node, seats)) && sp_board_is_first(node->board, SP_FIRST_REPORT);
	if (does)
		report_beside(node, seats, terms.is_crowded, &cpus, &verdict);
	free(seats);
	return does;
}

static void
report_if_last(const struct sp_node *node, uint32_t ready)
{
	if (ready == node->who->local_size)
		report_once(node);
}

void
sp_node_report_when_ready(const struct sp_node *node)
{
	uint32_t ready = sp_board_count_ready(node->board, 1);
	uint32_t without = ready == 1 && node->who->local_size > 1 ? report_without(node) : 0;

	report_if_last(node, without ? sp_board_count_ready(node->board, without) : ready);
}

void
sp_node_report_when_refused(const struct sp_node *node)
{
	report_if_last(node, sp_board_count_ready(node->board, 1));
}

/* The first of two jobs that share the node learns of the second only when it ends. */
static void
report_late_jobs(const struct sp_node *node)
{
	struct sp_other_jobs others;

	if (node->who->local_rank != 0 || !find_other_jobs(node, &others))
		return;
	report_other_jobs(node, &others);
}

/* As it was when the rank ended, or is; 0: not known, or what the rank has is not its alone. */
static uint32_t
threads_of_process(const struct sp_seat *seat)
{
	struct sp_activity activity;
	pid_t pid;

	if (seat->ownership != SP_OWNED || sp_cpus_empty(&seat->share))
		return 0;
	if (seat->state == SP_SEAT_LEFT)
		return seat->had;
	pid = sp_process_here(&seat->process);
	return pid && sp_process_activity(pid, &activity) == 0 && activity.state != 'Z' && !activity.is_ending ? activity.threads : 0;
}

static void
find_spare(const struct sp_node *node, struct sp_report_spare *spare)
{
	struct sp_seat *seats = read_seats(node);
	struct sp_cpus rest = node->domain, all;
	struct sp_other_jobs others;

	*spare = (struct sp_report_spare){ .from = was_bound_below_launcher(node) ? NULL : node->from };
	if (find_other_jobs(node, &others))
		leave_to_others(node, &others, &rest);
	all = rest;
	for (uint32_t rank = 0; seats && rank < node->who->local_size; rank++) {
		struct sp_seat *seat = &seats[rank];
		uint32_t threads = threads_of_process(seat), cores = sp_machine_cores(node->machine, &seat->share);

		spare->on_one_core += cores == 1 && seat->ownership == SP_OWNED;
		spare->ranks += threads && threads < cores;
		spare->inside += threads && threads < cores ? cores - threads : 0;
		sp_machine_fill_cores(node->machine, &seat->share);
		sp_cpus_sub(&rest, &seat->share);
	}
	spare->outside = seats ? sp_machine_cores(node->machine, &rest) : 0;
	spare->is_bound = seats && sp_verdict_is_bound(&node->domain, &seats[node->who->local_rank]);
	free(seats);
	spare->part = sp_machine_cores(node->machine, &all) / node->who->local_size;
}

/*
 * Only one rank reads all seats, whatever its reason: all ranks may have the
 * same reason, and end at the same time.
 */
static bool
become_crowd_reporter(const struct sp_node *node, const struct sp_used *used, struct sp_report_spare *spare)
{
	bool is_announced = used->threads > sp_cpus_count(used->share);

	if (is_announced ? !sp_board_is_first(node->board, SP_FIRST_SPARE) : !sp_board_is_first(node->board, SP_FIRST_CROWD))
		return false;
	find_spare(node, spare);
	return !is_announced || (spare->inside && sp_board_is_first(node->board, SP_FIRST_CROWD));
}

void
sp_node_report_crowd(const struct sp_node *node, const struct sp_used *used)
{
	const struct sp_measured *measured = used->measured;
	struct sp_report_spare spare;

	if (!become_crowd_reporter(node, used, &spare))
		return;
	sp_report_crowd(node->who, used->share, &measured->crowding, measured->waited, used->setting, &spare);
	write_record(node, (struct sp_record_line){ .event = SP_RECORD_CROWDED, .crowded = 1 });
}

void
sp_node_report_end(const struct sp_node *node, uint32_t duration_s, uint32_t waited, uint32_t threads)
{
	if (node->who->local_rank == 0)
		write_record(node, (struct sp_record_line){ .event = SP_RECORD_END, .duration_s = duration_s, .waited = waited, .threads = threads });
}

void
sp_node_report_few_cores(const struct sp_node *node, bool for_children)
{
	struct sp_report_spare spare;

	if (!sp_board_is_first(node->board, SP_FIRST_SPARE))
		return;
	find_spare(node, &spare);
	if (spare.outside >= node->who->local_size && sp_board_is_first(node->board, SP_FIRST_CROWD))
		sp_report_few_cores(node->who, &spare, for_children);
}

/* Under srun torchrun is a task: its workers are the job, and report. */
static bool
starts_ranks(const struct sp_node *node)
{
	size_t length;
	char *arguments = node->who->local_size > 1 ? NULL : sp_process_arguments(getpid(), &length);
	bool does = arguments && sp_torchrun_is_started(arguments, length);

	free(arguments);
	return does;
}

void
sp_node_report_at_end(const struct sp_node *node)
{
	if (starts_ranks(node))
		return;
	if (sp_board_had_first(node->board, SP_FIRST_REPORT) || !report_once(node))
		report_late_jobs(node);
}
