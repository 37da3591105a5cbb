/* Whole numbers of settings and launchers' variables. */
#include <check.h>

#include "base/ascii.h"
#include "base/order.h"
#include "suites.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	bool is_number;
	uint32_t number;
} numbers[] = {
	{ "0", true, 0 },
	{ "007", true, 7 },
	{ " \t12 \n", true, 12 },
	{ "4294967295", true, UINT32_MAX },
	{ "4294967296", false, 0 },
	{ "18446744073709551617", false, 0 },
	{ "99999999999999999999999999999999", false, 0 },
	{ "", false, 0 },
	{ " ", false, 0 },
	{ "-1", false, 0 },
	{ "+1", false, 0 },
	{ "1 2", false, 0 },
	{ "1x", false, 0 },
	{ "0x10", false, 0 },
};

START_TEST(a_number_is_the_whole_text)
{
	uint32_t number = 4711;

	ck_assert_int_eq(sp_ascii_number(numbers[_i].text, &number), numbers[_i].is_number);
	ck_assert_uint_eq(number, numbers[_i].is_number ? numbers[_i].number : 4711);
}
END_TEST

START_TEST(numbers_have_an_order)
{
	ck_assert_int_lt(sp_order(0, UINT64_MAX), 0);
	ck_assert_int_eq(sp_order(7, 7), 0);
	ck_assert_int_gt(sp_order(UINT64_MAX, 0), 0);
}
END_TEST

START_TEST(a_word_is_the_whole_text)
{
	ck_assert(sp_ascii_is(" \tKeep\n", "keep"));
	ck_assert(sp_ascii_is("keep", "keep"));
	ck_assert(!sp_ascii_is("keeps", "keep"));
	ck_assert(!sp_ascii_is("keep it", "keep"));
	ck_assert(!sp_ascii_is("kee", "keep"));
	ck_assert(!sp_ascii_is("", "keep"));
}
END_TEST

START_TEST(digits_end_where_they_end)
{
	const char *text = "12,3";
	uint64_t number = 0;

	ck_assert_ptr_eq(sp_ascii_digits(text, &number), text + 2);
	ck_assert_uint_eq(number, 12);
	ck_assert_ptr_null(sp_ascii_digits(",3", &number));
	ck_assert_uint_eq(number, 12);
}
END_TEST

START_TEST(a_number_too_large_is_larger_than_any)
{
	const char *text = "18446744073709551616(x2)";
	uint64_t number = 0;

	ck_assert_str_eq(sp_ascii_digits(text, &number), "(x2)");
	ck_assert_uint_gt(number, UINT32_MAX);
}
END_TEST

Suite *
suite_ascii(void)
{
	Suite *suite = suite_create("ascii");
	TCase *tcase = tcase_create("facts");

	tcase_add_loop_test(tcase, a_number_is_the_whole_text, 0, COUNT(numbers));
	tcase_add_test(tcase, a_word_is_the_whole_text);
	tcase_add_test(tcase, digits_end_where_they_end);
	tcase_add_test(tcase, a_number_too_large_is_larger_than_any);
	tcase_add_test(tcase, numbers_have_an_order);
	suite_add_tcase(suite, tcase);
	return suite;
}
