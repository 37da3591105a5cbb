/* The kernel's weights of NUMA nodes. */
#include <check.h>
#include <stdio.h>

#include "copies.h"
#include "numa/weights.h"
#include "machines.h"
#include "suites.h"

#define FOLDER "/sys/kernel/mm/mempolicy/weighted_interleave/"

static bool
differ(const char *list)
{
	struct sp_cpus nodes = cpus_of_list(list);

	return sp_weights_differ(copies_root, &nodes);
}

START_TEST(weights_that_differ)
{
	ck_assert(!differ("0-1"));	/* a kernel without them */
	copies_put(FOLDER "node0", "3\n");
	ck_assert(!differ("0"));
	ck_assert(!differ("0-1"));	/* a node without one */
	copies_put(FOLDER "node1", "3\n");
	ck_assert(!differ("0-1"));
	copies_put(FOLDER "node2", "1\n");
	ck_assert(differ("0-2"));
	ck_assert(differ("1-2"));
	ck_assert(!differ("0-1"));
	copies_put(FOLDER "node0", "5\n");
	ck_assert(differ("0-1"));
	copies_put(FOLDER "node1", "\n");
	ck_assert(!differ("0-2"));
}
END_TEST

Suite *
suite_weights(void)
{
	Suite *suite = suite_create("weights");
	TCase *facts = tcase_create("facts");

	tcase_add_checked_fixture(facts, copies_make, copies_remove);
	tcase_add_test(facts, weights_that_differ);
	suite_add_tcase(suite, facts);
	return suite;
}
