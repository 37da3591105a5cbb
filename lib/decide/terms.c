#include "decide/terms.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"

/* A cut among the ranks whose share is not fixed. */
struct division {
	const struct sp_machine *machine;	/* the CPUs that are divided, without those that others have */
	struct sp_machine *made;	/* that machine if it was allocated; NULL where it is the whole one */
	uint32_t *owner, *need, *rank;	/* need: of the ranks that take part; rank: their numbers */
	uint32_t nranks;		/* ranks that take part */
	struct sp_near *near;
	struct sp_cut cut;
};

static void
release(struct division *d)
{
	free(d->made);
	free(d->owner);
	free(d->need);
	free(d->rank);
	free(d->near);
}

static int
make_room(const struct sp_view *v, const struct sp_group *g, const struct sp_terms *terms, struct division *d)
{
	struct sp_cpus all = *g->cpus;

	*d = (struct division){ .nranks = 0 };
	sp_cpus_or(&all, &terms->taken);
	if (!sp_machine_is_within(v->machine, &all))
		d->machine = d->made = sp_machine_restrict(v->machine, &all);
	else
		d->machine = v->machine;
	d->owner = d->machine ? calloc(d->machine->ncpus + 1, sizeof(*d->owner)) : NULL;
	d->need = calloc(g->nranks, sizeof(*d->need));
	d->rank = calloc(g->nranks, sizeof(*d->rank));
	d->near = calloc(g->nranks, sizeof(*d->near));
	return d->owner && d->need && d->rank && d->near ? 0 : -ENOMEM;
}

static int
divide(const struct sp_view *v, const struct sp_group *g, const struct sp_terms *terms, struct division *d)
{
	const struct sp_near *near = g->nranks == v->nranks ? v->near : NULL;
	int error = make_room(v, g, terms, d);

	for (uint32_t rank = 0; !error && rank < g->nranks; rank++) {
		if (g->need[rank] == SP_NEED_FIXED)
			continue;
		if (near)
			d->near[d->nranks] = near[rank];
		d->need[d->nranks] = g->need[rank];
		d->rank[d->nranks++] = rank;
	}
	if (error || !d->nranks)
		return error ? error : -EINVAL;
	return sp_cut_by_need(d->machine, v->policy, d->nranks, &(struct sp_demand){
		.need = d->need, .near = near ? d->near : NULL, .taken = &terms->taken,
		.compact = terms->how == SP_TERMS_BESIDE }, d->owner, &d->cut);
}

int
sp_terms_share(const struct sp_view *v, const struct sp_group *g, const struct sp_terms *terms, uint32_t rank, struct sp_cpus *share, struct sp_cut *cut)
{
	struct division d;
	int error = divide(v, g, terms, &d);
	uint32_t index = 0;

	while (!error && index < d.nranks && d.rank[index] != rank)
		index++;
	if (!error && index == d.nranks)
		error = -EINVAL;
	if (!error) {
		sp_cut_share(d.machine, d.owner, index, share);
		*cut = d.cut;
	}
	release(&d);
	return error;
}

/* Name the owner of each CPU of the whole machine; the restricted one has its CPUs in the same order. */
static void
put_owners(const struct sp_machine *machine, const struct division *d, uint32_t owner[])
{
	for (uint32_t i = 0, k = 0; i < machine->ncpus; i++) {
		owner[i] = SP_NOBODY;
		if (k < d->machine->ncpus && d->machine->pu[k].cpu == machine->pu[i].cpu && d->owner[k++] != SP_NOBODY)
			owner[i] = d->rank[d->owner[k - 1]];
	}
}

/* Claims. */

/*
 * part: a machine of a share's CPUs alone, side by side, so that the slot
 * tables of all ranks are made in the time of one.
 */
static void
claim_slots(const struct sp_machine *part, const struct sp_cpus *share, uint32_t threads, enum sp_bind bind, struct sp_cpus *claim)
{
	struct sp_slots *slots = sp_slots_create(part, share, bind);

	if (slots)
		sp_slots_team_cores(slots, threads, claim);
	else
		sp_cpus_or(claim, share);
	sp_slots_destroy(slots);
}

void
sp_claim_add(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t threads, enum sp_bind bind,
	     struct sp_cpus *claim)
{
	if (!threads || threads == SP_NEED_FIXED || bind == SP_NO_BIND)
		sp_cpus_or(claim, share);
	else
		claim_slots(machine, share, threads, bind, claim);
}

