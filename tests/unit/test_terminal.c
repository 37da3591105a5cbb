/* Lines folded to a width, and texts that must not control the terminal. */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

#include "cmd/cmd.h"
#include "cmd/fold.h"
#include "cmd/terminal.h"

static void
expect(const char *text, size_t at, size_t indent, size_t width, const char *folded)
{
	char *found = fold_text(text, at, indent, width);

	ck_assert_str_eq(found, folded);
	free(found);
}

START_TEST(lines_are_folded_at_blanks)
{
	expect("one two three", 0, 2, 8, "one two\n  three");
	expect("one two three", 0, 2, 0, "one two three");
	expect("one two", 5, 2, 8, "one\n  two");
	expect("  one  two", 0, 0, 10, "  one  two");
	expect("one\ntwo", 0, 1, 80, "one\n two");
}
END_TEST

START_TEST(long_words_are_broken_behind_commas)
{
	expect("CPUs 0-3,8-11,16-19,24", 0, 2, 12, "CPUs 0-3,\n  8-11,\n  16-19,24");
	expect("abcdefghijklmnop", 0, 2, 10, "abcdefghij\n  klmnop");
	expect("ab,cd", 0, 0, 5, "ab,cd");
}
END_TEST

START_TEST(colours_take_no_columns)
{
	expect("\033[31mone\033[0m two", 0, 0, 7, "\033[31mone\033[0m two");
	ck_assert_uint_eq(fold_columns("\033[31mone\033[0m"), 3);
	ck_assert_uint_eq(fold_columns("J\xc3\xbcrgen"), 6);
}
END_TEST

START_TEST(columns_have_whole_characters_and_colours)
{
	ck_assert_uint_eq(fold_fitting("one", 3, 2), 2);
	ck_assert_uint_eq(fold_fitting("one", 3, 4), 3);
	ck_assert_uint_eq(fold_fitting("one", 2, 4), 2);
	ck_assert_uint_eq(fold_fitting("J\xc3\xbcrgen", 7, 2), 3);
	ck_assert_uint_eq(fold_fitting("\033[31mone\033[0m two", 16, 3), 12);
	ck_assert_uint_eq(fold_fitting("\033[31mone", 8, 0), 5);
}
END_TEST

START_TEST(no_width_is_too_small)
{
	for (size_t width = 1; width < 30; width++) {
		char *folded = fold_text("rank 0  [BBBB/BBBB/..../....]  0-47,192-239: cores", 0, 40, width), *rest = NULL;

		for (char *line = strtok_r(folded, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			ck_assert_uint_le(fold_columns(line), width);
		free(folded);
	}
}
END_TEST

START_TEST(what_controls_a_terminal_is_replaced)
{
	char text[] = "a\033[31mb\nc\x7f J\xc3\xbcrgen \xc2\x9b" "1m \xe2\x80\xae" "txt \xff.";

	cmd_make_plain(text);
	ck_assert_str_eq(text, "a?[31mb?c? J\xc3\xbcrgen ??1m ???txt ?.");
}
END_TEST

START_TEST(columns_is_asked_first)
{
	setenv("COLUMNS", "100", 1);
	ck_assert_uint_eq(terminal_width(), 100);
	setenv("COLUMNS", "7", 1);
	ck_assert_uint_eq(terminal_width(), TERMINAL_LEAST);
	setenv("COLUMNS", "x", 1);
	ck_assert_uint_ne(terminal_width_or_usual(), 0);
}
END_TEST

START_TEST(colours_come_where_asked)
{
	terminal_take_color("always");
	setenv("NO_COLOR", "1", 1);
	ck_assert(terminal_has_colour());
	ck_assert_str_ne(terminal_rank(0), terminal_rank(1));
	terminal_take_color("never");
	ck_assert_str_eq(terminal_rank(0), "");
	terminal_take_color("auto");
	ck_assert(!terminal_has_colour());
}
END_TEST

Suite *
suite_terminal(void)
{
	Suite *suite = suite_create("terminal");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, lines_are_folded_at_blanks);
	tcase_add_test(facts, long_words_are_broken_behind_commas);
	tcase_add_test(facts, colours_take_no_columns);
	tcase_add_test(facts, columns_have_whole_characters_and_colours);
	tcase_add_test(facts, no_width_is_too_small);
	tcase_add_test(facts, what_controls_a_terminal_is_replaced);
	tcase_add_test(facts, columns_is_asked_first);
	tcase_add_test(facts, colours_come_where_asked);
	suite_add_tcase(suite, facts);
	return suite;
}
