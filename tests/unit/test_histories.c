/*
 * Facts about a node in the course of a day: jobs of random sizes come, open
 * larger teams than they announced, and end, on random machines; each takes its
 * cores by the terms, the cut and the slots of the library.  What every history
 * has to hold is in check_node.
 *
 * HISTORIES=1000000 in the environment tries so many.
 */
#include <check.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cuts.h"
#include "decide/decide.h"
#include "decide/portion.h"
#include "machines.h"
#include "slots/slots.h"
#include "suites.h"

#define JOBS 12
#define RANKS 6
#define EVENTS 8
#define CORES_MAX 64

struct rank {
	uint32_t need;		/* as announced; 0: it announces nothing, and has one thread */
	uint32_t threads;	/* that it has */
	struct sp_cpus share;
	struct sp_slots *slots;	/* of these threads; NULL: the node is shared */
	uint32_t full;		/* the team that may have several threads on each core */
	uint32_t claims;	/* threads, since it has grown */
};

struct job {
	bool is_there, is_known;	/* known: each rank has as many threads as it claims */
	bool is_split;		/* ranks have a part of a core */
	uint32_t nranks;
	struct sp_terms terms;
	struct rank rank[RANKS];
};

static struct node {
	struct sp_machine *machine;
	struct sp_cpus all;
	uint32_t cores;
	struct job job[JOBS];
	char told[4096];	/* the history so far, for who has to read why it failed */
} node;

static const struct sp_policy policy;

static void
note(const char *what, uint32_t job, const struct job *of)
{
	size_t n = strlen(node.told);

	n += (size_t)snprintf(node.told + n, sizeof(node.told) - n, "%s %u:", what, job);
	for (uint32_t rank = 0; of && rank < of->nranks && n < sizeof(node.told); rank++)
		n += (size_t)snprintf(node.told + n, sizeof(node.told) - n, " %u/%u", of->rank[rank].need, of->rank[rank].threads);
	if (n < sizeof(node.told))
		snprintf(node.told + n, sizeof(node.told) - n, "; ");
}

/* Open a team of so many threads: those that are there already keep their places. */
static void
open_team(struct rank *rank, uint32_t threads)
{
	for (uint32_t thread = rank->threads; rank->slots && thread < threads; thread++) {
		struct sp_cpus cpus;
		const struct sp_request request = { .thread = (int)thread, .team = threads, .near = -1 };

		ck_assert_int_ge(sp_slots_take(rank->slots, &request, &cpus), 0);
	}
	rank->threads = threads;
}

static void
end_job(struct job *job)
{
	job->is_there = false;
	for (uint32_t rank = 0; rank < job->nranks; rank++) {
		sp_slots_destroy(job->rank[rank].slots);
		job->rank[rank].slots = NULL;
	}
}

static void
find_others(uint32_t but, struct sp_other_jobs *others)
{
	*others = (struct sp_other_jobs){ .jobs = 0 };
	for (uint32_t i = 0; i < JOBS; i++) {
		const struct job *job = &node.job[i];

		if (!job->is_there || i == but)
			continue;
		others->jobs++;
		others->threads += job->terms.threads;
		sp_cpus_or(&others->taken, &job->terms.claim);
	}
}

/* Nobody has bound the ranks; or all were confined to the same mask, and ask what becomes of that. */
static void
decide(struct job *job, uint32_t need[], struct sp_other_jobs *others)
{
	const struct sp_view view = {
		.machine = node.machine, .policy = &policy, .nranks = job->nranks, .allowed = &node.all, .domain = &node.all };
	struct sp_rank_facts facts[RANKS];
	struct sp_part part[RANKS];
	struct sp_plan plan = { .need = need, .part = random_below(4) ? NULL : part };

	plan.division = plan.part ? SP_DIVISION_OPEN : SP_DIVISION_UNBOUND;
	for (uint32_t rank = 0; rank < job->nranks; rank++)
		facts[rank] = (struct sp_rank_facts){ .known = true, .threads = need[rank], .mask = node.all };
	enum sp_division division = sp_decide(&view, facts, others, &plan);

	ck_assert(division == SP_DIVISION_UNBOUND || division == SP_DIVISION_ALIKE || job->nranks == 1);
	job->terms = plan.terms;
	const struct sp_group group = { .cpus = &node.all, .nranks = job->nranks, .need = need };
	for (uint32_t rank = 0; rank < job->nranks; rank++) {
		struct sp_cut cut;

		job->rank[rank].share = node.all;
		job->rank[rank].full = need[rank];
		if (job->terms.how == SP_TERMS_SHARED)
			continue;
		/* More ranks than CPUs: the kernel has them all. */
		if (sp_terms_share(&view, &group, &job->terms, rank, &job->rank[rank].share, &cut) != 0) {
			job->terms.how = SP_TERMS_SHARED;
			continue;
		}
		const struct sp_portion portion = { .cpus = &node.all, .rank = rank, .size = job->nranks, .need = need, .terms = &job->terms };
		job->is_split |= cut.by_cpu || cut.splits_cores;
		if (sp_portion_is_uneven(&view, &portion, &cut, &job->rank[rank].share))
			job->rank[rank].full = SP_UNEVEN;
	}
}

