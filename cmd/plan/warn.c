/* What is wrong with a plan, or was left out of it, on standard error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/plan/warn.h"
#include "cut/domains.h"
#include "cut/explain.h"

/* Reset the settings that leave CPUs out to their defaults. */
static void
reset_reserve(struct sp_policy *policy)
{
	policy->reserve = 0;
	policy->reserved = (struct sp_cpus){ 0 };
}

static void
reset_smt(struct sp_policy *policy)
{
	policy->smt = 0;
}

static void
reset_kinds(struct sp_policy *policy)
{
	policy->kinds = SP_KINDS_AUTO;
}

static void
reset_domain(struct sp_policy *policy)
{
	policy->domain = SP_DOMAIN_AUTO;
	policy->lists = NULL;
}

static const struct {
	const char *name;
	void (*reset)(struct sp_policy *policy);
} settings[] = {
	{ "SPLITPIN_RESERVE", reset_reserve }, { "SPLITPIN_SMT", reset_smt },
	{ "SPLITPIN_KINDS", reset_kinds }, { "SPLITPIN_DOMAIN", reset_domain },
};

#define NSETTINGS (sizeof(settings) / sizeof(settings[0]))

static bool
has_room(const struct plan *plan, const struct sp_policy *policy, uint32_t nranks, uint32_t owner[])
{
	return sp_cut(plan->machine, policy, nranks, owner, NULL) != -ENOSPC;
}

/* The one setting without which the ranks have room; "the settings": several together; NULL: there are too few CPUs. */
static const char *
find_blame(const struct plan *plan, uint32_t owner[])
{
	struct sp_policy none = plan->config.policy;

	for (size_t i = 0; i < NSETTINGS; i++) {
		struct sp_policy other = plan->config.policy;

		settings[i].reset(&other);
		settings[i].reset(&none);
		if (has_room(plan, &other, plan->nranks, owner))
			return settings[i].name;
	}
	return has_room(plan, &none, plan->nranks, owner) ? "the settings" : NULL;
}

void
plan_tell_ranks(const struct plan *plan)
{
	char sentence[SP_TEXT_MAX];

	if (sp_domain_fault(plan->machine, &plan->config.policy, plan->nranks, sentence, sizeof(sentence))) {
		cmd_complain("SPLITPIN_DOMAIN: %s", sentence);
		return;
	}
	uint32_t *owner = cmd_allocate(plan->machine->ncpus, sizeof(*owner)), most = plan->nranks;
	const char *blame = find_blame(plan, owner);
	const char *verb = blame && strcmp(blame, "the settings") == 0 ? "leave" : "leaves";

	while (--most && !has_room(plan, &plan->config.policy, most, owner))
		;
	free(owner);
	if (most == 0)
		cmd_complain("%s %s no CPU for any rank: reserve fewer", blame ? blame : "the settings", blame ? verb : "leave");
	else if (blame)
		cmd_complain("-n %u: %s %s room for %u rank%s", plan->nranks, blame, verb, most, sp_plural(most));
	else
		cmd_complain("-n %u: more ranks than CPUs; this machine has room for %u with these settings", plan->nranks, most);
}

/* In the words of the run's own warning. */
static void
warn_of_threads(const struct plan *plan)
{
	uint32_t n = 0, first = 0, cpus = 0, threads = 0;

	for (uint32_t number = 0; number < plan->nranks; number++) {
		uint32_t announced = plan_threads(plan, number);
		struct sp_cpus share;

		plan_share(plan, number, &share);
		if (announced <= sp_cpus_count(&share))
			continue;
		if (n++ == 0) {
			first = number;
			threads = announced;
			cpus = sp_cpus_count(&share);
		}
	}
	if (n)
		cmd_complain("warning: %u rank%s more threads than CPUs: rank %u has %u CPU%s for %u threads", n, n == 1 ? " has" : "s have",
			     first, cpus, sp_plural(cpus), threads);
}

/* The plan shows shares that splitpin cuts of the whole machine: a binding on the line may narrow them. */
static void
warn_of_unread(const struct target_job *job)
{
	if (job->unread)
		cmd_complain("warning: a plan reads ranks, threads and variables of a line, and not %s; splitpin check measures what they do", job->unread);
}

void
plan_warn(const struct plan *plan)
{
	char sentence[SP_TEXT_MAX];

	/* CPUs that are not there are no mistake where nodes differ, unless there is none. */
	if (sp_reserved_fault(plan->machine, &plan->config.policy, sentence, sizeof(sentence)))
		cmd_complain("warning: %s", sentence);
	if (sp_domain_fault(plan->machine, &plan->config.policy, plan->nranks, sentence, sizeof(sentence)))
		cmd_complain("warning: SPLITPIN_DOMAIN: %s", sentence);
	if (plan->smt_there)
		cmd_complain("warning: SPLITPIN_SMT: the cores of %s have at most %u hardware thread%s: all are used", plan->name,
			     plan->smt_there, sp_plural(plan->smt_there));
	if (plan->gpus && strcmp(plan->gpus, "all") == 0 && !plan->machine->gpus.n)
		cmd_complain("warning: --gpus all: %s has no GPU", plan->name);
	if (plan->nbeside && plan->config.neighbours != SP_NEIGHBOURS_AVOID)
		cmd_complain("warning: SPLITPIN_NEIGHBOURS=ignore: a run leaves nothing to the jobs of --beside");
	if (plan->terms.how != SP_TERMS_SHARED)
		warn_of_threads(plan);
	if (plan->job)
		warn_of_unread(plan->job);
}
