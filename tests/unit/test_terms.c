/* Facts about what a job takes of a node beside others, on invented machines. */
#include <errno.h>
#include <stdlib.h>

#include "machines.h"
#include "memory.h"
#include "suites.h"
#include "decide/decide.h"

#define RANKS_MAX 16

/* Ranks of one need. */
static struct sp_terms
find(const struct sp_machine *machine, const struct sp_policy *policy, uint32_t nranks, uint32_t need, const struct sp_other_jobs *others)
{
	uint32_t needs[RANKS_MAX];
	struct sp_cpus all;
	struct sp_terms terms = { .generation = 7 };

	for (uint32_t rank = 0; rank < nranks; rank++)
		needs[rank] = need;
	sp_machine_cpus(machine, &all);
	sp_terms_find(&(struct sp_view){ .machine = machine, .policy = policy, .nranks = nranks, .allowed = &all },
		      &(struct sp_group){ .cpus = &all, .nranks = nranks, .need = needs }, others, &terms, NULL, NULL);
	return terms;
}

/* On 8 cores of 2 threads, CPUs c and c + 8, beside one other job of a thread a core. */
static void
claim(const struct sp_policy *policy, uint32_t nranks, const char *taken_before, const char *taken_after, const char *claimed)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_other_jobs others = { .taken = cpus_of_list(taken_before), .jobs = 1 };

	others.threads = sp_machine_cores(machine, &others.taken);
	const struct sp_terms terms = find(machine, policy, nranks, 0, &others);
	ck_assert_uint_eq(terms.generation, 7);
	ck_assert_str_eq(list_of_cpus(&terms.taken), taken_after);
	ck_assert_str_eq(list_of_cpus(&terms.claim), claimed);
	free(machine);
}

START_TEST(ranks_that_announce_nothing_claim_what_they_will_divide)
{
	const struct sp_policy all = { 0 }, one = { .cores = 1 }, smt1 = { .smt = 1 };

	claim(&all, 2, "", "", "0-15");
	claim(&all, 3, "", "", "0-5,8-13");
	claim(&smt1, 2, "", "", "0-7");
	claim(&one, 2, "", "", "0,4,8,12");
	claim(&one, 2, "0,4,8,12", "0,4,8,12", "1,5,9,13");
	claim(&all, 4, "0-3,8-11", "0-3,8-11", "4-7,12-15");
	/* A core of which a thread is taken is taken. */
	claim(&all, 2, "0", "0,8", "1-6,9-14");
	/* There is not one for each: the node is shared. */
	claim(&all, 5, "0-3,8-11", "", "");
	claim(&all, 1, "0-15", "", "");
	/* What is not allowed does not matter. */
	claim(&all, 2, "100", "", "0-15");
}
END_TEST

/* 2 ranks of 2 threads on 8 cores, while a job whose board cannot be read may be about to pin threads to some of them. */
static struct sp_terms
find_beside_start(const char *starting, const char *cpus, const char *taken, enum sp_places places, const char *lists)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	const struct sp_policy policy = { .domain = lists ? SP_DOMAIN_LISTS : SP_DOMAIN_AUTO, .lists = lists };
	const struct sp_other_jobs others = {
		.taken = cpus_of_list(taken), .jobs = *taken ? 1 : 0, .starting = cpus_of_list(starting), .starter = 4711 };
	const struct sp_cpus own = cpus_of_list(cpus);
	const uint32_t need[] = { 2, 2 };
	struct sp_terms terms = { .generation = 7 };

	sp_terms_find(&(struct sp_view){ .machine = machine, .policy = &policy, .places = places, .nranks = 2, .allowed = &own },
		      &(struct sp_group){ .cpus = &own, .nranks = 2, .need = need }, &others, &terms, NULL, NULL);
	free(machine);
	return terms;
}

