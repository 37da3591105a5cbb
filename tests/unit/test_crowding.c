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
	{ "0:0:0 0:0:100 0:0:100", "2 0 0-0" },		/* nor hides one that comes first what others need */
};

/* The crowd in which group 1 has threads: "OWN THREADS CPUS". */
static const struct {
	const char *threads, *crowd;
} of_one[] = {
	{ "0:0:100 0:0:100", "" },
	{ "0:0:100 0:0:100 1:1:100", "" },
	{ "0:0:100 0:0:100 1:1:100 1:1:100", "2 2 1" },		/* as small as another's */
	{ "0:0:100 0:0:100 1:0-1:100", "1 3 0-1" },		/* larger than another's */
	{ "0:0:100 1:0:0 0:0:100", "" },
};

static struct sp_cpus cpus[8];
static struct sp_busy busy[8];

/* Returns how many. */
static size_t
read_threads(const char *threads)
{
	char text[256], list[SP_CPUS_TEXT], *rest = NULL;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", threads);
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest), n++) {
		unsigned group, need;

		ck_assert_int_eq(sscanf(at, "%u:%511[^:]:%u", &group, list, &need), 3);
		cpus[n] = cpus_of_list(list);
		busy[n] = (struct sp_busy){ .cpus = &cpus[n], .need = need, .group = group };
	}
	return n;
}

START_TEST(crowds)
{
	struct sp_crowding crowd;
	char found[600] = "", list[SP_CPUS_TEXT];

	if (sp_crowding_find(busy, read_threads(cases[_i].threads), 100, SP_ANY_GROUP, &crowd))
		snprintf(found, sizeof(found), "%u %s %u-%u", crowd.threads, sp_cpus_format(&crowd.cpus, list, sizeof(list)), crowd.first, crowd.last);
	ck_assert_str_eq(found, cases[_i].crowd);
}
END_TEST

START_TEST(all_cpus_of_a_share_may_be_crowded)
{
	const struct sp_cpus share = cpus_of_list("0-1"), first = cpus_of_list("0"), second = cpus_of_list("1");
	const struct sp_busy thread[] = {
		{ .cpus = &first, .need = 70 }, { .cpus = &first, .need = 70 }, { .cpus = &second, .need = 70 }, { .cpus = &second, .need = 20 } };
	struct sp_crowding crowd;

	ck_assert(sp_crowding_on(thread, 4, 100, &share, SP_ANY_GROUP, &crowd));
	ck_assert_uint_eq(crowd.threads, 4);
	ck_assert_uint_eq(crowd.need, 230);
	ck_assert(sp_cpus_equal(&crowd.cpus, &share));
	ck_assert(!sp_crowding_on(thread, 4, 100, &second, SP_ANY_GROUP, &crowd));
	ck_assert(!sp_crowding_on(thread, 4, 115, &share, SP_ANY_GROUP, &crowd));
}
END_TEST

START_TEST(crowds_of_a_group)
{
	struct sp_crowding crowd;
	char found[600] = "", list[SP_CPUS_TEXT];

	if (sp_crowding_find(busy, read_threads(of_one[_i].threads), 100, 1, &crowd))
		snprintf(found, sizeof(found), "%u %u %s", crowd.own, crowd.threads, sp_cpus_format(&crowd.cpus, list, sizeof(list)));
	ck_assert_str_eq(found, of_one[_i].crowd);
}
END_TEST

Suite *
suite_crowding(void)
{
	Suite *suite = suite_create("crowding");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, all_cpus_of_a_share_may_be_crowded);
	tcase_add_loop_test(facts, crowds, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_loop_test(facts, crowds_of_a_group, 0, sizeof(of_one) / sizeof(of_one[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
