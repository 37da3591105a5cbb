/* CPU sets and their lists. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "machines.h"

START_TEST(a_set_holds_what_was_added)
{
	struct sp_cpus set = { 0 };

	ck_assert(sp_cpus_empty(&set));
	sp_cpus_add(&set, 0);
	sp_cpus_add(&set, 63);
	sp_cpus_add(&set, 64);
	sp_cpus_add(&set, SP_CPUS_MAX - 1);
	ck_assert_uint_eq(sp_cpus_count(&set), 4);
	ck_assert(sp_cpus_has(&set, 63) && sp_cpus_has(&set, 64));
	ck_assert(!sp_cpus_has(&set, 62));
	sp_cpus_remove(&set, 63);
	ck_assert(!sp_cpus_has(&set, 63));
	ck_assert_uint_eq(sp_cpus_count(&set), 3);
	ck_assert(!sp_cpus_empty(&set));
}
END_TEST

START_TEST(numbers_beyond_the_set_are_ignored)
{
	struct sp_cpus set = { 0 };

	sp_cpus_add(&set, SP_CPUS_MAX);
	sp_cpus_add(&set, SP_NO_CPU);
	sp_cpus_remove(&set, SP_NO_CPU);
	ck_assert(sp_cpus_empty(&set));
	ck_assert(!sp_cpus_has(&set, SP_CPUS_MAX));
	ck_assert_uint_eq(sp_cpus_next(&set, SP_CPUS_MAX), SP_NO_CPU);
	ck_assert_uint_eq(sp_cpus_next(&set, SP_NO_CPU), SP_NO_CPU);
}
END_TEST

START_TEST(sets_compare)
{
	struct sp_cpus a = cpus_of_list("0-3,100"), b = cpus_of_list("3,100"), c = cpus_of_list("4-99");

	ck_assert(sp_cpus_intersect(&a, &b));
	ck_assert(!sp_cpus_intersect(&a, &c));
	ck_assert(sp_cpus_within(&b, &a));
	ck_assert(!sp_cpus_within(&a, &b));
	ck_assert(!sp_cpus_equal(&a, &b));
	ck_assert(sp_cpus_equal(&a, &a));
}
END_TEST

START_TEST(sets_combine)
{
	struct sp_cpus a = cpus_of_list("0-3,100"), b = cpus_of_list("3-5,100"), set;

	set = a;
	sp_cpus_or(&set, &b);
	ck_assert_str_eq(list_of_cpus(&set), "0-5,100");
	set = a;
	sp_cpus_and(&set, &b);
	ck_assert_str_eq(list_of_cpus(&set), "3,100");
	set = a;
	sp_cpus_sub(&set, &b);
	ck_assert_str_eq(list_of_cpus(&set), "0-2");
}
END_TEST

START_TEST(next_walks_the_set)
{
	struct sp_cpus set = cpus_of_list("5,64,8191");

	ck_assert_uint_eq(sp_cpus_next(&set, 0), 5);
	ck_assert_uint_eq(sp_cpus_next(&set, 5), 5);
	ck_assert_uint_eq(sp_cpus_next(&set, 6), 64);
	ck_assert_uint_eq(sp_cpus_next(&set, 65), 8191);
	sp_cpus_remove(&set, 8191);
	ck_assert_uint_eq(sp_cpus_next(&set, 65), SP_NO_CPU);
}
END_TEST

/* The first and last of a word, of the first and of the last word, alone in a set. */
static const uint32_t alone[] = { 0, 1, 63, 64, 127, SP_CPUS_MAX - 64, SP_CPUS_MAX - 1 };

START_TEST(each_cpu_counts)
{
	struct sp_cpus set = { 0 }, none = { 0 }, other = { 0 }, all;
	uint32_t cpu = alone[_i];

	memset(&all, 0xff, sizeof(all));
	sp_cpus_add(&set, cpu);
	ck_assert(!sp_cpus_empty(&set));
	ck_assert_uint_eq(sp_cpus_count(&set), 1);
	ck_assert_uint_eq(sp_cpus_next(&set, 0), cpu);
	ck_assert_uint_eq(sp_cpus_next(&set, cpu), cpu);
	ck_assert_uint_eq(sp_cpus_next(&set, cpu + 1), SP_NO_CPU);
	ck_assert(sp_cpus_intersect(&set, &all));
	ck_assert(!sp_cpus_intersect(&set, &none));
	ck_assert(sp_cpus_within(&set, &all));
	ck_assert(!sp_cpus_within(&set, &none));
	ck_assert(sp_cpus_within(&none, &set));
	sp_cpus_or(&other, &set);
	ck_assert(sp_cpus_equal(&other, &set));
	sp_cpus_and(&other, &none);
	ck_assert(sp_cpus_equal(&other, &none));
	sp_cpus_sub(&all, &set);
	ck_assert_uint_eq(sp_cpus_count(&all), SP_CPUS_MAX - 1);
	ck_assert(!sp_cpus_has(&all, cpu));
	sp_cpus_remove(&set, cpu);
	ck_assert(sp_cpus_empty(&set));
}
END_TEST

