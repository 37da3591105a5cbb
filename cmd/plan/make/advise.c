/* Advice: cuts the machine among each number of ranks, and compares. */
#include "cmd/plan/make/advise.h"

#include <stddef.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "gpus/whose.h"

/* With more cores than this only the largest number of ranks is tried for each number of cores per rank. */
#define TRIED_EACH 512

/* Most cores of a rank, by rule 6: the oneMKL developer guide has 10 to 36 threads. */
#define CORES_MAX 36

/* Cores that may stay idle: an eighth. */
#define IDLE_PART 8

/* One number of ranks. */
struct trial {
	const struct plan *plan;
	struct sp_gpu_list gpus;	/* that all ranks see; n = 0: none */
	uint32_t *owner;
	struct sp_cut cut;
};

static void
count_extent(const struct sp_machine *machine, const uint32_t owner[], struct choice *choice)
{
	/* Of each rank: the last CPU so far, its NUMA nodes and L3 groups. */
	struct tally { uint32_t last, nodes, l3s; } *tally = cmd_allocate(choice->ranks, sizeof(*tally));

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (owner[i] == SP_NOBODY)
			continue;

		struct tally *t = &tally[owner[i]];
		const struct sp_pu *pu = &machine->pu[i], *last = &machine->pu[t->last];

		t->l3s += t->l3s == 0 || pu->l3 != last->l3;
		t->nodes += t->nodes == 0 || pu->numa != last->numa;
		t->last = i;
		if (t->nodes > choice->nodes)
			choice->nodes = t->nodes;
		if (t->l3s > choice->l3s)
			choice->l3s = t->l3s;
	}
	free(tally);
}

static struct sp_near *
near_of(const struct trial *t, uint32_t ranks)
{
	if (t->gpus.n == 0)
		return NULL;

	struct sp_gpu_list *seen = cmd_allocate(ranks, sizeof(*seen));
	struct sp_near *near = cmd_allocate(ranks, sizeof(*near));

	for (uint32_t i = 0; i < ranks; i++)
		seen[i] = t->gpus;
	sp_gpus_place(&t->plan->machine->gpus, seen, ranks, near);
	free(seen);
	return near;
}

/* False: there is no such cut, or cores would be shared. */
static bool
try(struct trial *t, uint32_t ranks, struct choice *choice)
{
	struct sp_near *near = near_of(t, ranks);
	int error = sp_cut_near(t->plan->machine, &t->plan->config.policy, ranks, near, t->owner, &t->cut);

	free(near);
	if (error || t->cut.by_cpu)
		return false;
	*choice = (struct choice){ .ranks = ranks, .cores = t->cut.units, .idle = t->cut.idle, .foreign = t->cut.foreign };
	choice->fits_gpus = t->gpus.n == 0 ||
			    ((ranks % t->gpus.n == 0 || t->gpus.n % ranks == 0) && t->cut.foreign == 0);
	count_extent(t->plan->machine, t->owner, choice);
	return true;
}

static struct trial
begin(const struct plan *plan)
{
	struct trial t = { .plan = plan, .owner = cmd_allocate(plan->machine->ncpus, sizeof(*t.owner)) };

	if (plan->seen)
		t.gpus = plan->seen[0];
	return t;
}

/* Compare choices with equally many cores per rank: fitting the GPUs counts more than idle cores. */
static bool
replaces(const struct choice *a, const struct choice *b)
{
	return a->fits_gpus > b->fits_gpus || (a->fits_gpus == b->fits_gpus && a->idle < b->idle);
}

static void
add(struct advice *advice, const struct choice *choice)
{
	struct choice *last = advice->n ? &advice->choice[advice->n - 1] : NULL;

	if (last && last->cores == choice->cores && last->fits_gpus == choice->fits_gpus) {
		if (replaces(choice, last))
			*last = *choice;
		return;
	}
	advice->choice = cmd_enlarge(advice->choice, advice->n + 1, sizeof(*choice));
	advice->choice[advice->n++] = *choice;
}

static bool
has_idle(const struct advice *advice, const struct choice *choice)
{
	return choice->idle * IDLE_PART > advice->cores;
}

/* Whether a choice spans no more nodes and groups than the one that may lie between, and leaves fewer cores idle. */
static bool
is_better(const struct choice *than, const struct choice *choice)
{
	return than->fits_gpus == choice->fits_gpus && than->nodes <= choice->nodes && than->l3s <= choice->l3s &&
	       than->idle < choice->idle;
}

/* Fill in is_between; the choices must still be sorted by ranks. */
static void
find_between(struct advice *advice)
{
	for (size_t i = 0; i < advice->n; i++) {
		bool fewer = false, more = false;

		for (size_t k = 0; k < advice->n; k++) {
			if (!is_better(&advice->choice[k], &advice->choice[i]))
				continue;
			fewer |= k < i;
			more |= k > i;
		}
		advice->choice[i].is_between = fewer && more;
	}
}

#define DIFFER(a, b) if ((a) != (b)) return (a) < (b) ? -1 : 1

static int
compare(const void *one, const void *other, void *data)
{
	const struct choice *a = one, *b = other;
	const struct advice *advice = data;

	DIFFER(!a->fits_gpus, !b->fits_gpus);
	if (advice->gpus)
		DIFFER(a->ranks != advice->gpus, b->ranks != advice->gpus);
	DIFFER(has_idle(advice, a), has_idle(advice, b));
	DIFFER(a->is_between, b->is_between);
	DIFFER(a->nodes, b->nodes);
	DIFFER(a->l3s, b->l3s);
	DIFFER(a->cores > CORES_MAX, b->cores > CORES_MAX);
	DIFFER(a->ranks, b->ranks);
	return 0;
}