START_TEST(beside_a_job_that_is_starting_nothing_is_divided)
{
	struct sp_terms terms = find_beside_start("6-7", "0-7", "", SP_PLACES_NONE, NULL);

	ck_assert_uint_eq(terms.how, SP_TERMS_SHARED);
	ck_assert(sp_cpus_empty(&terms.claim));
	ck_assert_uint_eq(terms.threads, 4);
	ck_assert_int_eq(terms.starter, 4711);
	terms = find_beside_start("0-7", "0-7", "0-1", SP_PLACES_NONE, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_SHARED);
	ck_assert(sp_cpus_empty(&terms.taken));
	/* Of threads that their runtimes bind, those of all ranks would be on the same cores. */
	terms = find_beside_start("0-7", "0-7", "", SP_PLACES_SMALL, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_ALONE);
	ck_assert_int_eq(terms.starter, 0);
	ck_assert_uint_eq(sp_cpus_count(&terms.claim), 4);
	terms = find_beside_start("0-7", "0-7", "0-1", SP_PLACES_SMALL, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_BESIDE);
	ck_assert_str_eq(list_of_cpus(&terms.claim), "2-5");
	/* The user has named these CPUs. */
	terms = find_beside_start("0-7", "0-7", "", SP_PLACES_NONE, "4-5:6-7");
	ck_assert_str_eq(list_of_cpus(&terms.claim), "4-7");
}
END_TEST

START_TEST(threads_that_are_bound_to_places_are_divided_even_where_too_few_cores_are_left)
{
	struct sp_terms terms = find_beside_start("", "0-7", "0-4", SP_PLACES_NONE, NULL);

	ck_assert_uint_eq(terms.how, SP_TERMS_SHARED);
	terms = find_beside_start("", "0-7", "0-4", SP_PLACES_SMALL, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_BESIDE);
	ck_assert(terms.is_crowded);
	ck_assert_str_eq(list_of_cpus(&terms.taken), "1-4");
	ck_assert_str_eq(list_of_cpus(&terms.claim), "0,5-7");
	/* Inside a whole package the kernel balances them. */
	terms = find_beside_start("", "0-7", "0-4", SP_PLACES_PACKAGE, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_SHARED);
	/* As long as there are enough, they are left alone. */
	terms = find_beside_start("", "0-7", "0-3", SP_PLACES_SMALL, NULL);
	ck_assert_uint_eq(terms.how, SP_TERMS_BESIDE);
	ck_assert(!terms.is_crowded);
	ck_assert_str_eq(list_of_cpus(&terms.claim), "4-7");
}
END_TEST

/* Farms of programs with one thread, whose runtimes all bind it to the first place: the core that the next one has. */
START_TEST(lone_ranks_whose_threads_are_bound_take_the_cores_that_the_fewest_claim)
{
	struct sp_machine *machine = machine_uniform(3, 2);
	const struct sp_cpus all = cpus_of_list("0-5");
	struct sp_other_jobs others = { .jobs = 0 };
	const struct sp_policy policy = { 0 };
	const uint32_t need = 1;
	uint32_t jobs[3] = { 0 };

	for (; others.jobs < 3 * (SP_AGAIN_MAX + 1); others.jobs++) {
		struct sp_terms terms = { .generation = 7 };

		sp_terms_find(&(struct sp_view){ .machine = machine, .policy = &policy, .places = SP_PLACES_SMALL, .nranks = 1, .allowed = &all },
			      &(struct sp_group){ .cpus = &all, .nranks = 1, .need = &need }, &others, &terms, NULL, NULL);
		ck_assert_uint_eq(sp_machine_cores(machine, &terms.claim), 1);
		ck_assert_int_eq(terms.is_crowded, others.jobs >= 3);
		jobs[sp_cpus_next(&terms.claim, 0) % 3]++;
		sp_others_claim(&others, &terms.claim);
	}
	for (int core = 0; core < 3; core++)
		ck_assert_uint_eq(jobs[core], SP_AGAIN_MAX + 1);
	free(machine);
}
END_TEST

