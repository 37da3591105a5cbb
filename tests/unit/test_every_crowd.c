/*
 * More ranks than cores: what holds for every number of ranks on recorded
 * machines with odd allowed sets, and on random ones.
 */
#include "suites.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "cut/cut.h"
#include "cuts.h"
#include "machines.h"
#include "topology.h"

/* Of one case: cores that may be dealt, and ranks. */
struct tally {
	uint32_t nranks, ncpus, ncores, most, dealt;
	bool uniform;		/* cores have the same number of CPUs */
	struct core { uint32_t cpus, ranks; } *core;
	struct rank { uint32_t cpus, core; } *rank;
};

#define HOLDS(what) \
	do { \
		if (!(what)) \
			ck_abort_msg("%s, %u ranks: not so: " #what, name, nranks); \
	} while (0)

static struct tally
tally_of(const struct sp_machine *usable, const uint32_t owner[], uint32_t nranks, const char *name)
{
	struct tally t = { .nranks = nranks, .ncpus = usable->ncpus, .uniform = true };

	t.core = calloc(usable->ncpus, sizeof(*t.core));
	t.rank = calloc(nranks, sizeof(*t.rank));
	ck_assert(t.core && t.rank);
	for (uint32_t i = 0; i < usable->ncpus; i++) {
		t.ncores += i == 0 || usable->pu[i].core != usable->pu[i - 1].core;

		struct core *core = &t.core[t.ncores - 1];

		core->cpus++;
		if (owner[i] == SP_NOBODY)
			continue;
		HOLDS(owner[i] < nranks);

		struct rank *rank = &t.rank[owner[i]];

		core->ranks += rank->cpus++ == 0;
		HOLDS(rank->core == 0 || rank->core == t.ncores);	/* from 1 */
		rank->core = t.ncores;
		t.dealt++;
	}
	for (uint32_t i = 0; i < t.ncores; i++) {
		t.uniform &= t.core[i].cpus == t.core[0].cpus;
		if (t.core[i].ranks > t.most)
			t.most = t.core[i].ranks;
	}
	return t;
}

/* No core is idle, and none has two ranks more than another, unless that one has not the CPUs. */
static void
check_cores(const struct tally *t, const struct sp_policy *policy, const char *name)
{
	uint32_t nranks = t->nranks;

	for (uint32_t i = 0; i < t->ncores; i++) {
		const struct core *core = &t->core[i];

		HOLDS(core->ranks >= 1 && core->ranks <= core->cpus);
		HOLDS(core->ranks + 1 >= t->most || core->ranks == core->cpus);
		if (t->uniform && policy->distribution == SP_BLOCK)
			HOLDS(core->ranks == (i + 1) * nranks / t->ncores - i * nranks / t->ncores);
	}
}

/* Ranks have as many CPUs; fewer only where their core has too few. */
static void
check_ranks(const struct tally *t, const struct sp_policy *policy, const char *name)
{
	uint32_t nranks = t->nranks, largest = 0;

	for (uint32_t i = 0; i < t->ncores; i++)
		if (t->core[i].cpus / t->most > largest)
			largest = t->core[i].cpus / t->most;
	for (uint32_t i = 0; i < nranks; i++) {
		const struct core *core = &t->core[t->rank[i].core - 1];
		uint32_t even = core->cpus / core->ranks;

		HOLDS(t->rank[i].cpus >= 1);
		if (policy->share == SP_SHARE_ALL)
			HOLDS(t->rank[i].cpus == even || t->rank[i].cpus == even + 1);
		else
			HOLDS(t->rank[i].cpus == (even < largest ? even : largest));
		if (t->uniform && policy->share == SP_SHARE_EQUAL)
			HOLDS(t->rank[i].cpus == t->core[0].cpus / t->most);
	}
	if (policy->share == SP_SHARE_ALL)
		HOLDS(t->dealt == t->ncpus);
}

static void
check_order(const struct sp_machine *usable, const uint32_t owner[], uint32_t nranks, const char *name)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < usable->ncpus; i++) {
		if (owner[i] == SP_NOBODY)
			continue;
		HOLDS(owner[i] == last || owner[i] == last + 1);
		last = owner[i];
	}
}

