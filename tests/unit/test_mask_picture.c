/* Pictures of invented machines. */
#include <check.h>
#include <stdlib.h>

#include "machines.h"
#include "report/mask_picture.h"
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

/* A picture of a set on `cores` cores of `threads` threads each, in so much room. */
static void
expect_in(size_t room, uint32_t cores, uint32_t threads, const char *list, const char *picture)
{
	struct sp_machine *machine = machine_uniform(cores, threads);
	struct sp_cpus set = { 0 };
	char text[64];

	ck_assert_uint_le(room, sizeof(text));
	ck_assert_int_eq(sp_cpus_parse(list, &set), 0);
	ck_assert_str_eq(sp_picture(machine, &set, text, room), picture);
	free(machine);
}

START_TEST(equal_cores_are_folded_where_room_is_short)
{
	expect_in(64, 96, 2, "0-23,96-119", "[24xBB/72x..]");
	expect_in(64, 100, 1, "", "[100x.]");
	expect_in(64, 96, 2, "0-2,96-98,10", "[3xBB/7x../B./85x..]");
	expect_in(64, 96, 2, "0", "[B./95x..]");
	expect_in(64, 96, 2, "96", "[.B/95x..]");
}
END_TEST

/* What is not cut leaves room for one more character. */
START_TEST(a_picture_that_just_fits)
{
	expect_in(11, 4, 1, "", "[./././.]");
	expect_in(10, 4, 1, "", "[4x.]");
}
END_TEST

START_TEST(scattered_cores_are_counted)
{
	expect_in(40, 40, 1, "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28", "[15 of 40]");
}
END_TEST

START_TEST(packages_stand_apart)
{
	expect(machine_of((struct shape){ .packages = 3, .cores = 2 }), "1-2", "[./B][B/.][./.]");
	expect(machine_of((struct shape){ .packages = 2, .cores = 1, .threads = 2 }), "1", "[..][B.]");
}
END_TEST

/* Cores are alike only within a package, and with as many threads. */
START_TEST(what_differs_is_not_folded)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .cores = 12 });
	struct sp_cpus set = cpus_of_list("11-12");
	char text[20];

	ck_assert_str_eq(sp_picture(machine, &set, text, sizeof(text)), "[11x./B][B/11x.]");
	free(machine);
	machine = machine_hybrid();
	set = (struct sp_cpus){ 0 };
	ck_assert_str_eq(sp_picture(machine, &set, text, sizeof(text)), "[4x../8x.]");
	free(machine);
}
END_TEST

START_TEST(scattered_cores_are_counted_by_package)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .cores = 16, .threads = 2, .numbering = THREADS_FIRST });
	struct sp_cpus set = cpus_of_list("0,4,8,12,16,20,24,28,33,37,41,62,63");
	char text[24];

	ck_assert_str_eq(sp_picture(machine, &set, text, sizeof(text)), "[8 of 16][4 of 16]");
	free(machine);
}
END_TEST

START_TEST(a_picture_that_is_too_long_is_cut)
{
	expect_in(7, 100, 1, "", "[0...");
	expect_in(5, 100, 1, "", "...");
	expect_in(4, 100, 1, "", "[0 ");
	expect_in(1, 100, 1, "", "");
}
END_TEST

Suite *
suite_mask_picture(void)
{
	Suite *suite = suite_create("mask_picture");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, threads_of_a_core_stand_together);
	tcase_add_test(facts, equal_cores_are_folded_where_room_is_short);
	tcase_add_test(facts, a_picture_that_just_fits);
	tcase_add_test(facts, scattered_cores_are_counted);
	tcase_add_test(facts, packages_stand_apart);
	tcase_add_test(facts, what_differs_is_not_folded);
	tcase_add_test(facts, scattered_cores_are_counted_by_package);
	tcase_add_test(facts, a_picture_that_is_too_long_is_cut);
	suite_add_tcase(suite, facts);
	return suite;
}