/* As of two users who have a half of the node each. */
START_TEST(a_job_that_is_starting_on_other_CPUs_does_not_matter)
{
	struct sp_terms terms = find_beside_start("4-7", "0-3", "", SP_PLACES_NONE, NULL);

	ck_assert_uint_eq(terms.how, SP_TERMS_ALONE);
	ck_assert_str_eq(list_of_cpus(&terms.claim), "0-3");
}
END_TEST

START_TEST(more_ranks_than_CPUs_claim_nothing)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs none = { .jobs = 0 };
	const struct sp_terms terms = find(machine, &policy, 3, 0, &none);

	ck_assert_str_eq(list_of_cpus(&terms.claim), "");
	ck_assert_str_eq(list_of_cpus(&terms.taken), "");
	free(machine);
}
END_TEST

START_TEST(what_the_user_has_named_is_claimed_from_whomever)
{
	const struct sp_policy lists = { .domain = SP_DOMAIN_LISTS, .lists = "4-5:6-7" };

	claim(&lists, 2, "4", "", "4-7");
	claim(&lists, 2, "", "", "4-7");
}
END_TEST

/* On 16 cores of 1 thread. */
static const struct {
	const char *taken;
	uint32_t threads, jobs;		/* of others */
	uint32_t nranks, need;
	enum sp_terms_how how;
	const char *claim;
} cases[] = {
	{ "", 0, 0, 2, 2, SP_TERMS_ALONE, "0,4,8,12" },
	{ "0,4,8,12", 4, 1, 2, 2, SP_TERMS_BESIDE, "1-3,5" },
	{ "0-5,8,12", 8, 2, 2, 2, SP_TERMS_BESIDE, "6-7,9-10" },
	{ "0-10,12", 12, 3, 2, 2, SP_TERMS_BESIDE, "11,13-15" },
	/* One thread too many for the rest. */
	{ "0-11", 12, 1, 5, 1, SP_TERMS_SHARED, "" },
	{ "0-7", 8, 1, 2, 8, SP_TERMS_SHARED, "" },
	/* However many the others have: the kernel puts them on what is left all the same, and on the rest when that is free. */
	{ "0-11", 24, 1, 1, 5, SP_TERMS_SHARED, "" },
	{ "0-15", 16, 1, 1, 1, SP_TERMS_SHARED, "" },
	/* Threads that nobody announces: half of an even part, and a core for each rank. */
	{ "0-7", 8, 1, 1, 0, SP_TERMS_BESIDE, "8-15" },
	{ "0-11", 12, 1, 1, 0, SP_TERMS_BESIDE, "12-15" },
	{ "0-12", 13, 1, 1, 0, SP_TERMS_SHARED, "" },
	{ "0-12", 13, 2, 1, 0, SP_TERMS_BESIDE, "13-15" },
	{ "0-7", 8, 1, 8, 0, SP_TERMS_BESIDE, "8-15" },
	{ "0-7", 8, 1, 9, 0, SP_TERMS_SHARED, "" },
};

START_TEST(a_job_takes_what_it_needs_of_what_is_left)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs others = { .taken = cpus_of_list(cases[_i].taken), .jobs = cases[_i].jobs, .threads = cases[_i].threads };
	const struct sp_terms terms = find(machine, &policy, cases[_i].nranks, cases[_i].need, &others);

	ck_assert_int_eq(terms.how, cases[_i].how);
	ck_assert_str_eq(list_of_cpus(&terms.claim), cases[_i].claim);
	ck_assert_str_eq(list_of_cpus(&terms.taken), terms.how == SP_TERMS_SHARED ? "" : cases[_i].taken);
	free(machine);
}
END_TEST

