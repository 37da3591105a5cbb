/* Facts about whose CPUs, for all ranks of a node at once. */
#include <check.h>
#include <stdlib.h>

#include "decide/division.h"
#include "machines.h"
#include "suites.h"

#define RANKS_MAX 16

/* A node of 16 cores of one CPU each, and the ranks on it. */
struct node {
	struct sp_machine *machine;
	struct sp_cpus domain, taken;
	uint32_t nranks;
	struct sp_rank_facts rank[RANKS_MAX];
	struct sp_part part[RANKS_MAX];
	bool asked, told;
};

static struct node
node_of(uint32_t nranks, const char *domain)
{
	struct node node = { .machine = machine_uniform(16, 1), .domain = cpus_of_list(domain), .nranks = nranks };

	return node;
}

/* mask NULL: not known. */
static void
rank_has(struct node *node, uint32_t rank, const char *mask, uint32_t threads)
{
	node->rank[rank] = (struct sp_rank_facts){ .known = mask, .threads = threads };
	if (mask)
		node->rank[rank].mask = cpus_of_list(mask);
}

/* The machine is released: a node is divided once. */
static enum sp_division
divide(struct node *node)
{
	const struct sp_policy policy = { .smt = node->told };
	enum sp_division division = sp_divide(&(struct sp_view){
		.machine = node->machine, .policy = &policy, .nranks = node->nranks, .domain = &node->domain, .is_asked = node->asked },
		node->rank, &node->taken, &node->taken, node->part);

	free(node->machine);
	return division;
}

static void
part_is(const struct node *node, uint32_t rank, const char *cpus, uint32_t index, uint32_t count)
{
	const struct sp_cpus wanted = cpus_of_list(cpus);

	ck_assert(sp_cpus_equal(&node->part[rank].cpus, &wanted));
	ck_assert_uint_eq(node->part[rank].index, index);
	ck_assert_uint_eq(node->part[rank].count, count);
}

START_TEST(starved_ranks_cut_the_node_anew)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 8);
	rank_has(&node, 1, "1", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
	part_is(&node, 0, "0-15", 0, 2);
	part_is(&node, 1, "0-15", 1, 2);
}
END_TEST

START_TEST(a_default_does_not_count_beside_a_domain)
{
	struct node node = node_of(2, "0-15");

	node.told = true;
	rank_has(&node, 0, "0-7", 0);
	rank_has(&node, 1, "8-15", 0);
	ck_assert_int_eq(divide(&node), SP_DIVISION_TOLD);
	part_is(&node, 1, "0-15", 1, 2);
}
END_TEST

/* One rank alone was not confined together with others. */
START_TEST(nor_does_that_of_a_single_rank)
{
	struct node node = node_of(1, "0-15");

	node.told = true;
	rank_has(&node, 0, "0", 0);
	ck_assert_int_eq(divide(&node), SP_DIVISION_TOLD);
	part_is(&node, 0, "0-15", 0, 1);
}
END_TEST

START_TEST(what_was_asked_for_is_kept_beside_a_domain)
{
	struct node node = node_of(2, "0-15");

	node.told = true;
	rank_has(&node, 0, "0-7", 0);
	rank_has(&node, 1, "8-15", 0);
	node.asked = true;
	ck_assert_int_eq(divide(&node), SP_DIVISION_ASKED);
	part_is(&node, 1, "8-15", 0, 1);
}
END_TEST

START_TEST(ranks_that_were_confined_together_divide_that)
{
	struct node node = node_of(2, "0-15");

	node.told = true;
	rank_has(&node, 0, "0-7", 0);
	rank_has(&node, 1, "0-7", 0);
	ck_assert_int_eq(divide(&node), SP_DIVISION_ALIKE);
	part_is(&node, 1, "0-7", 1, 2);
}
END_TEST

START_TEST(one_starved_rank_is_enough)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 0);
	rank_has(&node, 1, "1", 4);
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
}
END_TEST

