#include "cut/explain.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "cut/domains.h"

static bool
has_devices(const struct sp_machine *machine)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].devices)
			return true;
	return false;
}

/* Writes "2", "1 or 2", "1 to 3". */
static void
say_range(struct sp_text *s, uint32_t least, uint32_t most)
{
	if (most > least) {
		sp_text_put_number(s, least);
		sp_text_put(s, most == least + 1 ? " or " : " to ");
	}
	sp_text_put_number(s, most);
}

/* Each rank reads this, so without formats, which take ten times as long. */
static void
say_size(struct sp_text *s, uint32_t nranks, const struct sp_cut *cut)
{
	const char *unit = cut->splits_cores ? "CPU" : "core";
	uint32_t largest = cut->by_need ? cut->largest : cut->units;

	sp_text_put_number(s, nranks);
	sp_text_put(s, nranks == 1 ? " rank with " : " ranks with ");
	say_range(s, cut->units, largest);
	sp_text_put(s, " ");
	sp_text_put(s, unit);
	sp_text_put(s, sp_plural(largest));
	sp_text_put(s, nranks == 1 ? "" : " each");
	if (cut->by_need)
		sp_text_add(s, ", by the threads that %s", nranks == 1 ? "it announces" : "they announce");
	if (cut->idle)
		sp_text_add(s, ", %u %s%s left free", cut->idle, unit, sp_plural(cut->idle));
	if (cut->splits_cores)
		sp_text_add(s, "; neighbouring ranks may divide a core, so that each thread has a CPU");
}

/* Writes "4 ranks, 1 per NUMA node, with 16 to 18 cores each". */
static void
say_domain(struct sp_text *s, const struct sp_policy *policy, uint32_t nranks, const struct sp_cut *cut)
{
	const struct sp_dealt *dealt = &cut->dealt;
	const char *unit = cut->by_cpu ? "CPU" : "core";

	sp_text_add(s, "%u rank%s, ", nranks, sp_plural(nranks));
	if (policy->domain == SP_DOMAIN_LISTS) {
		sp_text_add(s, "the CPUs of one list per rank");
	} else {
		say_range(s, dealt->fewest, dealt->most);
		sp_text_add(s, " per %s", sp_domain_object(policy->domain));
	}
	sp_text_add(s, ", with ");
	say_range(s, cut->units, dealt->largest);
	sp_text_add(s, " %s%s%s", unit, sp_plural(dealt->largest), nranks == 1 ? "" : " each");
	if (cut->idle)
		sp_text_add(s, ", %u %s%s left free", cut->idle, unit, sp_plural(cut->idle));
	sp_text_add(s, " (SPLITPIN_DOMAIN)");
}

static void
say_crowd(struct sp_text *s, uint32_t nranks, const struct sp_cut *cut)
{
	const struct sp_crowd *crowd = &cut->crowd;

	sp_text_add(s, "%u ranks on %u core%s: ", nranks, crowd->cores, sp_plural(crowd->cores));
	say_range(s, crowd->fewest, crowd->most);
	sp_text_add(s, " ranks per core, each with ");
	say_range(s, cut->units, crowd->largest);
	if (crowd->threads)
		sp_text_add(s, " of its %u hardware threads", crowd->threads);
	else
		sp_text_add(s, " of its hardware threads");
	if (cut->idle)
		sp_text_add(s, ", %u left free", cut->idle);
}

static void
say_rule(struct sp_text *s, const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cut *cut)
{
	if (!policy->cores && !cut->by_need && cut->units < cut->fair && !cut->beside && !cut->foreign && !has_devices(machine))
		sp_text_add(s, "; %u core%s fewer than an even cut, so that ranks keep to whole packages, NUMA nodes or L3 groups",
			    cut->fair - cut->units, sp_plural(cut->fair - cut->units));
	/* Spread cores, and cores left over, may lie anywhere. */
	if (cut->crossing && !policy->cores && !cut->by_need && policy->share == SP_SHARE_EQUAL)
		sp_text_add(s, "; %u rank%s cross%s into another NUMA node or L3 group, because staying inside would cost some rank more than an eighth of its cores",
			    cut->crossing, sp_plural(cut->crossing), cut->crossing == 1 ? "es" : "");
}

static void
say_kinds(struct sp_text *s, const struct sp_policy *policy, const struct sp_cut *cut)
{
	static const char *const what[] = {
		[SP_KINDS_AUTO] = "fast and slow cores are dealt separately, so that shares are alike (SPLITPIN_KINDS=auto)",
		[SP_KINDS_PERFORMANCE] = "fast cores only (SPLITPIN_KINDS=performance)",
		[SP_KINDS_EFFICIENCY] = "slow cores only (SPLITPIN_KINDS=efficiency)",
		[SP_KINDS_ALL] = "fast and slow cores are dealt as if they were alike (SPLITPIN_KINDS=all)",
	};

	if (cut->by_cpu && policy->kinds == SP_KINDS_AUTO)
		sp_text_add(s, "; neither fast nor slow cores are enough for all ranks, so both are used (SPLITPIN_KINDS=auto)");
	else if (cut->all_kinds)
		sp_text_add(s, "; too few cores are fast for all, so fast ones are used first, then slow ones (SPLITPIN_KINDS=auto)");
	else
		sp_text_add(s, "; %s", what[policy->kinds]);
}

