/* The statistics of splitpin compare. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "suites.h"

#include "cmd/compare/conclude.h"
#include "cmd/compare/ratio.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Permeability of placentas to water, Hollander and Wolfe, table 4.1: a difference of 0.305, 95 % interval -0.15 to 0.76. */
START_TEST(a_textbooks_example_comes_out)
{
	double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	double before[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct ratio ratio;

	/* A difference of logarithms is a ratio. */
	for (size_t i = 0; i < COUNT(term); i++)
		term[i] = exp(term[i]);
	for (size_t i = 0; i < COUNT(before); i++)
		before[i] = exp(before[i]);
	ck_assert_int_eq(ratio_estimate(term, COUNT(term), before, COUNT(before), &ratio), 0);
	ck_assert_double_eq_tol(log(ratio.estimate), 0.305, 1e-9);
	ck_assert_double_eq_tol(log(ratio.low), -0.15, 1e-9);
	ck_assert_double_eq_tol(log(ratio.high), 0.76, 1e-9);
	ck_assert_double_ge(ratio.confidence, 0.95);
	ck_assert_double_le(ratio.confidence, 0.97);
}
END_TEST

/* Of all orders 2 in 70, 8 in 252 and 38 in 924 are outside. */
START_TEST(the_confidence_is_exact)
{
	static const double time[] = { 1, 2, 3, 4, 5, 6 };
	static const double expected[] = { 0, 1 - 2 / 6., 1 - 2 / 20., 1 - 2 / 70., 1 - 8 / 252., 1 - 38 / 924. };
	struct ratio ratio;

	for (size_t n = 1; n <= COUNT(time); n++) {
		ck_assert_int_eq(ratio_estimate(time, n, time, n, &ratio), 0);
		ck_assert_double_eq_tol(ratio.confidence, expected[n - 1], 1e-12);
		ck_assert_double_eq_tol(ratio.estimate, 1, 1e-12);
	}
}
END_TEST

START_TEST(most_runs_are_counted_exactly_enough)
{
	double time[RATIO_RUNS_MAX];
	struct ratio ratio;

	for (size_t i = 0; i < COUNT(time); i++)
		time[i] = 1 + 0.01 * (double)i;
	ck_assert_int_eq(ratio_estimate(time, COUNT(time), time, COUNT(time), &ratio), 0);
	ck_assert_double_ge(ratio.confidence, RATIO_CONFIDENCE);
	ck_assert_double_le(ratio.confidence, RATIO_CONFIDENCE + 0.001);
	ck_assert(ratio.low < 1 && ratio.high > 1);
}
END_TEST

START_TEST(a_difference_is_told_from_noise)
{
	static const double slow[] = { 2.0, 2.1, 1.9, 2.05, 1.95 }, fast[] = { 1.0, 1.02, 0.98, 1.01, 0.99 };
	struct ratio ratio;

	ck_assert_int_eq(ratio_estimate(slow, 5, fast, 5, &ratio), 0);
	ck_assert_double_eq_tol(ratio.estimate, 2, 0.02);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_GREATER);
	double estimate = ratio.estimate, low = ratio.low;
	ck_assert_int_eq(ratio_estimate(fast, 5, slow, 5, &ratio), 0);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_LESS);
	ck_assert_double_eq_tol(ratio.estimate, 1 / estimate, 1e-12);
	ck_assert_double_eq_tol(ratio.high, 1 / low, 1e-12);
	ck_assert_int_eq(ratio_estimate(slow, 5, slow, 5, &ratio), 0);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_SAME);
}
END_TEST

START_TEST(an_outlier_changes_little)
{
	static const double slow[] = { 2.0, 2.1, 1.9, 2.05, 60 }, fast[] = { 1.0, 1.02, 0.98, 1.01, 0.99 };
	struct ratio ratio;

	ck_assert_int_eq(ratio_estimate(slow, 5, fast, 5, &ratio), 0);
	ck_assert_double_eq_tol(ratio.estimate, 2.05, 0.03);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_GREATER);
}
END_TEST

START_TEST(too_few_runs_tell_nothing)
{
	static const double slow[] = { 9, 9.1, 9.2, 9.3 }, fast[] = { 1, 1.1, 1.2, 1.3 };
	struct ratio ratio;

	ck_assert_int_eq(ratio_estimate(slow, 3, fast, 3, &ratio), 0);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_UNKNOWN);
	ck_assert_int_eq(ratio_estimate(slow, RATIO_RUNS, fast, RATIO_RUNS, &ratio), 0);
	ck_assert_int_eq(ratio_judge(&ratio), RATIO_GREATER);
	ck_assert_int_eq(ratio_estimate(slow, 0, fast, 3, &ratio), -EINVAL);
	ck_assert_int_eq(ratio_estimate(slow, 3, fast, RATIO_RUNS_MAX + 1, &ratio), -EINVAL);
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

/* Runs with these times, all of one way or ABBA; what the sentence says. */
static void
expect_sentence(const double wall[], size_t n, const char *expected)
{
	struct compare compare = { .rounds = (unsigned)n / 2, .run = calloc(n, sizeof(*compare.run)), .nruns = n };

	for (size_t i = 0; i < n; i++)
		compare.run[i] = (struct compare_run){ .round = (unsigned)i / 2 + 1, .way = compare_way(i), .wall = wall[i] };
	struct compare_result result = compare_conclude(&compare);
	char *sentence = compare_sentence(&result);
	ck_assert_str_eq(sentence, expected);
	free(sentence);
	free(compare.run);
}

START_TEST(the_verdict_is_a_sentence)
{
	static const double faster[] = { 2, 1, 1, 2, 2, 1, 1, 2 }, slower[] = { 1, 1.5, 1.5, 1, 1, 1.5, 1.5, 1 };
	static const double same[] = { 1, 1.2, 0.9, 1.1, 1.2, 1, 1.1, 0.9 }, little[] = { 1.004, 1, 1, 1.004, 1.004, 1, 1, 1.004 };

	expect_sentence(faster, 8, "2.00 times as fast with splitpin");
	expect_sentence(slower, 8, "50 % slower with splitpin");
	expect_sentence(same, 8, "no difference beyond noise");
	expect_sentence(little, 8, "less than 1 % faster with splitpin");
	expect_sentence(faster, 4, "2.00 times as fast with splitpin, but that may be noise: 4 rounds are needed to tell");
	expect_sentence(faster, 1, "nothing to compare: at least one run with and one without splitpin is needed");
}
END_TEST

Suite *
suite_ratio(void)
{
	Suite *suite = suite_create("ratio");
	TCase *tests = tcase_create("ratio");

	tcase_add_test(tests, a_textbooks_example_comes_out);
	tcase_add_test(tests, the_confidence_is_exact);
	tcase_add_test(tests, most_runs_are_counted_exactly_enough);
	tcase_add_test(tests, a_difference_is_told_from_noise);
	tcase_add_test(tests, an_outlier_changes_little);
	tcase_add_test(tests, too_few_runs_tell_nothing);
	tcase_add_test(tests, the_first_alternates_from_round_to_round);
	tcase_add_test(tests, the_verdict_is_a_sentence);
	suite_add_tcase(suite, tests);
	return suite;
}