bool
sp_claim_stays(const struct sp_machine *machine, const struct sp_cpus *share, uint32_t before, uint32_t now, enum sp_bind bind)
{
	struct sp_cpus had = { 0 }, has = { 0 };

	sp_claim_add(machine, share, before, bind, &had);
	sp_claim_add(machine, share, now, bind, &has);
	return sp_cpus_within(&had, &has);
}

/* The first CPU of each core. */
static struct sp_cpus
first_of_cores(const struct sp_machine *machine, const struct sp_cpus *cpus)
{
	struct sp_cpus first = { 0 };
	uint32_t last = SP_NO_CPU;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (sp_cpus_has(cpus, machine->pu[i].cpu) && machine->pu[i].core != last) {
			sp_cpus_add(&first, machine->pu[i].cpu);
			last = machine->pu[i].core;
		}
	}
	return first;
}

void
sp_terms_narrow(const struct sp_machine *machine, uint32_t threads, enum sp_bind bind, bool one_a_core, struct sp_cpus *share)
{
	struct sp_cpus claim = { 0 };

	if (threads == 1)
		return;
	sp_claim_add(machine, share, threads, bind, &claim);
	*share = one_a_core && threads && threads <= sp_machine_cores(machine, &claim) ? first_of_cores(machine, &claim) : claim;
}

/* The part of the machine that one rank owns: keys from `from` on, which hold owner and place. */
static uint32_t
part_of(const struct sp_machine *machine, const uint64_t key[], uint32_t from, uint32_t n, struct sp_machine *part, struct sp_cpus *share)
{
	uint32_t owner = (uint32_t)(key[from] >> 32), to = from;

	*share = (struct sp_cpus){ 0 };
	part->ncpus = 0;
	for (; to < n && key[to] >> 32 == owner; to++) {
		part->pu[part->ncpus] = machine->pu[(uint32_t)key[to]];
		sp_cpus_add(share, part->pu[part->ncpus++].cpu);
	}
	return to;
}

/* Add the claims of all ranks in one pass over the machine.  False: memory is short. */
static bool
claim_all(const struct sp_view *v, const struct division *d, struct sp_cpus *claim)
{
	uint64_t *key = calloc(d->machine->ncpus + 1, sizeof(*key));
	struct sp_machine *part = calloc(1, sp_machine_size(d->machine->ncpus));
	uint32_t n = 0;

	if (!key || !part) {
		free(key);
		free(part);
		return false;
	}
	for (uint32_t i = 0; i < d->machine->ncpus; i++)
		if (d->owner[i] < d->nranks)
			key[n++] = (uint64_t)d->owner[i] << 32 | i;
	if (n)
		qsort(key, n, sizeof(*key), sp_order_keys);
	for (uint32_t from = 0; from < n;) {
		uint32_t rank = (uint32_t)(key[from] >> 32);
		struct sp_cpus share;

		from = part_of(d->machine, key, from, n, part, &share);
		sp_claim_add(part, &share, d->need[rank], v->bind, claim);
	}
	free(key);
	free(part);
	return true;
}

/* Terms. */

/* The number of threads for which ranks count; has: cores of a rank of unknown need. */
static uint32_t
count_threads(const uint32_t need[], uint32_t nranks, uint32_t has)
{
	uint64_t threads = 0;

	for (uint32_t rank = 0; rank < nranks; rank++)
		threads += need[rank] && need[rank] != SP_NEED_FIXED ? need[rank] : sp_larger(has, 1);
	return (uint32_t)sp_smaller(threads, UINT32_MAX);
}

static bool
are_all_known(const struct sp_group *g)
{
	for (uint32_t rank = 0; rank < g->nranks; rank++)
		if (!g->need[rank])
			return false;
	return true;
}

/* A core counts as another job's if that job has one of its hardware threads.  Returns how many cores of the group are left. */
static uint32_t
take_whole(const struct sp_view *v, const struct sp_group *g, struct sp_cpus *taken)
{
	struct sp_cpus rest = *g->cpus;

	sp_machine_fill_cores(v->machine, taken);
	sp_cpus_and(taken, g->cpus);
	sp_cpus_sub(&rest, taken);
	return sp_machine_cores(v->machine, &rest);
}