static void
say_speeds(struct sp_text *s, const struct sp_policy *policy)
{
	static const char *const what[] = {
		[SP_KINDS_AUTO] = "some cores have a higher top speed, which placement ignores (SPLITPIN_KINDS=auto)",
		[SP_KINDS_PERFORMANCE] = "only the cores with the highest top speed (SPLITPIN_KINDS=performance)",
		[SP_KINDS_EFFICIENCY] = "only the cores with the lowest top speed (SPLITPIN_KINDS=efficiency)",
		[SP_KINDS_ALL] = "some cores have a higher top speed, which placement ignores (SPLITPIN_KINDS=all)",
	};

	sp_text_add(s, "; %s", what[policy->kinds]);
}

/* A list as SPLITPIN_RESERVE takes it, where a single number is one of cores: CPU 5 alone is 5-5. */
static char *
reserve_text(const struct sp_cpus *cpus, char text[SP_CPUS_TEXT])
{
	uint32_t first = sp_cpus_next(cpus, 0);

	if (sp_cpus_count(cpus) != 1)
		return sp_cpus_format(cpus, text, SP_CPUS_TEXT);
	snprintf(text, SP_CPUS_TEXT, "%u-%u", first, first);
	return text;
}

bool
sp_reserved_fault(const struct sp_machine *machine, const struct sp_policy *policy, char *sentence, size_t size)
{
	char reserved[SP_CPUS_TEXT], list[SP_CPUS_TEXT];
	struct sp_cpus here;

	sp_machine_cpus(machine, &here);
	if (sp_cpus_empty(&policy->reserved) || sp_cpus_intersect(&policy->reserved, &here))
		return false;
	snprintf(sentence, size, "SPLITPIN_RESERVE=%s reserves nothing: the CPUs here are %s",
		 reserve_text(&policy->reserved, reserved), sp_cpus_format(&here, list, sizeof(list)));
	return true;
}

static void
say_reserved(struct sp_text *s, const struct sp_machine *machine, const struct sp_policy *policy)
{
	char reserved[SP_CPUS_TEXT], list[SP_CPUS_TEXT];
	struct sp_cpus here;

	if (policy->reserve)
		sp_text_add(s, "; %u core%s of each NUMA node kept for the system (SPLITPIN_RESERVE=%u)",
			    policy->reserve, sp_plural(policy->reserve), policy->reserve);
	sp_machine_cpus(machine, &here);
	sp_cpus_and(&here, &policy->reserved);
	if (!sp_cpus_empty(&here))
		sp_text_add(s, "; CPU%s %s kept for the system (SPLITPIN_RESERVE=%s)", sp_plural(sp_cpus_count(&here)),
			    sp_cpus_format(&here, list, sizeof(list)), reserve_text(&policy->reserved, reserved));
}

static void
say_cores(struct sp_text *s, const struct sp_policy *policy, const struct sp_cut *cut)
{
	if (cut->by_cpu)
		sp_text_add(s, "; SPLITPIN_CORES=%u does not apply, since there are fewer cores than ranks", policy->cores);
	else
		sp_text_add(s, "; at most %u core%s each, spread evenly over its part (SPLITPIN_CORES=%u)",
			    policy->cores, sp_plural(policy->cores), policy->cores);
}

static void
say_devices(struct sp_text *s, const struct sp_machine *machine, const struct sp_policy *policy, const struct sp_cut *cut)
{
	bool asked = policy->devices != SP_DEVICES_AUTO;

	if (policy->domain != SP_DOMAIN_AUTO) {
		if (cut->foreign)
			sp_text_add(s, "; %u rank%s not beside %s GPUs", cut->foreign, cut->foreign == 1 ? " is" : "s are",
				    cut->foreign == 1 ? "its" : "their");
		return;
	}
	if (cut->by_cpu && asked)
		sp_text_add(s, "; SPLITPIN_DEVICES does not apply, since all cores are used");
	else if (cut->foreign)
		sp_text_add(s, "; %u rank%s not beside %s GPUs, where there are too few cores", cut->foreign,
			    cut->foreign == 1 ? " is" : "s are", cut->foreign == 1 ? "its" : "their");
	else if (cut->beside)
		sp_text_add(s, "; each rank is beside its GPUs (SPLITPIN_DEVICES)");
	else if (has_devices(machine))
		sp_text_add(s, "; ranks go to NUMA nodes by the devices near them (SPLITPIN_DEVICES)");
	else if (asked && !cut->by_cpu)
		sp_text_add(s, "; no device is nearer to one NUMA node than to another (SPLITPIN_DEVICES)");
}

static void
say_smt(struct sp_text *s, const struct sp_machine *machine, uint32_t smt)
{
	uint32_t most = sp_machine_threads_of_core(machine);

	if (smt > most)
		sp_text_add(s, "; cores have %u hardware thread%s (SPLITPIN_SMT=%u)", most, sp_plural(most), smt);
	else
		sp_text_add(s, "; %u hardware thread%s of each core (SPLITPIN_SMT=%u)", smt, sp_plural(smt), smt);
}

