/* Domains: whole objects, or lists of CPUs, for each rank. */
#include "cut/domains.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text.h"
#include "cut/cutter.h"

/* Lists. */

int
sp_domain_check_lists(const char *text)
{
	struct sp_cpus list;

	/* A single number may be meant as a number of cores. */
	if (!strpbrk(text, ",-:"))
		return -EINVAL;
	do {
		int error = sp_cpus_parse_part(&text, &list);

		if (error || sp_cpus_empty(&list))
			return error ? error : -EINVAL;
	} while (*text++ == ':');
	return 0;
}

/* Read the list of the next rank; false: there is none. */
static bool
next_list(const char **text, struct sp_cpus *list)
{
	if (!*text || sp_cpus_parse_part(text, list) != 0)
		return false;
	*text = **text == ':' ? *text + 1 : NULL;
	return true;
}

static int
deal_lists(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks, uint32_t owner[])
{
	const char *text = policy->lists;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		owner[i] = SP_NOBODY;
	for (uint32_t rank = 0; rank < nranks; rank++) {
		struct sp_cpus list;
		uint32_t cpus = 0;

		if (!next_list(&text, &list))
			return -ENOSPC;
		for (uint32_t i = 0; i < machine->ncpus; i++) {
			if (owner[i] != SP_NOBODY || !sp_cpus_has(&list, machine->pu[i].cpu))
				continue;
			owner[i] = rank;
			cpus++;
		}
		if (cpus == 0)
			return -ENOSPC;
	}
	return 0;
}

/* Objects. */

struct object {
	uint32_t from, to;	/* its CPUs, as a range of the machine's; including CPUs that may not be dealt */
	uint32_t turn;		/* its number among the objects of its NUMA node */
	uint32_t first, ranks;	/* the ranks that it has */
};

static uint32_t
name_of(const struct sp_pu *pu, enum sp_domain domain)
{
	switch (domain) {
	case SP_DOMAIN_PACKAGE:
		return pu->package;
	case SP_DOMAIN_NUMA:
		return pu->numa;
	case SP_DOMAIN_L3:
		return pu->l3;
	case SP_DOMAIN_CORE:
		return pu->core;
	default:
		return 0;
	}
}

/* Find the objects.  owner is SP_NOBODY for a CPU that may not be dealt.  Returns the number of objects. */
static uint32_t
find_objects(const struct sp_machine *machine, enum sp_domain domain, const uint32_t owner[], struct object object[])
{
	const struct sp_pu *last = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		const struct sp_pu *pu = &machine->pu[i];

		if (owner[i] == SP_NOBODY)
			continue;
		if (!last || name_of(pu, domain) != name_of(last, domain)) {
			bool same_node = last && pu->numa == last->numa;

			object[n] = (struct object){ .from = i, .turn = same_node ? object[n - 1].turn + 1 : 0 };
			n++;
		}
		object[n - 1].to = i + 1;
		last = pu;
	}
	return n;
}

/* The first object of each NUMA node comes first, then the second of each, ... */
static int
compare_objects(const void *a, const void *b)
{
	const struct object *one = a, *other = b;

	return sp_order_all((uint64_t[]){ one->turn, one->from }, (uint64_t[]){ other->turn, other->from }, 2);
}

static void
share_out(struct object object[], uint32_t n, uint32_t nranks)
{
	/* With fewer ranks than objects, the last objects have no rank. */
	uint64_t ranks = sp_larger(nranks, n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = (uint32_t)(i * ranks / n), to = (uint32_t)((i + 1) * ranks / n);

		object[i].first = from;
		object[i].ranks = to <= nranks ? to - from : 0;
	}
}

/* The dealing of objects to ranks; the arrays have room for all CPUs of the machine. */
struct deal {
	const struct sp_machine *machine;
	const struct sp_policy *policy;
	uint32_t nranks;
	uint32_t *owner;
	struct sp_cut *cut;
	struct object *object;
	struct sp_machine *part;	/* an object as a machine of its own */
	uint32_t *of_part;	/* the owners of its CPUs */
};

/* Fill part with the object as a machine, without CPUs that may not be dealt. */
static void
take_part(const struct deal *deal, const struct object *o)
{
	deal->part->ncpus = 0;
	for (uint32_t i = o->from; i < o->to; i++)
		if (deal->owner[i] != SP_NOBODY)
			deal->part->pu[deal->part->ncpus++] = deal->machine->pu[i];
}

