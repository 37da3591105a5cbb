/* Facts about arrays of variables, and this process's own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "memory.h"
#include "suites.h"

static char *some[] = { "A=1", "AB=2", "A=3", "EMPTY=", "NOTHING", NULL };

START_TEST(the_first_of_a_name_counts)
{
	char *none[] = { NULL };

	ck_assert_str_eq(sp_environment_value(some, "A"), "1");
	ck_assert_str_eq(sp_environment_value(some, "AB"), "2");
	ck_assert_str_eq(sp_environment_value(some, "EMPTY"), "");
	ck_assert_ptr_null(sp_environment_value(some, "NOTHING"));
	ck_assert_ptr_null(sp_environment_value(some, "B"));
	ck_assert_ptr_null(sp_environment_value(none, "A"));
	ck_assert_ptr_null(sp_environment_value(NULL, "A"));
	ck_assert_uint_eq(sp_strings_count(some), 5);
	ck_assert_uint_eq(sp_strings_count(none), 0);
	ck_assert_uint_eq(sp_strings_count(NULL), 0);
}
END_TEST

START_TEST(a_copy_has_the_same_entries_and_room)
{
	char **copy = sp_environment_copy(some, 3);

	for (int i = 0; i <= 5; i++)
		ck_assert_ptr_eq(copy[i], some[i]);
	memset(&copy[6], 0xff, 3 * sizeof(*copy));	/* the room that was asked for */
	free(copy);
	copy = sp_environment_copy(NULL, 0);
	ck_assert_ptr_null(copy[0]);
	free(copy);
}
END_TEST

static char *changing[6];

static void
take_out(void)
{
	changing[1] = NULL;
}

static void
put_in(void)
{
	changing[3] = changing[4] = some[3];
}

/* As another thread may while room is made for the copy. */
START_TEST(an_array_that_changes_is_copied_within_its_room)
{
	for (int i = 0; i < 2; i++) {
		memset(changing, 0, sizeof(changing));
		memcpy(changing, some, 3 * sizeof(some[0]));
		memory_before(i ? put_in : take_out);
		char **copy = sp_environment_copy(changing, 0);
		ck_assert_uint_eq(sp_strings_count(copy), i ? 3 : 1);
		free(copy);
	}
}
END_TEST

START_TEST(an_entry_replaces_those_of_its_name)
{
	static char first[] = "A=9", second[] = "NEW=", third[] = "EMPTY=full";
	char **before = environ;

	environ = some;
	ck_assert_int_eq(sp_environment_put(first), 0);
	ck_assert_ptr_ne(environ, some);
	ck_assert_str_eq(some[0], "A=1");
	ck_assert_uint_eq(sp_strings_count(environ), 4);
	ck_assert_str_eq(getenv("A"), "9");
	ck_assert_str_eq(getenv("AB"), "2");
	ck_assert_int_eq(sp_environment_put(second), 0);
	ck_assert_int_eq(sp_environment_put(third), 0);
	ck_assert_uint_eq(sp_strings_count(environ), 5);
	ck_assert_str_eq(getenv("NEW"), "");
	ck_assert_str_eq(getenv("EMPTY"), "full");
	environ = before;
}
END_TEST

Suite *
suite_environment(void)
{
	Suite *suite = suite_create("environment");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, the_first_of_a_name_counts);
	tcase_add_test(facts, a_copy_has_the_same_entries_and_room);
	tcase_add_test(facts, an_array_that_changes_is_copied_within_its_room);
	tcase_add_test(facts, an_entry_replaces_those_of_its_name);
	suite_add_tcase(suite, facts);
	return suite;
}
