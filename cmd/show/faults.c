/* What is wrong with the jobs of this node. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/placed.h"
#include "cmd/show/running.h"
#include "report/remedy.h"

static void
add_fault(struct show *show, struct show_fault fault)
{
	show->fault = cmd_enlarge(show->fault, show->nfaults + 1, sizeof(*show->fault));
	show->fault[show->nfaults++] = fault;
}

/* A thread has one mark: the first, which is the most serious. */
static void
mark(struct show *show, const struct show_job *job, uint32_t rank, struct show_thread *thread,
     enum show_kind kind, const char *what)
{
	if (thread->mark)
		return;
	thread->mark = cmd_format("%s", what);
	add_fault(show, (struct show_fault){ .kind = kind, .job = job, .rank = rank, .tid = thread->tid,
		.text = cmd_format("%s: rank %u, thread %d (%s) %s", job->name, rank, (int)thread->tid, thread->name, what) });
}

static void
find_drift(struct show *show, const struct show_job *job, uint32_t number, struct show_thread *thread)
{
	struct sp_cpus outside = thread->cpus;

	sp_cpus_sub(&outside, &job->rank[number].seat.share);
	if (placed_is_right(&job->rank[number].seat, &thread->cpus) || thread->state == 'Z' || thread->state == 'X')
		return;
	char *list = cmd_list(&outside);
	char *what = cmd_format("may run on CPU%s %s, outside the share", sp_plural(sp_cpus_count(&outside)), list);
	mark(show, job, number, thread, SHOW_DRIFT, what);
	free(list);
	free(what);
}

/* The core in which the set lies, or SP_NO_CPU: it lies in several, or in none. */
static uint32_t
core_of(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_cpus cores, nodes;

	return sp_machine_extent(machine, cpus, &cores, &nodes) == 1 ? sp_cpus_next(&cores, 0) : SP_NO_CPU;
}

static uint32_t
core_of_cpu(const struct sp_machine *machine, uint32_t cpu)
{
	struct sp_cpus one = { 0 };

	sp_cpus_add(&one, cpu);
	return core_of(machine, &one);
}

/* A core of the share to which no thread is pinned, and on which none is busy; or SP_NO_CPU. */
static uint32_t
empty_core(const struct show_job *job, const struct show_rank *rank)
{
	struct sp_cpus cores, nodes;

	sp_machine_extent(job->machine, &rank->seat.share, &cores, &nodes);
	for (size_t i = 0; i < rank->nthreads; i++) {
		const struct show_thread *thread = &rank->thread[i];

		sp_cpus_remove(&cores, core_of(job->machine, &thread->cpus));
		if (thread->is_busy)
			sp_cpus_remove(&cores, core_of_cpu(job->machine, thread->last));
	}
	return sp_cpus_next(&cores, 0);
}

/* Of each thread the core to which it is pinned and on which it is busy, or SP_NO_CPU; to free(). */
static uint32_t *
busy_cores(const struct show_job *job, const struct show_rank *rank)
{
	uint32_t *core = cmd_allocate(rank->nthreads, sizeof(*core));

	for (size_t i = 0; i < rank->nthreads; i++)
		core[i] = rank->thread[i].is_busy ? core_of(job->machine, &rank->thread[i].cpus) : SP_NO_CPU;
	return core;
}

static void
find_crowding(struct show *show, const struct show_job *job, uint32_t number)
{
	struct show_rank *rank = &job->rank[number];
	uint32_t empty = empty_core(job, rank), *core = busy_cores(job, rank);

	for (size_t i = 1; empty != SP_NO_CPU && i < rank->nthreads; i++) {
		size_t first = 0;

		while (core[first] != core[i])
			first++;
		if (first == i || core[i] == SP_NO_CPU)
			continue;
		char *what = cmd_format("shares core %u with busy thread %d, while core %u of the share is idle",
					core[i], (int)rank->thread[first].tid, empty);
		mark(show, job, number, &rank->thread[i], SHOW_CROWDED, what);
		free(what);
	}
	free(core);
}

static void
add_overlap(struct show *show, const struct show_job *job)
{
	const struct sp_verdict *verdict = &job->verdict;

	if (!verdict->overlapping)
		return;
	char *list = cmd_list(&verdict->common);
	add_fault(show, (struct show_fault){ .kind = SHOW_OVERLAP, .job = job, .rank = SP_NO_CPU,
		.text = cmd_format("%s: %u of %u ranks overlap: ranks %u and %u both have CPU%s %s", job->name,
				   verdict->overlapping, verdict->ranks, verdict->first, verdict->second,
				   sp_plural(sp_cpus_count(&verdict->common)), list) });
	free(list);
}

