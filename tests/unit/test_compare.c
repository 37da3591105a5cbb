/* The statistics of splitpin compare, and what it reads of the reports of nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"

#include "cmd/compare/reports.h"
#include "cmd/compare/result.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Permeability of placentas to water, Hollander and Wolfe, table 4.1: one-sided, P = 0.1272. */
START_TEST(a_textbooks_example_comes_out)
{
	static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	static const double before[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

	ck_assert_double_eq_tol(compare_rank_test(term, COUNT(term), before, COUNT(before)), 2 * 0.1272, 1e-4);
	ck_assert_double_eq_tol(compare_rank_test(before, COUNT(before), term, COUNT(term)), 2 * 0.1272, 1e-4);
}
END_TEST

/* Of all orders of n and n values 2 are as unequal as can be. */
START_TEST(the_rank_test_is_exact)
{
	static const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 }, mixed[] = { 0.5, 7, 8, 9, 10 };
	static const double orders[] = { 2, 6, 20, 70, 252 };

	for (size_t n = 1; n <= COUNT(low); n++)
		ck_assert_double_eq_tol(compare_rank_test(low, n, high, n), 2 / orders[n - 1], 1e-12);
	/* The one ahead of five others: U = 5, which 19 of 252 orders have or less. */
	ck_assert_double_eq_tol(compare_rank_test(low, 5, mixed, 5), 2 * 19 / 252., 1e-12);
	ck_assert_double_eq_tol(compare_rank_test(low, 5, low, 5), 1, 1e-12);
}
END_TEST

START_TEST(the_rank_test_takes_the_most_runs)
{
	double time[COMPARE_RUNS_MAX], later[COMPARE_RUNS_MAX];

	for (size_t i = 0; i < COUNT(time); i++) {
		time[i] = 1 + 0.01 * (double)i;
		later[i] = time[i] + 1;
	}
	ck_assert_double_le(compare_rank_test(time, COUNT(time), later, COUNT(later)), 1e-20);
	ck_assert_double_ge(compare_rank_test(time, COUNT(time), time, COUNT(time)), 0.99);
}
END_TEST

START_TEST(a_range_has_the_median)
{
	static const double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };
	struct compare_range range = compare_range_of(odd, 3);

	ck_assert(range.median == 2 && range.least == 1 && range.greatest == 3);
	range = compare_range_of(even, 4);
	ck_assert(range.median == 2.5 && range.least == 1 && range.greatest == 4);
}
END_TEST

START_TEST(the_first_alternates_from_round_to_round)
{
	static const enum compare_way expected[] = {
		COMPARE_WITHOUT, COMPARE_WITH, COMPARE_WITH, COMPARE_WITHOUT, COMPARE_WITHOUT, COMPARE_WITH, COMPARE_WITH,
		COMPARE_WITHOUT,
	};

	for (size_t i = 0; i < COUNT(expected); i++)
		ck_assert_int_eq(compare_way(i), expected[i]);
}
END_TEST

/* Runs with these times, ABBA; what the sentence says. */
static void
expect_sentence(struct compare compare, const double wall[], size_t n, const char *expected)
{
	compare.rounds = (unsigned)n / 2;
	compare.run = calloc(n + 1, sizeof(*compare.run));
	compare.nruns = n;
	for (size_t i = 0; i < n; i++)
		compare.run[i] = (struct compare_run){ .round = (unsigned)i / 2 + 1, .way = compare_way(i), .wall = wall[i] };
	struct compare_result result = compare_conclude(&compare);
	ck_assert_str_eq(result.sentence, expected);
	free(result.sentence);
	free(compare.run);
}

START_TEST(the_verdict_is_a_sentence)
{
	static const double faster[] = { 2, 1, 1, 2, 2, 1, 1, 2 }, slower[] = { 1, 1.5, 1.5, 1, 1, 1.5, 1.5, 1 };
	static const double same[] = { 1, 1.2, 0.9, 1.1, 1.2, 1, 1.1, 0.9 }, little[] = { 1.004, 1, 1, 1.004, 1.004, 1, 1, 1.004 };
	static const double outlier[] = { 2, 1, 1, 60, 2, 1, 1, 2 };
	struct compare compare = { .is_silent = false };

	expect_sentence(compare, faster, 8, "2.00 times as fast with splitpin");
	expect_sentence(compare, outlier, 8, "2.00 times as fast with splitpin");
	expect_sentence(compare, slower, 8, "50 % slower with splitpin");
	expect_sentence(compare, same, 8, "no difference beyond noise");
	expect_sentence(compare, little, 8, "less than 1 % faster with splitpin");
	expect_sentence(compare, faster, 6, "2.00 times as fast with splitpin, but that may be noise: 4 rounds are needed to tell");
	expect_sentence(compare, faster, 1, "nothing to compare: at least one run with and one without splitpin is needed");
	compare.is_silent = true;
	expect_sentence(compare, faster, 8, "splitpin was active in no process of this job: splitpin check with this line says why");
}
END_TEST

START_TEST(nodes_report)
{
	FILE *file = tmpfile();
	struct reports reports = { .n = 0 };

	fputs("splitpin: host=n10 why: each has 1 core\n"
	      "splitpin: host=n10 result: 2 of 2 ranks have their own CPUs, 0 cores idle\n"
	      "the program's own line\n"
	      /* A launcher may put the rank before each line. */
	      "[1,2]<stderr>:splitpin: host=n9    0     123  0        0      0     0     [#.]\n"
	      "[1,2]<stderr>:splitpin: host=n9 result: \033[31m\n"
	      "splitpin: warning: host=b 1 rank has more threads than CPUs\n"
	      "splitpin: host=\nsplitpin: host= x\nsplitpin: no host\n", file);
	reports_read(file, &reports);
	ck_assert_uint_eq(reports.n, 3);
	ck_assert_str_eq(reports.report[0].host, "b");
	ck_assert(!reports.report[0].result && reports.report[0].warnings == 1);
	ck_assert_str_eq(reports.report[1].host, "n9");
	ck_assert_str_eq(reports.report[1].result, "?[31m");
	ck_assert_str_eq(reports.report[2].result, "2 of 2 ranks have their own CPUs, 0 cores idle");
	/* The next run replaces them. */
	ck_assert_int_eq(ftruncate(fileno(file), 0), 0);
	reports_read(file, &reports);
	ck_assert_uint_eq(reports.n, 0);
	reports_release(&reports);
	fclose(file);
}
END_TEST

Suite *
suite_compare(void)
{
	Suite *suite = suite_create("compare");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_textbooks_example_comes_out);
	tcase_add_test(facts, the_rank_test_is_exact);
	tcase_add_test(facts, the_rank_test_takes_the_most_runs);
	tcase_add_test(facts, a_range_has_the_median);
	tcase_add_test(facts, the_first_alternates_from_round_to_round);
	tcase_add_test(facts, the_verdict_is_a_sentence);
	tcase_add_test(facts, nodes_report);
	suite_add_tcase(suite, facts);
	return suite;
}