static void
check_figures(const struct tally *t, const struct sp_cut *cut, const char *name)
{
	uint32_t nranks = t->nranks, least = UINT32_MAX, largest = 0, fewest = UINT32_MAX;

	for (uint32_t i = 0; i < nranks; i++) {
		least = t->rank[i].cpus < least ? t->rank[i].cpus : least;
		largest = t->rank[i].cpus > largest ? t->rank[i].cpus : largest;
	}
	for (uint32_t i = 0; i < t->ncores; i++)
		fewest = t->core[i].ranks < fewest ? t->core[i].ranks : fewest;
	HOLDS(cut->by_cpu && cut->crossing == 0);
	HOLDS(cut->units == least && cut->fair == t->ncpus / nranks && cut->idle == t->ncpus - t->dealt);
	HOLDS(cut->crowd.cores == t->ncores && cut->crowd.fewest == fewest && cut->crowd.most == t->most);
	HOLDS(cut->crowd.threads == (t->uniform ? t->core[0].cpus : 0) && cut->crowd.largest == largest);
}

/* Of the machine, the owners of the usable part; others are nobody's. */
static void
keep_usable(const struct sp_machine *machine, const struct sp_machine *usable, uint32_t owner[],
	    uint32_t nranks, const char *name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		if (n < usable->ncpus && machine->pu[i].cpu == usable->pu[n].cpu)
			owner[n++] = owner[i];
		else
			HOLDS(owner[i] == SP_NOBODY);
	}
}

static void
check(const struct sp_machine *machine, const struct sp_machine *usable, const struct sp_policy *policy,
      uint32_t nranks, const char *name)
{
	uint32_t *owner = malloc((machine->ncpus + 1) * sizeof(*owner));
	struct sp_cut cut;

	ck_assert_ptr_nonnull(owner);
	HOLDS(sp_cut(machine, policy, nranks, owner, &cut) == 0);
	keep_usable(machine, usable, owner, nranks, name);

	struct tally tally = tally_of(usable, owner, nranks, name);

	check_cores(&tally, policy, name);
	check_ranks(&tally, policy, name);
	check_figures(&tally, &cut, name);
	if (policy->distribution == SP_BLOCK)
		check_order(usable, owner, nranks, name);
	free(tally.core);
	free(tally.rank);
	free(owner);
}

/* Recorded machines. */

static glob_t files;

static struct sp_machine *
all_cpus(const struct sp_machine *machine)
{
	struct sp_cpus all = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&all, machine->pu[i].cpu);
	return machine_within(machine, &all);
}

/* Without the first CPU. */
static struct sp_machine *
first_cpu_gone(const struct sp_machine *machine)
{
	struct sp_cpus set = { 0 };

	for (uint32_t i = 1; i < machine->ncpus; i++)
		sp_cpus_add(&set, machine->pu[i].cpu);
	return machine_within(machine, &set);
}

/* Of every third core the first CPU alone. */
static struct sp_machine *
thin_cores(const struct sp_machine *machine)
{
	struct sp_cpus set = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].core % 3 || i == 0 || machine->pu[i].core != machine->pu[i - 1].core)
			sp_cpus_add(&set, machine->pu[i].cpu);
	return machine_within(machine, &set);
}

/* Two CPUs of three, at random. */
static struct sp_machine *
holes(const struct sp_machine *machine)
{
	struct sp_cpus set = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (random_below(3))
			sp_cpus_add(&set, machine->pu[i].cpu);
	return machine_within(machine, &set);
}

static struct sp_machine *(*const allowed[])(const struct sp_machine *) = {
	all_cpus, first_cpu_gone, thin_cores, holes
};

