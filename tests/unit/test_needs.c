/* The cut by need, on invented machines; and what holds for every such cut, on random ones. */
#include "suites.h"

#include <stdlib.h>
#include <string.h>

#include "cut/cut.h"
#include "cuts.h"
#include "machines.h"

#define RANKS_MAX 128

static const struct sp_policy block = { .share = SP_SHARE_EQUAL };

/* A machine, what its ranks need, and the lists of CPUs that they get. */
struct fact {
	const char *what;
	struct shape shape;
	const char *taken;	/* by other jobs; NULL: nothing, and the job is alone */
	uint32_t nranks;
	uint32_t need[RANKS_MAX];
	const char *share[RANKS_MAX];	/* NULL: not looked at */
};

#define TWO_SOCKETS(cores_each) { .packages = 2, .cores = (cores_each) }

static const struct fact facts[] = {
	{ "equal needs that fit: as if nothing were known", TWO_SOCKETS(8), NULL, 4, { 2, 2, 2, 2 }, { "0-3", "4-7", "8-11", "12-15" } },
	{ "four of 2 threads and one of 8", TWO_SOCKETS(8), NULL, 5, { 2, 2, 2, 2, 8 }, { "8-9", "10-11", "12-13", "14-15", "0-7" } },
	{ "the large one first", TWO_SOCKETS(8), NULL, 5, { 8, 2, 2, 2, 2 }, { "0-7", "8-9", "10-11", "12-13", "14-15" } },
	{ "more cores than threads: in proportion", { .cores = 20 }, NULL, 5, { 8, 2, 2, 2, 2 }, { "0-9", "10-11", "12-13", "14-15", "16-17" } },
	{ "more threads than cores: the most crowded first", { .cores = 8 }, NULL, 3, { 12, 2, 2 }, { "0-5", "6", "7" } },
	{ "ranks of equal need have equally many", { .cores = 8 }, NULL, 3, { 8, 8, 2 }, { "0-2", "3-5", "6-7" } },
	{ "unknown ranks divide what the others leave", { .cores = 16 }, NULL, 3, { 8, 0, 0 }, { "0-7", "8-11", "12-15" } },
	{ "an unknown rank has a core at least", { .cores = 4 }, NULL, 3, { 8, 0, 0 }, { "0-1", "2", "3" } },
	{ "a driver of one thread and a worker of two", { .cores = 2 }, NULL, 2, { 1, 2 }, { "0", "1" } },
	{ "no boundary is crossed for cores that nobody uses", TWO_SOCKETS(12), NULL, 3, { 6, 6, 6 }, { "0-5", "6-11", "12-17" } },
	{ "one is, for threads that have none", { .l3s = 2, .cores = 4 }, NULL, 1, { 8 }, { "0-7" } },
	{ "large ones first, so that all fit in", TWO_SOCKETS(8), NULL, 4, { 2, 6, 2, 6 }, { "0-1", "2-7", "8-9", "10-15" } },
	{ "beside others: what is needed, in one L3 group", { .l3s = 4, .cores = 4 }, "0,8", 2, { 2, 2 }, { "4-5", "6-7" } },
	{ "the smallest group that holds all", { .l3s = 3, .cores = 4 }, "0-1,4,8", 1, { 2 }, { "2-3" } },
	{ "and a fresh one before others", { .l3s = 3, .cores = 4 }, "0-1,4", 1, { 2 }, { "8-9" } },
	{ "whole ranks into as few groups as hold them", { .l3s = 4, .cores = 4 }, "0", 3, { 4, 2, 2 }, { "4-7", "8-9", "10-11" } },
	{ "nothing is left: proportion again", { .cores = 8 }, "0-3", 2, { 6, 2 }, { "4-6", "7" } },
	{ "beside others of unknown need: an even part of the rest", { .cores = 8 }, "0-3", 2, { 0, 0 }, { "4-5", "6-7" } },
	{ "threads between cores and CPUs: a CPU for each", { .cores = 3, .threads = 2, .numbering = THREADS_FIRST }, NULL, 2, { 3, 3 }, { "0-2", "3-5" } },
	{ "not if whole cores do as well", { .cores = 4, .threads = 2, .numbering = THREADS_FIRST }, NULL, 2, { 4, 4 }, { "0-3", "4-7" } },
};

