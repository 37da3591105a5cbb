#include "decide/portion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cut/domains.h"
#include "cut/explain.h"
#include "decide/terms.h"

static void
explain(const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cut *cut,
	const struct sp_portion *portion, const char *cause, char why[SP_WHY])
{
	char sentence[SP_TEXT_MAX];

	struct sp_text text = sp_text_begin(why, SP_WHY);
	sp_text_put(&text, cause);
	sp_text_put(&text, ": ");
	sp_text_put(&text, sp_explain_cut(machine, policy, portion->size, cut, sentence, sizeof(sentence)));
}

/* A runtime that binds its threads itself may do so to any CPU of the share: keep no more of it than the threads need. */
static void
narrow_to_need(const struct sp_view *v, const struct sp_portion *portion, struct sp_rank_share *share)
{
	if (v->is_bound && v->policy->domain == SP_DOMAIN_AUTO)
		sp_terms_narrow(v->machine, portion->need[portion->rank], v->bind, v->on_hardware_threads && !v->policy->smt, &share->cpus);
}

/* The share by a cut for all.  Of a damaged one nothing is taken: what other jobs have, or no CPU at all. */
static bool
find_owned(const struct sp_view *v, const struct sp_portion *portion, struct sp_cpus *share)
{
	struct sp_cpus found;

	if (!portion->owner)
		return false;
	sp_cut_share(v->machine, portion->owner, portion->rank, &found);
	if (sp_cpus_empty(&found) || !sp_cpus_within(&found, portion->cpus) || sp_cpus_intersect(&found, &portion->terms->taken))
		return false;
	*share = found;
	return true;
}

static bool
is_known(uint32_t need)
{
	return need && need != SP_NEED_FIXED;
}

bool
sp_portion_is_uneven(const struct sp_view *v, const struct sp_portion *portion, const struct sp_cut *cut, const struct sp_cpus *share)
{
	struct sp_cpus divided = *portion->cpus;
	const uint32_t threads = portion->need[portion->rank];
	uint64_t of_all = 0, unknown = 0, fuller, mean;

	if (sp_policy_says(v->policy))
		return false;
	for (uint32_t rank = 0; rank < portion->size; rank++)
		if (is_known(portion->need[rank]))
			of_all += portion->need[rank];
		else
			unknown++;
	if (!is_known(threads))
		return unknown == portion->size && portion->terms->how == SP_TERMS_BESIDE && (cut->idle || cut->units < cut->largest);
	sp_cpus_sub(&divided, &portion->terms->taken);
	/* Ranks that announce nothing are taken for such as this one. */
	fuller = (uint64_t)threads * sp_machine_cores(v->machine, &divided);
	mean = (of_all + unknown * threads) * sp_machine_cores(v->machine, share);
	return fuller > mean && (fuller - mean) * 32 > mean;
}

/* machine: the part of the node that the ranks divide. */
static int
cut_machine(const struct sp_view *v, const struct sp_machine *machine, const struct sp_portion *portion, const char *cause,
	    struct sp_rank_share *share)
{
	const struct sp_group group = { .cpus = portion->cpus, .nranks = portion->size, .need = portion->need };
	struct sp_cut own;
	bool is_owned = find_owned(v, portion, &share->cpus);
	int error = is_owned ? 0 : sp_terms_share(v, &group, portion->terms, portion->rank, &share->cpus, &own);

	if (error)
		return error;
	const struct sp_cut *figures = is_owned ? portion->cut : &own;
	explain(machine, v->policy, figures, portion, cause, share->why);
	share->is_uneven = sp_portion_is_uneven(v, portion, figures, &share->cpus);
	narrow_to_need(v, portion, share);
	if (!sp_policy_says(v->policy))
		share->open = *portion->cpus;
	return 0;
}

/* A setting that withholds CPUs from the ranks; of several, the first of them. */
struct lack {
	const char *setting, *remedy;
};

static struct lack
lack_of(const struct sp_policy *policy)
{
	if (policy->reserve || !sp_cpus_empty(&policy->reserved))
		return (struct lack){ "SPLITPIN_RESERVE", "reserve less" };
	if (policy->domain != SP_DOMAIN_AUTO)
		return (struct lack){ "SPLITPIN_DOMAIN", "choose larger objects" };
	if (policy->smt)
		return (struct lack){ "SPLITPIN_SMT", "use more hardware threads of each core" };
	return (struct lack){ "SPLITPIN_KINDS", "allow all kinds of cores" };
}

