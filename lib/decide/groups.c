/* The terms of a job whose ranks divide different CPUs: those of all groups in one record. */
#include <stdlib.h>

#include "decide/decide.h"

/* Collect the needs of the ranks of a group, in the order of ranks; group: its first rank. */
static uint32_t
needs_of(const struct sp_part part[], const uint32_t need[], uint32_t nranks, uint32_t group, uint32_t of_group[])
{
	uint32_t n = 0;

	for (uint32_t rank = group; rank < nranks; rank++)
		if (part[rank].count && part[rank].group == group)
			of_group[n++] = need[rank];
	return n;
}

static bool
have_all_shares(const struct sp_group *group)
{
	for (uint32_t rank = 0; rank < group->nranks; rank++)
		if (group->need[rank] != SP_NEED_FIXED)
			return false;
	return true;
}

static void
add_group(const struct sp_view *v, const struct sp_group *group, const struct sp_other_jobs *others, struct sp_plan *plan)
{
	struct sp_terms own = { .how = SP_TERMS_ALONE }, *terms = &plan->terms;
	const bool has_all = group->nranks == v->nranks;
	int error = sp_terms_find(v, group, others, &own, has_all ? plan->owner : NULL, &plan->cut);

	if (has_all && own.how != SP_TERMS_SHARED) {
		plan->cpus = group->cpus;
		plan->error = error;
	}
	/* The cut failed (more ranks than CPUs, or no memory): claim the whole mask. */
	bool is_uncut = own.how != SP_TERMS_SHARED && sp_cpus_empty(&own.claim) && !have_all_shares(group);
	sp_cpus_or(&terms->claim, is_uncut ? group->cpus : &own.claim);
	sp_cpus_or(&terms->taken, &own.taken);
	sp_cpus_or(&terms->undivided, &own.undivided);
	terms->threads += own.threads;
	terms->starter = own.starter ? own.starter : terms->starter;
	terms->is_crowded |= own.is_crowded;
	/* Of different groups, one beside other jobs counts first, one alone second. */
	if (terms->how != SP_TERMS_BESIDE && own.how != SP_TERMS_SHARED)
		terms->how = own.how;
}

void
sp_decide_groups(const struct sp_view *v, const struct sp_other_jobs *others, struct sp_plan *plan)
{
	uint32_t *of_group = calloc(v->nranks, sizeof(*of_group));
	struct sp_terms *terms = &plan->terms;
	const struct sp_part *part = plan->part;

	*terms = (struct sp_terms){ .generation = terms->generation, .how = SP_TERMS_SHARED };
	for (uint32_t rank = 0; of_group && rank < v->nranks; rank++) {
		if (!part[rank].count || part[rank].index)
			continue;
		if (part[rank].is_listed) {
			sp_cpus_or(&terms->claim, &part[rank].cpus);
			terms->threads += sp_machine_cores(v->machine, &part[rank].cpus);
			continue;
		}
		uint32_t n = needs_of(part, plan->need, v->nranks, rank, of_group);
		add_group(v, &(struct sp_group){ .cpus = &part[rank].cpus, .nranks = n, .need = of_group }, others, plan);
	}
	free(of_group);
	if (sp_cpus_empty(&terms->undivided) && terms->how == SP_TERMS_SHARED)
		terms->how = SP_TERMS_ALONE;
}

enum sp_terms_how
sp_terms_how_on(const struct sp_terms *terms, const struct sp_cpus *cpus)
{
	if (terms->how == SP_TERMS_SHARED || sp_cpus_within(cpus, &terms->undivided))
		return SP_TERMS_SHARED;
	if (terms->how == SP_TERMS_BESIDE && !sp_cpus_intersect(cpus, &terms->taken))
		return SP_TERMS_ALONE;
	return (enum sp_terms_how)terms->how;
}

void
sp_terms_on(const struct sp_terms *terms, const struct sp_cpus *cpus, struct sp_terms *on)
{
	*on = *terms;
	on->how = sp_terms_how_on(terms, cpus);
	sp_cpus_and(&on->taken, cpus);
}