START_TEST(each_rank_has_what_it_needs)
{
	const struct fact *fact = &facts[_i];
	struct sp_machine *machine = machine_of(fact->shape);
	struct sp_cpus taken = cpus_of_list(fact->taken ? fact->taken : "0");
	const struct sp_demand demand = { .need = fact->need, .taken = fact->taken ? &taken : NULL, .compact = fact->taken };
	uint32_t *owner = calloc(machine->ncpus, sizeof(*owner));
	struct sp_cut cut;

	ck_assert_int_eq(sp_cut_by_need(machine, &block, fact->nranks, &demand, owner, &cut), 0);
	for (uint32_t rank = 0; rank < fact->nranks; rank++) {
		struct sp_cpus share;
		char text[SP_CPUS_TEXT];

		sp_cut_share(machine, owner, rank, &share);
		sp_cpus_format(&share, text, sizeof(text));
		ck_assert_msg(strcmp(text, fact->share[rank]) == 0, "%s: rank %u has %s, not %s", fact->what, rank, text, fact->share[rank]);
	}
	free(owner);
	free(machine);
}
END_TEST

/* Ranks of one need on a machine of L3 groups: a core for each thread wherever there is one. */
START_TEST(seven_ranks_of_nine_threads_have_nine_cores)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .l3s = 4, .cores = 8 });
	const uint32_t need[] = { 9, 9, 9, 9, 9, 9, 9 };
	uint32_t owner[64];
	struct sp_cut cut;

	ck_assert_int_eq(sp_cut_by_need(machine, &block, 7, &(struct sp_demand){ .need = need }, owner, &cut), 0);
	ck_assert_uint_eq(cut.units, 9);
	ck_assert_uint_eq(cut.idle, 1);
	ck_assert(!cut.by_need);
	free(machine);
}
END_TEST

START_TEST(five_ranks_of_nine_threads_have_a_cpu_for_each)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .cores = 12, .threads = 2 });
	const uint32_t need[] = { 9, 9, 9, 9, 9 };
	uint32_t owner[48], cpus[5] = { 0 };
	struct sp_cut cut;

	ck_assert_int_eq(sp_cut_by_need(machine, &block, 5, &(struct sp_demand){ .need = need }, owner, &cut), 0);
	ck_assert(cut.splits_cores);
	ck_assert(!cut.by_need);
	ck_assert_uint_eq(cut.units, 9);
	ck_assert_uint_eq(cut.largest, 9);
	ck_assert_uint_eq(cut.idle, 3);
	for (uint32_t i = 0; i < 48; i++)
		if (owner[i] != SP_NOBODY)
			cpus[owner[i]]++;
	for (uint32_t rank = 0; rank < 5; rank++)
		ck_assert_uint_ge(cpus[rank], 9);
	free(machine);
}
END_TEST

/* Every cut. */

struct drawn {
	struct sp_machine *machine;
	uint32_t nranks, need[RANKS_MAX];
	struct sp_cpus taken;
	struct sp_demand demand;
	uint32_t cores, cpus;	/* that may be dealt */
	uint64_t threads;	/* at least one a rank */
};

static void
draw(int nth, struct drawn *d)
{
	random_start(random_seed(), nth);
	*d = (struct drawn){ .machine = random_machine(), .nranks = 1 + random_below(nth % 4 ? 12 : RANKS_MAX) };
	uint32_t most = 1 + random_below(12), alike = random_below(3);

	for (uint32_t rank = 0; rank < d->nranks; rank++) {
		d->need[rank] = alike == 0 ? most : random_below(8) ? 1 + random_below(most) : 0;
		d->threads += d->need[rank] ? d->need[rank] : 1;
	}
	d->demand = (struct sp_demand){ .need = d->need, .compact = random_below(2) };
	if (random_below(2)) {
		for (uint32_t i = 0; i < d->machine->ncpus; i++)
			if (random_below(4) == 0)
				sp_cpus_add(&d->taken, d->machine->pu[i].cpu);
		sp_machine_fill_cores(d->machine, &d->taken);
		d->demand.taken = &d->taken;
	}
	struct sp_cpus open;
	sp_machine_cpus(d->machine, &open);
	sp_cpus_sub(&open, &d->taken);
	d->cores = sp_machine_cores(d->machine, &open);
	d->cpus = sp_cpus_count(&open);
}

#define HOLDS(fact) ck_assert_msg(fact, "case %d: %s", nth, #fact)

static void
check_ranks(int nth, const struct drawn *d, const uint32_t owner[], const struct sp_cut *cut)
{
	struct sp_cpus all = { 0 }, share;

	for (uint32_t rank = 0; rank < d->nranks; rank++) {
		sp_cut_share(d->machine, owner, rank, &share);
		HOLDS(!sp_cpus_empty(&share));
		HOLDS(!sp_cpus_intersect(&share, &all));
		HOLDS(!sp_cpus_intersect(&share, &d->taken));
		sp_cpus_or(&all, &share);

		uint32_t cores = sp_machine_cores(d->machine, &share);

		if (d->threads <= d->cores && !cut->by_cpu)
			HOLDS(cores >= d->need[rank]);
		else if (d->threads <= d->cpus && d->nranks <= d->cores && d->cpus == 2 * d->cores)
			HOLDS(sp_cpus_count(&share) >= d->need[rank]);
		if (d->demand.compact && d->need[rank] && d->nranks > 1 && d->threads <= d->cores)
			HOLDS(cores <= d->need[rank] || cut->by_cpu);
	}
}

