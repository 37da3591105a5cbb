#include "decide/decide.h"

#include <errno.h>

#include "base/order.h"

/*
 * Ranks that announce no threads, and whose masks collide with another job,
 * take as many cores as the widest mask gave its rank: a third job may come.
 */
static void
need_what_masks_gave(const struct sp_view *v, const struct sp_rank_facts rank[], uint32_t need[])
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < v->nranks; i++)
		most = (uint32_t)sp_larger(most, sp_machine_cores(v->machine, &rank[i].mask));
	for (uint32_t i = 0; i < v->nranks; i++)
		if (!need[i])
			need[i] = most;
}

/*
 * Ranks with lists that count have their CPUs, and need no others.  A setting
 * that says which cores ranks get counts more than the lists.
 */
static void
take_lists(const struct sp_view *v, struct sp_rank_facts rank[], struct sp_plan *plan, struct sp_cpus *lists)
{
	const struct sp_cpus nowhere = { 0 };
	const bool told = sp_policy_says(v->policy);

	for (uint32_t i = 0; told && i < v->nranks; i++)
		rank[i].listed = nowhere;
	sp_division_find_lists(rank, v->nranks, v->domain, v->is_asked, lists);
	plan->has_lists = !sp_cpus_empty(lists);
	for (uint32_t i = 0; i < v->nranks; i++)
		plan->need[i] = sp_cpus_empty(&rank[i].listed) ? rank[i].threads : SP_NEED_FIXED;
}

/* The CPUs that all ranks without lists divide anew. */
static const struct sp_cpus *
cpus_anew(const struct sp_plan *plan)
{
	const struct sp_part *part = plan->part;

	while (part->is_listed)
		part++;
	return &part->cpus;
}

/* Whether each rank that has not ended, and has no list, announces its threads. */
static bool
are_announced(const struct sp_view *v, const struct sp_rank_facts rank[])
{
	for (uint32_t i = 0; i < v->nranks; i++)
		if (!rank[i].threads && sp_division_has_mask(&rank[i]))
			return false;
	return true;
}

/*
 * Where too few cores are free, bindings stay if a rank announces no threads: it would
 * count all CPUs, and have more threads than without splitpin on the cores of others.
 * It needs what its mask gave it then, too, since its threads are on all of that.
 */
static enum sp_division
divide_masks(const struct sp_view *v, struct sp_rank_facts rank[], struct sp_other_jobs *others, struct sp_plan *plan)
{
	const struct sp_group all = { .cpus = v->domain, .nranks = v->nranks, .need = plan->need };
	const struct sp_cpus nowhere = { 0 };
	struct sp_view kept = *v;
	struct sp_terms *terms = &plan->terms;
	struct sp_cpus lists;

	kept.domain = &nowhere;
	take_lists(v, rank, plan, &lists);
	sp_cpus_or(&others->taken, &lists);
	int error = sp_terms_find(v, &all, others, terms, plan->owner, &plan->cut);
	plan->division = sp_divide(v, rank, &terms->taken, &others->taken, plan->part);
	if (plan->division == SP_DIVISION_OPEN)
		return SP_DIVISION_OPEN;
	if (plan->division == SP_DIVISION_COLLIDED) {
		need_what_masks_gave(v, rank, plan->need);
		error = sp_terms_find(v, &all, others, terms, plan->owner, &plan->cut);
		/* The cores of other jobs, which are left out already, are among those that were cut now. */
		if (terms->is_crowded)
			error = -ENOENT;
	}
	if (terms->how == SP_TERMS_SHARED && plan->division != SP_DIVISION_TOLD && !are_announced(v, rank))
		plan->division = sp_divide(&kept, rank, &terms->taken, &others->taken, plan->part);
	if (!sp_division_is_anew(plan->division)) {
		sp_decide_groups(v, others, plan);
	} else if (terms->how != SP_TERMS_SHARED) {
		plan->cpus = cpus_anew(plan);
		plan->error = error;
	}
	sp_cpus_or(&terms->claim, &lists);
	return plan->division;
}

/* The parts stay: the terms alone follow what ranks need now, and what others have. */
static enum sp_division
divide_again(const struct sp_view *v, struct sp_other_jobs *others, struct sp_plan *plan)
{
	const struct sp_group all = { .cpus = v->allowed, .nranks = v->nranks, .need = plan->need };

	if (v->keeps)
		sp_cpus_or(&others->taken, v->keeps);
	plan->cpus = v->allowed;
	if (!plan->part)
		plan->error = sp_terms_find(v, &all, others, &plan->terms, plan->owner, &plan->cut);
	else
		sp_decide_groups(v, others, plan);
	if (v->keeps)
		sp_cpus_or(&plan->terms.claim, v->keeps);
	return plan->division;
}

static enum sp_division
plan_growth(const struct sp_view *v, const struct sp_other_jobs *others, struct sp_plan *plan)
{
	if (sp_terms_grow(v, others, &plan->terms))
		return SP_DIVISION_GROWN;
	/* Its threads cannot leave these to those of later jobs. */
	if (v->grown->bounds)
		sp_cpus_or(&plan->terms.claim, v->grown->bounds);
	return SP_DIVISION_OPEN;
}

static enum sp_division
plan_leaving(const struct sp_view *v, const struct sp_other_jobs *others, struct sp_plan *plan)
{
	plan->terms = (struct sp_terms){
		.generation = plan->terms.generation, .how = SP_TERMS_SHARED, .undivided = *v->left,
		.threads = plan->terms.threads, .is_last = 1, .starter = others->starter };
	if (!sp_cpus_equal(v->left, v->allowed))
		plan->terms.claim = *v->left;
	return SP_DIVISION_LEFT;
}

enum sp_division
sp_decide(const struct sp_view *v, struct sp_rank_facts rank[], struct sp_other_jobs *others, struct sp_plan *plan)
{
	if (v->grown)
		return plan_growth(v, others, plan);
	if (v->left)
		return plan_leaving(v, others, plan);
	plan->error = -ENOENT;
	if (plan->division != SP_DIVISION_OPEN)
		return divide_again(v, others, plan);
	return divide_masks(v, rank, others, plan);
}
