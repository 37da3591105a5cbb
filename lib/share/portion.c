#include "share/portion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "cut/cut.h"
#include "cut/domains.h"
#include "cut/explain.h"
#include "launcher/job.h"
#include "launcher/overcommit.h"
#include "node/beside_gpus.h"
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
narrow_to_need(const struct sp_situation *s, const struct sp_portion *portion, struct sp_shared *shared)
{
	const struct sp_policy *policy = &s->config->policy;

	if (s->is_bound && policy->domain == SP_DOMAIN_AUTO)
		sp_terms_narrow(s->machine, portion->need[portion->rank], s->config->bind, s->on_hardware_threads && !policy->smt, &shared->share);
}

/*
 * The share by the cut that the board's maker made for all ranks of the node.
 * Of a damaged one nothing is taken: what other jobs have, or no CPU at all.
 */
static bool
find_first(const struct sp_sharing *sharing, const struct sp_situation *s, uint32_t rank, struct sp_cpus *share, struct sp_cut *cut)
{
	static struct sp_first_cut asked;	/* used by the one thread that settles; its stack may be small */
	bool is_one_of_all = s->board && sharing->nranks == s->rank->local_size && !sharing->near && s->terms->generation == 1;
	uint32_t *owner = is_one_of_all ? calloc(s->machine->ncpus, sizeof(*owner)) : NULL;
	struct sp_cpus found;

	if (!owner)
		return false;
	asked.cpus = *sharing->cpus;
	asked.policy = *sharing->policy;
	bool is_found = sp_board_first_cut(s->board, &asked, sharing->need, owner, s->machine->ncpus, cut) == 0;
	if (is_found)
		sp_cut_share(s->machine, owner, rank, &found);
	free(owner);
	if (!is_found || sp_cpus_empty(&found) || !sp_cpus_within(&found, sharing->cpus) || sp_cpus_intersect(&found, &s->terms->taken))
		return false;
	*share = found;
	return true;
}

/* machine: the part of the node that the ranks divide. */
static int
cut_machine(const struct sp_situation *s, const struct sp_machine *machine, const struct sp_policy *policy,
	    const struct sp_near near[], const struct sp_portion *portion, const char *cause, struct sp_shared *shared)
{
	const struct sp_sharing sharing = {
		.machine = s->machine, .policy = policy, .bind = s->config->bind, .near = near, .cpus = portion->cpus,
		.nranks = portion->size, .need = portion->need };
	struct sp_cut cut;
	bool is_first = find_first(&sharing, s, portion->rank, &shared->share, &cut);
	int error = is_first ? 0 : sp_terms_share(&sharing, s->terms, portion->rank, &shared->share, &cut);

	if (error)
		return error;
	explain(machine, policy, &cut, portion, cause, shared->why);
	narrow_to_need(s, portion, shared);
	if (!sp_policy_says(policy))
		shared->open = *portion->cpus;
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

/* What asked the launcher for more ranks than CPUs; NULL: nothing. */
static const char *
overcommit_asked(const struct sp_situation *s)
{
	size_t n;

	if (!sp_overcommit_needs_ancestors(s->rank, s->environment))
		return sp_overcommit_asked(s->rank, s->environment, NULL, 0);
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const char *what = sp_overcommit_asked(s->rank, s->environment, ancestor, n);

	sp_ancestors_free(ancestor, n);
	return what;
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

/* More ranks than CPUs: no warning where the launcher was told to allow it. */
static void
refuse(const struct sp_situation *s, const struct sp_policy *policy, const struct sp_machine *machine, uint32_t ranks,
       struct sp_shared *shared)
{
	const char *asked = ranks > machine->ncpus && policy->domain == SP_DOMAIN_AUTO ? overcommit_asked(s) : NULL;

	explain_lack(policy, machine, ranks, shared->why);
	shared->is_expected = asked != NULL;
	if (asked)
		snprintf(shared->why, sizeof(shared->why), "%u ranks share %u CPU%s, which was asked for (%s), so all run as if splitpin were absent",
			 ranks, machine->ncpus, sp_plural(machine->ncpus), asked);
}

/* Nothing is divided, and the kernel balances the threads on all cores. */
static int
share_node(const struct sp_terms *terms, const struct sp_portion *portion, struct sp_shared *shared)
{
	shared->share = *portion->cpus;
	shared->may_be_others = shared->is_node_shared = true;
	if (terms->starter)
		snprintf(shared->why, sizeof(shared->why), "process %d of another job is starting and may pin threads to the same CPUs: the node is shared, and threads are not pinned",
			 (int)terms->starter);
	else
		snprintf(shared->why, sizeof(shared->why), "not enough free cores for all threads: the node is shared, and threads are not pinned");
	return 0;
}

/*
 * The part of the machine that the ranks divide: a portion without the CPUs that
 * other jobs have taken.  made: what the caller is to free; NULL where that part
 * is the whole machine.
 */
static const struct sp_machine *
machine_of(const struct sp_situation *s, const struct sp_portion *portion, struct sp_machine **made)
{
	struct sp_cpus open = *portion->cpus;

	sp_cpus_sub(&open, &s->terms->taken);
	*made = NULL;
	if (sp_machine_is_within(s->machine, &open))
		return s->machine;
	return *made = sp_machine_restrict(s->machine, &open);
}

int
sp_portion_cut(const struct sp_situation *s, const struct sp_portion *portion, const char *cause, struct sp_shared *shared)
{
	struct sp_machine *made;
	const struct sp_machine *machine = machine_of(s, portion, &made);
	struct sp_policy policy = s->config->policy;

	if (!machine)
		return -ENOMEM;
	if (s->terms->how == SP_TERMS_SHARED) {
		free(made);
		return share_node(s->terms, portion, shared);
	}
	/*
	 * If only some of the ranks divide this set, somebody has confined
	 * them: GPUs and lists of CPUs are then ignored.
	 */
	bool all = portion->size == s->rank->local_size;
	if (!all && policy.domain == SP_DOMAIN_LISTS)
		policy.domain = SP_DOMAIN_AUTO;
	bool by_gpu = all && policy.domain == SP_DOMAIN_AUTO;
	struct sp_near *near = by_gpu ? sp_gpus_of_ranks(s, &shared->waited_for_gpus) : NULL;
	int error = cut_machine(s, machine, &policy, near, portion, cause, shared);
	free(near);
	if (!error && portion->rank == 0)
		sp_domain_fault(machine, &policy, portion->size, shared->domain_fault, sizeof(shared->domain_fault));
	if (error == -ENOSPC) {
		shared->is_reporter = portion->rank == 0;
		refuse(s, &policy, machine, portion->size, shared);
		shared->is_expected |= all && sp_job_first_node_has_as_many_cpus(s->rank, s->environment);
	}
	free(made);
	return error;
}
