/*
 * Facts about what the ranks of a node agree on, where share.c has no part in
 * it: two ranks, each with one core of a Knights Landing and 8 threads.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/agree.h"
#include "machines.h"
#include "memory.h"
#include "ranks.h"
#include "suites.h"

#define JOB "a job of the unit tests for agreements"
#define ALL "0-271"

static struct node {
	struct sp_config config;
	struct sp_machine *machine;
	struct sp_board *board;		/* NULL: there is none */
	const char *from;
	char *environment[4];
	uint32_t nranks;
	struct sp_agreement agreement[2];
} *node;

static bool
open_node(uint32_t nranks, bool has_board)
{
	node = shared_memory(sizeof(*node));
	sp_config_read(&node->config, (char *[]){ NULL }, NULL, NULL);
	node->config.wait_ms = 2000;
	node->nranks = nranks;
	node->from = "slurm";
	/* That is srun's own: nobody asked. */
	node->environment[0] = "SLURM_STEP_ID=0";
	if (!shm_of_own(NULL))
		return false;
	node->machine = machine_knl();
	struct sp_common common = { .machine = node->machine };
	if (has_board)
		ck_assert_int_eq(sp_board_create(JOB, nranks, &common, &node->board), 0);
	return true;
}

static int
agree(int number, void *data)
{
	static const char *const masks[] = { "0", "1" };
	const struct sp_rank rank = { .local_rank = (uint32_t)number, .local_size = node->nranks, .from = node->from };
	const struct sp_cpus inherited = cpus_of_list(masks[number]), all = cpus_of_list(ALL), none = { 0 };

	(void)data;
	if (node->board && sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return -EBUSY;
	return sp_agree(&(struct sp_situation){
		.config = &node->config, .rank = &rank, .machine = node->machine, .inherited = &inherited,
		.allowed = &all, .launcher = &all, .taken = &none, .board = node->board, .job = JOB,
		.environment = node->environment, .threads = 8 }, &node->agreement[number]);
}

/* Both, one a process of its own. */
static void
both_agree(void)
{
	pid_t other = start_rank(1, agree, NULL);

	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_int_eq(status_of(other), 0);
	ck_assert_int_eq(node->agreement[0].division, node->agreement[1].division);
	ck_assert_str_eq(node->agreement[0].evidence, node->agreement[1].evidence);
}

static void
close_node(void)
{
	sp_board_release(node->board);
	free(node->machine);
}

START_TEST(a_node_that_Slurm_gave_as_a_whole)
{
	static const struct { char *cpus; bool is_anew; } cases[] = {
		{ "SLURM_CPUS_ON_NODE=272", true }, { "SLURM_CPUS_ON_NODE=271", false },
		{ "SLURM_CPUS_ON_NODE=many", false }, { NULL, false },
	};

	if (!open_node(2, true))
		return;
	node->environment[1] = cases[_i].cpus;
	both_agree();
	ck_assert_int_eq(sp_division_is_anew(node->agreement[0].division), cases[_i].is_anew);
	close_node();
}
END_TEST

START_TEST(each_rank_has_its_part)
{
	if (!open_node(2, true))
		return;
	node->environment[1] = "SLURM_CPUS_ON_NODE=272";
	both_agree();
	for (uint32_t i = 0; i < 2; i++) {
		struct sp_cpus all = cpus_of_list(ALL);

		ck_assert_uint_eq(node->agreement[i].part.index, i);
		ck_assert_uint_eq(node->agreement[i].part.count, 2);
		ck_assert(sp_cpus_equal(&node->agreement[i].part.cpus, &all));
		ck_assert(!node->agreement[i].gave_up_first);
	}
	close_node();
}
END_TEST

START_TEST(what_was_asked_for_is_evidence_in_all_ranks)
{
	if (!open_node(2, true))
		return;
	node->environment[1] = "SLURM_CPU_BIND_TYPE=rank";
	both_agree();
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_ASKED);
	ck_assert_ptr_nonnull(strstr(node->agreement[1].evidence, "SLURM_CPU_BIND_TYPE=rank"));
	close_node();
}
END_TEST

/* The other comes after that, and takes the decision that holds. */
START_TEST(one_gives_up_for_all)
{
	if (!open_node(2, true))
		return;
	node->config.wait_ms = 0;
	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_GIVEN_UP);
	ck_assert(node->agreement[0].gave_up_first);
	ck_assert_int_eq(status_of(start_rank(1, agree, NULL)), 0);
	ck_assert_int_eq(node->agreement[1].division, SP_DIVISION_GIVEN_UP);
	ck_assert(!node->agreement[1].gave_up_first);
	ck_assert_uint_eq(node->agreement[1].part.count, 0);
	close_node();
}
END_TEST

START_TEST(without_a_board_one_rank_alone_can_decide)
{
	if (!open_node(2, false))
		return;
	ck_assert_int_eq(agree(0, NULL), -ENOENT);
	node->nranks = 1;
	node->environment[1] = "SLURM_CPUS_ON_NODE=272";
	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_STARVED);
	close_node();
}
END_TEST

/* It is an error, and not another decision: ranks would overlap. */
START_TEST(without_memory_nothing_is_decided)
{
	int error;

	if (!open_node(1, false))
		return;
	node->environment[1] = "SLURM_CPUS_ON_NODE=272";
	SHORT_OF_MEMORY(error = agree(0, NULL))
		if (!was_short || error)
			ck_assert_int_eq(error, was_short ? -ENOMEM : 0);
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_STARVED);
	close_node();
}
END_TEST

/* As of a later version, or written by somebody else. */
START_TEST(an_unknown_decision_is_an_error)
{
	const struct sp_decision decision = { .what = SP_DIVISION_GIVEN_UP + 1 };
	struct sp_part part[2];

	if (!open_node(2, true))
		return;
	memset(part, 0, sizeof(part));
	ck_assert_int_eq(sp_board_decide(node->board, &decision, part), 0);
	ck_assert_int_eq(agree(0, NULL), -EPROTO);
	close_node();
}
END_TEST

Suite *
suite_agree(void)
{
	Suite *suite = suite_create("agree");
	TCase *facts = tcase_create("facts");

	tcase_set_timeout(facts, 30);
	tcase_add_loop_test(facts, a_node_that_Slurm_gave_as_a_whole, 0, 4);
	tcase_add_test(facts, each_rank_has_its_part);
	tcase_add_test(facts, what_was_asked_for_is_evidence_in_all_ranks);
	tcase_add_test(facts, one_gives_up_for_all);
	tcase_add_test(facts, without_a_board_one_rank_alone_can_decide);
	tcase_add_test(facts, without_memory_nothing_is_decided);
	tcase_add_test(facts, an_unknown_decision_is_an_error);
	suite_add_tcase(suite, facts);
	return suite;
}