static void
say_settings(struct sp_text *s, const struct sp_machine *machine, const struct sp_policy *policy,
	     const struct sp_cut *cut)
{
	if (policy->share == SP_SHARE_ALL)
		sp_text_add(s, "; what is left over is given out too (SPLITPIN_CORES=all)");
	if (policy->cores)
		say_cores(s, policy, cut);
	if (policy->smt)
		say_smt(s, machine, policy->smt);
	say_reserved(s, machine, policy);
	if (sp_machine_has_kinds(machine))
		say_kinds(s, policy, cut);
	else if (sp_machine_has_speeds(machine))
		say_speeds(s, policy);
	if (policy->devices != SP_DEVICES_OFF)
		say_devices(s, machine, policy, cut);
	if (policy->distribution == SP_CYCLIC && !cut->beside && !(cut->by_need && cut->units != cut->largest))
		sp_text_add(s, "; ranks are dealt round-robin to the NUMA nodes (SPLITPIN_DISTRIBUTION=cyclic)");
}

char *
sp_explain_cut(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	       const struct sp_cut *cut, char *text, size_t size)
{
	struct sp_text s = sp_text_begin(text, size);

	if (policy->domain == SP_DOMAIN_LISTS) {
		say_domain(&s, policy, nranks, cut);
		return text;
	}
	if (policy->domain != SP_DOMAIN_AUTO) {
		say_domain(&s, policy, nranks, cut);
	} else if (cut->by_cpu) {
		say_crowd(&s, nranks, cut);
	} else {
		say_size(&s, nranks, cut);
		if (!cut->splits_cores)
			say_rule(&s, machine, policy, cut);
	}
	say_settings(&s, machine, policy, cut);
	return text;
}

/* The share of a rank. */

struct extent {			/* what a share touches */
	struct sp_cpus cores, nodes, packages;
	uint32_t l3s, kinds[2];	/* L3 groups; cores of kind 0, cores of faster kinds */
	uint32_t fast;		/* cores whose top speed is not the lowest of their kind */
};

static void
measure(const struct sp_machine *machine, const struct sp_cpus *share, struct extent *e)
{
	const struct sp_pu *last = NULL;

	*e = (struct extent){ .l3s = 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (!sp_cpus_has(share, pu->cpu))
			continue;
		if (!last || last->core != pu->core) {
			e->kinds[pu->kind > 0]++;
			e->fast += pu->speed > 0;
		}
		if (!last || last->l3 != pu->l3)
			e->l3s++;
		sp_cpus_add(&e->cores, pu->core);
		if (pu->numa != SP_NO_NODE)
			sp_cpus_add(&e->nodes, pu->numa);
		sp_cpus_add(&e->packages, pu->package);
		last = pu;
	}
}

/* A share inside one core: how many ranks share the core, and how much of it this rank has. */
static void
say_part(struct sp_text *s, const struct sp_machine *machine, const uint32_t owner[], uint32_t rank,
	 uint32_t core)
{
	uint32_t ranks = 0, last = SP_NOBODY, threads = 0, own = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (machine->pu[i].core != core)
			continue;
		threads++;
		own += owner[i] == rank;
		ranks += owner[i] != SP_NOBODY && owner[i] != last;
		last = owner[i];
	}
	if (ranks > 1)
		sp_text_add(s, ", shared by %u ranks", ranks);
	if (own < threads)
		sp_text_add(s, ": %u of its %u hardware threads", own, threads);
}

char *
sp_explain_share(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank,
		 char *text, size_t size)
{
	struct sp_text s = sp_text_begin(text, size);
	struct sp_cpus share;
	struct extent e;
	char cores[160], nodes[64];

	sp_cut_share(machine, owner, rank, &share);
	measure(machine, &share, &e);

	uint32_t nnodes = sp_cpus_count(&e.nodes), packages = sp_cpus_count(&e.packages);

	sp_text_add(&s, "core%s %s of %sNUMA node%s%s%s", sp_plural(sp_cpus_count(&e.cores)),
		    sp_cpus_format(&e.cores, cores, sizeof(cores)), nnodes ? "" : "no ", nnodes ? sp_plural(nnodes) : "", nnodes ? " " : "",
		    sp_cpus_format(&e.nodes, nodes, sizeof(nodes)));
	if (sp_machine_has_kinds(machine))
		sp_text_add(&s, ", %u fast and %u slow", e.kinds[1], e.kinds[0]);
	else if (sp_machine_has_speeds(machine))
		sp_text_add(&s, ", %u with a higher top speed", e.fast);
	if (packages > 1)
		sp_text_add(&s, ", across %u packages", packages);
	else if (e.l3s > (nnodes ? nnodes : 1))
		sp_text_add(&s, ", %u L3 groups", e.l3s);
	if (sp_cpus_count(&e.cores) == 1)
		say_part(&s, machine, owner, rank, sp_cpus_next(&e.cores, 0));
	return text;
}