static const struct sp_policy policies[] = {
	{ .kinds = SP_KINDS_AUTO }, { .share = SP_SHARE_ALL }, { .distribution = SP_CYCLIC },
	{ .smt = 2, .reserve = 1 }, { .cores = 1, .kinds = SP_KINDS_ALL },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
check_every_number(const struct sp_machine *machine, const struct sp_policy *policy, const char *name)
{
	struct sp_machine *usable = usable_part(machine, policy);
	uint32_t *owner = malloc((machine->ncpus + 1) * sizeof(*owner));

	ck_assert_ptr_nonnull(owner);
	for (uint32_t nranks = count_cores(usable) + 1; nranks <= usable->ncpus; nranks++)
		check(machine, usable, policy, nranks, name);
	ck_assert_int_eq(sp_cut(machine, policy, usable->ncpus + 1, owner, NULL), -ENOSPC);
	free(owner);
	free(usable);
}

START_TEST(every_recorded_machine)
{
	struct sp_machine *machine = NULL;

	ck_assert_int_lt(_i, (int)files.gl_pathc);
	ck_assert_int_eq(sp_topology_read(files.gl_pathv[_i], NULL, &machine), 0);
	random_start(random_seed(), _i);
	for (size_t i = 0; i < COUNT(allowed); i++) {
		struct sp_machine *part = allowed[i](machine);

		for (size_t j = 0; j < COUNT(policies); j++)
			check_every_number(part, &policies[j], files.gl_pathv[_i]);
		free(part);
	}
	free(machine);
}
END_TEST

/* Random machines. */

static struct sp_machine *
of_kind(const struct sp_machine *machine, uint32_t kind)
{
	struct sp_cpus set = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		if (machine->pu[i].kind == kind)
			sp_cpus_add(&set, machine->pu[i].cpu);
	return machine_within(machine, &set);
}

/* What there is to deal, where the policy takes one of two kinds alone. */
static struct sp_machine *
usable_of_kind(const struct sp_machine *machine, const struct sp_policy *policy)
{
	struct sp_machine *usable = usable_part(machine, policy), *part;

	if (policy->kinds != SP_KINDS_PERFORMANCE && policy->kinds != SP_KINDS_EFFICIENCY)
		return usable;
	part = of_kind(usable, policy->kinds == SP_KINDS_PERFORMANCE);
	if (part->ncpus == 0) {		/* one kind is both */
		free(part);
		return usable;
	}
	free(usable);
	return part;
}

START_TEST(every_random_machine)
{
	uint64_t seed = random_seed();
	char name[64];

	for (int nth = 0; nth < CASES; nth++) {
		random_start(seed + 13, nth);
		snprintf(name, sizeof(name), "SPLITPIN_SEED=%llu, case %d", (unsigned long long)seed, nth);

		struct sp_machine *machine = random_machine();
		struct sp_policy policy = random_policy(machine);
		uint32_t fast = random_below(3) ? 0 : random_below(count_cores(machine) + 1);

		policy.kinds = random_below(4);
		policy.devices = random_below(2);
		for (uint32_t i = 0; i < machine->ncpus; i++) {
			machine->pu[i].kind = machine->pu[i].core < fast;
			machine->pu[i].devices = machine->pu[i].numa % 3;
		}

		struct sp_machine *usable = usable_of_kind(machine, &policy);
		uint32_t cores = count_cores(usable);

		if (usable->ncpus > cores)
			check(machine, usable, &policy, cores + 1 + random_below(usable->ncpus - cores), name);
		free(usable);
		free(machine);
	}
}
END_TEST

Suite *
suite_every_crowd(void)
{
	Suite *suite = suite_create("every crowd");
	TCase *every = tcase_create("every");

	if (glob("tests/data/topologies/*.xml", 0, NULL, &files) != 0)
		files.gl_pathc = 0;
	/* 22 files; a missing folder is no success */
	tcase_add_loop_test(every, every_recorded_machine, 0, 22);
	tcase_add_test(every, every_random_machine);
	tcase_set_timeout(every, 120);
	suite_add_tcase(suite, every);
	return suite;
}
