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

/* Add the cores of other jobs and of pinned threads that the maker of the board has found. */
static void
add_found(const struct sp_machine *machine, const struct sp_cpus *found, struct sp_other_jobs *others)
{
	struct sp_cpus more = *found;

	sp_cpus_sub(&more, &others->taken);
	others->jobs += !sp_cpus_empty(&more);
	sp_cpus_or(&others->taken, &more);
	sp_machine_fill_cores(machine, &others->taken);
}

/*
 * Look for other jobs again: some may have started since the board was created.
 * Shared terms do not name what its maker has found: only then is /proc searched
 * again.
 */
static void
see_neighbours(const struct sp_inquiry *q, struct sp_other_jobs *others)
{
	const struct sp_situation *s = q->s;

	*others = (struct sp_other_jobs){ .jobs = 0 };
	if (!s->board || !sp_config_avoids_others(s->config))
		return;
	if (s->terms->how == SP_TERMS_SHARED)
		sp_others_find(s, q->launcher, others);
	else
		sp_board_other_jobs(s->job, others);
	sp_machine_fill_cores(s->machine, &others->taken);
	add_found(s->machine, &s->terms->taken, others);
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

static int
take_decision(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_decision decision;
	int error = s->board ? sp_board_decision(s->board, s->rank->local_rank, &decision, &agreement->part) : -ENOENT;

	if (error)
		return error;
	if (decision.what > SP_DIVISION_GIVEN_UP || decision.asked > SP_ASKED_YES)
		return -EPROTO;
	agreement->division = (enum sp_division)decision.what;
	agreement->asked = (enum sp_asked)decision.asked;
	snprintf(agreement->evidence, sizeof(agreement->evidence), "%s", decision.evidence);
	return sp_board_terms(s->board, s->terms, s->need);
}

/* Write the decision, unless another rank was first, and adopt the decision on the board. */
static int
publish(struct sp_inquiry *q, const struct sp_decision *decision, struct sp_agreement *agreement)
{
	int error = q->s->board ? sp_board_decide(q->s->board, decision, q->part) : 0;

	if (error == -EEXIST)
		return take_decision(q->s, agreement);
	agreement->division = (enum sp_division)decision->what;
	agreement->asked = (enum sp_asked)decision->asked;
	agreement->part = q->part[q->s->rank->local_rank];
	agreement->gave_up_first = decision->what == SP_DIVISION_GIVEN_UP;
	snprintf(agreement->evidence, sizeof(agreement->evidence), "%s", decision->evidence);
	return error;
}

/* The terms are written before the decision, so that a rank that finds the decision finds its terms. */
static int
set_terms(struct sp_inquiry *q, struct sp_plan *plan)
{
	int error = q->s->board ? sp_board_revise(q->s->board, &plan->terms, plan->need) : 0;

	/* Another rank decides at the same time. */
	if (error == -EEXIST)
		return sp_board_terms(q->s->board, q->s->terms, q->s->need);
	if (error)
		return error;
	/* The jobs in the way may end while the ranks start, and ranks without lists may have settled before. */
	if (q->s->board && (plan->has_lists || !sp_cpus_empty(&plan->terms.undivided)))
		sp_board_mark_stale(q->s->board);
	*q->s->terms = plan->terms;
	memcpy(q->s->need, plan->need, q->s->rank->local_size * sizeof(plan->need[0]));
	return 0;
}

/* Called under the creation lock: if two jobs decide at once, the second sees what the first takes. */
static int
decide(struct sp_inquiry *q, struct sp_agreement *agreement)
{
	struct sp_decision decision = { .is_below = q->binding.is_below, .asked = q->binding.asked };
	bool locked = q->s->board && sp_board_lock_jobs(q->s->config->wait_ms) == 0;
	int error = take_decision(q->s, agreement);

	if (error == -ENOENT) {
		struct sp_plan plan = { .terms.generation = q->s->terms->generation, .need = q->need, .part = q->part };

		divide(q, &plan);
		decision.what = plan.division;
		snprintf(decision.evidence, sizeof(decision.evidence), "%s", q->binding.evidence);
		/* Unbound ranks without lists have their terms already. */
		error = q->s->is_unbound && !plan.has_lists ? 0 : set_terms(q, &plan);
		if (!error)
			error = publish(q, &decision, agreement);
	}
	if (locked)
		sp_board_end();
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

	return publish(q, &decision, agreement);
}

/* Whether the launcher will not start the missing ranks: it sleeps, or has long been busy, without starting one. */
#define STARTING_MS 100

/*
 * A nap lasts at most this fraction (1/8, 1/16) of the time waited so far: a
 * rank may continue late by that much, but shorter naps of many ranks would
 * load a busy node.
 */
enum { WATCHING = 8, LOOKING = 16 };
#define LONGEST_NAP_NS 100000000

/*
 * The pace at which ranks become known.  A watching rank naps for half of the
 * time that the missing ranks will take at this pace.
 */
#define FIRST_WATCH_NS 1000000

struct pace {
	uint64_t first, at_ns;	/* the number of known ranks when this was first counted, and the time of that */
	uint64_t last;		/* number of known ranks now */
};

/* Nap.  Without news the naps get longer by themselves. */
static void
keep_pace(struct pace *pace, uint64_t known, uint32_t nranks, struct sp_patience *patience)
{
	bool is_news = known > pace->last && known < nranks;

	if (is_news && pace->last) {
		uint64_t left_ns = (patience->all_ns - pace->at_ns) / (known - pace->first) * (nranks - known);
		uint64_t longest = sp_smaller(patience->all_ns, LONGEST_NAP_NS);

		patience->nap.ns = (long)sp_larger(sp_smaller(left_ns / 2, longest), FIRST_WATCH_NS);
	} else if (is_news) {
		pace->first = known;
		pace->at_ns = patience->all_ns;
	}
	if (is_news)
		pace->last = known;
}

static bool
nap_longer(struct sp_patience *patience, uint64_t part)
{
	uint64_t longest = sp_smaller(patience->all_ns / part, LONGEST_NAP_NS);

	patience->nap.max_ns = (long)sp_larger((uint64_t)patience->nap.max_ns, longest);
	return sp_patience_nap(patience);
}

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
	return nap_longer(patience, LOOKING);
}