static void
come(uint32_t number)
{
	struct job *job = &node.job[number];
	uint32_t need[RANKS], same = 1 + random_below(4);
	struct sp_other_jobs others;
	bool is_equal = random_below(2);

	*job = (struct job){ .is_there = true, .is_known = random_below(5) > 0, .nranks = 1 + random_below(RANKS) };
	for (uint32_t rank = 0; rank < job->nranks; rank++) {
		uint32_t threads = is_equal ? same : 1 + random_below(random_below(4) ? 4 : node.cores);

		need[rank] = job->is_known ? threads : 0;
		job->rank[rank] = (struct rank){ .need = need[rank] };
	}
	find_others(number, &others);
	decide(job, need, &others);
	/* The first team may be smaller than announced. */
	for (uint32_t rank = 0; rank < job->nranks; rank++) {
		if (job->terms.how != SP_TERMS_SHARED) {
			job->rank[rank].slots = sp_slots_create(node.machine, &job->rank[rank].share, SP_SPREAD);
			ck_assert_ptr_nonnull(job->rank[rank].slots);
			sp_slots_claim(job->rank[rank].slots, need[rank]);
			sp_slots_release(job->rank[rank].slots, job->rank[rank].full, &node.all);
		}
		open_team(&job->rank[rank], !job->is_known ? 1 : random_below(2) ? need[rank] : 1 + random_below(need[rank]));
	}
	note("come", number, job);
}

static void
grow(uint32_t number)
{
	struct job *job = &node.job[number];
	struct rank *rank = &job->rank[random_below(job->nranks)];
	struct sp_other_jobs others;

	if (job->terms.how == SP_TERMS_SHARED || !job->is_known)
		return;
	find_others(number, &others);
	const struct sp_cpus before = rank->share;
	const struct sp_larger_team team = {
		.open = &node.all, .claims = rank->claims ? rank->claims : rank->need,
		.threads = rank->threads + 1 + random_below(6), .share = &rank->share };
	const struct sp_view view = { .machine = node.machine, .policy = &policy, .nranks = job->nranks, .allowed = &node.all, .grown = &team };
	struct sp_plan plan = { .terms = job->terms };
	if (team.threads <= team.claims) {
		open_team(rank, team.threads);
		note("open", number, job);
		return;
	}
	bool has_grown = sp_decide(&view, NULL, &others, &plan) == SP_DIVISION_GROWN;
	job->terms = plan.terms;
	if (has_grown)
		sp_slots_claim(rank->slots, team.threads);
	if (has_grown && (!sp_cpus_equal(&before, &rank->share) || !sp_claim_stays(node.machine, &rank->share, team.claims, team.threads, SP_SPREAD)))
		rank->slots = sp_slots_on(rank->slots, node.machine, &rank->share);
	ck_assert_ptr_nonnull(rank->slots);
	/* As in lib/engine/change.c: where threads are too many, the share is for none of them. */
	sp_slots_release(rank->slots, rank->full, &node.all);
	open_team(rank, team.threads);
	if (has_grown)
		rank->claims = team.threads;
	note(has_grown ? "grow" : "release", number, job);
}

/* Threads on cores. */

struct count {
	uint32_t pinned[CORES_MAX];	/* threads that are pinned to a core */
	uint32_t unpinned;			/* that may be on any */
	uint32_t threads;		/* of all */
	bool is_announced;		/* by all jobs */
	bool is_all;			/* and are all there, of one job that has not grown, whose ranks divide no core */
};

static void
count_rank(const struct rank *rank, struct count *count)
{
	for (uint32_t thread = 0; thread < rank->threads; thread++) {
		struct sp_cpus cpus;

		ck_assert_int_eq(sp_slots_cpus(rank->slots, (int)thread, &cpus), 0);
		uint32_t cpu = sp_cpus_next(&cpus, 0);
		count->unpinned += sp_cpus_equal(&cpus, &node.all);
		if (sp_cpus_equal(&cpus, &node.all))
			continue;
		for (uint32_t i = 0; i < node.machine->ncpus; i++)
			if (node.machine->pu[i].cpu == cpu)
				count->pinned[node.machine->pu[i].core]++;
	}
}

