/* Facts about what is said of a rank's threads, on 4 cores of 2 hardware threads: CPUs c and c + 4. */
#include <check.h>
#include <stdlib.h>

#include "machines.h"
#include "cmd/show/placed.h"
#include "suites.h"

static const struct {
	const char *share, *unpinned, *mask;
	bool is_pinned, is_right;
} masks[] = {
	{ "0-1,4-5", "0-7", "0,4", true, true },
	{ "0-1,4-5", "0-7", "4", true, true },
	{ "0-1,4-5", "0-7", "0-1,4-5", false, true },
	{ "0-1,4-5", "0-7", "0-7", false, true },
	{ "0-1,4-5", "0-7", "0-2,4-6", false, false },
	{ "0-1,4-5", "0-7", "2,6", true, false },
	{ "0,4", "0-7", "0,4", true, true },
	{ "0,4", "0,4", "0,4", false, true },	/* it may be nowhere else anyway */
	{ "0,4", "0,4", "0-7", false, false },
};

START_TEST(one_core_is_a_pin)
{
	const struct sp_seat seat = { .share = cpus_of_list(masks[_i].share), .unpinned = cpus_of_list(masks[_i].unpinned) };
	const struct sp_cpus mask = cpus_of_list(masks[_i].mask);
	struct sp_machine *machine = machine_uniform(4, 2);

	ck_assert_int_eq(placed_is_pinned(machine, &seat, &mask), masks[_i].is_pinned);
	ck_assert_int_eq(placed_is_right(&seat, &mask), masks[_i].is_right);
	free(machine);
}
END_TEST

static const struct {
	struct sp_seat seat;
	const char *mask;	/* beside a share of 0-3 */
	uint32_t threads;
	const char *why;
} reasons[] = {
	{ { .ownership = SP_OWNED }, "0-7", 5, "more threads than cores of the rank's own" },
	{ { .ownership = SP_OWNED }, "0-7", 4, "not in an OpenMP team, or another of your jobs has too few cores" },
	{ { .is_bound = 1 }, "0-3", 5, "by the user's settings" },
	{ { .is_bound = 1 }, "0-7", 5, "more threads than cores of the rank's own" },
	{ { .ownership = SP_NODE_SHARED }, "0-7", 5, "too few cores are free for a core each" },
	{ { .ownership = SP_MAY_BE_OTHERS }, "0-7", 1, "other ranks may have the same CPUs" },
};

START_TEST(why_threads_are_left_to_the_kernel)
{
	const struct sp_cpus mask = cpus_of_list(reasons[_i].mask);
	struct sp_seat seat = reasons[_i].seat;

	seat.share = cpus_of_list("0-3");
	ck_assert_str_eq(placed_why(&seat, &mask, reasons[_i].threads, 4), reasons[_i].why);
}
END_TEST

Suite *
suite_placed(void)
{
	Suite *suite = suite_create("placed");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, one_core_is_a_pin, 0, sizeof(masks) / sizeof(masks[0]));
	tcase_add_loop_test(facts, why_threads_are_left_to_the_kernel, 0, sizeof(reasons) / sizeof(reasons[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
