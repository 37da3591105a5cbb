/* Numbers: of settings and launchers' variables, which is the larger, arrays of them. */
#include <check.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/ascii.h"
#include "base/order.h"
#include "memory.h"
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
	ck_assert_int_lt(sp_order_all((uint64_t[]){ 1, 2, 9 }, (uint64_t[]){ 1, 3, 0 }, 3), 0);
	ck_assert_int_eq(sp_order_all((uint64_t[]){ 1, 2, 9 }, (uint64_t[]){ 1, 2, 0 }, 2), 0);
	ck_assert_int_gt(sp_order_all((uint64_t[]){ 1, 2, 9 }, (uint64_t[]){ 1, 2, 0 }, 3), 0);
	ck_assert_uint_eq(sp_smaller(3, UINT64_MAX), 3);
	ck_assert_uint_eq(sp_smaller(UINT64_MAX, 3), 3);
	ck_assert_uint_eq(sp_larger(3, UINT64_MAX), UINT64_MAX);
	ck_assert_uint_eq(sp_larger(UINT64_MAX, 3), UINT64_MAX);
	ck_assert_uint_eq(sp_excess(9, 7), 2);
	ck_assert_uint_eq(sp_excess(7, 9), 0);
	ck_assert_uint_eq(sp_excess(7, 7), 0);
}
END_TEST

START_TEST(arrays_grow_by_zeroes)
{
	uint32_t n = 0, *array = NULL, *grown;

	for (uint32_t i = 0; i < 1000; i += i / 3 + 1) {
		uint32_t before = n;

		grown = sp_array_grow(array, &n, i, sizeof(*array));
		ck_assert_ptr_nonnull(grown);
		ck_assert_uint_gt(n, i);
		ck_assert_uint_ge(n, before);
		ck_assert(i >= before || (n == before && grown == array));
		for (uint32_t k = 0; k < n; k++) {
			ck_assert_uint_eq(grown[k], k < before ? 7 : 0);
			grown[k] = 7;
		}
		array = grown;
	}
	uint32_t before = n;
	memory_short_at(0);
	grown = sp_array_grow(array, &n, n, sizeof(*array));
	ck_assert(memory_was_short());
	ck_assert_ptr_null(grown);
	ck_assert_uint_eq(n, before);
	ck_assert_uint_eq(array[n - 1], 7);
	/* The highest index has no number of entries that holds it. */
	ck_assert_ptr_null(sp_array_grow(array, &n, UINT32_MAX, sizeof(*array)));
	ck_assert_uint_eq(n, before);
	free(array);
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
	tcase_add_test(tcase, arrays_grow_by_zeroes);
	suite_add_tcase(suite, tcase);
	return suite;
}