/* The next number to try; with many cores the largest that leaves each rank as many. */
static uint32_t
after(const struct advice *advice, uint32_t ranks)
{
	if (advice->cores <= TRIED_EACH || ranks >= advice->cores)
		return ranks + 1;
	uint32_t each = advice->cores / (ranks + 1);
	return advice->cores / each;
}

/* Whether L3 groups draw boundaries of their own: a machine without L3 has its nodes as groups. */
static bool
has_l3(const struct sp_machine *machine)
{
	for (uint32_t i = 1; i < machine->ncpus; i++) {
		const struct sp_pu *a = &machine->pu[i - 1], *b = &machine->pu[i];

		if ((a->l3 == b->l3) != (a->numa == b->numa))
			return true;
	}
	return false;
}

int
advise(struct plan *plan, const struct sp_cpus *allowed, struct advice *advice)
{
	*advice = (struct advice){ .n = 0 };
	plan->nranks = 1;
	int error = plan_make(plan, allowed);
	if (error)
		return error;

	struct trial t = begin(plan);
	struct choice choice;

	advice->cores = plan->cut.fair;	/* of one rank: all that may be given out */
	advice->gpus = t.gpus.n;
	advice->nodes = plan_count_groups(plan->machine, plan->owner, offsetof(struct sp_pu, numa));
	advice->l3s = plan_count_groups(plan->machine, plan->owner, offsetof(struct sp_pu, l3));
	advice->has_l3 = has_l3(plan->machine);
	for (uint32_t ranks = 1; ranks <= advice->cores; ranks = after(advice, ranks))
		if (try(&t, ranks, &choice))
			add(advice, &choice);
	find_between(advice);
	qsort_r(advice->choice, advice->n, sizeof(choice), compare, advice);
	free(t.owner);
	return 0;
}

void
advise_release(struct advice *advice)
{
	free(advice->choice);
}

/* Neighbours of a number of ranks. */

/* A cut of a large machine takes milliseconds. */
#define NEIGHBOURS_TRIED 64

static struct choice
nearest(struct trial *t, int step)
{
	uint32_t ranks = t->plan->nranks;
	int64_t least = (ranks + 1) / 2, most = 2 * (int64_t)ranks, at = ranks;
	struct choice choice;

	for (int i = 0; i < NEIGHBOURS_TRIED; i++) {
		at += step;
		if (at < least || at > most)
			break;
		if (try(t, (uint32_t)at, &choice) && choice.idle == 0 && choice.fits_gpus)
			return choice;
	}
	return (struct choice){ .ranks = 0 };
}

struct neighbours
advise_neighbours(const struct plan *plan)
{
	const struct sp_policy *policy = &plan->config.policy;
	struct neighbours neighbours = { .less = { .ranks = 0 } };

	/* Threads for which there are too few cores may use all of them. */
	if (plan->need || plan->nbeside || plan->cut.idle == 0 || plan->threads > plan->cut.units || plan->cut.by_cpu || plan->cut.splits_cores ||
	    policy->cores || policy->domain != SP_DOMAIN_AUTO)
		return neighbours;

	struct trial t = begin(plan);

	neighbours.less = nearest(&t, -1);
	neighbours.more = nearest(&t, 1);
	free(t.owner);
	return neighbours;
}

/* Words. */

/* If a share lies inside a group: how many ranks share the group. */
static char *
inside(const struct choice *choice, const char *group, uint32_t groups)
{
	if (choice->ranks % groups)
		return cmd_format("inside a%s", group);
	return cmd_format("%u rank%s per%s", choice->ranks / groups, sp_plural(choice->ranks / groups), group + (*group == 'n'));
}

static char *
extent_of(const struct advice *advice, const struct choice *choice)
{
	if (choice->nodes > 1)
		return cmd_format("over %u NUMA nodes", choice->nodes);
	if (choice->l3s > 1)
		return cmd_format("over %u L3 groups of a NUMA node", choice->l3s);
	if (advice->l3s > advice->nodes)
		return inside(choice, "n L3 group", advice->l3s);
	return inside(choice, " NUMA node", advice->nodes);
}

static char *
gpus_of(const struct advice *advice, const struct choice *choice)
{
	uint32_t gpus = advice->gpus, ranks = choice->ranks;

	if (gpus == 0)
		return cmd_format("%s", "");
	if (choice->foreign && ranks % gpus && gpus % ranks)
		return cmd_format("%u ranks on %u GPUs, %u of them not beside theirs; ", ranks, gpus, choice->foreign);
	if (choice->foreign)
		return cmd_format("%u rank%s not beside their GPUs; ", choice->foreign, choice->foreign == 1 ? "" : "s");
	if (ranks % gpus == 0)
		return cmd_format("%u rank%s per GPU; ", ranks / gpus, ranks == gpus ? "" : "s");
	if (gpus % ranks == 0)
		return cmd_format("%u GPUs per rank; ", gpus / ranks);
	return cmd_format("%u ranks on %u GPUs; ", ranks, gpus);
}

char *
advise_why(const struct advice *advice, const struct choice *choice)
{
	char *gpus = gpus_of(advice, choice), *extent = extent_of(advice, choice);
	char *why = cmd_format("%s%s%s%s", gpus, extent, choice->cores > CORES_MAX ? ", many cores" : "",
			       has_idle(advice, choice) ? ", many idle" : "");

	free(extent);
	free(gpus);
	return why;
}