/* Teams that are larger than their rank's part are not pinned, and need no part of their own. */
/* Beside threads of other jobs that claim no core, on 16 cores; taken: what third ones claim. */
static const struct {
	const char *taken, *cpus;
	uint32_t loose, nranks, need;
	enum sp_places places;
	uint32_t how;
} squeezes[] = {
	{ "", "0-15", 1, 1, 15, SP_PLACES_NONE, SP_TERMS_ALONE },
	{ "", "0-15", 1, 1, 16, SP_PLACES_NONE, SP_TERMS_SHARED },
	{ "", "0-15", 0, 1, 16, SP_PLACES_NONE, SP_TERMS_ALONE },
	{ "0-3", "0-15", 4, 1, 8, SP_PLACES_NONE, SP_TERMS_BESIDE },
	{ "0-3", "0-15", 5, 1, 8, SP_PLACES_NONE, SP_TERMS_SHARED },
	/* The number of threads is not known: of several ranks one a core is enough. */
	{ "", "0-15", 1, 1, 0, SP_PLACES_NONE, SP_TERMS_SHARED },
	{ "", "0-15", 12, 2, 0, SP_PLACES_NONE, SP_TERMS_ALONE },
	{ "", "0-15", 13, 2, 0, SP_PLACES_NONE, SP_TERMS_SHARED },
	{ "0-3", "0-15", 8, 2, 0, SP_PLACES_NONE, SP_TERMS_BESIDE },
	{ "0-3", "0-15", 9, 2, 0, SP_PLACES_NONE, SP_TERMS_SHARED },
	/* They may go elsewhere; and a runtime binds its threads all the same. */
	{ "", "0-7", 8, 1, 8, SP_PLACES_NONE, SP_TERMS_ALONE },
	{ "", "0-15", 1, 1, 16, SP_PLACES_SMALL, SP_TERMS_ALONE },
};

START_TEST(threads_that_are_left_to_the_kernel_do_not_make_do_with_what_pinned_ones_leave)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	const struct sp_policy policy = { 0 };
	const struct sp_cpus all = cpus_of_list("0-15"), cpus = cpus_of_list(squeezes[_i].cpus);
	const struct sp_other_jobs others = { .taken = cpus_of_list(squeezes[_i].taken), .jobs = 1, .threads = squeezes[_i].loose, .loose = squeezes[_i].loose };
	const struct sp_view view = { .machine = machine, .policy = &policy, .places = squeezes[_i].places, .nranks = squeezes[_i].nranks, .allowed = &all };
	const uint32_t need[] = { squeezes[_i].need, squeezes[_i].need };
	struct sp_terms terms = { 0 };

	sp_terms_find(&view, &(struct sp_group){ .cpus = &cpus, .nranks = squeezes[_i].nranks, .need = need }, &others, &terms, NULL, NULL);
	ck_assert_uint_eq(terms.how, squeezes[_i].how);
	free(machine);
}
END_TEST

/* 8 cores of 2 hardware threads. */
START_TEST(a_share_is_as_wide_as_a_bound_team)
{
	static const struct { uint32_t threads; bool one_a_core; const char *share; } widths[] = {
		{ 0, true, "0-15" }, { 1, true, "0-15" }, { 2, true, "0,4" }, { 2, false, "0,4,8,12" }, { 8, true, "0-7" }, { 9, true, "0-15" },
	};
	struct sp_machine *machine = machine_uniform(8, 2);

	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct sp_cpus share;

		sp_machine_cpus(machine, &share);
		sp_terms_narrow(machine, widths[i].threads, SP_SPREAD, widths[i].one_a_core, &share);
		ck_assert_str_eq(list_of_cpus(&share), widths[i].share);
	}
	free(machine);
}
END_TEST

START_TEST(a_job_that_is_alone_is_divided_however_many_threads_it_has)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs none = { .jobs = 0 };
	static const uint32_t needs[][8] = { { 1, 5 }, { 1, 1, 20 }, { 9, 9, 9 }, { 4, 1, 1, 1, 1 }, { 0, 6 }, { SP_NEED_FIXED, 6 } };
	struct sp_cpus all;

	sp_machine_cpus(machine, &all);
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		uint32_t nranks = needs[i][2] ? needs[i][3] ? 5 : 3 : 2;
		struct sp_terms terms = { 0 };

		sp_terms_find(&(struct sp_view){ .machine = machine, .policy = &policy, .nranks = nranks, .allowed = &all },
			      &(struct sp_group){ .cpus = &all, .nranks = nranks, .need = needs[i] }, &none, &terms, NULL, NULL);
		ck_assert_int_eq(terms.how, SP_TERMS_ALONE);
		ck_assert(!sp_cpus_empty(&terms.claim));
	}
	free(machine);
}
END_TEST

