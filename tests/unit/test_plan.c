/* Facts about plans of ranks that are not alike, and of jobs beside others. */
#include <stdlib.h>

#include "cmd/plan/make/beside.h"
#include "cmd/plan/make/gpus.h"
#include "cmd/plan/make/make.h"
#include "machines.h"
#include "suites.h"

/* Of parts with so many ranks and threads each; 0 ranks end them. */
static struct plan_parts
parts_of(const struct plan_part part[])
{
	struct plan_parts parts = { .n = 0 };

	for (; part->ranks; part++)
		ck_assert_int_eq(plan_parts_add(&parts, part, ""), 0);
	return parts;
}

static void
check_need(const uint32_t need[], const uint32_t expected[], uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(need[i], expected[i]);
}

START_TEST(parts_become_ranks_in_their_order)
{
	struct plan_parts parts = parts_of((struct plan_part[]){ { 2, 3, NULL }, { 1, 0, NULL }, { 1, 8, NULL }, { 0, 0, NULL } });
	uint32_t nranks;

	ck_assert_int_eq(plan_parts_end(&parts, "", &nranks), 0);
	ck_assert_uint_eq(nranks, 4);
	uint32_t *need = plan_parts_need(&parts, nranks, 5);
	check_need(need, (uint32_t[]){ 3, 3, 5, 8 }, 4);
	free(need);
	free(parts.part);
}
END_TEST

START_TEST(a_program_of_the_last_part_is_that_of_all)
{
	char *words[] = { "./a", NULL };
	uint32_t nranks;
	struct plan plan = { .parts = parts_of((struct plan_part[]){ { 1, 1, NULL }, { 1, 2, words }, { 0, 0, NULL } }) };

	ck_assert_int_eq(plan_parts_end(&plan.parts, "", &nranks), 0);
	ck_assert_ptr_eq(plan.parts.part[0].command, words);
	ck_assert(!plan_parts_have_programs(&plan.parts));
	free(plan.parts.part);

	char *others[] = { "./b", NULL };
	plan.parts = parts_of((struct plan_part[]){ { 1, 1, others }, { 1, 2, words }, { 0, 0, NULL } });
	ck_assert_int_eq(plan_parts_end(&plan.parts, "", &nranks), 0);
	ck_assert(plan_parts_have_programs(&plan.parts));
	free(plan.parts.part);
}
END_TEST

/* The terms and the shares that a run would find beside what the jobs claim. */
static void
check_as_a_run(const struct plan *plan, const struct sp_cpus *taken, uint32_t jobs)
{
	uint32_t *need = calloc(plan->nranks, sizeof(*need));
	struct sp_other_jobs others = { .taken = *taken, .jobs = jobs };
	struct sp_terms terms = { 0 };
	struct sp_cpus all, share, planned;
	struct sp_cut cut;

	for (uint32_t rank = 0; rank < plan->nranks; rank++)
		need[rank] = plan_threads(plan, rank);
	sp_machine_cpus(plan->machine, &all);
	const struct sp_view view = { .machine = plan->machine, .policy = &plan->config.policy, .bind = plan->config.bind,
				      .nranks = plan->nranks, .allowed = &all };
	const struct sp_group group = { .cpus = &all, .nranks = plan->nranks, .need = need };

	sp_terms_find(&view, &group, &others, &terms, NULL, NULL);
	ck_assert_uint_eq(terms.how, plan->terms.how);
	ck_assert(sp_cpus_equal(&terms.claim, &plan->terms.claim));
	for (uint32_t rank = 0; rank < plan->nranks; rank++) {
		plan_share(plan, rank, &planned);
		share = all;
		if (terms.how != SP_TERMS_SHARED)
			ck_assert_int_eq(sp_terms_share(&view, &group, &terms, rank, &share, &cut), 0);
		ck_assert(sp_cpus_equal(&share, &planned));
		ck_assert(terms.how != SP_TERMS_BESIDE || !sp_cpus_intersect(&planned, taken));
	}
	free(need);
}

