/* Why a share, and why a slot. */
#include "cut/explain.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A text that grows until its room is full. */
struct sentence {
	char *text;
	size_t size, length;
};

static struct sentence
begin(char *text, size_t size)
{
	if (size)
		text[0] = '\0';
	return (struct sentence){ text, size, 0 };
}

static void __attribute__((format(printf, 2, 3)))
say(struct sentence *s, const char *format, ...)
{
	va_list arguments;

	if (s->length + 1 >= s->size)
		return;
	va_start(arguments, format);
	int n = vsnprintf(s->text + s->length, s->size - s->length, format, arguments);
	va_end(arguments);
	if (n > 0)
		s->length += (size_t)n;
	if (s->length >= s->size)
		s->length = s->size - 1;
}

static const char *
plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* The cut. */

static bool
has_kinds(const struct sp_machine *machine)
{
	for (uint32_t i = 1; i < machine->ncpus; i++)
		if (machine->place[i].kind != machine->place[0].kind)
			return true;
	return false;
}

static bool
has_devices(const struct sp_machine *machine)
{
	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->place[i].devices)
			return true;
	return false;
}

static void
say_size(struct sentence *s, uint32_t nranks, const struct sp_cut *cut)
{
	const char *unit = cut->by_cpu ? "CPU" : "core";

	say(s, "%u rank%s with %u %s%s%s", nranks, plural(nranks), cut->units, unit, plural(cut->units),
	    nranks == 1 ? "" : " each");
	if (cut->idle)
		say(s, ", %u %s%s left free", cut->idle, unit, plural(cut->idle));
	if (cut->by_cpu)
		say(s, "; there are more ranks than cores, so single CPUs are dealt");
}

static void
say_rule(struct sentence *s, const struct sp_policy *policy, const struct sp_cut *cut)
{
	const char *unit = cut->by_cpu ? "CPU" : "core";

	if (!policy->cores && cut->units < cut->fair && policy->devices == SP_DEVICES_OFF)
		say(s, "; %u %s%s fewer than an even cut, so that ranks keep to whole packages, NUMA nodes or L3 groups",
		    cut->fair - cut->units, unit, plural(cut->fair - cut->units));
	/* Spread cores, and those left over, may lie anywhere. */
	if (cut->crossing && !policy->cores && policy->share == SP_SHARE_EQUAL)
		say(s, "; %u rank%s cross%s into another NUMA node or L3 group, because staying inside would cost some rank more than an eighth of its %ss",
		    cut->crossing, plural(cut->crossing), cut->crossing == 1 ? "es" : "", unit);
}

static void
say_kinds(struct sentence *s, const struct sp_policy *policy)
{
	static const char *const what[] = {
		[SP_KINDS_AUTO] = "fast and slow cores are dealt separately, so that shares are alike (SPLITPIN_KINDS=auto)",
		[SP_KINDS_PERFORMANCE] = "fast cores alone (SPLITPIN_KINDS=performance)",
		[SP_KINDS_EFFICIENCY] = "slow cores alone (SPLITPIN_KINDS=efficiency)",
		[SP_KINDS_ALL] = "fast and slow cores are dealt as if they were alike (SPLITPIN_KINDS=all)",
	};

	say(s, "; %s", what[policy->kinds]);
}

static void
say_reserved(struct sentence *s, const struct sp_policy *policy)
{
	char list[128];

	if (policy->reserve)
		say(s, "; %u core%s of each NUMA node kept for the system (SPLITPIN_RESERVE=%u)",
		    policy->reserve, plural(policy->reserve), policy->reserve);
	if (!sp_cpus_empty(&policy->reserved)) {
		sp_cpus_format(&policy->reserved, list, sizeof(list));
		say(s, "; CPUs %s kept for the system (SPLITPIN_RESERVE=%s)", list, list);
	}
}

static void
say_settings(struct sentence *s, const struct sp_machine *machine, const struct sp_policy *policy)
{
	if (policy->share == SP_SHARE_ALL)
		say(s, "; what is left over is dealt out (SPLITPIN_SHARE=all)");
	if (policy->cores)
		say(s, "; at most %u core%s each, spread evenly over its part (SPLITPIN_CORES=%u)",
		    policy->cores, plural(policy->cores), policy->cores);
	if (policy->smt)
		say(s, "; %u hardware thread%s of each core (SPLITPIN_SMT=%u)",
		    policy->smt, plural(policy->smt), policy->smt);
	say_reserved(s, policy);
	if (has_kinds(machine))
		say_kinds(s, policy);
	if (policy->devices != SP_DEVICES_OFF)
		say(s, has_devices(machine) ? "; ranks go to NUMA nodes by the devices near them (SPLITPIN_DEVICES)" :
					      "; no device is nearer to one NUMA node than to another (SPLITPIN_DEVICES)");
	if (policy->distribution == SP_CYCLIC)
		say(s, "; ranks are dealt round the NUMA nodes (SPLITPIN_DISTRIBUTION=cyclic)");
}