static void
add_starved(struct show *show, const struct show_job *job)
{
	const struct sp_seat *seat = &job->rank[job->verdict.starved].seat;

	if (!job->verdict.starving)
		return;
	char *list = cmd_list(&seat->share);
	char *who = job->verdict.starving == 1 ? cmd_format("rank %u has", job->verdict.starved) :
		cmd_format("%u of %u ranks have too few CPUs for their threads, such as rank %u:", job->verdict.starving,
			   job->verdict.ranks, job->verdict.starved);
	add_fault(show, (struct show_fault){ .kind = SHOW_STARVED, .job = job, .rank = job->verdict.starved,
		.text = cmd_format("%s: %s CPU%s %s for %u threads (%s)", job->name, who,
				   sp_plural(sp_cpus_count(&seat->share)), list, seat->threads, seat->why) });
	free(who);
	free(list);
}

static void
add_refused(struct show *show, const struct show_job *job)
{
	uint32_t rank = 0;

	if (!job->verdict.refused)
		return;
	while (job->rank[rank].seat.state != SP_SEAT_REFUSED)
		rank++;
	add_fault(show, (struct show_fault){ .kind = SHOW_REFUSED, .job = job, .rank = SP_NO_CPU,
		.text = cmd_format("%s: %u rank%s no share: %s", job->name, job->verdict.refused,
				   job->verdict.refused == 1 ? " has" : "s have", job->rank[rank].seat.why) });
}

/* The CPUs of the node without those that other jobs claim and this one does not have. */
static struct sp_cpus
cpus_for(const struct show *show, const struct show_job *job)
{
	struct sp_cpus cpus, others = { 0 };

	sp_machine_cpus(job->machine, &cpus);
	for (size_t i = 0; i < show->njobs; i++)
		if (&show->job[i] != job && !show->job[i].dry_run)
			sp_cpus_or(&others, &show->job[i].claim);
	for (uint32_t i = 0; i < job->nranks; i++)
		if (jobs_has_share(&job->rank[i]))
			sp_cpus_sub(&others, &job->rank[i].seat.share);
	sp_cpus_sub(&cpus, &others);
	return cpus;
}

/* Ranks that have not started or have ended are left out. */
static void
find_in_job(struct show *show, struct show_job *job)
{
	struct sp_seat *seats = cmd_allocate(job->nranks, sizeof(*seats));
	struct sp_cpus all = cpus_for(show, job);

	for (uint32_t i = 0; i < job->nranks; i++)
		if (jobs_has_share(&job->rank[i]) || job->rank[i].seat.state == SP_SEAT_REFUSED)
			seats[i] = job->rank[i].seat;
	sp_verdict(job->machine, &all, seats, job->nranks, &job->verdict);
	for (uint32_t i = 0; i < job->nranks && job->machine->gpus.n; i++)
		sp_rank_gpus(job->machine, seats, job->nranks, i, &job->rank[i].gpus);
	free(seats);
	if (job->dry_run || !job->is_wanted)
		return;
	add_overlap(show, job);
	add_starved(show, job);
	add_refused(show, job);
}

/* The busy threads of all ranks; *n of them, to free(). */
static struct sp_busy *
busy_threads(const struct show_job *job, size_t *n)
{
	struct sp_busy *busy = NULL;

	*n = 0;
	for (uint32_t i = 0; i < job->nranks; i++)
		if (jobs_has_share(&job->rank[i]))
			busy = threads_add_busy(busy, n, job->rank[i].thread, job->rank[i].nthreads, i);
	return busy;
}

static bool
has_mark(const struct show_rank *rank, const struct sp_cpus *cpus)
{
	for (size_t i = 0; i < rank->nthreads; i++)
		if (rank->thread[i].mark && sp_cpus_within(&rank->thread[i].cpus, cpus))
			return true;
	return false;
}

/* Whether it is reported already: its ranks overlap or starve, or its threads are marked. */
static bool
is_explained(const struct show_job *job, const struct sp_crowding *crowd)
{
	const struct show_rank *first = &job->rank[crowd->first];

	if (crowd->first != crowd->last)
		return job->verdict.overlapping;
	return first->seat.threads > sp_cpus_count(&first->seat.share) || has_mark(first, &crowd->cpus);
}

static char *
ranks_of_crowd(const struct sp_crowding *crowd)
{
	if (crowd->first == crowd->last)
		return cmd_format("rank %u", crowd->first);
	return cmd_format("ranks %u %s %u", crowd->first, crowd->last - crowd->first > 1 ? "to" : "and", crowd->last);
}

/* Ranks that share the node, or that keep equal masks, have no other CPUs than these. */
static bool
is_all_they_have(const struct show_job *job, const struct sp_crowding *crowd)
{
	for (uint32_t rank = crowd->first; rank <= crowd->last; rank++)
		if (jobs_has_share(&job->rank[rank]) && !sp_cpus_within(&job->rank[rank].seat.share, &crowd->cpus))
			return false;
	return true;
}

static const char *
remedy_of(const struct show_job *job, const struct sp_crowding *crowd)
{
	bool is_one = crowd->first == crowd->last;

	if (is_all_they_have(job, crowd))
		return sp_problem_remedy(is_one ? SP_PROBLEM_FULL_SHARE : SP_PROBLEM_FULL_NODE);
	return sp_problem_remedy(is_one ? SP_PROBLEM_BOUND : SP_PROBLEM_SAME_CPUS);
}