/* Divide an object among its ranks, and set the owners of its CPUs. */
static int
cut_object(const struct deal *deal, const struct object *o)
{
	const struct sp_policy *policy = deal->policy;
	/* All restrictions have been applied already, except that each rank is to have the same number of each kind. */
	const struct sp_policy inside = {
		.share = policy->share, .cores = policy->cores,
		.kinds = policy->kinds == SP_KINDS_AUTO ? SP_KINDS_AUTO : SP_KINDS_ALL };
	struct cutting cutting = { .machine = deal->part, .policy = &inside, .demand = &(struct sp_demand){ 0 }, .nranks = o->ranks };
	const uint32_t *its = deal->of_part;
	struct sp_cut cut = { 0 };

	take_part(deal, o);
	int error = sp_cut_cores(&cutting, deal->of_part, &cut);
	if (error)
		return error;
	for (uint32_t *owner = deal->owner + o->from; owner < deal->owner + o->to; owner++) {
		if (*owner == SP_NOBODY)
			continue;
		*owner = *its == SP_NOBODY ? SP_NOBODY : o->first + *its;
		its++;
	}
	deal->cut->by_cpu |= cut.by_cpu;
	return 0;
}

static void
leave_free(const struct object *o, uint32_t owner[])
{
	for (uint32_t i = o->from; i < o->to; i++)
		owner[i] = SP_NOBODY;
}

static int
deal_all(const struct deal *deal)
{
	uint32_t n = find_objects(deal->machine, deal->policy->domain, deal->owner, deal->object);
	struct sp_dealt *dealt = &deal->cut->dealt;
	int error = n ? 0 : -ENOSPC;

	if (deal->policy->distribution == SP_CYCLIC)
		qsort(deal->object, n, sizeof(*deal->object), compare_objects);
	share_out(deal->object, n, deal->nranks);
	dealt->objects = n;
	dealt->fewest = deal->nranks;
	for (const struct object *o = deal->object; !error && o < deal->object + n; o++) {
		if (o->ranks == 0) {
			leave_free(o, deal->owner);
			continue;
		}
		dealt->fewest = (uint32_t)sp_smaller(dealt->fewest, o->ranks);
		dealt->most = (uint32_t)sp_larger(dealt->most, o->ranks);
		error = cut_object(deal, o);
	}
	return error;
}

static int
deal_objects(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks, uint32_t owner[],
	     struct sp_cut *cut)
{
	struct deal deal = {
		.machine = machine, .policy = policy, .nranks = nranks, .owner = owner, .cut = cut,
		.object = calloc(machine->ncpus, sizeof(*deal.object)),
		.part = calloc(1, sp_machine_size(machine->ncpus)),
		.of_part = calloc(machine->ncpus, sizeof(*deal.of_part)),
	};
	int error = deal.object && deal.part && deal.of_part ? deal_all(&deal) : -ENOMEM;

	free(deal.of_part);
	free(deal.part);
	free(deal.object);
	return error;
}

/* Figures. */

static void
count_units(const struct sp_machine *machine, const uint32_t owner[], uint32_t nranks, uint32_t units[],
	    struct sp_cut *cut)
{
	cut->idle -= cut->by_cpu ? sp_cut_count_cpus(machine, owner, units) : sp_cut_count_cores(machine, owner, units);
	for (uint32_t rank = 0; rank < nranks; rank++) {
		cut->units = (uint32_t)sp_smaller(cut->units, units[rank]);
		cut->dealt.largest = (uint32_t)sp_larger(cut->dealt.largest, units[rank]);
	}
}

static struct usable
mark(const struct cutting *cutting, uint32_t owner[])
{
	static const struct sp_policy whole = { .kinds = SP_KINDS_ALL };
	const struct sp_policy *what = cutting->policy->domain == SP_DOMAIN_LISTS ? &whole : cutting->policy;
	const struct sp_cpus *taken = cutting->demand->taken;
	struct usable usable = sp_cut_mark_usable(cutting->machine, what, taken, EVERY_KIND, owner);

	return sp_cut_mark_usable(cutting->machine, what, taken, sp_cut_asked_kinds(what, &usable), owner);
}

