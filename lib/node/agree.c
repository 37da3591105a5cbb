#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/order.h"
#include "launcher/known/known.h"
#include "node/agree.h"
#include "node/inquiry.h"
#include "node/neighbours.h"
#include "process/patience.h"
#include "process/process.h"

/* Deciding. */

/* Whether the launcher has given the job the whole node; if not, the other CPUs may belong to other users. */
static bool
is_all_ours(const struct sp_situation *s)
{
	const char *variable = sp_launcher_details_of(sp_launcher_find(s->rank->from))->cpus;
	const char *number = variable ? sp_environment_value(s->environment, variable) : NULL;
	uint32_t cpus;

	return !variable || (number && sp_ascii_number(number, &cpus) && cpus >= sp_cpus_count(s->allowed));
}

/* The CPUs that may be divided again.  Confining the launcher (taskset -c 0-3 mpirun) confines the job. */
static struct sp_cpus
domain_of(const struct sp_inquiry *q)
{
	static const struct sp_cpus nothing;
	struct sp_cpus domain = *q->s->allowed;

	if (q->s->config->inherited == SP_INHERITED_KEEP || !is_all_ours(q->s))
		return nothing;
	sp_cpus_and(&domain, q->s->launcher);
	sp_cpus_and(&domain, &q->cpus);
	return domain;
}

/*
 * Look for other jobs again: some may have started since the board was created,
 * and one that has had its launcher's mask then may have moved.  /proc is searched
 * again where the terms name cores that no job claims any more, or none.
 */
static void
see_neighbours(const struct sp_inquiry *q, struct sp_other_jobs *others)
{
	const struct sp_situation *s = q->s;

	*others = (struct sp_other_jobs){ .jobs = 0 };
	if (!s->board || !sp_config_avoids_others(s->config))
		return;
	if (s->terms->how != SP_TERMS_SHARED && !s->terms->is_crowded) {
		sp_board_other_jobs(s->job, others);
		sp_machine_fill_cores(s->machine, &others->taken);
		if (sp_cpus_within(&s->terms->taken, &others->taken))
			return;
	}
	sp_others_find(s, q->launcher, others);
	sp_machine_fill_cores(s->machine, &others->taken);
}

static void
divide(struct sp_inquiry *q, struct sp_plan *plan)
{
	const struct sp_cpus domain = domain_of(q);
	struct sp_view view = sp_situation_view(q->s);
	struct sp_other_jobs others;

	view.domain = &domain;
	view.is_asked = q->binding.asked == SP_ASKED_YES;
	see_neighbours(q, &others);
	sp_decide(&view, q->rank, &others, plan);
}

/* part: of the calling rank. */
static void
agreement_fill(const struct sp_decision *decision, const struct sp_part *part, struct sp_agreement *agreement)
{
	agreement->division = (enum sp_division)decision->what;
	agreement->asked = (enum sp_asked)decision->asked;
	agreement->part = *part;
	snprintf(agreement->evidence, sizeof(agreement->evidence), "%s", decision->evidence);
}

/* The current terms as well, also where there is no decision yet (-ENOENT). */
static int
take_decision(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_decision decision;
	struct sp_part part;
	int error = s->board ? sp_board_decision(s->board, s->rank->local_rank, &decision, &part, s->terms, s->need) : -ENOENT;

	if (error)
		return error;
	if (decision.what > SP_DIVISION_GIVEN_UP || decision.asked > SP_ASKED_YES)
		return -EPROTO;
	agreement_fill(&decision, &part, agreement);
	return 0;
}

/* Write the plan, unless another rank was first (-EEXIST). */
static int
write_plan(struct sp_inquiry *q, struct sp_plan *plan, const struct sp_decision *decision)
{
	const struct sp_situation *s = q->s;
	/* Unbound ranks without lists have their terms already. */
	const bool stays = s->is_unbound && !plan->has_lists;
	int error = !s->board ? 0 : stays ? sp_board_revise(s->board, NULL, NULL, decision, plan->part) :
		sp_board_revise_all(s->board, plan, &s->config->policy, decision);

	if (error || stays)
		return error;
	/* The jobs in the way may end while the ranks start, and ranks without lists may have settled before. */
	if (s->board && (plan->has_lists || !sp_cpus_empty(&plan->terms.undivided)))
		sp_board_mark_stale(s->board);
	*s->terms = plan->terms;
	memcpy(s->need, plan->need, s->rank->local_size * sizeof(plan->need[0]));
	return 0;
}

#define DECIDE_TRIES 8		/* for a rank whose terms others change meanwhile */

/* Takes the lock of all jobs: if two jobs decide at once, the second sees what the first takes. */
static int
decide(struct sp_inquiry *q, struct sp_agreement *agreement)
{
	struct sp_decision decision = { .is_below = q->binding.is_below, .asked = q->binding.asked };
	uint32_t *owner = sp_situation_owners(q->s);
	bool locked = q->s->board && sp_board_lock_jobs(q->s->config->wait_ms) == 0;
	int error = -EEXIST;

	snprintf(decision.evidence, sizeof(decision.evidence), "%s", q->binding.evidence);
	for (int i = 0; i < DECIDE_TRIES && error == -EEXIST; i++) {
		error = take_decision(q->s, agreement);
		if (error != -ENOENT)
			break;
		struct sp_plan plan = { .terms.generation = q->s->terms->generation, .need = q->need, .part = q->part, .owner = owner };

		divide(q, &plan);
		decision.what = plan.division;
		error = write_plan(q, &plan, &decision);
		if (!error)
			agreement_fill(&decision, &q->part[q->s->rank->local_rank], agreement);
	}
	if (locked)
		sp_board_end();
	free(owner);
	return error;
}