/* Those are for other jobs to avoid, as these may have CPUs beside them: also where others have some of them already, which may grow. */
START_TEST(what_confined_ranks_do_not_divide_is_claimed)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	const struct sp_policy policy = { 0 };
	const struct sp_cpus part = cpus_of_list("0-3"), allowed = cpus_of_list("0-7");
	const uint32_t need[] = { 1, _i == 2 ? 2 : 5 };
	const struct sp_other_jobs others = { .jobs = 1, .taken = cpus_of_list(_i ? "2-5" : "4-5") };
	struct sp_terms terms = { 0 };

	sp_terms_find(&(struct sp_view){ .machine = machine, .policy = &policy, .nranks = 2, .allowed = &allowed },
		      &(struct sp_group){ .cpus = &part, .nranks = 2, .need = need }, &others, &terms, NULL, NULL);
	ck_assert_int_eq(terms.how, _i ? SP_TERMS_SHARED : SP_TERMS_ALONE);
	ck_assert_str_eq(list_of_cpus(&terms.claim), _i == 2 ? "0-1" : "0-3");
	free(machine);
}
END_TEST

/* All shares at once are the shares one by one; a rank of fixed need has none. */
static void
check_cut_is_of_shares(const struct sp_view *view, const struct sp_group *group, const struct sp_terms *terms)
{
	uint32_t owner[SP_CPUS_MAX];
	const struct sp_other_jobs others = { .taken = terms->taken };
	struct sp_terms found = { 0 };
	struct sp_cut cut, alone;
	struct sp_cpus share, own;

	ck_assert_int_eq(sp_terms_find(view, group, &others, &found, owner, &cut), 0);
	ck_assert(found.how == terms->how && sp_cpus_equal(&found.taken, &terms->taken));
	for (uint32_t rank = 0; rank < group->nranks; rank++) {
		bool is_fixed = sp_terms_share(view, group, terms, rank, &share, &alone) == -EINVAL;

		sp_cut_share(view->machine, owner, rank, &own);
		ck_assert(is_fixed ? sp_cpus_empty(&own) : sp_cpus_equal(&own, &share));
		ck_assert(is_fixed || alone.units == cut.units);
	}
}

START_TEST(ranks_whose_share_is_fixed_are_not_cut)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	const struct sp_policy policy = { 0 };
	const uint32_t need[] = { 2, SP_NEED_FIXED, 2 };
	const struct sp_cpus all = cpus_of_list("0-7");
	const struct sp_view view = { .machine = machine, .policy = &policy, .nranks = 3, .allowed = &all };
	const struct sp_group group = { .cpus = &all, .nranks = 3, .need = need };
	const struct sp_terms terms = { .taken = cpus_of_list("0-3") };
	struct sp_cpus share;
	struct sp_cut cut;

	ck_assert_int_eq(sp_terms_share(&view, &group, &terms, 0, &share, &cut), 0);
	ck_assert_str_eq(list_of_cpus(&share), "4-5");
	ck_assert_int_eq(sp_terms_share(&view, &group, &terms, 2, &share, &cut), 0);
	ck_assert_str_eq(list_of_cpus(&share), "6-7");
	ck_assert_int_eq(sp_terms_share(&view, &group, &terms, 1, &share, &cut), -EINVAL);
	check_cut_is_of_shares(&view, &group, &terms);
	ck_assert_str_eq(list_of_cpus(&share), "6-7");
	free(machine);
}
END_TEST

