#include "decide/division.h"

static bool
all_known(const struct sp_view *v, const struct sp_rank_facts rank[])
{
	for (uint32_t i = 0; i < v->nranks; i++)
		if (!rank[i].known)
			return false;
	return true;
}

static bool
is_listed(const struct sp_rank_facts *rank)
{
	return !sp_cpus_empty(&rank->listed);
}

bool
sp_division_has_mask(const struct sp_rank_facts *rank)
{
	return !is_listed(rank) && !sp_cpus_empty(&rank->mask);
}

static uint32_t
count_listed(const struct sp_view *v, const struct sp_rank_facts rank[])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->nranks; i++)
		n += is_listed(&rank[i]);
	return n;
}

/* Whether all ranks that have a list have the same one, and there are several. */
static bool
is_list_of_all(const struct sp_rank_facts rank[], uint32_t nranks)
{
	const struct sp_rank_facts *first = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < nranks; i++) {
		if (!is_listed(&rank[i]))
			continue;
		n++;
		first = first ? first : &rank[i];
		if (rank[i].list != first->list)
			return false;
	}
	return n > 1;
}

void
sp_division_find_lists(struct sp_rank_facts rank[], uint32_t nranks, const struct sp_cpus *domain, bool asked, struct sp_cpus *all)
{
	const struct sp_cpus nowhere = { 0 };
	bool counts = !is_list_of_all(rank, nranks);

	*all = nowhere;
	for (uint32_t i = 0; i < nranks; i++) {
		const struct sp_cpus *limit = asked || sp_cpus_empty(domain) ? &rank[i].mask : domain;

		sp_cpus_and(&rank[i].listed, counts && !sp_cpus_empty(&rank[i].mask) ? limit : &nowhere);
		sp_cpus_or(all, &rank[i].listed);
	}
}

static bool
all_alike(const struct sp_view *v, const struct sp_rank_facts rank[], const struct sp_cpus *masks)
{
	for (uint32_t i = 0; i < v->nranks; i++)
		if (sp_division_has_mask(&rank[i]) && !sp_cpus_equal(&rank[i].mask, masks))
			return false;
	return true;
}

static struct sp_cpus
all_masks(const struct sp_view *v, const struct sp_rank_facts rank[])
{
	struct sp_cpus all = { 0 };

	for (uint32_t i = 0; i < v->nranks; i++)
		if (sp_division_has_mask(&rank[i]))
			sp_cpus_or(&all, &rank[i].mask);
	return all;
}

/* The first rank with the same list, or the same mask. */
static uint32_t
group_of(const struct sp_part part[], uint32_t rank)
{
	uint32_t first = 0;

	while (part[first].group != first || part[first].is_listed != part[rank].is_listed ||
	       (part[rank].is_listed && part[first].list != part[rank].list) || !sp_cpus_equal(&part[first].cpus, &part[rank].cpus))
		first++;
	return first;
}

static void
cut_groups(const struct sp_view *v, const struct sp_rank_facts rank[], struct sp_part part[])
{
	for (uint32_t i = 0; i < v->nranks; i++) {
		const struct sp_rank_facts *its = &rank[i];

		part[i] = (struct sp_part){
			.seen = its->mask, .cpus = is_listed(its) ? its->listed : its->mask, .group = i,
			.is_listed = is_listed(its), .list = its->list };
		part[i].group = group_of(part, i);
		if (!sp_cpus_empty(&part[i].cpus))
			part[i].index = part[part[i].group].count++;
	}
	for (uint32_t i = 0; i < v->nranks; i++)
		part[i].count = part[part[i].group].count;
}

static void
cut_anew(const struct sp_view *v, const struct sp_rank_facts rank[], const struct sp_cpus *domain, struct sp_part part[])
{
	for (uint32_t i = 0; i < v->nranks; i++)
		if (!is_listed(&rank[i]))
			part[i] = (struct sp_part){
				.seen = rank[i].mask, .cpus = *domain, .index = i, .count = v->nranks, .list = rank[i].list };
}

