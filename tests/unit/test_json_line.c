/* Facts about UTF-8, and lines of JSON in little room. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_line.h"
#include "suites.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The first and last of each length, and what is beside them (RFC 3629, section 4). */
static const struct {
	const char *text;
	size_t length;
} characters[] = {
	{ "", 1 }, { "\x01", 1 }, { "a", 1 }, { "\x7f", 1 },
	{ "\x80", 0 }, { "\xbf", 0 }, { "\xc0\x80", 0 }, { "\xc1\xbf", 0 },
	{ "\xc2\x80", 2 }, { "\xdf\xbf", 2 }, { "\xc2", 0 }, { "\xc2\x7f", 0 }, { "\xc2\xc0", 0 },
	{ "\xe0\x9f\xbf", 0 }, { "\xe0\xa0\x80", 3 }, { "\xe1\x80\x80", 3 }, { "\xec\xbf\xbf", 3 }, { "\xe2\x82", 0 },
	{ "\xed\x9f\xbf", 3 }, { "\xed\xa0\x80", 0 }, { "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 }, { "\xe2\x82z", 0 },
	{ "\xf0\x8f\xbf\xbf", 0 }, { "\xf0\x90\x80\x80", 4 }, { "\xf1\x80\x80\x80", 4 }, { "\xf3\xbf\xbf\xbf", 4 },
	{ "\xf4\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 0 }, { "\xf5\x80\x80\x80", 0 }, { "\xff", 0 },
	{ "\xf1\x80\x80", 0 },
};

START_TEST(characters_have_a_length)
{
	ck_assert_uint_eq(sp_utf8_length(characters[_i].text), characters[_i].length);
}
END_TEST

static const struct {
	const char *text, *escaped;
	size_t length;
} escapes[] = {
	{ "\"x", "\\\"", 1 }, { "\\", "\\\\", 1 }, { "\x1f", "\\u001f", 1 }, { " ", " ", 1 }, { "~", "~", 1 },
	{ "\x7f", "\\u007f", 1 }, { "\xc3\xa9x", "\xc3\xa9", 2 }, { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 4 },
	{ "\xffx", "\\ufffd", 1 }, { "\n", "\\u000a", 1 },
};

START_TEST(characters_are_escaped)
{
	char escaped[SP_JSON_CHARACTER];

	ck_assert_uint_eq(sp_json_character(escapes[_i].text, escaped), escapes[_i].length);
	ck_assert_str_eq(escaped, escapes[_i].escaped);
}
END_TEST

/* However little room there is, the line is whole. */
START_TEST(json_is_whole_when_cut)
{
	char line[64];
	size_t size = SP_JSON_LEAST + (size_t)_i;
	struct sp_text json = sp_json_begin(line, size);

	sp_json_add_text(&json, "a", "\"\"\"\"\"\"\"\"");
	sp_json_add_number(&json, "b", -12345);
	sp_json_add_flag(&json, "c", 1);
	size_t length = sp_json_end(&json);
	ck_assert_uint_lt(length, size);
	ck_assert_int_eq(strcmp(line + length - 2, "}\n"), 0);
	int quotes = 0;
	for (const char *c = line; *c; c++) {
		quotes += *c == '"';
		c += *c == '\\';
	}
	ck_assert_int_eq(quotes % 2, 0);
	ck_assert_ptr_null(strstr(line, ", }"));
}
END_TEST

static const char *
line_of(const char *key, size_t size)
{
	static char line[64];
	struct sp_text json = sp_json_begin(line, size);

	sp_json_add_text(&json, key, "bcdef");
	sp_json_end(&json);
	return line;
}

START_TEST(a_text_is_cut_where_the_room_ends)
{
	const char whole[] = "{\"a\": \"bcdef\"}\n";

	ck_assert_str_eq(line_of("a", 64), whole);
	ck_assert_str_eq(line_of("a", strlen(whole) + 2), whole);
	ck_assert_str_eq(line_of("a", strlen(whole) + 1), "{\"a\": \"bcde\"}\n");
	/* A member is left out where nothing of its text might fit. */
	ck_assert_str_eq(line_of("abcd", 19), "{\"abcd\": \"bcde\"}\n");
	ck_assert_str_eq(line_of("abcd", 18), "{}\n");
}
END_TEST

START_TEST(members_are_divided_by_commas)
{
	char line[64];
	struct sp_text json = sp_json_begin(line, sizeof(line));

	sp_json_add_number(&json, "a", INT64_MIN);
	sp_json_add_flag(&json, "b", 0);
	sp_json_add_text(&json, "c", "");
	ck_assert_uint_eq(sp_json_end(&json), strlen(line));
	ck_assert_str_eq(line, "{\"a\": -9223372036854775808, \"b\": false, \"c\": \"\"}\n");
}
END_TEST

/* It lies between two looks at the clock. */
START_TEST(the_time_has_three_digits)
{
	char line[64];
	struct sp_text json = sp_json_begin(line, sizeof(line));
	long long seconds;
	int milliseconds, end = 0;
	struct timespec before, after;

	clock_gettime(CLOCK_REALTIME, &before);
	sp_json_add_time(&json);
	clock_gettime(CLOCK_REALTIME, &after);
	sp_json_end(&json);
	ck_assert_int_eq(sscanf(line, "{\"time\": %lld.%3d}%n", &seconds, &milliseconds, &end), 2);
	ck_assert_int_eq(strcspn(line, "."), strlen(line) - strlen(".123}\n"));
	ck_assert_int_eq(line[end], '\n');
	ck_assert_int_ge(seconds * 1000 + milliseconds, before.tv_sec * 1000LL + before.tv_nsec / 1000000);
	ck_assert_int_le(seconds * 1000 + milliseconds, after.tv_sec * 1000LL + after.tv_nsec / 1000000);
}
END_TEST

Suite *
suite_json_line(void)
{
	Suite *suite = suite_create("json_line");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, characters_have_a_length, 0, COUNT(characters));
	tcase_add_loop_test(facts, characters_are_escaped, 0, COUNT(escapes));
	tcase_add_loop_test(facts, json_is_whole_when_cut, 0, 48);
	tcase_add_test(facts, a_text_is_cut_where_the_room_ends);
	tcase_add_test(facts, members_are_divided_by_commas);
	tcase_add_test(facts, the_time_has_three_digits);
	suite_add_tcase(suite, facts);
	return suite;
}