/* Treat ranks that have not been seen as ended, since the launcher is not about to start them. */
static int
decide_without(struct sp_inquiry *q, struct sp_agreement *agreement)
{
	for (uint32_t i = 0; i < q->s->rank->local_size; i++)
		q->rank[i].known = true;
	return decide(q, agreement);
}

static int
give_up(struct sp_inquiry *q, struct sp_agreement *agreement)
{
	const struct sp_decision decision = { .what = SP_DIVISION_GIVEN_UP };
	int error = q->s->board ? sp_board_revise(q->s->board, NULL, NULL, &decision, q->part) : 0;

	if (error == -EEXIST)
		return take_decision(q->s, agreement);
	agreement_fill(&decision, &q->part[q->s->rank->local_rank], agreement);
	agreement->gave_up_first = true;
	return error;
}

/* Whether the launcher will not start the missing ranks: it sleeps, or has long been busy, without starting one. */
#define STARTING_MS 100

/* A nap lasts at most this part of the time waited so far: a rank may continue late by that much. */
#define NAP_PART 16
#define LONGEST_NAP_NS 100000000

/* Looks in a row that must find that all ranks were started: the kernel's list may lack a child while another one ends. */
#define LOOKS 2

/*
 * Whether all ranks were started, so that those that are not there have ended.
 * In a rank that is a script, each OpenMP program finds this at once; a wait in
 * each of them would add up.
 */
static bool
have_all_started(const struct sp_inquiry *q, int *looks)
{
	bool all = q->all_seen && !q->coming && sp_inquiry_has_all_started(q, STARTING_MS);

	*looks = all ? *looks + 1 : 0;
	return *looks == LOOKS;
}

/* Wait for a rank: one that has come and is about to write its record, or one that the launcher is about to start. */
static bool
nap(struct sp_inquiry *q, struct sp_patience *patience)
{
	uint32_t idle_ms = q->all_seen && !q->coming ? (uint32_t)sp_smaller(q->s->config->wait_ms, STARTING_MS) : q->s->config->wait_ms;

	patience->pid = q->coming ? q->coming : q->launcher;
	patience->is_launcher = !q->coming;
	sp_patience_limit(patience, idle_ms);
	uint64_t longest = sp_smaller(patience->all_ns / NAP_PART, LONGEST_NAP_NS);
	patience->nap.max_ns = (long)sp_larger((uint64_t)patience->nap.max_ns, longest);
	return sp_patience_nap(patience);
}

/* Look at all ranks until a decision can be made. */
static int
find_out(struct sp_inquiry *q, struct sp_agreement *agreement)
{
	struct sp_patience patience = sp_patience_begin(q->launcher, q->s->config->wait_ms);
	int error, looks = 0;

	while ((error = take_decision(q->s, agreement)) == -ENOENT) {
		uint32_t known = sp_inquiry_look(q);

		if (known == q->s->rank->local_size)
			return decide(q, agreement);
		sp_board_go_on();
		if (have_all_started(q, &looks))
			return decide_without(q, agreement);
		sp_patience_count(&patience, known);
		if (!nap(q, &patience))
			return (q->all_seen && !q->coming) || q->s->is_unbound ? decide_without(q, agreement) : give_up(q, agreement);
	}
	return error;
}

int
sp_agreed(const struct sp_situation *s, struct sp_agreement *agreement)
{
	*agreement = (struct sp_agreement){ 0 };
	return take_decision(s, agreement);
}

static int
look_for_all(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_inquiry q;
	int error = sp_inquiry_begin(s, &q);

	if (!error)
		error = find_out(&q, agreement);
	sp_inquiry_end(&q);
	return error;
}

/* A rank that waits for another which looks for all. */
struct waiting {
	const struct sp_situation *s;
	struct sp_agreement *agreement;
};

static bool
is_decided(void *data)
{
	const struct waiting *w = data;

	return take_decision(w->s, w->agreement) == 0;
}

/*
 * One rank looks for all, under the job's lock.  Where that cannot be had, or its
 * holder gives no sign of life, this one looks all the same: the first decision holds.
 */
static int
wait_or_look(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct waiting waiting = { .s = s, .agreement = agreement };

	if (s->rank->local_size > 1 &&
	    (is_decided(&waiting) || sp_board_lock_unless(s->job, s->rank->local_size, s->config->wait_ms, is_decided, &waiting) == -EALREADY))
		return 0;
	int error = look_for_all(s, agreement);
	sp_board_end();
	return error;
}

int
sp_agree(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = *s->inherited, .threads = s->threads, .list = s->list };

	*agreement = (struct sp_agreement){ 0 };
	if (s->gpus)
		seat.gpus = *s->gpus;
	if (s->listed)
		seat.listed = *s->listed;
	if (!s->board && s->rank->local_size > 1)
		return -ENOENT;
	int error = s->board ? sp_board_write(s->board, s->rank->local_rank, &seat) : 0;

	return error ? error : wait_or_look(s, agreement);
}
