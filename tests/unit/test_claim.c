/* Facts about what a job takes, on invented machines. */
#include <check.h>
#include <stdlib.h>

#include "engine/claim.h"
#include "machines.h"
#include "memory.h"
#include "suites.h"

static struct sp_cpus
cpus_or_none(const char *list)
{
	return *list ? cpus_of_list(list) : (struct sp_cpus){ 0 };
}

/* On 8 cores of 2 threads, CPUs c and c + 8, beside one other job. */
static void
claim(const struct sp_policy *policy, uint32_t nranks, const char *taken_before, const char *taken_after, const char *claimed)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_cpus allowed = cpus_of_list("0-15"), taken = cpus_or_none(taken_before), all;
	char text[SP_CPUS_TEXT];

	sp_claim(&(struct sp_claiming){ .machine = machine, .policy = policy, .allowed = &allowed,
					.nranks = nranks, .jobs = 1 }, &taken, &all);
	ck_assert_str_eq(sp_cpus_format(&taken, text, sizeof(text)), taken_after);
	ck_assert_str_eq(sp_cpus_format(&all, text, sizeof(text)), claimed);
	free(machine);
}

START_TEST(a_job_claims_what_it_will_cut)
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
	claim(&all, 5, "0-3,8-11", "", "0-4,8-12");
	claim(&all, 1, "0-15", "", "0-15");
	/* What is not allowed does not matter. */
	claim(&all, 2, "100", "", "0-15");
}
END_TEST

START_TEST(a_claim_of_more_ranks_than_CPUs)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	struct sp_cpus allowed = cpus_of_list("0-1"), taken = allowed, all;
	const struct sp_policy policy = { 0 };

	sp_claim(&(struct sp_claiming){ .machine = machine, .policy = &policy, .allowed = &allowed,
					.nranks = 3, .jobs = 1 }, &taken, &all);
	ck_assert(sp_cpus_empty(&all));
	ck_assert(sp_cpus_empty(&taken));
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

START_TEST(without_memory_nothing_is_claimed)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus allowed = cpus_of_list("0-15"), half = cpus_of_list("0-7"), none = { 0 };
	const struct sp_policy policy = { 0 };
	struct sp_cpus taken = none, all, part;

	SHORT_OF_MEMORY((all = half, sp_claim(&(struct sp_claiming){ .machine = machine, .policy = &policy,
				.allowed = &allowed, .nranks = 2 }, &taken, &all)))
		ck_assert(sp_cpus_equal(&all, was_short ? &none : &allowed));
	/* What is to be made smaller stays as it is. */
	SHORT_OF_MEMORY((part = allowed, sp_claim_part(machine, 4, &part)))
		ck_assert_uint_eq(sp_machine_cores(machine, &part), was_short ? 8 : 4);
	free(machine);
}
END_TEST

/* On 16 cores of 1 thread: whether the others' cores are left to them. */
static const struct {
	const char *taken;
	uint32_t jobs, nranks, threads;
	const char *avoided;	/* NULL: the node is shared */
} fairness[] = {
	/* One other: half of an even part is 4 cores. */
	{ "0-7", 1, 1, 0, "8-15" },
	{ "0-11", 1, 1, 0, "12-15" },
	{ "0-12", 1, 1, 0, NULL },
	{ "0-14", 1, 1, 0, NULL },
	{ "0-15", 1, 1, 0, NULL },
	/* Who announces fewer threads needs no more cores than these. */
	{ "0-14", 1, 1, 1, "15" },
	{ "0-14", 1, 1, 2, NULL },
	{ "0-13", 1, 1, 2, "14-15" },
	{ "0-13", 1, 2, 1, "14-15" },
	{ "0-13", 1, 3, 1, NULL },
	{ "0-11", 1, 1, 64, "12-15" },
	{ "0-15", 1, 1, 1, NULL },
	/* With two others it is 3, with fifteen 1. */
	{ "0-12", 2, 1, 0, "13-15" },
	{ "0-13", 2, 1, 0, NULL },
	{ "0-14", 15, 1, 0, "15" },
	/* A core for each rank at least. */
	{ "0-7", 1, 8, 0, "8-15" },
	{ "0-7", 1, 9, 0, NULL },
	{ "0-13", 7, 3, 0, NULL },
};
#define CASES (sizeof(fairness) / sizeof(fairness[0]))

START_TEST(others_keep_theirs_as_long_as_that_is_fair)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	struct sp_cpus allowed = cpus_of_list("0-15"), before = cpus_of_list(fairness[_i].taken), taken = before, all, free_ones;
	const struct sp_policy policy = { 0 };

	sp_claim(&(struct sp_claiming){ .machine = machine, .policy = &policy, .allowed = &allowed,
					.nranks = fairness[_i].nranks, .threads = fairness[_i].threads,
					.jobs = fairness[_i].jobs }, &taken, &all);
	if (fairness[_i].avoided) {
		free_ones = cpus_of_list(fairness[_i].avoided);
		ck_assert_msg(sp_cpus_equal(&taken, &before), "case %d is shared", _i);
		ck_assert(sp_cpus_within(&all, &free_ones));
	} else {
		ck_assert_msg(sp_cpus_empty(&taken), "case %d is not shared", _i);
		ck_assert(sp_cpus_intersect(&all, &before));
	}
	ck_assert_uint_ge(sp_cpus_count(&all), fairness[_i].nranks);
	free(machine);
}
END_TEST

Suite *
suite_claim(void)
{
	Suite *suite = suite_create("claim");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_job_claims_what_it_will_cut);
	tcase_add_test(facts, a_claim_of_more_ranks_than_CPUs);
	tcase_add_test(facts, what_the_user_has_named_is_claimed_from_whomever);
	tcase_add_test(facts, without_memory_nothing_is_claimed);
	tcase_add_loop_test(facts, others_keep_theirs_as_long_as_that_is_fair, 0, CASES);
	suite_add_tcase(suite, facts);
	return suite;
}
