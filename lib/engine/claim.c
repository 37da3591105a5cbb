#include <stdlib.h>

#include "base/order.h"
#include "cut/cut.h"
#include "engine/claim.h"

/* What is cut is added to the claim.  False where that is nothing, or not whole cores. */
static bool
claim_of(const struct sp_machine *machine, const struct sp_claiming *c, struct sp_cpus *claim)
{
	uint32_t *owner = malloc(machine->ncpus * sizeof(*owner));
	struct sp_cut cut;
	bool is_cut = owner && sp_cut_near(machine, c->policy, c->nranks, c->near, owner, &cut) == 0;

	for (uint32_t i = 0; is_cut && i < machine->ncpus; i++)
		if (owner[i] != SP_NOBODY)
			sp_cpus_add(claim, machine->pu[i].cpu);
	free(owner);
	return is_cut && !cut.by_cpu;
}

static bool
claim_within(const struct sp_claiming *c, const struct sp_cpus *cpus, struct sp_cpus *claim)
{
	struct sp_machine *open = sp_machine_restrict(c->machine, cpus);

	*claim = (struct sp_cpus){ 0 };
	bool is_whole = open && claim_of(open, c, claim);

	free(open);
	return is_whole;
}

/*
 * Two jobs on the same cores take twice as long, both of them; so does a job
 * that is left half of its even part of the node.  Less than that is worse than
 * sharing, unless the job announces fewer threads.
 */
static bool
is_fair(const struct sp_claiming *c, const struct sp_cpus *rest)
{
	uint32_t all = sp_machine_cores(c->machine, c->allowed), has = sp_machine_cores(c->machine, rest);
	uint32_t fair = (all + 2 * (c->jobs + 1) - 1) / (2 * (c->jobs + 1));
	uint64_t wanted = (uint64_t)c->nranks * c->threads;

	return has >= (wanted ? sp_smaller(wanted, fair) : fair);
}

void
sp_claim(const struct sp_claiming *c, struct sp_cpus *taken, struct sp_cpus *claim)
{
	struct sp_cpus rest = *c->allowed;

	/* CPUs that the user has named are not exchanged for others. */
	if (c->policy->domain == SP_DOMAIN_LISTS)
		*taken = (struct sp_cpus){ 0 };
	/* A core of which another job has one hardware thread is that job's. */
	sp_machine_fill_cores(c->machine, taken);
	sp_cpus_and(taken, c->allowed);
	sp_cpus_sub(&rest, taken);
	/* Single CPUs would be dealt where a core is not free for each. */
	if (!sp_cpus_empty(taken) && is_fair(c, &rest) && claim_within(c, &rest, claim))
		return;
	*taken = (struct sp_cpus){ 0 };
	claim_within(c, c->allowed, claim);
}

/* The first of n parts; false where it has not so many cores, or cannot be cut. */
static bool
first_part(const struct sp_machine *open, uint32_t n, uint32_t cores, struct sp_cpus *part)
{
	const struct sp_policy plain = { .share = SP_SHARE_EQUAL };
	uint32_t *owner = malloc(open->ncpus * sizeof(*owner));
	bool cut = owner && sp_cut(open, &plain, n, owner, NULL) == 0;

	if (cut)
		sp_cut_share(open, owner, 0, part);
	free(owner);
	return cut && sp_machine_cores(open, part) >= cores;
}

void
sp_claim_part(const struct sp_machine *machine, uint32_t cores, struct sp_cpus *cpus)
{
	struct sp_machine *open = sp_machine_restrict(machine, cpus);
	uint32_t n = open && cores ? sp_machine_cores(open, cpus) / cores : 0;
	struct sp_cpus part;

	/* Parts that keep to packages and NUMA nodes may have fewer cores than an even cut. */
	while (n > 1 && !first_part(open, n, cores, &part))
		n--;
	if (n > 1)
		*cpus = part;
	free(open);
}