/* Judged by the masks of threads, not by the shares of ranks. */
static void
find_few_cpus(struct show *show, const struct show_job *job)
{
	struct sp_crowding crowd;
	size_t n;
	struct sp_busy *busy = busy_threads(job, &n);

	if (sp_crowding_find(busy, n, 1, SP_ANY_GROUP, &crowd) && !is_explained(job, &crowd)) {
		uint32_t cpus = sp_cpus_count(&crowd.cpus);
		char *list = cmd_list(&crowd.cpus), *ranks = ranks_of_crowd(&crowd);

		add_fault(show, (struct show_fault){ .kind = SHOW_FEW_CPUS, .job = job,
			.rank = crowd.first == crowd.last ? crowd.first : SP_NO_CPU,
			.text = cmd_format("%s: %u busy threads of %s may run only on %u CPU%s (%s): %s", job->name, crowd.threads,
					   ranks, cpus, sp_plural(cpus), list, remedy_of(job, &crowd)) });
		free(ranks);
		free(list);
	}
	free(busy);
}

static void
find_in_rank(struct show *show, const struct show_job *job, uint32_t number)
{
	struct show_rank *rank = &job->rank[number];

	if (!jobs_has_share(rank))
		return;
	for (size_t i = 0; i < rank->nthreads; i++)
		find_drift(show, job, number, &rank->thread[i]);
	find_crowding(show, job, number);
}

static void
find_overlap_between(struct show *show, const struct show_job *one, const struct show_job *other)
{
	struct sp_cpus common = one->claim;

	sp_cpus_and(&common, &other->claim);
	if (one->dry_run || other->dry_run || !(one->is_wanted || other->is_wanted) || sp_cpus_empty(&common))
		return;
	char *list = cmd_list(&common);
	add_fault(show, (struct show_fault){ .kind = SHOW_OVERLAP, .job = one, .rank = SP_NO_CPU,
		.text = cmd_format("jobs %s and %s both use CPU%s %s", one->name, other->name,
				   sp_plural(sp_cpus_count(&common)), list) });
	free(list);
}

void
faults_find(struct show *show)
{
	for (size_t i = 0; i < show->njobs; i++) {
		struct show_job *job = &show->job[i];

		find_in_job(show, job);
		for (uint32_t rank = 0; rank < job->nranks && job->is_wanted && !job->dry_run; rank++)
			find_in_rank(show, job, rank);
		if (job->is_wanted && !job->dry_run)
			find_few_cpus(show, job);
		for (size_t k = 0; k < i; k++)
			find_overlap_between(show, &show->job[k], job);
	}
}

static char *
append(char *text, size_t n, const char *one, const char *many)
{
	return n ? cmd_append(text, "; ", "%zu %s", n, n == 1 ? one : many) : text;
}

static char *
faults_in_words(const struct show *show)
{
	size_t count[SHOW_KINDS] = { 0 };
	char *text = cmd_format("%s", "");

	for (size_t i = 0; i < show->nfaults; i++)
		count[show->fault[i].kind]++;
	text = append(text, count[SHOW_DRIFT], "thread may run outside its rank's share",
		      "threads may run outside their rank's share");
	text = append(text, count[SHOW_CROWDED], "busy thread shares its core while another core is idle",
		      "busy threads share a core while another core is idle");
	text = append(text, count[SHOW_FEW_CPUS], "job with more busy threads than CPUs", "jobs with more busy threads than CPUs");
	text = append(text, count[SHOW_OVERLAP], "overlap of shares", "overlaps of shares");
	text = append(text, count[SHOW_STARVED], "job with more threads than cores", "jobs with more threads than cores");
	text = append(text, count[SHOW_REFUSED], "job with more ranks than CPUs", "jobs with more ranks than CPUs");
	return append(text, show->ncrowded, "job without splitpin has more busy threads than CPUs",
		      "jobs without splitpin have more busy threads than CPUs");
}

char *
faults_summary(const struct show *show)
{
	size_t jobs = 0, ranks = 0, threads = 0;

	for (size_t i = 0; i < show->njobs; i++) {
		if (!show->job[i].is_wanted)
			continue;
		jobs++;
		for (uint32_t rank = 0; rank < show->job[i].nranks; rank++) {
			ranks += show->job[i].rank[rank].seat.state > SP_SEAT_LEFT;
			threads += show->job[i].rank[rank].nthreads;
		}
	}
	size_t others = 0;
	for (size_t i = 0; i < show->nothers; i++)
		others += show->other[i].is_wanted;
	if (jobs == 0 && others == 0)
		return cmd_format("no job runs with splitpin on this node");
	char *faults = faults_in_words(show);
	if (jobs == 0) {
		char *none = cmd_format("no job runs with splitpin on this node, %zu without it%s%s", others, *faults ? ": " : "", faults);

		free(faults);
		return none;
	}
	char *text = cmd_format("%zu job%s, %zu rank%s, %zu thread%s: %s", jobs, sp_plural(jobs), ranks, sp_plural(ranks),
				threads, sp_plural(threads), *faults ? faults : "no problems");
	free(faults);
	return text;
}