static const struct {
	const char *beside[3];
	uint32_t nranks, threads;
	enum sp_terms_how how;
} sides[] = {
	{ { NULL }, 3, 5, SP_TERMS_ALONE },
	{ { "-n 2 -t 2" }, 2, 2, SP_TERMS_BESIDE },
	{ { "-n 2 -t 2", "-n 1 -t 3 : -n 3 -t 1" }, 2, 3, SP_TERMS_BESIDE },
	{ { "-n 2 -t 2", "-n 1 -t 3 : -n 3 -t 1" }, 2, 4, SP_TERMS_SHARED },
	{ { "-n 2" }, 1, 1, SP_TERMS_SHARED },
	{ { "-n 1 -t 9" }, 3, 0, SP_TERMS_BESIDE },
	{ { "-n 1 -t 15", "-n 2 -t 2" }, 1, 1, SP_TERMS_BESIDE },
};

START_TEST(beside_others_a_plan_is_what_a_run_would_do)
{
	struct plan plan = { .source = "pack:2 core:8 pu:2", .name = "it", .nranks = sides[_i].nranks, .threads = sides[_i].threads };
	struct sp_cpus taken = { 0 };

	for (int i = 0; i < 3 && sides[_i].beside[i]; i++)
		ck_assert_int_eq(plan_add_beside(&plan, sides[_i].beside[i]), 0);
	ck_assert_int_eq(plan_make(&plan, NULL), 0);
	for (uint32_t i = 0; i < plan.nbeside; i++) {
		const struct sp_terms *terms = &plan.beside[i].terms;

		ck_assert(!sp_cpus_intersect(&taken, &terms->claim));
		sp_cpus_or(&taken, &terms->claim);
	}
	ck_assert_int_eq(plan.terms.how, sides[_i].how);
	check_as_a_run(&plan, &taken, plan.nbeside);
	plan_release(&plan);
}
END_TEST

/* Two ranks on 8 cores: the share of the second. */
static const struct {
	const char *bound_by;
	bool on_hardware_threads;
	uint32_t threads, smt, smt_there;
	const char *share;
} bound[] = {
	{ NULL, false, 2, 0, 0, "8-15" },
	{ "OMP_PLACES=cores", false, 2, 0, 0, "8-9,12-13" },
	{ "OMP_PROC_BIND=close", true, 2, 0, 0, "8,12" },
	{ "OMP_PROC_BIND=close", true, 4, 0, 0, "8,10,12,14" },
	{ "OMP_PROC_BIND=close", true, 6, 0, 0, "8-15" },
	{ "OMP_PROC_BIND=close", true, 0, 0, 0, "8-15" },
	{ "OMP_PROC_BIND=close", true, 2, 2, 0, "8-9,12-13" },
	{ "OMP_PROC_BIND=close", true, 2, 4, 2, "8-9,12-13" },		/* more than there are */
};

START_TEST(ranks_whose_runtime_binds_have_what_threads_need)
{
	struct plan plan = { .source = "pack:2 core:4 pu:2", .name = "it", .nranks = 2, .threads = bound[_i].threads,
			     .bound_by = bound[_i].bound_by, .on_hardware_threads = bound[_i].on_hardware_threads };
	struct sp_cpus share, expected = cpus_of_list(bound[_i].share);

	plan.config.policy.smt = bound[_i].smt;
	ck_assert_int_eq(plan_make(&plan, NULL), 0);
	ck_assert_uint_eq(plan.smt_there, bound[_i].smt_there);
	plan_share(&plan, 1, &share);
	ck_assert(sp_cpus_equal(&share, &expected));
	ck_assert_int_eq(plan.is_narrowed, sp_cpus_count(&expected) < 8);
	plan_release(&plan);
}
END_TEST

Suite *
suite_plan(void)
{
	Suite *suite = suite_create("plan");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, parts_become_ranks_in_their_order);
	tcase_add_test(facts, a_program_of_the_last_part_is_that_of_all);
	tcase_add_loop_test(facts, beside_others_a_plan_is_what_a_run_would_do, 0, sizeof(sides) / sizeof(sides[0]));
	tcase_add_loop_test(facts, ranks_whose_runtime_binds_have_what_threads_need, 0, sizeof(bound) / sizeof(bound[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