START_TEST(a_claim_is_where_threads_will_be)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus share = cpus_of_list("0-3,8-11");
	static const struct { uint32_t threads; enum sp_bind bind; const char *claim; } facts[] = {
		{ 0, SP_SPREAD, "0-3,8-11" }, { 1, SP_SPREAD, "0,8" }, { 2, SP_SPREAD, "0,2,8,10" }, { 2, SP_CLOSE, "0-1,8-9" },
		{ 4, SP_SPREAD, "0-3,8-11" }, { 9, SP_SPREAD, "0-3,8-11" }, { 2, SP_NO_BIND, "0-3,8-11" },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		struct sp_cpus all = { 0 };

		sp_claim_add(machine, &share, facts[i].threads, facts[i].bind, &all);
		ck_assert_str_eq(list_of_cpus(&all), facts[i].claim);
	}
	free(machine);
}
END_TEST

/* On 2 packages of 8 cores in 2 L3 groups each. */
static const struct {
	const char *share, *claim, *taken, *open;
	uint32_t need, team;
	const char *share_then, *claim_then;	/* NULL: it does not change */
} growths[] = {
	/* Inside of its share, as far as that goes; then beside it, in its package, and in the other. */
	{ "0-3", "0,2", "", "0-15", 2, 4, "0-3", "0-3" },
	{ "0-3", "0-3", "", "0-15", 0, 6, "0-5", "0-5" },
	{ "2-3", "2-3", "0-1,4", "0-15", 2, 5, "2-3,5-7", "2-3,5-7" },
	{ "0-3", "0-3", "4-7", "0-15", 4, 6, "0-3,8-9", "0-3,8-9" },
	/* What others have taken meanwhile is no longer its own. */
	{ "0-3", "0,2", "1", "0-15", 2, 4, "0,2-4", "0,2-4" },
	/* All its threads move to the cores of the larger team; what the smaller had besides is free. */
	{ "0-15", "0,8", "1-2", "0-15", 2, 8, "0,3-15", "0,3,5,7,9-10,12,14" },
	{ "0-15", "0,5,10", "", "0-15", 3, 4, "0-15", "0,4,8,12" },
	/* A core for each, or nothing. */
	{ "0-3", "0-3", "5-15", "0-15", 4, 5, "0-4", "0-4" },
	{ "0-3", "0-3", "5-15", "0-15", 4, 8, NULL, NULL },
	{ "0-3", "0-3", "4-15", "0-15", 4, 8, NULL, NULL },
	{ "0-3", "0-3", "", "0-3", 4, 8, NULL, NULL },
	/* The claim of other ranks of the job stays theirs. */
	{ "0-3", "0-7", "", "0-15", 4, 6, "0-3,8-9", "0-9" },
	{ "0-3", "0-15", "", "0-15", 4, 6, NULL, NULL },
	/* Teams of others have grown into the share: what is left is too little. */
	{ "0-3", "0,2", "1,3-15", "0-15", 2, 4, NULL, NULL },
	{ "0-3", "0,2", "1,3-15", "0-7", 2, 4, NULL, NULL },
	{ "0-3", "0-15", "", "0-15", 2, 4, NULL, NULL },
};

START_TEST(a_larger_team_claims_idle_cores)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .l3s = 2, .cores = 4 });
	const struct sp_cpus open = cpus_of_list(growths[_i].open);
	const struct sp_other_jobs others = { .taken = cpus_of_list(growths[_i].taken) };
	struct sp_cpus share = cpus_of_list(growths[_i].share);
	struct sp_terms terms = { .how = SP_TERMS_BESIDE, .threads = 7, .claim = cpus_of_list(growths[_i].claim) };
	const struct sp_larger_team team = { .open = &open, .claims = growths[_i].need, .threads = growths[_i].team, .share = &share };
	const struct sp_view view = { .machine = machine, .grown = &team };
	const char *share_then = growths[_i].share_then, *claim_then = growths[_i].claim_then;

	ck_assert_int_eq(sp_terms_grow(&view, &others, &terms), claim_then != NULL);
	ck_assert_str_eq(list_of_cpus(&share), share_then ? share_then : growths[_i].share);
	ck_assert_str_eq(list_of_cpus(&terms.claim), claim_then ? claim_then : growths[_i].claim);
	ck_assert_uint_eq(terms.threads > 7, claim_then != NULL);
	free(machine);
}
END_TEST