/* Ranks that need the same have the same. */
static void
check_equal(int nth, const struct drawn *d, const uint32_t owner[])
{
	for (uint32_t a = 0; a + 1 < d->nranks; a++) {
		struct sp_cpus one, other;

		sp_cut_share(d->machine, owner, a, &one);
		sp_cut_share(d->machine, owner, a + 1, &other);
		if (d->need[a] == d->need[a + 1])
			HOLDS(sp_machine_cores(d->machine, &one) == sp_machine_cores(d->machine, &other));
	}
}

START_TEST(every_cut_serves_every_thread_that_can_be_served)
{
	for (int nth = 0; nth < CASES / 2; nth++) {
		struct drawn d;
		struct sp_cut cut;

		draw(nth, &d);
		uint32_t *owner = calloc(d.machine->ncpus + 1, sizeof(*owner));
		int error = sp_cut_by_need(d.machine, &block, d.nranks, &d.demand, owner, &cut);

		HOLDS((error == 0) == (d.nranks <= d.cpus));
		if (!error) {
			check_ranks(nth, &d, owner, &cut);
			if (!cut.by_cpu && !cut.splits_cores)
				check_equal(nth, &d, owner);
		}
		free(owner);
		free(d.machine);
	}
}
END_TEST

static uint32_t
group_of(const struct sp_pu *pu, int level)
{
	return level == 0 ? pu->package : level == 1 ? pu->numa : pu->l3;
}

/* Whether a rank has CPUs of two groups, one of which it shares with another rank. */
static bool
lies_across(const struct sp_machine *machine, const uint32_t owner[], uint32_t rank, int level)
{
	bool across = false, beside = false;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		for (uint32_t k = 0; k < machine->ncpus && owner[i] == rank; k++) {
			bool same = group_of(&machine->pu[i], level) == group_of(&machine->pu[k], level);

			across |= owner[k] == rank && !same;
			beside |= owner[k] != rank && owner[k] != SP_NOBODY && same;
		}
	return across && beside;
}

static bool
do_any_lie_across(const struct sp_machine *machine, const uint32_t owner[], uint32_t nranks)
{
	bool any = false;

	for (uint32_t rank = 0; rank < nranks; rank++)
		for (int level = 0; level < 3; level++)
			any |= lies_across(machine, owner, rank, level);
	return any;
}

/* Needs that are equal and fit into what ranks of unknown need get, with no boundary in the way, change nothing. */
START_TEST(equal_needs_that_fit_change_nothing)
{
	for (int nth = 0; nth < CASES / 20; nth++) {
		random_start(random_seed(), nth);
		struct sp_machine *machine = random_machine();
		struct sp_policy policy = random_policy(machine);
		uint32_t nranks = 1 + random_below(16), need[16];
		uint32_t *before = calloc(machine->ncpus + 1, sizeof(*before)), *after = calloc(machine->ncpus + 1, sizeof(*after));
		struct sp_cut cut;

		if (sp_cut(machine, &policy, nranks, before, &cut) == 0 && !cut.by_cpu &&
		    !do_any_lie_across(machine, before, nranks)) {
			for (uint32_t rank = 0; rank < nranks; rank++)
				need[rank] = cut.units;
			HOLDS(sp_cut_by_need(machine, &policy, nranks, &(struct sp_demand){ .need = need }, after, NULL) == 0);
			HOLDS(memcmp(before, after, machine->ncpus * sizeof(*before)) == 0);
		}
		free(before);
		free(after);
		free(machine);
	}
}
END_TEST

Suite *
suite_needs(void)
{
	Suite *suite = suite_create("needs");
	TCase *facts_case = tcase_create("facts"), *every = tcase_create("every cut");

	tcase_add_loop_test(facts_case, each_rank_has_what_it_needs, 0, sizeof(facts) / sizeof(facts[0]));
	tcase_add_test(facts_case, seven_ranks_of_nine_threads_have_nine_cores);
	tcase_add_test(facts_case, five_ranks_of_nine_threads_have_a_cpu_for_each);
	suite_add_tcase(suite, facts_case);
	tcase_set_timeout(every, 120);
	tcase_add_test(every, every_cut_serves_every_thread_that_can_be_served);
	tcase_add_test(every, equal_needs_that_fit_change_nothing);
	suite_add_tcase(suite, every);
	return suite;
}