/*
 * Whether a rank announces more threads than it has cores in its group, and
 * would have more cores after a new cut.  part: the groups; cores: for each
 * rank after a new cut.  A rank that has ended is never starved.
 */
static bool
is_starved(const struct sp_view *v, const struct sp_rank_facts rank[], const struct sp_part part[], uint32_t cores)
{
	for (uint32_t i = 0; i < v->nranks; i++) {
		uint32_t has = part[i].count ? sp_machine_cores(v->machine, &rank[i].mask) / part[i].count : cores;

		if (!is_listed(&rank[i]) && rank[i].threads > has && cores > has)
			return true;
	}
	return false;
}

/*
 * Whether masks have CPUs outside of the domain, which happens where ranks have
 * cpusets of their own.  The domain is compared by whole cores, since a
 * launcher that was confined to some hardware threads may bind to whole cores.
 */
static bool
lie_outside(const struct sp_view *v, const struct sp_cpus *masks)
{
	struct sp_cpus whole = *v->domain;

	sp_machine_fill_cores(v->machine, &whole);
	return !sp_cpus_within(masks, &whole);
}

/*
 * Whether to make a new cut, and of which CPUs.  First a new cut must be
 * possible: there is a domain that holds all masks, and it has a core for each
 * rank once other jobs' cores are left out.  Then one of three reasons is
 * needed, in this order: a setting says which cores ranks get, a rank is
 * starved, or the binding collides with another job.  masks: the union of all
 * ranks' masks.
 */
static enum sp_division
look_for_gain(const struct sp_view *v, const struct sp_rank_facts rank[], const struct sp_cpus *taken, const struct sp_cpus *others,
	      const struct sp_cpus *masks, const struct sp_part part[], struct sp_cpus *domain)
{
	*domain = *v->domain;
	if (sp_cpus_empty(domain) || lie_outside(v, masks))
		return SP_DIVISION_KEPT;
	sp_cpus_sub(domain, taken);
	uint32_t unlisted = v->nranks - count_listed(v, rank), cores = unlisted ? sp_machine_cores(v->machine, domain) / unlisted : 0;

	if (cores == 0)
		return SP_DIVISION_KEPT;
	if (sp_policy_says(v->policy) && (v->nranks == 1 || !all_alike(v, rank, masks)))
		return SP_DIVISION_TOLD;
	if (is_starved(v, rank, part, cores))
		return SP_DIVISION_STARVED;
	/* Of the one mask that all ranks have they leave the cores of other jobs to these, too. */
	bool is_all_there_is = v->nranks > 1 && all_alike(v, rank, masks) && sp_cpus_within(domain, masks);

	return sp_cpus_intersect(masks, others) && !is_all_there_is ? SP_DIVISION_COLLIDED : SP_DIVISION_KEPT;
}

bool
sp_division_is_anew(enum sp_division division)
{
	return division == SP_DIVISION_STARVED || division == SP_DIVISION_COLLIDED || division == SP_DIVISION_TOLD;
}

enum sp_division
sp_divide(const struct sp_view *v, const struct sp_rank_facts rank[], const struct sp_cpus *taken, const struct sp_cpus *others,
	  struct sp_part part[])
{
	struct sp_cpus domain;

	if (!all_known(v, rank))
		return SP_DIVISION_OPEN;
	const struct sp_cpus masks = all_masks(v, rank);
	cut_groups(v, rank, part);
	if (count_listed(v, rank) == v->nranks)
		return SP_DIVISION_ASKED;
	enum sp_division division = v->is_asked ? SP_DIVISION_ASKED : look_for_gain(v, rank, taken, others, &masks, part, &domain);

	if (sp_division_is_anew(division))
		cut_anew(v, rank, &domain, part);
	return division == SP_DIVISION_KEPT && v->nranks > 1 && all_alike(v, rank, &masks) ? SP_DIVISION_ALIKE : division;
}
