#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "share/membind.h"

struct nodes {
	struct sp_cpus share, hbm;	/* nodes of the share: of ordinary memory, and of high-bandwidth memory beside it */
	struct sp_cpus all, all_hbm;	/* the same for the whole machine */
};

static struct nodes
nodes_of(const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct nodes nodes = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];
		bool is_near = pu->hbm != pu->numa;

		sp_cpus_add(&nodes.all, pu->memory);
		if (is_near)
			sp_cpus_add(&nodes.all_hbm, pu->hbm);
		if (!sp_cpus_has(share, pu->cpu))
			continue;
		sp_cpus_add(&nodes.share, pu->memory);
		if (is_near)
			sp_cpus_add(&nodes.hbm, pu->hbm);
	}
	return nodes;
}

/* Only the first of these sets, which is all that most ranks need. */
static struct sp_cpus
nodes_of_share(const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_cpus nodes = { 0 };
	uint32_t last = SP_NO_CPU;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (pu->memory != last && sp_cpus_has(share, pu->cpu)) {
			last = pu->memory;
			sp_cpus_add(&nodes, last);
		}
	}
	return nodes;
}

static int
check_interleave(const struct nodes *found, const struct sp_cpus *nodes, const char *what, char why[SP_MEMBIND_WHY])
{
	char list[32];

	if (sp_cpus_count(nodes) >= 2)
		return 0;
	if (sp_cpus_count(&found->all) < 2 && sp_cpus_empty(&found->all_hbm))
		snprintf(why, SP_MEMBIND_WHY, "this machine has only one NUMA node with memory");
	else
		snprintf(why, SP_MEMBIND_WHY, "%s lies in one NUMA node (%s), and interleaving needs at least two",
			 what, sp_cpus_format(nodes, list, sizeof(list)));
	return -ENODEV;
}

static int
check_hbm(const struct nodes *found, char why[SP_MEMBIND_WHY])
{
	if (!sp_cpus_empty(&found->hbm))
		return 0;
	snprintf(why, SP_MEMBIND_WHY, !sp_cpus_empty(&found->all_hbm) ?
		 "there is no high-bandwidth memory near this rank's cores" :
		 "this machine has no high-bandwidth memory with NUMA nodes of its own");
	return -ENODEV;
}

static int
check_allowed(const struct sp_cpus *nodes, const struct sp_cpus *allowed, char why[SP_MEMBIND_WHY])
{
	struct sp_cpus missing = *nodes;
	char list[64];

	sp_cpus_sub(&missing, allowed);
	if (sp_cpus_empty(&missing))
		return 0;
	snprintf(why, SP_MEMBIND_WHY, "NUMA node%s %s %s no memory that this job may use",
		 sp_cpus_count(&missing) == 1 ? "" : "s", sp_cpus_format(&missing, list, sizeof(list)),
		 sp_cpus_count(&missing) == 1 ? "has" : "have");
	return -EPERM;
}

int
sp_membind_choose(enum sp_memory policy, const struct sp_machine *machine, const struct sp_cpus *share,
		  const struct sp_cpus *allowed, struct sp_cpus *nodes, char why[SP_MEMBIND_WHY])
{
	struct nodes found = nodes_of(machine, share);
	struct sp_cpus wanted = found.share;
	int error = 0;

	switch (policy) {
	case SP_MEMORY_INTERLEAVE:
	case SP_MEMORY_INTERLEAVE_WEIGHTED:
		error = check_interleave(&found, &wanted, "the share", why);
		break;
	case SP_MEMORY_INTERLEAVE_ALL:
		/* Nodes beside no CPU are a GPU's memory, or CXL memory. */
		wanted = found.all;
		sp_cpus_or(&wanted, &found.all_hbm);
		sp_cpus_and(&wanted, allowed);
		error = check_interleave(&found, &wanted, "the memory that this job may use", why);
		break;
	case SP_MEMORY_HBM:
	case SP_MEMORY_HBM_BIND:
		wanted = found.hbm;
		error = check_hbm(&found, why);
		break;
	case SP_MEMORY_DEFAULT:
	case SP_MEMORY_LOCAL:
		*nodes = wanted;
		return 0;
	case SP_MEMORY_BIND:
	case SP_MEMORY_PREFERRED:
		break;
	}
	if (!error)
		error = check_allowed(&wanted, allowed, why);
	if (!error)
		*nodes = wanted;
	return error;
}