char *
sp_explain_cut(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
	       const struct sp_cut *cut, char *text, size_t size)
{
	struct sentence s = begin(text, size);

	say_size(&s, nranks, cut);
	say_rule(&s, policy, cut);
	say_settings(&s, machine, policy);
	return text;
}

/* The share of a rank. */

struct extent {			/* what a share touches */
	struct sp_cpus cores, nodes, packages;
	uint32_t l3s, kinds[2];	/* L3 groups; cores of kind 0, and of faster ones */
};

static void
measure(const struct sp_machine *machine, const struct sp_cpus *share, struct extent *e)
{
	const struct sp_place *last = NULL;

	*e = (struct extent){ .l3s = 0 };
	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_place *place = &machine->place[i];

		if (!sp_cpus_has(share, place->cpu))
			continue;
		if (!last || last->core != place->core)
			e->kinds[place->kind > 0]++;
		if (!last || last->l3 != place->l3)
			e->l3s++;
		sp_cpus_add(&e->cores, place->core);
		sp_cpus_add(&e->nodes, place->numa);
		sp_cpus_add(&e->packages, place->package);
		last = place;
	}
}

char *
sp_explain_share(const struct sp_machine *machine, const struct sp_cpus *share, char *text, size_t size)
{
	struct sentence s = begin(text, size);
	struct extent e;
	char cores[160], nodes[64];

	measure(machine, share, &e);

	uint32_t nnodes = sp_cpus_count(&e.nodes), packages = sp_cpus_count(&e.packages);

	say(&s, "core%s %s of NUMA node%s %s", plural(sp_cpus_count(&e.cores)),
	    sp_cpus_format(&e.cores, cores, sizeof(cores)), plural(nnodes),
	    sp_cpus_format(&e.nodes, nodes, sizeof(nodes)));
	if (has_kinds(machine))
		say(&s, ", %u fast and %u slow", e.kinds[1], e.kinds[0]);
	if (packages > 1)
		say(&s, ", across %u packages", packages);
	else if (e.l3s > 1 && e.l3s > nnodes)
		say(&s, ", %u L3 groups", e.l3s);
	return text;
}

/* Slots. */

static void
say_how(struct sentence *s, const struct sp_slot_facts *f)
{
	if (f->team > f->ncpus)
		say(s, ": %u on this core, more threads than CPUs", f->on_core);
	else if (f->on_core > 1)
		say(s, ": %u on this core, each on a CPU of its own, %s", f->on_core,
		    f->in_turn ? "after each core had one" : "neighbours together");
	else if (f->team > f->ncores)
		say(s, ": alone on this core");
	else if (f->team == f->ncores)
		say(s, ": one a core");
	else
		say(s, f->bind == SP_CLOSE ? ": one a core, on the first ones (SPLITPIN_BIND=close)" :
					     ": one a core, spread evenly");
}

char *
sp_explain_slot(const struct sp_slot_facts *f, char *text, size_t size)
{
	struct sentence s = begin(text, size);

	if (f->bind == SP_NO_BIND) {
		say(&s, "not pinned: may use the whole share (SPLITPIN_BIND=none)");
		return text;
	}
	say(&s, "%u thread%s on %u core%s", f->team, plural(f->team), f->ncores, plural(f->ncores));
	say_how(&s, f);
	if (f->makeshift)
		say(&s, "; its own place was taken, and this core had the fewest threads");
	if (f->granularity == SP_BY_CORE)
		say(&s, "; it may use all CPUs of the core (SPLITPIN_GRANULARITY=core)");
	else if (f->granularity == SP_BY_THREAD)
		say(&s, "; it has one CPU of the core (SPLITPIN_GRANULARITY=thread)");
	else if (f->whole && f->core_cpus > 1)
		say(&s, ", with all %u CPUs of it", f->core_cpus);
	return text;
}
