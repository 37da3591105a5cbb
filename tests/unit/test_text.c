/* Texts that grow in a buffer of fixed size. */
#include <limits.h>
#include <string.h>

#include "suites.h"

#include "base/text.h"

START_TEST(a_text_grows_until_its_room_is_full)
{
	char room[8] = "xxxxxxx";
	struct sp_text text = sp_text_begin(room, sizeof(room));

	ck_assert_str_eq(room, "");
	sp_text_add(&text, "%d core%s", 2, sp_plural(2));
	ck_assert_str_eq(room, "2 cores");
	sp_text_add(&text, " and %d more", 3);
	ck_assert_str_eq(room, "2 cores");
	ck_assert_uint_eq(text.length, 7);
}
END_TEST

START_TEST(what_does_not_fit_is_cut_off)
{
	char room[6];
	struct sp_text text = sp_text_begin(room, sizeof(room));

	sp_text_add(&text, "abc");
	sp_text_add(&text, "defgh");
	ck_assert_str_eq(room, "abcde");
	ck_assert_uint_eq(text.length, 5);
	/* By the last character alone. */
	text = sp_text_begin(room, sizeof(room));
	sp_text_add(&text, "abc");
	sp_text_add(&text, "def");
	ck_assert_str_eq(room, "abcde");
	ck_assert_uint_eq(text.length, 5);
	/* And what fits to the last is whole. */
	text = sp_text_begin(room, sizeof(room));
	sp_text_add(&text, "abcd");
	sp_text_add(&text, "%s", "");
	sp_text_add(&text, "e");
	ck_assert_str_eq(room, "abcde");
	ck_assert_uint_eq(text.length, 5);
}
END_TEST

START_TEST(texts_and_numbers_are_put_without_a_format)
{
	char room[40];
	struct sp_text text = sp_text_begin(room, sizeof(room));

	sp_text_put(&text, "%d: ");
	sp_text_put_number(&text, 0);
	sp_text_put(&text, "");
	sp_text_put(&text, "-");
	sp_text_put_number(&text, 10);
	sp_text_put(&text, "-");
	sp_text_put_number(&text, UINT64_MAX);
	ck_assert_str_eq(room, "%d: 0-10-18446744073709551615");
	ck_assert_uint_eq(text.length, strlen(room));
}
END_TEST

START_TEST(what_is_put_and_does_not_fit_is_cut_off)
{
	char room[6] = "xxxxx";
	struct sp_text text = sp_text_begin(room, 0);

	sp_text_put(&text, "abc");
	sp_text_put_number(&text, 1);
	ck_assert_str_eq(room, "xxxxx");
	text = sp_text_begin(room, sizeof(room));
	sp_text_put(&text, "abc");
	sp_text_put_number(&text, 1234);
	ck_assert_str_eq(room, "abc12");
	ck_assert_uint_eq(text.length, 5);
	sp_text_put(&text, "d");
	ck_assert_str_eq(room, "abc12");
	sp_text_copy(room, 4, "defgh");
	ck_assert_str_eq(room, "def");
	sp_text_copy(room, sizeof(room), "gh");
	ck_assert_str_eq(room, "gh");
}
END_TEST

START_TEST(the_last_part_of_a_path)
{
	ck_assert_str_eq(sp_last_part("/usr/bin/sh"), "sh");
	ck_assert_str_eq(sp_last_part("/sh"), "sh");
	ck_assert_str_eq(sp_last_part("sh"), "sh");
	ck_assert_str_eq(sp_last_part("bin/"), "");
}
END_TEST

START_TEST(no_room_is_never_written)
{
	char room[2] = "x";
	struct sp_text text = sp_text_begin(room, 0);

	sp_text_add(&text, "abc");
	ck_assert_str_eq(room, "x");
	text = sp_text_begin(room, 1);
	sp_text_add(&text, "abc");
	ck_assert_str_eq(room, "");
}
END_TEST

START_TEST(one_alone_is_singular)
{
	ck_assert_str_eq(sp_plural(0), "s");
	ck_assert_str_eq(sp_plural(1), "");
	ck_assert_str_eq(sp_plural(2), "s");
}
END_TEST

START_TEST(misspelt_names_are_near)
{
	static const char longest[] = "0123456789012345678901234567890123456789";

	ck_assert_uint_eq(sp_text_distance("smt", 3, "smt"), 0);
	ck_assert_uint_eq(sp_text_distance("SMT=1", 3, "smt"), 0);
	ck_assert_uint_eq(sp_text_distance("smtt", 4, "smt"), 1);
	ck_assert_uint_eq(sp_text_distance("sm", 2, "smt"), 1);
	ck_assert_uint_eq(sp_text_distance("amt", 3, "smt"), 1);
	ck_assert_uint_eq(sp_text_distance("cores", 5, "score"), 2);
	ck_assert_uint_eq(sp_text_distance("smt", 3, ""), 3);
	ck_assert_uint_eq(sp_text_distance("mst", 3, "smt"), 2);
	ck_assert_uint_eq(sp_text_distance("", 0, "smt"), 3);
	ck_assert_uint_eq(sp_text_distance(longest, SP_TEXT_NAME_MAX, longest), 0);
	ck_assert_uint_eq(sp_text_distance(longest, SP_TEXT_NAME_MAX + 1, longest), UINT_MAX);
}
END_TEST

Suite *
suite_text(void)
{
	Suite *suite = suite_create("text");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_text_grows_until_its_room_is_full);
	tcase_add_test(facts, what_does_not_fit_is_cut_off);
	tcase_add_test(facts, texts_and_numbers_are_put_without_a_format);
	tcase_add_test(facts, what_is_put_and_does_not_fit_is_cut_off);
	tcase_add_test(facts, the_last_part_of_a_path);
	tcase_add_test(facts, no_room_is_never_written);
	tcase_add_test(facts, one_alone_is_singular);
	tcase_add_test(facts, misspelt_names_are_near);
	suite_add_tcase(suite, facts);
	return suite;
}
