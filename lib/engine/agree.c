#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/order.h"
#include "base/patience.h"
#include "base/process.h"
#include "engine/agree.h"
#include "engine/asked.h"
#include "engine/terms.h"
#include "launcher/job.h"
#include "launcher/siblings.h"
#include "settings/omp_env.h"

/* What a rank finds out about all of them. */
struct inquiry {
	const struct sp_situation *s;
	struct sp_cpus cpus;		/* of the machine: masks in /proc hold others, too */
	struct sp_ancestor *ancestor;	/* this process's launchers, nancestors of them */
	size_t nancestors;
	pid_t launcher;			/* 0: it cannot be seen */
	struct sp_binding binding;	/* of any rank for which somebody asked, else the own one */
	struct sp_rank_facts *rank;
	struct sp_part *part;
	uint32_t *need;			/* of each rank (engine/terms.h) */
	pid_t coming;			/* a rank that is about to write its record, or may be, or 0 */
	bool all_seen;			/* who is not in /proc has not been started, or has ended */
};

static struct sp_cpus
normal(const struct inquiry *q, const struct sp_cpus *mask)
{
	struct sp_cpus cpus = *mask;

	sp_cpus_and(&cpus, &q->cpus);
	return cpus;
}

static void
add_binding(struct inquiry *q, char *const environment[])
{
	struct sp_binding binding;

	sp_binding_find(q->s->rank, environment, q->ancestor, q->nancestors, &binding);
	if ((binding.asked == SP_ASKED_YES && !q->binding.is_below) || !*q->binding.evidence)
		q->binding = binding;
}

static void __attribute__((format(printf, 2, 3)))
is_asked(struct inquiry *q, const char *format, ...)
{
	va_list arguments;

	q->binding.asked = SP_ASKED_YES;
	va_start(arguments, format);
	vsnprintf(q->binding.evidence, sizeof(q->binding.evidence), format, arguments);
	va_end(arguments);
}

/*
 * What stands between launcher and rank has bound it last, whatever the launcher
 * did.  Of several programs (mpirun ./a : taskset ./b) it may be another's.
 */
static void
look_at_wrappers(struct inquiry *q)
{
	bool is_for_all;
	bool has_other_nodes = sp_job_has_other_nodes(q->s->rank, q->s->environment);
	const char *wrapper = sp_asked_of_wrapper(has_other_nodes, q->s->environment, q->ancestor, q->nancestors, &is_for_all);

	if (q->binding.asked == SP_ASKED_YES && !(wrapper && is_for_all))
		return;
	q->binding.is_below = true;
	if (wrapper)
		is_asked(q, "by %s", wrapper);
	else if (sp_asked_below_launcher(q->launcher, q->s->inherited))
		is_asked(q, "between launcher and rank");
	else
		q->binding.is_below = false;
}

static int
begin(const struct sp_situation *s, struct inquiry *q)
{
	uint32_t nranks = s->rank->local_size;

	*q = (struct inquiry){ .s = s };
	sp_machine_cpus(s->machine, &q->cpus);
	q->rank = calloc(nranks, sizeof(*q->rank));
	q->part = calloc(nranks, sizeof(*q->part));
	q->need = calloc(nranks, sizeof(*q->need));
	q->ancestor = sp_ancestors_of_self(&q->nancestors);
	if (!q->rank || !q->part || !q->need || !q->ancestor)
		return -ENOMEM;
	const struct sp_ancestor *launcher = sp_ancestors_launcher(q->ancestor, q->nancestors);
	q->launcher = launcher ? launcher->pid : 0;
	add_binding(q, s->environment);
	look_at_wrappers(q);
	q->rank[s->rank->local_rank] = (struct sp_rank_facts){
		.known = true, .threads = s->threads, .mask = normal(q, s->inherited) };
	return 0;
}

static void
end(struct inquiry *q)
{
	sp_ancestors_free(q->ancestor, q->nancestors);
	free(q->rank);
	free(q->part);
	free(q->need);
}

/* Facts. */

/* Those that have come; a rank that has ended has left its mask behind. */
static void
read_seats(struct inquiry *q)
{
	struct sp_seat seat;

	q->coming = 0;
	for (uint32_t i = 0; q->s->board && i < q->s->rank->local_size; i++) {
		if (q->rank[i].known || sp_board_read(q->s->board, i, &seat) != 0)
			continue;
		if (!sp_cpus_empty(&seat.inherited))
			q->rank[i] = (struct sp_rank_facts){ .known = true, .threads = seat.threads,
							     .mask = normal(q, &seat.inherited) };
		else if (seat.state == SP_SEAT_COMING)
			q->coming = sp_process_here(&seat.process);
	}
}