/* The CPUs that a policy leaves to the ranks, of which there are too many: the largest number of ranks that sp_cut accepts, found by bisection. */
static uint32_t
count_left(const struct sp_policy *policy, const struct sp_machine *machine, uint32_t ranks)
{
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner)), enough = 0, many = ranks;

	while (owner && many - enough > 1) {
		uint32_t middle = enough + (many - enough) / 2;

		if (sp_cut(machine, policy, middle, owner, NULL) == 0)
			enough = middle;
		else
			many = middle;
	}
	free(owner);
	return enough;
}

/* If there would be a CPU for each rank, name the setting that withholds CPUs. */
static void
explain_lack(const struct sp_policy *policy, const struct sp_machine *machine, uint32_t ranks, char why[SP_WHY])
{
	const struct lack lack = lack_of(policy);
	uint32_t cpus = machine->ncpus;
	char fault[96];		/* a longer one is cut */

	if (sp_domain_fault(machine, policy, ranks, fault, sizeof(fault))) {
		snprintf(why, SP_WHY, "SPLITPIN_DOMAIN does not fit this job (%s), so all ranks run as if splitpin were absent; give each rank its own CPU list", fault);
	} else if (ranks > cpus) {
		snprintf(why, SP_WHY,
			 "%u ranks share %u CPU%s, too few for one each, so all run as if splitpin were absent; start fewer ranks on this node, or ask for more CPUs",
			 ranks, cpus, sp_plural(cpus));
	} else {
		uint32_t left = count_left(policy, machine, ranks);

		snprintf(why, SP_WHY,
			 "%s leaves %u CPU%s for %u rank%s, so all run as if splitpin were absent; %s, or start fewer ranks on this node",
			 lack.setting, left, sp_plural(left), ranks, sp_plural(ranks), lack.remedy);
	}
}

/* Nothing is divided, and the kernel balances the threads on all cores. */
static int
share_node(const struct sp_view *v, const struct sp_portion *portion, struct sp_rank_share *share)
{
	share->cpus = *portion->cpus;
	share->may_be_others = share->is_node_shared = true;
	if (portion->terms->starter)
		snprintf(share->why, sizeof(share->why), "process %d of another job is starting and may pin threads to the same CPUs: the node is shared, and threads are not pinned",
			 (int)portion->terms->starter);
	else
		snprintf(share->why, sizeof(share->why), "not enough free cores for all threads: the node is shared, and threads are not pinned%s",
			 v->is_bound ? " by splitpin" : "");
	return 0;
}

/*
 * The part of the machine that the ranks divide: a portion without the CPUs that
 * other jobs have taken.  made: what the caller is to free; NULL where that part
 * is the whole machine.
 */
static const struct sp_machine *
machine_of(const struct sp_view *v, const struct sp_portion *portion, struct sp_machine **made)
{
	struct sp_cpus open = *portion->cpus;

	sp_cpus_sub(&open, &portion->terms->taken);
	*made = NULL;
	if (sp_machine_is_within(v->machine, &open))
		return v->machine;
	return *made = sp_machine_restrict(v->machine, &open);
}

bool
sp_portion_is_near_gpus(const struct sp_view *v, const struct sp_portion *portion)
{
	return portion->size == v->nranks && v->policy->domain == SP_DOMAIN_AUTO && portion->terms->how != SP_TERMS_SHARED;
}

int
sp_portion_cut(const struct sp_view *v, const struct sp_portion *portion, const char *cause, struct sp_rank_share *share)
{
	struct sp_policy policy = *v->policy;
	struct sp_view view = *v;
	struct sp_machine *made;

	if (portion->terms->how == SP_TERMS_SHARED)
		return share_node(v, portion, share);
	const struct sp_machine *machine = machine_of(v, portion, &made);
	if (!machine)
		return -ENOMEM;
	if (portion->size != v->nranks && policy.domain == SP_DOMAIN_LISTS)
		policy.domain = SP_DOMAIN_AUTO;
	view.policy = &policy;
	int error = cut_machine(&view, machine, portion, cause, share);
	if (!error && portion->rank == 0)
		sp_domain_fault(machine, &policy, portion->size, share->domain_fault, sizeof(share->domain_fault));
	if (error == -ENOSPC) {
		share->is_reporter = portion->rank == 0;
		share->too_few = portion->size > machine->ncpus && policy.domain == SP_DOMAIN_AUTO ? machine->ncpus : 0;
		explain_lack(&policy, machine, portion->size, share->why);
	}
	free(made);
	return error;
}