/* The nodes are printed too, so that interleave and interleave:all both print "interleave". */
static void
name_policy(enum sp_memory policy, struct sp_membind *membind)
{
	const char *name = policy == SP_MEMORY_INTERLEAVE_ALL ? "interleave" :
			   policy == SP_MEMORY_INTERLEAVE_WEIGHTED ? "weighted" : sp_config_memory_name(policy);
	bool has_nodes = policy != SP_MEMORY_DEFAULT && policy != SP_MEMORY_LOCAL;
	int n = snprintf(membind->name, sizeof(membind->name), "%s%s", name, has_nodes ? ":" : "");

	if (has_nodes)
		sp_cpus_format(&membind->nodes, membind->name + n, sizeof(membind->name) - (size_t)n);
}

/* Interleave by weights only inside one package: the weights do not consider the link to another package. */
static enum sp_memory
weigh(enum sp_memory policy, const struct sp_machine *machine, const struct sp_cpus *share)
{
	struct sp_near part = sp_machine_part(machine, share);

	return policy == SP_MEMORY_INTERLEAVE && part.package != SP_ANYWHERE ? SP_MEMORY_INTERLEAVE_WEIGHTED : policy;
}

/* Choose the nodes, and set them unless this is a dry run (numa is NULL). */
static int
set(const struct sp_config *config, const struct sp_machine *machine, const struct sp_cpus *share,
    const struct sp_numa *numa, struct sp_membind *membind, char why[SP_MEMBIND_WHY])
{
	struct nodes found = nodes_of(machine, share);
	struct sp_cpus allowed = found.all, nodes;
	int error = 0;

	/* A dry run may be for another machine, all of which is taken as allowed. */
	sp_cpus_or(&allowed, &found.all_hbm);
	if (numa)
		error = numa->allowed(&allowed);
	if (!error) {
		error = sp_membind_choose(config->memory, machine, share, &allowed, &nodes, why);
		if (error)
			return error;
	}
	if (!error && numa)
		error = numa->set(weigh(config->memory, machine, share), &nodes);
	if (error < 0) {
		snprintf(why, SP_MEMBIND_WHY, "%s", error == -ENOSYS ? "this kernel, or the container, has no NUMA policies" : strerror(-error));
		return error;
	}
	membind->nodes = nodes;
	name_policy(error == SP_MEMORY_BY_WEIGHTS ? SP_MEMORY_INTERLEAVE_WEIGHTED : config->memory, membind);
	return 0;
}

/*
 * Whether the policy is of interest: the settings set, move, check or show
 * memory.  Otherwise it is not looked up, since that requires opening
 * libnuma.
 */
static bool
is_of_interest(const struct sp_config *config)
{
	return config->memory != SP_MEMORY_DEFAULT || config->memory_move || config->memory_check ||
	       config->debug || config->report;
}

static int
settle(const struct sp_config *config, const struct sp_machine *machine, const struct sp_cpus *share,
       struct sp_membind *membind, char why[SP_MEMBIND_WHY])
{
	const char *problem = NULL;
	const struct sp_numa *numa = sp_numa_open(&problem);
	int error = 0;

	if (!numa) {
		snprintf(why, SP_MEMBIND_WHY, "%s", problem);
		return config->memory != SP_MEMORY_DEFAULT ? -ELIBACC : 0;
	}
	numa->inherited(membind->name, sizeof(membind->name));
	if (config->memory != SP_MEMORY_DEFAULT)
		error = set(config, machine, share, numa, membind, why);
	if (config->memory_move && !error)
		numa->move();
	membind->is_checked = config->memory_check && sp_numa_maps_read(&membind->before) == 0;
	return error;
}

int
sp_membind_settle(const struct sp_config *config, const struct sp_machine *machine,
		  const struct sp_cpus *share, struct sp_membind *membind, char why[SP_MEMBIND_WHY])
{
	membind->nodes = nodes_of_share(machine, share);
	name_policy(SP_MEMORY_DEFAULT, membind);
	if (config->dry_run)
		return config->memory != SP_MEMORY_DEFAULT ? set(config, machine, share, NULL, membind, why) : 0;
	return is_of_interest(config) ? settle(config, machine, share, membind, why) : 0;
}
