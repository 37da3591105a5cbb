/* Pictures of invented machines. */
#include <check.h>
#include <stdlib.h>

#include "machines.h"
#include "report/picture.h"
#include "suites.h"

static void
expect(struct sp_machine *machine, const char *list, const char *picture)
{
	struct sp_cpus set = { 0 };
	char text[64];

	ck_assert_int_eq(sp_cpus_parse(list, &set), 0);
	ck_assert_str_eq(sp_picture(machine, &set, text, sizeof(text)), picture);
	free(machine);
}

/* machine_uniform numbers thread t of core c as c + t * cores. */
START_TEST(threads_of_a_core_stand_together)
{
	expect(machine_uniform(4, 2), "0-1,4-5", "[BB/BB/../..]");
	expect(machine_uniform(4, 2), "3", "[../../../B.]");
	expect(machine_uniform(1, 1), "", "[.]");
}
END_TEST

START_TEST(a_picture_that_is_too_long_is_cut)
{
	struct sp_machine *machine = machine_uniform(100, 1);
	struct sp_cpus none = { 0 };
	char text[16];

	sp_picture(machine, &none, text, sizeof(text));
	ck_assert_str_eq(text, "[././././....");
	free(machine);
}
END_TEST

Suite *
suite_picture(void)
{
	Suite *suite = suite_create("picture");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, threads_of_a_core_stand_together);
	tcase_add_test(facts, a_picture_that_is_too_long_is_cut);
	suite_add_tcase(suite, facts);
	return suite;
}
