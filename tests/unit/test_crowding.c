/* Facts about threads that have too few CPUs. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "machines.h"
#include "report/crowding.h"
#include "suites.h"

/* Threads as "GROUP:CPUS:NEED ..."; a CPU has 100.  Expected: "THREADS CPUS FIRST-LAST", or "" for none. */
static const struct {
	const char *threads, *crowd;
} cases[] = {
	{ "", "" },
	{ "0:0:100", "" },
	{ "0:0:100 0:1:100", "" },
	{ "0:0:100 0:0:0", "" },			/* an idle thread */
	{ "0:0:50 0:0:50", "" },			/* they take turns */
	{ "0:0:60 0:0:60", "2 0 0-0" },
	{ "0:0-1:100 0:0-1:100", "" },
	{ "0:0-1:100 0:0-1:100 0:0-1:100", "3 0-1 0-0" },
	{ "0:0:100 1:0:100", "2 0 0-1" },
	{ "0:0:100 0:1:100 0:0-1:100", "3 0-1 0-0" },	/* two that are pinned, and one between them */
	{ "0:0-1:100 0:0-1:100 0:0-1:100 1:5:90 2:5:90", "2 5 1-2" },	/* the smallest */
	{ "1:5:90 2:5:90 0:0-1:100 0:0-1:100 0:0-1:100", "2 5 1-2" },
	{ "0:7:90 0:7:90 1:5:90 2:5:90", "2 7 0-0" },	/* of those of one size the first */
	{ "0:0-1:60 0:0-1:60 0:0-1:60", "" },		/* each of two CPUs has as much as one */
	{ "0:0:150", "" },				/* one thread is no crowd, whatever it waited for */
	{ "0:0-1:0 0:0:150 0:1:60 0:1:30", "" },	/* nor does an idle one make two of it and others */
};

START_TEST(crowds)
{
	struct sp_cpus cpus[8];
	struct sp_busy busy[8];
	struct sp_crowding crowd;
	char text[256], found[600] = "", list[SP_CPUS_TEXT], *rest = NULL;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", cases[_i].threads);
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest), n++) {
		unsigned group, need;

		ck_assert_int_eq(sscanf(at, "%u:%511[^:]:%u", &group, list, &need), 3);
		cpus[n] = cpus_of_list(list);
		busy[n] = (struct sp_busy){ .cpus = &cpus[n], .need = need, .group = group };
	}
	if (sp_crowding_find(busy, n, 100, &crowd))
		snprintf(found, sizeof(found), "%u %s %u-%u", crowd.threads, sp_cpus_format(&crowd.cpus, list, sizeof(list)), crowd.first, crowd.last);
	ck_assert_str_eq(found, cases[_i].crowd);
}
END_TEST

START_TEST(all_cpus_of_a_share_may_be_crowded)
{
	const struct sp_cpus share = cpus_of_list("0-1"), first = cpus_of_list("0"), second = cpus_of_list("1");
	const struct sp_busy busy[] = {
		{ .cpus = &first, .need = 70 }, { .cpus = &first, .need = 70 }, { .cpus = &second, .need = 70 }, { .cpus = &second, .need = 20 } };
	struct sp_crowding crowd;

	ck_assert(sp_crowding_on(busy, 4, 100, &share, &crowd));
	ck_assert_uint_eq(crowd.threads, 4);
	ck_assert_uint_eq(crowd.need, 230);
	ck_assert(sp_cpus_equal(&crowd.cpus, &share));
	ck_assert(!sp_crowding_on(busy, 4, 100, &second, &crowd));
	ck_assert(!sp_crowding_on(busy, 4, 115, &share, &crowd));
}
END_TEST

Suite *
suite_crowding(void)
{
	Suite *suite = suite_create("crowding");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, all_cpus_of_a_share_may_be_crowded);
	tcase_add_loop_test(facts, crowds, 0, sizeof(cases) / sizeof(cases[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