static void
count_threads(struct count *count)
{
	uint32_t jobs = 0;

	*count = (struct count){ .is_announced = true, .is_all = true };
	for (uint32_t i = 0; i < JOBS; i++) {
		const struct job *job = &node.job[i];

		jobs += job->is_there;
		count->is_all &= !job->is_there || !job->is_split;
		for (uint32_t rank = 0; job->is_there && rank < job->nranks; rank++) {
			count->is_all &= job->is_known && job->rank[rank].threads == job->rank[rank].need && !job->rank[rank].claims;
			/* Those that are announced may come at any time, and have their cores. */
			count->threads += (uint32_t)sp_larger(job->rank[rank].threads, job->rank[rank].need);
			count->is_announced &= job->is_known;
			if (job->terms.how == SP_TERMS_SHARED)
				count->unpinned += job->rank[rank].threads;
			else
				count_rank(&job->rank[rank], count);
		}
	}
	count->is_all &= jobs == 1;
}

/* Threads a core where they are most crowded; those that may be anywhere lie as evenly as they can. */
static double
load_of(const struct count *count)
{
	double most = 1, level = 0;

	for (uint32_t core = 0; core < node.cores; core++)
		most = count->pinned[core] > most ? count->pinned[core] : most;
	for (uint32_t below = 1; count->unpinned && level == 0; below++) {
		uint64_t room = 0, cores = 0;

		for (uint32_t core = 0; core < node.cores; core++) {
			room += count->pinned[core] < below ? below - count->pinned[core] : 0;
			cores += count->pinned[core] < below;
		}
		if (room >= count->unpinned)
			level = below - (double)(room - count->unpinned) / (double)cores;
	}
	return level > most ? level : most;
}

static void
check_claims(void)
{
	for (uint32_t i = 0; i < JOBS; i++)
		for (uint32_t k = 0; k < i; k++)
			if (node.job[i].is_there && node.job[k].is_there)
				ck_assert_msg(!sp_cpus_intersect(&node.job[i].terms.claim, &node.job[k].terms.claim),
					      "%u cores: %sjobs %u and %u claim the same", node.cores, node.told, k, i);
}

static void
check_node(void)
{
	struct count count;

	count_threads(&count);
	double load = load_of(&count);

	check_claims();
	if (count.threads <= node.cores)
		ck_assert_msg(load == 1 || !count.is_announced, "%u cores: %sload %g, and there is a core for each of %u threads", node.cores, node.told, load, count.threads);
	/* As without splitpin, where the kernel has all of them, or so little more that pins are worth it (sp_portion_is_uneven). */
	if (count.is_all && count.threads > node.cores)
		ck_assert_msg(load <= (double)count.threads / node.cores * 33 / 32 + 1e-6, "%u cores: %sload %g, of %u threads", node.cores, node.told, load, count.threads);
}

static void
live(void)
{
	memset(node.job, 0, sizeof(node.job));
	node.told[0] = '\0';
	for (unsigned event = 0; event < EVENTS; event++) {
		uint32_t number = random_below(JOBS);
		struct job *job = &node.job[number];

		if (!job->is_there) {
			come(number);
		} else if (random_below(2)) {
			grow(number);
		} else {
			end_job(job);
			note("end", number, NULL);
		}
		check_node();
	}
	for (uint32_t number = 0; number < JOBS; number++)
		end_job(&node.job[number]);
}

static struct sp_machine *
small_machine(void)
{
	static const struct shape shapes[] = {
		{ .cores = 2 }, { .cores = 4, .threads = 2 }, { .cores = 8, .threads = 2 }, { .packages = 2, .cores = 4 },
		{ .packages = 2, .cores = 8, .threads = 2 }, { .packages = 2, .numas = 2, .l3s = 2, .cores = 2 },
		{ .packages = 2, .l3s = 2, .cores = 6 }, { .packages = 2, .cores = 12, .threads = 2 },
	};

	return random_below(50) ? machine_of(shapes[random_below(sizeof(shapes) / sizeof(shapes[0]))]) : machine_of((struct shape){ .packages = 2, .l3s = 4, .cores = 8 });
}

START_TEST(every_thread_has_a_core_as_long_as_there_are_enough)
{
	const char *asked = getenv("HISTORIES");
	int histories = asked ? atoi(asked) : CASES;
	uint64_t seed = random_seed();

	/* What is made and freed so often stays in the process. */
	mallopt(M_MMAP_THRESHOLD, 1 << 26);
	mallopt(M_TRIM_THRESHOLD, 1 << 26);

	for (int i = 0; i < histories; i++) {
		random_start(seed, i);
		if (i % 100 == 0) {
			free(node.machine);
			node.machine = small_machine();
			sp_machine_cpus(node.machine, &node.all);
			node.cores = sp_machine_cores(node.machine, &node.all);
		}
		live();
	}
	free(node.machine);
}
END_TEST

Suite *
suite_histories(void)
{
	Suite *suite = suite_create("histories");
	TCase *facts = tcase_create("facts");

	tcase_set_timeout(facts, 120);
	tcase_add_test(facts, every_thread_has_a_core_as_long_as_there_are_enough);
	suite_add_tcase(suite, facts);
	return suite;
}