/* The threads that want cores; ranks of fixed need have theirs already. */
static uint64_t
count_new_threads(const struct sp_group *g)
{
	uint64_t threads = 0;

	for (uint32_t rank = 0; rank < g->nranks; rank++)
		threads += g->need[rank] == SP_NEED_FIXED ? 0 : sp_larger(g->need[rank], 1);
	return threads;
}

/*
 * Whether the free cores suffice: a core for each thread, and, for ranks that
 * announce no threads and so may have many, a fair part.  Otherwise no thread
 * is confined: the kernel puts each thread where the fewest run, now and when
 * the other jobs have ended.
 */
static bool
is_rest_enough(const struct sp_view *v, const struct sp_group *g, const struct sp_other_jobs *others, uint32_t rest)
{
	uint64_t all = sp_machine_cores(v->machine, g->cpus);
	uint64_t jobs = 2 * ((uint64_t)others->jobs + 1), fair = (all + jobs - 1) / jobs;

	return count_new_threads(g) <= rest && (are_all_known(g) || rest >= fair);
}

/*
 * Whether threads of other jobs that are left to the kernel would have to make do
 * with what pinned ones leave.  Those of a confined job do not keep them from the
 * rest of the node.  A lone rank that does not announce its threads may have them on
 * all cores; several have at most one on each, fewer than without splitpin.
 */
static bool
would_squeeze(const struct sp_view *v, const struct sp_group *g, const struct sp_other_jobs *others, uint32_t rest)
{
	const bool may_have_all = g->nranks == 1 && !are_all_known(g);

	return others->loose && sp_cpus_equal(g->cpus, v->allowed) &&
	       (may_have_all || others->loose > rest || !is_rest_enough(v, g, others, rest - (uint32_t)others->loose));
}

/* Claim where the ranks' threads will be.  Returns whether there is a cut, or all have their shares already; *error: as sp_terms_share. */
static bool
claim_on(const struct sp_view *v, const struct sp_group *g, struct sp_terms *terms, uint32_t owner[], struct sp_cut *cut, int *error)
{
	struct division d;

	*error = divide(v, g, terms, &d);
	bool is_cut = !*error, have_shares = *error == -EINVAL && !d.nranks;

	terms->claim = (struct sp_cpus){ 0 };
	/* If there is not a free core for each rank, single CPUs would be dealt. */
	if (is_cut && terms->how == SP_TERMS_BESIDE && d.cut.by_cpu)
		is_cut = false;
	if (is_cut && !claim_all(v, &d, &terms->claim))
		sp_cpus_or(&terms->claim, g->cpus);
	terms->threads = count_threads(g->need, g->nranks, is_cut ? d.cut.units : 1);
	if (is_cut && owner) {
		put_owners(v->machine, &d, owner);
		*cut = d.cut;
	}
	release(&d);
	return is_cut || have_shares;
}

/*
 * Whether another job may be about to pin threads to the same cores.  Threads
 * that are left to the kernel evade them.  Threads that a runtime binds do not,
 * and those of all ranks would be bound to the same places.
 */
static bool
may_be_taken(const struct sp_view *v, const struct sp_group *g, const struct sp_other_jobs *others)
{
	return sp_cpus_intersect(&others->starting, g->cpus) && v->places == SP_PLACES_NONE && v->policy->domain != SP_DOMAIN_LISTS;
}

/*
 * Whether the runtimes of all ranks, also of those of other jobs, would bind their
 * threads to the same places, where the kernel cannot balance them: they divide
 * the CPUs, whoever has these.  A lone rank that may have any number of threads
 * has them on all CPUs.
 */
static bool
are_bound_alike(const struct sp_view *v, const struct sp_group *g)
{
	for (uint32_t rank = 0; rank < g->nranks; rank++)
		if (g->need[rank] == SP_NEED_FIXED)
			return false;
	return v->places == SP_PLACES_SMALL && (g->nranks > 1 || g->need[0]);
}

/*
 * Leave to other jobs what they claim, but for as many cores as the threads need, of those
 * that the fewest claim; of ranks that do not announce their threads, for all.  rest: cores that are free.
 */