static const struct {
	const char *text, *list;
} lists[] = {
	{ "", "" },
	{ " \n", "" },
	{ "0", "0" },
	{ "0-3,8", "0-3,8" },
	{ "0-3,8\n", "0-3,8" },
	{ " 8 , 0-3", "0-3,8" },
	{ "0,1,2,4", "0-2,4" },
	{ "3-3,1", "1,3" },
	{ "62-65", "62-65" },
	{ "007", "7" },
	{ "8190-8191", "8190-8191" },
	{ "0-8191", "0-8191" },
};

START_TEST(lists_are_read_and_written)
{
	struct sp_cpus set = cpus_of_list(lists[_i].text);

	ck_assert_str_eq(list_of_cpus(&set), lists[_i].list);
}
END_TEST

static const struct {
	const char *text;
	int error;
} wrong[] = {
	{ ",", -EINVAL }, { "1,", -EINVAL }, { ",1", -EINVAL }, { "1,,2", -EINVAL },
	{ "a", -EINVAL }, { "1a", -EINVAL }, { "1 2", -EINVAL }, { "-1", -EINVAL },
	{ "1-", -EINVAL }, { "3-1", -EINVAL }, { "1-2-3", -EINVAL }, { "0x10", -EINVAL },
	{ "1 - 2", -EINVAL }, { "+1", -EINVAL }, { "0-7:2", -EINVAL },
	{ "8192", -ERANGE }, { "0-8192", -ERANGE }, { "4294967296", -ERANGE },
	{ "99999999999999999999999999", -ERANGE },
};

START_TEST(wrong_lists_leave_the_set_alone)
{
	struct sp_cpus set = cpus_of_list("7");

	ck_assert_int_eq(sp_cpus_parse(wrong[_i].text, &set), wrong[_i].error);
	ck_assert_str_eq(list_of_cpus(&set), "7");
}
END_TEST

START_TEST(a_long_text_is_cut_after_a_whole_entry)
{
	struct sp_cpus set = cpus_of_list("0-3,8,10-11,13");
	char text[32];

	ck_assert_str_eq(sp_cpus_format(&set, text, 15), "0-3,8,10-11,13");
	ck_assert_str_eq(sp_cpus_format(&set, text, 14), "0-3,8,...");
	ck_assert_str_eq(sp_cpus_format(&set, text, 10), "0-3,8,...");
	ck_assert_str_eq(sp_cpus_format(&set, text, 9), "0-3,...");
	ck_assert_str_eq(sp_cpus_format(&set, text, 7), "...");
	ck_assert_str_eq(sp_cpus_format(&set, text, 2), ".");
	ck_assert_str_eq(sp_cpus_format(&set, text, 1), "");
	text[0] = 'x';
	ck_assert_ptr_eq(sp_cpus_format(&set, text, 0), text);
	ck_assert_int_eq(text[0], 'x');
}
END_TEST

/* Every size is safe, and ends whole or in dots. */
START_TEST(no_size_is_overrun)
{
	struct sp_cpus set = { 0 };

	for (uint32_t cpu = 0; cpu < SP_CPUS_MAX; cpu += 2)
		sp_cpus_add(&set, cpu);
	for (size_t size = 1; size < 600; size++) {
		char *text = malloc(size);

		ck_assert_ptr_nonnull(text);
		sp_cpus_format(&set, text, size);
		ck_assert_uint_lt(strlen(text), size);
		if (size > 8)
			ck_assert_str_eq(text + strlen(text) - 4, ",...");
		free(text);
	}
}
END_TEST

Suite *
suite_cpus(void)
{
	Suite *suite = suite_create("cpus");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_set_holds_what_was_added);
	tcase_add_test(facts, numbers_beyond_the_set_are_ignored);
	tcase_add_test(facts, sets_compare);
	tcase_add_test(facts, sets_combine);
	tcase_add_test(facts, next_walks_the_set);
	tcase_add_loop_test(facts, each_cpu_counts, 0, sizeof(alone) / sizeof(*alone));
	tcase_add_loop_test(facts, lists_are_read_and_written, 0, sizeof(lists) / sizeof(*lists));
	tcase_add_loop_test(facts, wrong_lists_leave_the_set_alone, 0, sizeof(wrong) / sizeof(*wrong));
	tcase_add_test(facts, a_long_text_is_cut_after_a_whole_entry);
	tcase_add_test(facts, no_size_is_overrun);
	suite_add_tcase(suite, facts);
	return suite;
}