/* Look at all ranks until a decision can be made.  waited_ns: how long this rank has already waited for other leaders. */
static int
find_out(struct sp_inquiry *q, uint64_t waited_ns, struct sp_agreement *agreement)
{
	struct sp_patience patience = sp_patience_begin(q->launcher, q->s->config->wait_ms);
	int error, looks = 0;

	patience.all_ns = waited_ns;
	while ((error = take_decision(q->s, agreement)) == -ENOENT) {
		uint32_t known = sp_inquiry_look(q);

		if (known == q->s->rank->local_size)
			return decide(q, agreement);
		if (q->s->board)
			sp_board_lead_on(q->s->board, known);
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
look_for_all(const struct sp_situation *s, uint64_t waited_ns, struct sp_agreement *agreement)
{
	struct sp_inquiry q;
	int error = sp_inquiry_begin(s, &q);

	if (!error)
		error = find_out(&q, waited_ns, agreement);
	sp_inquiry_end(&q);
	if (error && s->board)
		sp_board_resign(s->board);
	return error;
}

/* After this time without news of the leader it may have been killed. */
#define SILENT_NS 20000000

static bool
may_be_looking(const struct sp_leader *leader, const struct sp_patience *patience)
{
	return patience->idle_ns < SILENT_NS || sp_process_lives(&leader->process);
}

/* Sleep until this leader is done, where that can be seen.  watched: the leader that has been tried. */
static void
watch_process(struct sp_patience *patience, const struct sp_leader *leader, pid_t *watched)
{
	patience->pid = sp_process_here(&leader->process);
	if (leader->process.pid != *watched)
		sp_patience_until(patience, sp_work_watch(&leader->process, &leader->work));
	*watched = leader->process.pid;
}

/*
 * Wait while another rank is the leader, as long as it is active.  A leader
 * runs, or naps for moments; a killed leader is replaced soon, a stopped leader
 * at the time at which it would have given up.
 *
 * Returns -ENOENT where this rank has become the leader.
 */
static int
watch(const struct sp_situation *s, uint64_t *waited_ns, struct sp_agreement *agreement)
{
	struct sp_patience patience = sp_patience_begin(0, s->config->wait_ms);
	struct pace pace = { 0 };
	pid_t watched = 0;
	bool goes_on = s->board;

	patience.nap.ns = FIRST_WATCH_NS;
	sp_patience_of_many(&patience, s->rank->local_size);
	while (goes_on) {
		struct sp_leader leader = { .looks = 0 };
		int error = sp_board_leader(s->board, &leader);

		if (error == -EALREADY)
			break;
		if (!error) {
			sp_patience_count(&patience, (uint32_t)leader.looks);
			keep_pace(&pace, leader.known, s->rank->local_size, &patience);
			watch_process(&patience, &leader, &watched);
		}
		/* Another rank looks, but its entry cannot be read: no news, and so the wait has an end. */
		if (error || !may_be_looking(&leader, &patience) || !nap_longer(&patience, WATCHING))
			goes_on = sp_board_lead(s->board, leader.looks) == -EBUSY && (!error || nap_longer(&patience, WATCHING));
	}
	sp_patience_end(&patience);
	*waited_ns = patience.all_ns;
	return take_decision(s, agreement);
}

int
sp_agree(const struct sp_situation *s, struct sp_agreement *agreement)
{
	struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = *s->inherited, .threads = s->threads, .list = s->list };
	uint64_t waited_ns;

	*agreement = (struct sp_agreement){ 0 };
	if (s->gpus)
		seat.gpus = *s->gpus;
	if (s->listed)
		seat.listed = *s->listed;
	if (!s->board && s->rank->local_size > 1)
		return -ENOENT;
	int error = s->board ? sp_board_write(s->board, s->rank->local_rank, &seat) : 0;
	if (error)
		return error;
	error = watch(s, &waited_ns, agreement);
	if (error == -ENOENT)
		error = look_for_all(s, waited_ns, agreement);
	if (s->board)
		sp_board_wake_followers(s->board);
	return error;
}