START_TEST(what_was_asked_for_is_kept)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 8);
	rank_has(&node, 1, "1", 8);
	node.asked = true;
	ck_assert_int_eq(divide(&node), SP_DIVISION_ASKED);
	part_is(&node, 0, "0", 0, 1);
	part_is(&node, 1, "1", 0, 1);
}
END_TEST

START_TEST(enough_is_kept)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 0);
	rank_has(&node, 1, "1", 1);
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
	part_is(&node, 1, "1", 0, 1);
}
END_TEST

/* Three ranks on three cores cannot have two each. */
START_TEST(no_new_cut_without_gain)
{
	struct node node = node_of(3, "0-3");

	rank_has(&node, 0, "0", 8);
	rank_has(&node, 1, "1", 8);
	rank_has(&node, 2, "2", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
}
END_TEST

/* mpirun itself was confined: taskset -c 0-3 mpirun -n 1. */
START_TEST(the_launchers_mask_bounds_a_new_cut)
{
	struct node node = node_of(1, "0-3");

	rank_has(&node, 0, "0", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
	part_is(&node, 0, "0-3", 0, 1);
}
END_TEST

START_TEST(without_a_known_bound_nothing_is_cut_anew)
{
	struct node node = node_of(1, "");

	rank_has(&node, 0, "0", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
	part_is(&node, 0, "0", 0, 1);
}
END_TEST

START_TEST(ranks_with_a_cpuset_of_their_own_keep_it)
{
	struct node node = node_of(4, "0-3");
	static const char *const own[] = { "0-3", "4-7", "8-11", "12-15" };

	for (uint32_t i = 0; i < 4; i++)
		rank_has(&node, i, own[i], 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
	for (uint32_t i = 0; i < 4; i++)
		part_is(&node, i, own[i], 0, 1);
}
END_TEST

START_TEST(equal_masks_are_cut_by_those_that_have_them)
{
	struct node node = node_of(4, "0-15");

	rank_has(&node, 0, "0-7", 0);
	rank_has(&node, 1, "8-15", 0);
	rank_has(&node, 2, "0-7", 0);
	rank_has(&node, 3, "8-15", 0);
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
	part_is(&node, 2, "0-7", 1, 2);
	part_is(&node, 3, "8-15", 1, 2);
}
END_TEST

/* Bound to sockets, and both have the same one: half of it each, while the other is idle. */
START_TEST(a_group_starves_by_what_each_of_it_has)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0-7", 8);
	rank_has(&node, 1, "0-7", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
}
END_TEST

START_TEST(all_confined_alike_cut_that)
{
	struct node node = node_of(2, "0-7");

	rank_has(&node, 0, "0-7", 4);
	rank_has(&node, 1, "0-7", 4);
	ck_assert_int_eq(divide(&node), SP_DIVISION_ALIKE);
	part_is(&node, 1, "0-7", 1, 2);
}
END_TEST

/* They leave its cores to the job inside of their mask; another mask is not to be had. */
START_TEST(all_confined_alike_cut_that_beside_another_job)
{
	struct node node = node_of(2, "0-7");

	rank_has(&node, 0, "0-7", 2);
	rank_has(&node, 1, "0-7", 2);
	node.taken = cpus_of_list("0-3");
	ck_assert_int_eq(divide(&node), SP_DIVISION_ALIKE);
	part_is(&node, 1, "0-7", 1, 2);
}
END_TEST

START_TEST(a_job_on_the_same_cores_is_avoided)
{
	struct node node = node_of(1, "0-15");

	rank_has(&node, 0, "0", 1);
	node.taken = cpus_of_list("0-3");
	ck_assert_int_eq(divide(&node), SP_DIVISION_COLLIDED);
	part_is(&node, 0, "4-15", 0, 1);
}
END_TEST

START_TEST(a_job_on_other_cores_is_none_of_our_business)
{
	struct node node = node_of(1, "0-15");

	rank_has(&node, 0, "0", 1);
	node.taken = cpus_of_list("1-3");
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
}
END_TEST

START_TEST(a_full_node_is_left_as_it_is)
{
	struct node node = node_of(1, "0-15");

	rank_has(&node, 0, "0", 8);
	node.taken = cpus_of_list("0-15");
	ck_assert_int_eq(divide(&node), SP_DIVISION_KEPT);
}
END_TEST

/* taskset -c 0-1 mpirun on cores of two threads, where Open MPI binds to whole cores: CPUs c and c + 8. */
START_TEST(a_launcher_confined_to_some_hardware_threads)
{
	struct node node = node_of(1, "0-1");

	free(node.machine);
	node.machine = machine_uniform(8, 2);
	rank_has(&node, 0, "0,8", 2);
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
	part_is(&node, 0, "0-1", 0, 1);
}
END_TEST

/* Ranks without MPI, one after another: of one that has ended the mask is empty. */
START_TEST(a_rank_that_has_ended_counts_for_nothing)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 1);
	node.rank[1] = (struct sp_rank_facts){ .known = true };
	ck_assert_int_eq(divide(&node), SP_DIVISION_ALIKE);
	part_is(&node, 0, "0", 0, 1);
	ck_assert_uint_eq(node.part[1].count, 0);
}
END_TEST

/*
 * Lists of up to four ranks, as OMP_PLACES has them: "" is none.  What counts of
 * them, and the parts then, of ranks that nobody has bound on CPUs 0 to 15, or
 * that somebody has bound on request.
 */
static const struct {
	const char *list[4], *mask[4];
	bool asked;
	const char *part[4];
	uint32_t count[4];
} lists[] = {
	{ { "0,2", "1,3", "", "" }, { "0-15", "0-15", "0-15", "0-15" }, false, { "0,2", "1,3", "0-15", "0-15" }, { 1, 1, 2, 2 } },
	/* The same in all ranks. */
	{ { "0-3", "0-3", "0-3", "0-3" }, { "0-15", "0-15", "0-15", "0-15" }, false, { "0-15", "0-15", "0-15", "0-15" }, { 4, 4, 4, 4 } },
	{ { "0-3", "0-3", "0-3", "" }, { "0-15", "0-15", "0-15", "0-15" }, false, { "0-15", "0-15", "0-15", "0-15" }, { 4, 4, 4, 4 } },
	/* In some of them: they divide it. */
	{ { "8-11", "8-11", "0-3", "0-3" }, { "0-15", "0-15", "0-15", "0-15" }, false, { "8-11", "8-11", "0-3", "0-3" }, { 2, 2, 2, 2 } },
	/* Of one rank, which is asked for whatever its default mask is. */
	{ { "7", "", "", "" }, { "0", "1", "2", "3" }, false, { "7", "1", "2", "3" }, { 1, 1, 1, 1 } },
	/* Both were asked for. */
	{ { "0,9", "5,7", "2", "3" }, { "0-3", "4-7", "8-11", "12-15" }, true, { "0", "5,7", "8-11", "12-15" }, { 1, 1, 1, 1 } },
	/* In part beyond what the job may use. */
	{ { "14-20", "30", "2", "3" }, { "0-15", "0-15", "0-15", "0-15" }, false, { "14-15", "0-15", "2", "3" }, { 1, 1, 1, 1 } },
};

START_TEST(lists_that_differ_are_shares)
{
	struct node node = node_of(4, "0-15");
	struct sp_cpus all, wanted = { 0 };

	node.asked = lists[_i].asked;
	for (uint32_t rank = 0; rank < 4; rank++) {
		rank_has(&node, rank, lists[_i].mask[rank], 1);
		node.rank[rank].listed = cpus_of_list(lists[_i].list[rank]);
		for (const char *c = lists[_i].list[rank]; *c; c++)
			node.rank[rank].list = node.rank[rank].list * 31 + (unsigned char)*c;
	}
	sp_division_find_lists(node.rank, 4, &node.domain, node.asked, &all);
	divide(&node);
	for (uint32_t rank = 0; rank < 4; rank++) {
		const struct sp_part *part = &node.part[rank];

		ck_assert_str_eq(list_of_cpus(&part->cpus), lists[_i].part[rank]);
		ck_assert_uint_eq(part->count, lists[_i].count[rank]);
		ck_assert_uint_eq(part->is_listed, !sp_cpus_empty(&node.rank[rank].listed));
		/* Also of a list that does not count. */
		ck_assert(part->list == node.rank[rank].list);
		if (part->is_listed)
			sp_cpus_or(&wanted, &part->cpus);
	}
	ck_assert(sp_cpus_equal(&all, &wanted));
}
END_TEST

/* Other ranks of a list's job are starved, or not, by what they have. */
START_TEST(lists_are_not_part_of_a_new_cut)
{
	struct node node = node_of(3, "0-15");
	struct sp_cpus all;

	rank_has(&node, 0, "0", 8);
	rank_has(&node, 1, "1", 4);
	rank_has(&node, 2, "2", 4);
	node.rank[0].listed = cpus_of_list("0-1");
	node.rank[0].list = 1;
	sp_division_find_lists(node.rank, 3, &node.domain, false, &all);
	node.taken = all;
	ck_assert_int_eq(divide(&node), SP_DIVISION_STARVED);
	part_is(&node, 0, "0-1", 0, 1);
	part_is(&node, 1, "2-15", 1, 3);
	part_is(&node, 2, "2-15", 2, 3);
}
END_TEST

START_TEST(nothing_is_decided_before_all_masks_are_known)
{
	struct node node = node_of(2, "0-15");

	rank_has(&node, 0, "0", 8);
	ck_assert_int_eq(divide(&node), SP_DIVISION_OPEN);
}
END_TEST

Suite *
suite_division(void)
{
	Suite *suite = suite_create("division");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, starved_ranks_cut_the_node_anew);
	tcase_add_test(facts, a_default_does_not_count_beside_a_domain);
	tcase_add_test(facts, nor_does_that_of_a_single_rank);
	tcase_add_test(facts, what_was_asked_for_is_kept_beside_a_domain);
	tcase_add_test(facts, ranks_that_were_confined_together_divide_that);
	tcase_add_test(facts, one_starved_rank_is_enough);
	tcase_add_test(facts, what_was_asked_for_is_kept);
	tcase_add_test(facts, enough_is_kept);
	tcase_add_test(facts, no_new_cut_without_gain);
	tcase_add_test(facts, the_launchers_mask_bounds_a_new_cut);
	tcase_add_test(facts, without_a_known_bound_nothing_is_cut_anew);
	tcase_add_test(facts, ranks_with_a_cpuset_of_their_own_keep_it);
	tcase_add_test(facts, equal_masks_are_cut_by_those_that_have_them);
	tcase_add_test(facts, a_group_starves_by_what_each_of_it_has);
	tcase_add_test(facts, all_confined_alike_cut_that);
	tcase_add_test(facts, all_confined_alike_cut_that_beside_another_job);
	tcase_add_test(facts, a_job_on_the_same_cores_is_avoided);
	tcase_add_test(facts, a_job_on_other_cores_is_none_of_our_business);
	tcase_add_test(facts, a_full_node_is_left_as_it_is);
	tcase_add_test(facts, a_launcher_confined_to_some_hardware_threads);
	tcase_add_test(facts, a_rank_that_has_ended_counts_for_nothing);
	tcase_add_loop_test(facts, lists_that_differ_are_shares, 0, sizeof(lists) / sizeof(lists[0]));
	tcase_add_test(facts, lists_are_not_part_of_a_new_cut);
	tcase_add_test(facts, nothing_is_decided_before_all_masks_are_known);
	suite_add_tcase(suite, facts);
	return suite;
}