/* On 16 cores, of which it has 4 and others claim 8. */
START_TEST(a_larger_team_leaves_a_core_to_each_thread_that_claims_none)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	const struct sp_cpus open = cpus_of_list("0-15");
	const struct sp_other_jobs others = { .taken = cpus_of_list("8-15"), .loose = _i ? 3 : 2 };
	struct sp_cpus share = cpus_of_list("0-3");
	struct sp_terms terms = { .how = SP_TERMS_BESIDE, .claim = share };
	const struct sp_larger_team team = { .open = &open, .claims = 4, .threads = 6, .share = &share };
	const struct sp_view view = { .machine = machine, .grown = &team };

	ck_assert_int_eq(sp_terms_grow(&view, &others, &terms), !_i);
	free(machine);
}
END_TEST

/* Four groups on 16 cores, of which another job has those from 2 to 5: each as by itself. */
START_TEST(each_group_of_ranks_has_terms_of_its_own)
{
	static const char *const mask[] = { "0-3", "0-3", "4-7", "8-9", "5" };
	struct sp_machine *machine = machine_uniform(16, 1);
	const struct sp_cpus allowed = cpus_of_list("0-15");
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs others = { .taken = cpus_of_list("2-5"), .jobs = 1, .threads = 4 };
	uint32_t need[] = { 1, 1, 3, 1, 1, 9 };
	struct sp_part part[6] = { { .count = 0 } };
	struct sp_plan plan = { .terms.generation = 7, .need = need, .part = part };

	for (uint32_t rank = 0; rank < 5; rank++)
		part[rank] = (struct sp_part){ .cpus = cpus_of_list(mask[rank]), .group = rank == 1 ? 0 : rank, .index = rank == 1, .count = rank < 2 ? 2 : 1 };
	sp_decide_groups(&(struct sp_view){ .machine = machine, .policy = &policy, .nranks = 6, .allowed = &allowed }, &others, &plan);
	const struct sp_terms terms = plan.terms;
	ck_assert_uint_eq(terms.generation, 7);
	ck_assert_uint_eq(terms.how, SP_TERMS_BESIDE);
	ck_assert_uint_eq(terms.threads, 7);
	ck_assert_str_eq(list_of_cpus(&terms.taken), "2-3");
	/* Two cores are free for three threads, and none for one: they are not divided, but claimed, and the one cannot go elsewhere. */
	ck_assert_str_eq(list_of_cpus(&terms.undivided), "4-7");
	ck_assert_str_eq(list_of_cpus(&terms.claim), "0-1,5-8");
	ck_assert_int_eq(sp_terms_how_on(&terms, &part[0].cpus), SP_TERMS_BESIDE);
	ck_assert_int_eq(sp_terms_how_on(&terms, &part[2].cpus), SP_TERMS_SHARED);
	ck_assert_int_eq(sp_terms_how_on(&terms, &part[3].cpus), SP_TERMS_ALONE);
	ck_assert_int_eq(sp_terms_how_on(&terms, &part[4].cpus), SP_TERMS_SHARED);
	free(machine);
}
END_TEST

/* Ranks of a binding, whose runtimes bind their threads, on cores that another job claims. */
START_TEST(groups_that_crowd_make_their_job_crowded)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	const struct sp_cpus allowed = cpus_of_list("0-15");
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs others = { .taken = cpus_of_list(_i ? "0-7" : "8-15"), .jobs = 1, .threads = 8 };
	uint32_t need[] = { 4, 4 };
	struct sp_part part[] = { { .cpus = cpus_of_list("0-3"), .count = 1 }, { .cpus = cpus_of_list("4-7"), .group = 1, .count = 1 } };
	struct sp_plan plan = { .need = need, .part = part };

	sp_decide_groups(&(struct sp_view){ .machine = machine, .policy = &policy, .places = SP_PLACES_SMALL, .nranks = 2, .allowed = &allowed }, &others, &plan);
	ck_assert_uint_eq(plan.terms.how, SP_TERMS_ALONE);
	ck_assert_uint_eq(plan.terms.is_crowded, _i);
	free(machine);
}
END_TEST