/* One that has come and not yet written its record may be changing its mask. */
static bool
is_coming(const struct inquiry *q, uint32_t rank)
{
	struct sp_seat seat;

	return q->s->board && sp_board_read(q->s->board, rank, &seat) == 0;
}

/*
 * As they are loaded some libraries keep the process on one CPU for a moment:
 * PSM2's, for Omni-Path, the first of its mask.  It comes in time, or was bound.
 */
#define LOADING_MS 1000

static bool
may_be_loading(const struct inquiry *q, const struct sp_sibling *sibling)
{
	struct sp_process process;

	return q->s->config->wait_ms > LOADING_MS && sp_cpus_count(sibling->mask) == 1 &&
	       !sp_cpus_within(q->s->launcher, sibling->mask) && sp_process_read(sibling->pid, &process) == 0 &&
	       sp_process_age_ns(&process) < LOADING_MS * 1000000ull;
}

static void
add_sibling(const struct sp_sibling *sibling, void *data)
{
	struct inquiry *q = data;
	struct sp_rank_facts *facts = &q->rank[sibling->local_rank];
	struct sp_omp_env omp_env;

	add_binding(q, sibling->environment);
	if (sp_asked_to_stay(q->s->environment, sibling->pid, sibling->environment))
		is_asked(q, "rank %u stays as it is", sibling->local_rank);
	if (facts->known || is_coming(q, sibling->local_rank))
		return;
	if (may_be_loading(q, sibling)) {
		q->coming = sibling->pid;
		return;
	}
	sp_omp_env_read(&omp_env, sibling->environment);
	*facts = (struct sp_rank_facts){ .known = true, .threads = omp_env.threads,
					 .mask = normal(q, sibling->mask) };
}

static uint32_t
count_known(const struct inquiry *q)
{
	uint32_t known = 0;

	for (uint32_t i = 0; i < q->s->rank->local_size; i++)
		known += q->rank[i].known;
	return known;
}

/* A child of the launcher that is a copy of it still: about to execute a rank, maybe from a slow disk. */
static pid_t
forked_by_launcher(const struct inquiry *q)
{
	pid_t *children = NULL, found = 0;
	ssize_t n = q->launcher ? sp_process_children(q->launcher, &children) : 0;

	for (; n > 0 && !found; n--)
		if (sp_ancestor_is_like(&q->ancestor[0], children[n - 1]))
			found = children[n - 1];
	free(children);
	return found;
}

static uint32_t
look(struct inquiry *q)
{
	read_seats(q);
	if (q->launcher)
		q->all_seen = sp_siblings_visit(q->launcher, q->s->job, q->s->rank->local_size, add_sibling, q) > 0;
	if (!q->coming && count_known(q) != q->s->rank->local_size)
		q->coming = forked_by_launcher(q);
	return count_known(q);
}

/* Deciding. */

/* Of a node that Slurm has not given to the job as a whole, the rest may be other users'. */
static bool
is_all_ours(const struct sp_situation *s)
{
	static const char name[] = "SLURM_CPUS_ON_NODE=";
	uint32_t cpus;

	if (strcmp(s->rank->from, "slurm") != 0)
		return true;
	for (char *const *entry = s->environment; *entry; entry++)
		if (strncmp(*entry, name, sizeof(name) - 1) == 0)
			return sp_ascii_number(*entry + sizeof(name) - 1, &cpus) && cpus >= sp_cpus_count(s->allowed);
	return false;
}

/* What may be cut anew: who confines the launcher (taskset -c 0-3 mpirun) confines the job. */
static struct sp_cpus
domain_of(const struct inquiry *q)
{
	static const struct sp_cpus nothing;
	struct sp_cpus domain = *q->s->allowed;

	if (q->s->config->inherited == SP_INHERITED_KEEP || !is_all_ours(q->s))
		return nothing;
	sp_cpus_and(&domain, q->s->launcher);
	return normal(q, &domain);
}

/* Other jobs may have come since the board was made. */
static void
see_neighbours(const struct inquiry *q, struct sp_other_jobs *others)
{
	*others = (struct sp_other_jobs){ .jobs = 0 };
	if (q->s->board && q->s->config->neighbours == SP_NEIGHBOURS_AVOID && !q->s->config->dry_run)
		sp_board_other_jobs(q->s->job, others);
	sp_machine_fill_cores(q->s->machine, &others->taken);
}