int
sp_cut_domains(const struct cutting *cutting, uint32_t owner[], struct sp_cut *cut)
{
	const struct sp_machine *machine = cutting->machine;
	const struct sp_policy *policy = cutting->policy;
	uint32_t nranks = cutting->nranks, *units = calloc(nranks, sizeof(*units));
	struct usable usable = mark(cutting, owner);
	int error = -ENOMEM;

	*cut = (struct sp_cut){ .units = UINT32_MAX };
	if (units)
		error = policy->domain == SP_DOMAIN_LISTS ? deal_lists(machine, policy, nranks, owner) :
			deal_objects(machine, policy, nranks, owner, cut);
	if (!error) {
		cut->idle = cut->by_cpu ? usable.cpus : usable.cores;
		cut->fair = cut->idle / nranks;
		count_units(machine, owner, nranks, units, cut);
	}
	free(units);
	return error;
}

/* Words. */

const char *
sp_domain_object(enum sp_domain domain)
{
	static const char *const object[] = {
		[SP_DOMAIN_AUTO] = "share", [SP_DOMAIN_NODE] = "node", [SP_DOMAIN_PACKAGE] = "package",
		[SP_DOMAIN_NUMA] = "NUMA node", [SP_DOMAIN_L3] = "L3 group", [SP_DOMAIN_CORE] = "core",
		[SP_DOMAIN_LISTS] = "list",
	};

	return object[domain];
}

static uint32_t
count_lists(const char *text)
{
	struct sp_cpus list;
	uint32_t n = 0;

	while (next_list(&text, &list))
		n++;
	return n;
}

/* What is wrong with the list of a rank, given the CPUs of earlier lists; in_vain: the rank gets no CPU by it. */
static void
say_fault(struct sp_text *s, const struct sp_cpus *list, uint32_t rank, const struct sp_cpus *here,
	  const struct sp_cpus *seen, bool in_vain)
{
	struct sp_cpus twice = *list;
	char text[128];

	sp_cpus_and(&twice, seen);
	if (!in_vain && !sp_cpus_empty(&twice))
		sp_text_add(s, "CPU%s %s of rank %u %s in earlier lists, whose ranks have %s", sp_plural(sp_cpus_count(&twice)),
			    sp_cpus_format(&twice, text, sizeof(text)), rank,
			    sp_cpus_count(&twice) == 1 ? "is" : "are", sp_cpus_count(&twice) == 1 ? "it" : "them");
	if (!in_vain)
		return;
	if (!sp_cpus_intersect(list, here))
		sp_text_add(s, "rank %u may not use CPU%s %s of its list", rank, sp_plural(sp_cpus_count(list)),
			    sp_cpus_format(list, text, sizeof(text)));
	else
		sp_text_add(s, "CPU%s %s, the list of rank %u, %s in earlier lists", sp_plural(sp_cpus_count(list)),
			    sp_cpus_format(list, text, sizeof(text)), rank, sp_cpus_count(list) == 1 ? "is" : "are all");
}

/* Report the first list by which a rank gets no CPU; otherwise the first list with a CPU of another list. */
static void
find_fault(const struct sp_machine *machine, const char *lists, uint32_t nranks, bool vain_ones, struct sp_text *s)
{
	struct sp_cpus here, seen = { 0 }, list;

	sp_machine_cpus(machine, &here);
	for (uint32_t rank = 0; rank < nranks && s->length == 0 && next_list(&lists, &list); rank++) {
		struct sp_cpus own = list;

		sp_cpus_sub(&own, &seen);
		if (sp_cpus_intersect(&own, &here) != vain_ones)
			say_fault(s, &list, rank, &here, &seen, vain_ones);
		sp_cpus_or(&seen, &list);
	}
}

bool
sp_domain_fault(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks,
		char *sentence, size_t size)
{
	struct sp_text s = sp_text_begin(sentence, size);

	if (policy->domain != SP_DOMAIN_LISTS)
		return false;
	uint32_t n = count_lists(policy->lists);
	if (n < nranks) {
		sp_text_add(&s, "%u list%s for %u ranks: each needs one", n, sp_plural(n), nranks);
		return true;
	}
	find_fault(machine, policy->lists, nranks, true, &s);
	if (s.length == 0)
		find_fault(machine, policy->lists, nranks, false, &s);
	return s.length > 0;
}