/* One of the ranks has its share, the others too few CPUs. */
START_TEST(a_group_that_cannot_be_cut_claims_all_it_has)
{
	struct sp_machine *machine = machine_uniform(4, 1);
	const struct sp_cpus allowed = cpus_of_list("0-3");
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs none = { .jobs = 0 };
	uint32_t need[] = { SP_NEED_FIXED, 0, 0, 0 };
	struct sp_part part[4] = { { .cpus = cpus_of_list("0"), .count = 1 } };
	struct sp_plan plan = { .terms.generation = 7, .need = need, .part = part };

	for (uint32_t rank = 1; rank < 4; rank++)
		part[rank] = (struct sp_part){ .cpus = cpus_of_list("2-3"), .group = 1, .index = rank - 1, .count = 3 };
	sp_decide_groups(&(struct sp_view){ .machine = machine, .policy = &policy, .nranks = 4, .allowed = &allowed }, &none, &plan);
	ck_assert_uint_eq(plan.terms.how, SP_TERMS_ALONE);
	ck_assert_str_eq(list_of_cpus(&plan.terms.claim), "2-3");
	free(machine);
}
END_TEST

START_TEST(without_memory_nothing_is_claimed)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_policy policy = { 0 };
	const struct sp_other_jobs none = { .jobs = 0 };
	struct sp_terms terms;

	/* Or more than is needed. */
	SHORT_OF_MEMORY(terms = find(machine, &policy, 2, 2, &none))
		ck_assert(sp_cpus_empty(&terms.claim) || sp_machine_cores(machine, &terms.claim) >= 4);
	free(machine);
}
END_TEST

Suite *
suite_terms(void)
{
	Suite *suite = suite_create("terms");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, ranks_that_announce_nothing_claim_what_they_will_divide);
	tcase_add_test(facts, beside_a_job_that_is_starting_nothing_is_divided);
	tcase_add_test(facts, threads_that_are_bound_to_places_are_divided_even_where_too_few_cores_are_left);
	tcase_add_test(facts, lone_ranks_whose_threads_are_bound_take_the_cores_that_the_fewest_claim);
	tcase_add_test(facts, a_job_that_is_starting_on_other_CPUs_does_not_matter);
	tcase_add_test(facts, more_ranks_than_CPUs_claim_nothing);
	tcase_add_test(facts, what_the_user_has_named_is_claimed_from_whomever);
	tcase_add_loop_test(facts, a_job_takes_what_it_needs_of_what_is_left, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(facts, threads_that_are_left_to_the_kernel_do_not_make_do_with_what_pinned_ones_leave, 0, sizeof(squeezes) / sizeof(squeezes[0]));
	tcase_add_test(facts, a_share_is_as_wide_as_a_bound_team);
	tcase_add_test(facts, a_job_that_is_alone_is_divided_however_many_threads_it_has);
	tcase_add_loop_test(facts, what_confined_ranks_do_not_divide_is_claimed, 0, 3);
	tcase_add_test(facts, ranks_whose_share_is_fixed_are_not_cut);
	tcase_add_test(facts, a_claim_is_where_threads_will_be);
	tcase_add_loop_test(facts, a_larger_team_leaves_a_core_to_each_thread_that_claims_none, 0, 2);
	tcase_add_loop_test(facts, a_larger_team_claims_idle_cores, 0, sizeof(growths) / sizeof(growths[0]));
	tcase_add_test(facts, each_group_of_ranks_has_terms_of_its_own);
	tcase_add_loop_test(facts, groups_that_crowd_make_their_job_crowded, 0, 2);
	tcase_add_test(facts, a_group_that_cannot_be_cut_claims_all_it_has);
	tcase_add_test(facts, without_memory_nothing_is_claimed);
	suite_add_tcase(suite, facts);
	return suite;
}