/* Ranks that divide these CPUs: all, or the group of this rank. */
static void
find_terms(const struct inquiry *q, const struct sp_cpus *cpus, const uint32_t need[], uint32_t nranks,
	   const struct sp_other_jobs *others, struct sp_terms *terms)
{
	sp_terms_find(&(struct sp_sharing){
		.machine = q->s->machine, .policy = &q->s->config->policy, .bind = q->s->config->bind,
		.cpus = cpus, .nranks = nranks, .need = need }, others, terms);
}

/* What the members of a group need, in their order; group: its first rank. */
static uint32_t
needs_of_group(const struct inquiry *q, uint32_t group, uint32_t need[])
{
	uint32_t n = 0;

	for (uint32_t rank = group; rank < q->s->rank->local_size; rank++)
		if (q->part[rank].count == q->part[group].count && sp_cpus_equal(&q->part[rank].cpus, &q->part[group].cpus))
			need[n++] = q->need[rank];
	return n;
}

/* Masks that are kept: the job claims what its threads need of them. */
static void
claim_masks(struct inquiry *q, struct sp_terms *terms)
{
	static const struct sp_other_jobs none;
	struct sp_terms of_group;
	uint32_t *need = calloc(q->s->rank->local_size, sizeof(*need));

	*terms = (struct sp_terms){ .how = SP_TERMS_ALONE };
	for (uint32_t rank = 0; need && rank < q->s->rank->local_size; rank++) {
		if (!q->part[rank].count || q->part[rank].index)
			continue;
		find_terms(q, &q->part[rank].cpus, need, needs_of_group(q, rank, need), &none, &of_group);
		/* More ranks than CPUs, or no memory. */
		sp_cpus_or(&terms->claim, sp_cpus_empty(&of_group.claim) ? &q->part[rank].cpus : &of_group.claim);
		terms->threads += of_group.threads;
	}
	free(need);
}

/* Ranks that give way, and announce no threads, take what the widest mask gave its rank: a third job may come. */
static void
need_what_masks_gave(struct inquiry *q)
{
	uint32_t most = 0;

	for (uint32_t rank = 0; rank < q->s->rank->local_size; rank++)
		most = (uint32_t)sp_larger(most, sp_machine_cores(q->s->machine, &q->rank[rank].mask));
	for (uint32_t rank = 0; rank < q->s->rank->local_size; rank++)
		if (!q->need[rank])
			q->need[rank] = most;
}

static enum sp_division
divide(struct inquiry *q, struct sp_terms *terms)
{
	const struct sp_cpus domain = domain_of(q);
	struct sp_other_jobs others;

	for (uint32_t rank = 0; rank < q->s->rank->local_size; rank++)
		q->need[rank] = q->rank[rank].threads;
	see_neighbours(q, &others);
	find_terms(q, &domain, q->need, q->s->rank->local_size, &others, terms);
	enum sp_division division = sp_divide(&(struct sp_division_question){
		.machine = q->s->machine, .nranks = q->s->rank->local_size, .rank = q->rank,
		.domain = &domain, .taken = &terms->taken, .others = &others.taken,
		.asked = q->binding.asked == SP_ASKED_YES, .told = sp_policy_says(&q->s->config->policy) }, q->part);
	if (division == SP_DIVISION_COLLIDED) {
		need_what_masks_gave(q);
		find_terms(q, &domain, q->need, q->s->rank->local_size, &others, terms);
	}
	/* Confined together: that is what they divide, beside other jobs as elsewhere. */
	if (division == SP_DIVISION_ALIKE)
		find_terms(q, &q->part[0].cpus, q->need, q->s->rank->local_size, &others, terms);
	else if (!sp_division_is_anew(division))
		claim_masks(q, terms);
	return division;
}

static int
take_decision(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_decision decision;
	int error = s->board ? sp_board_decision(s->board, s->rank->local_rank, &decision, &agreement->part) : -ENOENT;

	if (error)
		return error;
	if (decision.what > SP_DIVISION_GIVEN_UP)
		return -EPROTO;
	agreement->division = (enum sp_division)decision.what;
	snprintf(agreement->evidence, sizeof(agreement->evidence), "%s", decision.evidence);
	return sp_board_terms(s->board, s->terms, s->need);
}

