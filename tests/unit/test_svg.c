/* Texts of a picture in the room that they have. */
#include <stdlib.h>
#include <string.h>

#include "suites.h"

#include "cmd/picture/svg_parts.h"
#include "cmd/show/watch.h"

#define E "\xc3\xa9"		/* one character, as wide as the font is high: 12 as SVG_NOTE */

START_TEST(a_line_is_broken_at_a_blank_or_a_comma)
{
	ck_assert_uint_eq(svg_line(SVG_NOTE, "ab cd", svg_width(SVG_NOTE, "ab cd")), 5);
	ck_assert_uint_eq(svg_line(SVG_NOTE, "ab cd", svg_width(SVG_NOTE, "ab c")), 2);
	ck_assert_uint_eq(svg_line(SVG_NOTE, "ab,cd", svg_width(SVG_NOTE, "ab,c")), 3);
	ck_assert_uint_eq(svg_line(SVG_NOTE, "abcd", svg_width(SVG_NOTE, "abc")), 3);
	ck_assert_uint_eq(svg_line(SVG_NOTE, "", 100), 0);
}
END_TEST

START_TEST(a_line_has_whole_characters_and_at_least_one)
{
	ck_assert_uint_eq(svg_line(SVG_NOTE, E E E, 0), 2);
	ck_assert_uint_eq(svg_line(SVG_NOTE, E E E, 23), 2);
	ck_assert_uint_eq(svg_line(SVG_NOTE, E E E, 24), 4);
	ck_assert_uint_eq(svg_line(SVG_NOTE, E E E, 36), 6);
}
END_TEST

/* No text is less than 5 pixels high: two of these have room. */
static int
print_number(void *data)
{
	svg_text(SVG_NUMBER, 0, 0, 10, data);
	return 0;
}

START_TEST(a_text_is_made_smaller_and_then_cut)
{
	char text[] = E E E E;
	int status;
	char *printed = watch_capture(print_number, text, false, &status);

	ck_assert_str_eq(printed, "<text class=\"number\" x=\"0\" y=\"0\" style=\"font-size:5px\">" E E "</text>\n");
	free(printed);
}
END_TEST

Suite *
suite_svg(void)
{
	Suite *suite = suite_create("svg");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_line_is_broken_at_a_blank_or_a_comma);
	tcase_add_test(facts, a_line_has_whole_characters_and_at_least_one);
	tcase_add_test(facts, a_text_is_made_smaller_and_then_cut);
	suite_add_tcase(suite, facts);
	return suite;
}