static void
crowd(const struct sp_view *v, const struct sp_group *g, const struct sp_other_jobs *others, uint32_t rest, struct sp_terms *terms)
{
	const uint64_t wanted = are_all_known(g) ? count_new_threads(g) : UINT64_MAX;

	for (int i = 0; i <= SP_AGAIN_MAX; i++) {
		struct sp_cpus more = i < SP_AGAIN_MAX ? others->again[i] : (struct sp_cpus){ 0 };

		sp_machine_fill_cores(v->machine, &more);
		uint32_t last = UINT32_MAX;	/* the core that was given back last: its CPUs stand side by side */
		for (uint32_t k = 0; k < v->machine->ncpus; k++) {
			const struct sp_pu *pu = &v->machine->pu[k];

			if (!sp_cpus_has(&terms->taken, pu->cpu) || sp_cpus_has(&more, pu->cpu) || (pu->core != last && rest >= wanted))
				continue;
			rest += pu->core != last;
			last = pu->core;
			sp_cpus_remove(&terms->taken, pu->cpu);
		}
	}
	terms->how = sp_cpus_empty(&terms->taken) ? SP_TERMS_ALONE : SP_TERMS_BESIDE;
	terms->is_crowded = 1;
}

int
sp_terms_find(const struct sp_view *v, const struct sp_group *g, const struct sp_other_jobs *others, struct sp_terms *terms,
	      uint32_t owner[], struct sp_cut *cut)
{
	int error = 0;

	*terms = (struct sp_terms){ .generation = terms->generation };
	/* CPUs that the user has named are not exchanged for others. */
	if (v->policy->domain != SP_DOMAIN_LISTS)
		terms->taken = others->taken;
	uint32_t rest = take_whole(v, g, &terms->taken);
	struct sp_cpus left = *g->cpus;
	sp_cpus_sub(&left, &terms->taken);
	/* Without other jobs, taken has only the cores of ranks of fixed need. */
	terms->how = sp_cpus_empty(&terms->taken) || !others->jobs ? SP_TERMS_ALONE : SP_TERMS_BESIDE;
	bool is_enough = terms->how == SP_TERMS_ALONE || is_rest_enough(v, g, others, rest);
	bool is_divided = (is_enough && !would_squeeze(v, g, others, rest)) || are_bound_alike(v, g);
	if (is_divided && !is_enough)
		crowd(v, g, others, rest, terms);
	bool is_alone = terms->how == SP_TERMS_ALONE;
	bool is_for_starter = is_divided && may_be_taken(v, g, others);
	if (is_divided && !is_for_starter && (claim_on(v, g, terms, owner, cut, &error) || is_alone))
		return error;
	*terms = (struct sp_terms){ .generation = terms->generation, .how = SP_TERMS_SHARED, .undivided = *g->cpus,
				    .starter = is_for_starter ? others->starter : 0,
				    .threads = count_threads(g->need, g->nranks, 1) };
	/* Confined threads are on all that is left to them; fewer than that leave most of it to others, and claim none. */
	if (!sp_cpus_equal(g->cpus, v->allowed) && (is_alone || terms->threads >= rest))
		terms->claim = terms->threads >= sp_machine_cores(v->machine, g->cpus) ? *g->cpus : left;
	for (uint32_t i = 0; owner && i < v->machine->ncpus; i++)
		owner[i] = SP_NOBODY;
	return 0;
}

bool
sp_terms_grow(const struct sp_view *v, const struct sp_other_jobs *others, struct sp_terms *terms)
{
	const struct sp_larger_team *team = v->grown;
	struct sp_cpus mine = { 0 }, busy = terms->claim, idle = *team->open, wider = *team->share;

	sp_claim_add(v->machine, team->share, team->claims, v->bind, &mine);
	const struct sp_cpus claimed = mine;
	sp_machine_fill_cores(v->machine, &mine);
	uint32_t has = sp_machine_cores(v->machine, &mine);

	sp_cpus_sub(&busy, &mine);
	sp_cpus_or(&busy, &others->taken);
	sp_machine_fill_cores(v->machine, &busy);
	sp_cpus_sub(&idle, &busy);
	sp_cpus_sub(&wider, &busy);
	/* A core is left for each thread of other jobs that claims none. */
	bool is_enough = !others->loose || team->threads + others->loose <= sp_machine_cores(v->machine, &idle);
	if (team->threads <= has || !is_enough || sp_cut_widen(v->machine, &idle, team->threads, &wider) < team->threads)
		return false;
	/* Threads elsewhere move to the cores that are claimed now (sp_slots_claim). */
	sp_cpus_sub(&terms->claim, &claimed);
	*team->share = wider;
	sp_claim_add(v->machine, team->share, team->threads, v->bind, &terms->claim);
	terms->threads += team->threads - has;
	return true;
}