/* Write it, unless another rank was first, and take what is written. */
static int
publish(struct inquiry *q, const struct sp_decision *decision, struct sp_agreement *agreement)
{
	int error = q->s->board ? sp_board_decide(q->s->board, decision, q->part) : 0;

	if (error == -EEXIST)
		return take_decision(q->s, agreement);
	agreement->division = (enum sp_division)decision->what;
	agreement->part = q->part[q->s->rank->local_rank];
	agreement->gave_up_first = decision->what == SP_DIVISION_GIVEN_UP;
	snprintf(agreement->evidence, sizeof(agreement->evidence), "%s", decision->evidence);
	return error;
}

/* Before the decision, so that who finds that finds these. */
static int
set_terms(struct inquiry *q, struct sp_terms *terms)
{
	int error;

	terms->generation = q->s->terms->generation;
	error = q->s->board ? sp_board_revise(q->s->board, terms, q->need) : 0;
	/* Another rank decides at the same time. */
	if (error == -EEXIST)
		return sp_board_terms(q->s->board, q->s->terms, q->s->need);
	if (error)
		return error;
	*q->s->terms = *terms;
	memcpy(q->s->need, q->need, q->s->rank->local_size * sizeof(q->need[0]));
	return 0;
}

/* Under the creation lock, so that of two jobs that decide at once the second sees what the first takes. */
static int
decide(struct inquiry *q, struct sp_agreement *agreement)
{
	struct sp_decision decision = { .is_below = q->binding.is_below };
	bool locked = q->s->board && sp_board_lock_jobs(q->s->config->wait_ms) == 0;
	int error = take_decision(q->s, agreement);

	if (error == -ENOENT) {
		struct sp_terms terms;

		decision.what = divide(q, &terms);
		snprintf(decision.evidence, sizeof(decision.evidence), "%s", q->binding.evidence);
		error = set_terms(q, &terms);
		if (!error)
			error = publish(q, &decision, agreement);
	}
	if (locked)
		sp_board_end();
	return error;
}

/* The launcher is not about to start those of which nothing is known: they have ended, and count for nothing. */
static int
decide_without(struct inquiry *q, struct sp_agreement *agreement)
{
	for (uint32_t i = 0; i < q->s->rank->local_size; i++)
		q->rank[i].known = true;
	return decide(q, agreement);
}

static int
give_up(struct inquiry *q, struct sp_agreement *agreement)
{
	const struct sp_decision decision = { .what = SP_DIVISION_GIVEN_UP };

	return publish(q, &decision, agreement);
}

/* A launcher that sleeps, and has not started a rank so far, is not about to. */
#define STARTING_MS 100

/* Wait for a rank: one that has come and is about to write its record, or one that the launcher is about to start. */
static bool
nap(struct inquiry *q, struct sp_patience *patience)
{
	uint32_t idle_ms = q->all_seen && !q->coming ? (uint32_t)sp_smaller(q->s->config->wait_ms, STARTING_MS) : q->s->config->wait_ms;

	patience->pid = q->coming ? q->coming : q->launcher;
	sp_patience_limit(patience, idle_ms);
	return sp_patience_nap(patience);
}

static int
find_out(struct inquiry *q, struct sp_agreement *agreement)
{
	struct sp_patience patience = sp_patience_begin(q->launcher, q->s->config->wait_ms);
	int error;

	while ((error = take_decision(q->s, agreement)) == -ENOENT) {
		uint32_t known = look(q);

		if (known == q->s->rank->local_size)
			return decide(q, agreement);
		sp_patience_count(&patience, known);
		if (!nap(q, &patience))
			return q->all_seen && !q->coming ? decide_without(q, agreement) : give_up(q, agreement);
	}
	return error;
}

int
sp_agreed(const struct sp_situation *s, struct sp_agreement *agreement)
{
	*agreement = (struct sp_agreement){ 0 };
	return take_decision(s, agreement);
}

int
sp_agree(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = *s->inherited, .threads = s->threads };
	struct inquiry q;

	*agreement = (struct sp_agreement){ 0 };
	if (s->gpus)
		seat.gpus = *s->gpus;
	if (!s->board && s->rank->local_size > 1)
		return -ENOENT;
	int error = s->board ? sp_board_write(s->board, s->rank->local_rank, &seat) : 0;
	if (error)
		return error;
	error = take_decision(s, agreement);
	if (error != -ENOENT)
		return error;
	error = begin(s, &q);
	if (!error)
		error = find_out(&q, agreement);
	end(&q);
	return error;
}
