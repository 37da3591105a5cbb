/*
 * Facts about shares, on an invented Knights Landing of 68 cores whose ranks
 * are forked processes.  Masks are only told, never set.
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "base/text.h"
#include "machines.h"
#include "memory.h"
#include "ranks.h"
#include "decide/division.h"
#include "node/beside_gpus.h"
#include "share/share.h"
#include "suites.h"

#define JOB "a job of the unit tests for shares"
#define ALL "0-271"
#define RANKS_MAX 16

/* What a rank is told, and what came out; in memory that all share. */
struct case_rank {
	const char *inherited;	/* NULL: it does not come */
	const char *allowed;	/* its cpuset; NULL: that of the node */
	const char *listed;	/* CPUs of OMP_PLACES; NULL: none */
	unsigned late_ms;	/* it comes so late */
	int after;		/* it comes when so many others have settled */
	bool ends;		/* as soon as it has told its mask */
	int error;
	unsigned waited_ms;
	struct sp_rank_share found;
	bool divides;		/* as sp_share_domain says afterwards, with domain */
	struct sp_cpus domain;
};

struct node {
	const char *allowed, *taken, *launcher, *from;
	char *environment[4];
	uint32_t threads;	/* that each rank announces */
	uint32_t gpus;		/* of the machine on the board */
	struct sp_config config;
	uint32_t nranks;
	bool no_board, spawned, is_shared, is_bound, is_close;
	atomic_int settled;	/* ranks that are to stay until all have settled */
	int coming;
	struct sp_board *board;
	struct sp_machine *machine;
	struct case_rank rank[RANKS_MAX];
};

static struct node *
node_of(uint32_t nranks, const char *allowed)
{
	struct node *node = shared_memory(sizeof(*node));

	sp_config_read(&node->config, (char *[]){ NULL }, NULL, NULL);
	node->config.wait_ms = 2000;
	node->nranks = nranks;
	node->allowed = allowed;
	node->taken = node->launcher = "";
	node->from = "user";
	return node;
}

/* The board is made by the test, as by a rank that came before. */
static bool
open_node(struct node *node)
{
	static const struct sp_terms alone;
	static const uint32_t need[RANKS_MAX];
	struct sp_common common = { .terms = &alone, .need = need };

	if (!shm_of_own(NULL))
		return false;
	node->machine = machine_knl();
	node->machine->gpus.n = node->gpus;
	common.machine = node->machine;
	ck_assert_int_eq(sp_board_create(JOB, node->nranks, &common, &node->board), 0);
	return true;
}

static void
close_node(struct node *node)
{
	sp_board_leave(node->board, 0, 0);
	ck_assert_uint_eq(shm_files(), 0);
	sp_board_release(node->board);
	free(node->machine);
}

static void
find(struct node *node, int number, const char *list, struct case_rank *rank)
{
	const struct sp_cpus inherited = cpus_of_list(list);
	const struct sp_cpus allowed = cpus_of_list(rank->allowed ? rank->allowed : node->allowed);
	const struct sp_cpus launcher = cpus_of_list(node->launcher);
	struct sp_terms terms = { .generation = 1, .how = *node->taken ? SP_TERMS_BESIDE : SP_TERMS_ALONE, .taken = cpus_of_list(node->taken) };
	uint32_t need[RANKS_MAX];
	const struct sp_rank self = { .local_rank = (uint32_t)number, .local_size = node->nranks, .from = node->from };
	const uint64_t begin = milliseconds();

	if (node->is_shared)
		terms.how = SP_TERMS_SHARED;
	const struct sp_cpus listed = cpus_of_list(rank->listed ? rank->listed : "");

	for (uint32_t i = 0; i < RANKS_MAX; i++)
		need[i] = node->threads;
	const struct sp_situation situation = {
		.config = &node->config, .rank = &self, .machine = node->machine, .inherited = &inherited,
		.allowed = &allowed, .launcher = &launcher, .terms = &terms, .need = need,
		.board = node->no_board ? NULL : node->board, .job = JOB,
		.environment = node->environment, .listed = &listed, .listed_by = "OMP_PLACES=...",
		.list = rank->listed ? sp_text_sum(rank->listed) : 0, .threads = node->threads, .spawned = node->spawned,
		.is_bound = node->is_bound, .is_close = node->is_close };
	rank->error = sp_share_find(&situation, &rank->found);
	rank->waited_ms = (unsigned)(milliseconds() - begin);
	rank->divides = !rank->error && sp_share_domain(&situation, &rank->domain);
}

/* As the engine does it. */
static void
settle(struct node *node, int number, const struct case_rank *rank)
{
	struct sp_seat seat = { .state = SP_SEAT_SETTLED, .share = rank->found.cpus,
				.inherited = cpus_of_list(rank->inherited), .ownership = rank->found.may_be_others };

	if (!rank->error && !rank->found.child_of)
		sp_board_write(node->board, (uint32_t)number, &seat);
}

static int
run_rank(int number, void *data)
{
	struct node *node = data;
	struct case_rank *rank = &node->rank[number];
	struct sp_seat here = { .state = SP_SEAT_HERE };

	sleep_ms(rank->late_ms);
	while (node->settled < rank->after)
		sleep_ms(1);
	if (sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return 1;
	if (rank->ends) {
		here.inherited = cpus_of_list(rank->inherited);
		return sp_board_write(node->board, (uint32_t)number, &here) != 0;
	}
	find(node, number, rank->inherited, rank);
	settle(node, number, rank);
	node->settled++;
	while (node->settled < node->coming)
		sleep_ms(1);
	return 0;
}

/* Run all that come; none may fail. */
static void
run_node(struct node *node)
{
	pid_t pid[RANKS_MAX] = { 0 };
	int failed = 0;

	node->settled = node->coming = 0;
	for (uint32_t i = 0; i < node->nranks; i++)
		node->coming += node->rank[i].inherited && !node->rank[i].ends;
	for (uint32_t i = 0; i < node->nranks; i++)
		if (node->rank[i].inherited)
			pid[i] = start_rank((int)i, run_rank, node);
	for (uint32_t i = 0; i < node->nranks; i++)
		failed += pid[i] && status_of(pid[i]) != 0;
	ck_assert_int_eq(failed, 0);
}

static const char *
share_text(const struct case_rank *rank)
{
	static char text[SP_CPUS_TEXT];

	return sp_cpus_format(&rank->found.cpus, text, sizeof(text));
}

static void
check_share(const struct case_rank *rank, const char *list)
{
	ck_assert_int_eq(rank->error, 0);
	ck_assert_str_eq(share_text(rank), list);
	ck_assert(!rank->found.waited_in_vain);
	ck_assert_int_eq(rank->found.child_of, 0);
}

/* The CPUs that all ranks divide; "": there are none. */
static void
check_divided(const struct case_rank *rank, const char *list)
{
	char text[SP_CPUS_TEXT];

	ck_assert_int_eq(rank->divides, *list != '\0');
	if (rank->divides)
		ck_assert_str_eq(sp_cpus_format(&rank->domain, text, sizeof(text)), list);
}

/* Kept as it is, with threads pinned or not. */
static void
check_kept(const struct case_rank *rank, bool is_unpinned)
{
	ck_assert_int_eq(rank->error, 0);
	ck_assert_str_eq(share_text(rank), rank->inherited);
	ck_assert_int_eq(rank->found.may_be_others, is_unpinned);
}

/* Not bound. */

START_TEST(ranks_that_nobody_bound_need_no_board)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	find(node, 0, ALL, &node->rank[0]);
	find(node, 1, ALL, &node->rank[1]);
	check_share(&node->rank[0], "0-33,68-101,136-169,204-237");
	check_share(&node->rank[1], "34-67,102-135,170-203,238-271");
	ck_assert(!node->rank[0].found.may_be_others);
	free(node->machine);
}
END_TEST

/* A cut that no rank would make by itself: the first rank has the last cores. */
static struct node *
node_of_cut(const char *cpus)
{
	struct node *node = node_of(2, ALL);
	const struct sp_cpus all = cpus_of_list(cpus);
	uint32_t owner[272], need[2] = { 0, 0 };
	const struct sp_plan plan = { .cpus = &all, .owner = owner, .cut = { .units = 34, .fair = 34 } };
	struct sp_terms alone = { .how = SP_TERMS_ALONE };

	if (!shm_of_own(NULL))
		return NULL;
	node->machine = machine_knl();
	for (uint32_t i = 0; i < node->machine->ncpus; i++)
		owner[i] = i < node->machine->ncpus / 2;
	ck_assert_int_eq(sp_board_create(JOB, 2, &(struct sp_common){
		.machine = node->machine, .terms = &alone, .need = need, .plan = &plan, .policy = &node->config.policy }, &node->board), 0);
	return node;
}

START_TEST(what_one_has_cut_for_all_is_not_cut_again)
{
	struct node *node = node_of_cut(ALL);

	if (!node)
		return;
	find(node, 0, ALL, &node->rank[0]);
	find(node, 1, ALL, &node->rank[1]);
	check_share(&node->rank[0], "34-67,102-135,170-203,238-271");
	check_share(&node->rank[1], "0-33,68-101,136-169,204-237");
	close_node(node);
}
END_TEST

/* Other needs, other settings, other CPUs, CPUs of other jobs. */
START_TEST(a_cut_for_other_facts_is_not_used)
{
	struct node *node = node_of_cut(_i == 2 ? "0-270" : ALL);

	if (!node)
		return;
	if (_i == 0)
		node->threads = 3;
	if (_i == 1)
		node->config.policy.smt = 4;
	if (_i == 3)
		node->taken = "67,135,203,271";
	find(node, 0, ALL, &node->rank[0]);
	ck_assert_int_eq(node->rank[0].error, 0);
	ck_assert(sp_cpus_has(&node->rank[0].found.cpus, 0));
	close_node(node);
}
END_TEST

START_TEST(what_others_have_is_left_to_them)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	node->taken = "0-63,68-131,136-199,204-267";
	find(node, 0, ALL, &node->rank[0]);
	find(node, 1, ALL, &node->rank[1]);
	check_share(&node->rank[0], "64-65,132-133,200-201,268-269");
	check_share(&node->rank[1], "66-67,134-135,202-203,270-271");
	free(node->machine);
}
END_TEST

START_TEST(a_mask_can_be_ignored)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	node->config.inherited = SP_INHERITED_IGNORE;
	find(node, 1, "3", &node->rank[1]);
	check_share(&node->rank[1], "34-67,102-135,170-203,238-271");
	check_divided(&node->rank[1], ALL);
	free(node->machine);
}
END_TEST

START_TEST(a_shared_node_is_not_divided)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = node->is_shared = true;
	for (int i = 0; i < 2; i++) {
		find(node, i, ALL, &node->rank[i]);
		check_share(&node->rank[i], ALL);
		ck_assert(node->rank[i].found.is_node_shared && node->rank[i].found.may_be_others);
		ck_assert_ptr_nonnull(strstr(node->rank[i].found.why, "the node is shared, and threads are not pinned"));
	}
	free(node->machine);
}
END_TEST

START_TEST(spawned_ranks_keep_their_mask)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = node->spawned = true;
	node->rank[0].inherited = ALL;
	find(node, 0, ALL, &node->rank[0]);
	check_kept(&node->rank[0], true);
	free(node->machine);
}
END_TEST

/* Each may have a cpuset of its own: where all had this one, it would be too small. */
START_TEST(very_many_ranks_and_no_board)
{
	struct node *node = node_of(5, "0-3");

	node->machine = machine_knl();
	node->no_board = true;
	node->launcher = ALL;
	node->rank[0].inherited = "0-3";
	find(node, 0, "0-3", &node->rank[0]);
	check_kept(&node->rank[0], true);
	ck_assert_ptr_nonnull(strstr(node->rank[0].found.why, "these CPUs are too few for all ranks"));
	free(node->machine);
}
END_TEST

START_TEST(a_narrow_mask_and_no_board)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	node->rank[0].inherited = "0-3";
	find(node, 0, "0-3", &node->rank[0]);
	check_kept(&node->rank[0], true);
	/* The one rank of its node shares with nobody. */
	node->nranks = 1;
	find(node, 0, "0-3", &node->rank[0]);
	check_kept(&node->rank[0], false);
	free(node->machine);
}
END_TEST

/* A rank of two threads that its runtime binds has cores for these: spread, or side by side, as the user asked. */
START_TEST(a_rank_whose_runtime_binds_has_the_cores_that_it_uses)
{
	struct node *node = node_of(1, ALL);

	node->machine = machine_knl();
	node->no_board = node->is_bound = true;
	node->threads = 2;
	node->is_close = _i;
	find(node, 0, ALL, &node->rank[0]);
	check_share(&node->rank[0], _i ? "0-1,68-69,136-137,204-205" : "0,34,68,102,136,170,204,238");
	free(node->machine);
}
END_TEST

/* One rank has nobody to agree with, and a launcher that may use more says nothing. */
START_TEST(one_rank_with_a_cpuset_of_its_own)
{
	struct node *node = node_of(1, "0-3");

	node->machine = machine_knl();
	node->no_board = true;
	node->launcher = ALL;
	find(node, 0, "0-3", &node->rank[0]);
	check_share(&node->rank[0], "0-3");
	ck_assert_ptr_nonnull(strstr(node->rank[0].found.why, "the launcher did not bind"));
	free(node->machine);
}
END_TEST

START_TEST(a_rank_without_a_launcher)
{
	struct node *node = node_of(1, "0-3");

	node->machine = machine_knl();
	node->no_board = true;
	node->from = "alone";
	find(node, 0, "0-3", &node->rank[0]);
	check_share(&node->rank[0], "0-3");
	ck_assert_ptr_nonnull(strstr(node->rank[0].found.why, "started without a launcher: 1 rank with 4 cores"));
	free(node->machine);
}
END_TEST

/* For all ranks; what they name twice is told by the first. */
START_TEST(lists_of_all_ranks)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	node->config.policy.domain = SP_DOMAIN_LISTS;
	node->config.policy.lists = "0-3:2-5";
	find(node, 0, ALL, &node->rank[0]);
	find(node, 1, ALL, &node->rank[1]);
	check_share(&node->rank[0], "0-3");
	check_share(&node->rank[1], "4-5");
	ck_assert_str_ne(node->rank[0].found.domain_fault, "");
	ck_assert_str_eq(node->rank[1].found.domain_fault, "");
	free(node->machine);
}
END_TEST

START_TEST(without_memory_there_is_no_share)
{
	struct node *node = node_of(2, ALL);

	node->machine = machine_knl();
	node->no_board = true;
	SHORT_OF_MEMORY(find(node, 1, ALL, &node->rank[1]))
		ck_assert_int_eq(node->rank[1].error, was_short ? -ENOMEM : 0);
	free(node->machine);
}
END_TEST

/* Lists of CPUs. */

/* What ranks get that nobody has bound: wherever their lists differ, these, and whatever other jobs have of them. */
static const struct {
	const char *listed[3], *share[3];
	bool is_kept[3];
} listed[] = {
	{ { "3", "1-2", "70" }, { "3", "1-2", "70" }, { true, true, true } },
	{ { "0-3", "0-3", "60,128" }, { "0-1", "2-3", "60,128" }, { true, true, true } },
	{ { "0-3", "0-3", "0-3" }, { "4-24,72-92,140-160,208-228", "25-45,93-113,161-181,229-249", "46-66,114-134,182-202,250-270" }, { false, false, false } },
	{ { "4", NULL, "300" }, { "4", "26-46,94-114,162-182,230-250", "47-67,115-135,183-203,251-271" }, { true, false, false } },
};

START_TEST(lists_that_differ_between_ranks_are_their_shares)
{
	struct node *node = node_of(3, ALL);

	for (int i = 0; i < 3; i++) {
		node->rank[i].inherited = ALL;
		node->rank[i].listed = listed[_i].listed[i];
	}
	/* The one without a list comes when the others have decided. */
	node->rank[1].after = listed[_i].listed[1] ? 0 : 1;
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++) {
		const struct sp_rank_share *found = &node->rank[i].found;

		if (listed[_i].is_kept[i])
			check_share(&node->rank[i], listed[_i].share[i]);
		else
			ck_assert_int_eq(node->rank[i].error, 0);
		ck_assert_int_eq(found->is_kept, listed[_i].is_kept[i]);
		ck_assert(!found->may_be_others && !found->was_cut_anew);
		ck_assert_int_eq(strncmp(found->why, "kept the CPUs that were listed for this rank (OMP_PLACES=...)", 61) == 0, listed[_i].is_kept[i]);
	}
	close_node(node);
}
END_TEST

/* A wrapper has set it after another rank had looked and decided. */
START_TEST(a_list_that_comes_late_is_a_share)
{
	struct node *node = node_of(2, ALL);
	const struct sp_decision decision = { .what = SP_DIVISION_ALIKE };
	struct sp_part part[2];

	if (!open_node(node))
		return;
	memset(part, 0, sizeof(part));
	for (uint32_t i = 0; i < 2; i++) {
		part[i].seen = part[i].cpus = cpus_of_list(ALL);
		part[i].index = i;
		part[i].count = 2;
	}
	ck_assert_int_eq(sp_board_revise(node->board, NULL, NULL, &decision, part), 0);
	node->rank[0].inherited = node->rank[1].inherited = ALL;
	node->rank[1].listed = "5,9";
	run_node(node);
	check_share(&node->rank[1], "5,9");
	ck_assert(node->rank[1].found.is_kept);
	check_share(&node->rank[0], "0-33,68-101,136-169,204-237");
	ck_assert(sp_board_is_stale(node->board));
	close_node(node);
}
END_TEST

/* Groups. */

START_TEST(ranks_confined_together_are_cut)
{
	struct node *node = node_of(4, ALL);

	for (int i = 0; i < 4; i++)
		node->rank[i].inherited = "0-7";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-1");
	check_share(&node->rank[1], "2-3");
	check_share(&node->rank[2], "4-5");
	check_share(&node->rank[3], "6-7");
	ck_assert(!node->rank[3].found.may_be_others);
	check_divided(&node->rank[3], "0-7");
	close_node(node);
}
END_TEST

START_TEST(each_group_is_cut_by_itself)
{
	struct node *node = node_of(5, ALL);

	node->rank[0].inherited = node->rank[3].inherited = "0-3";
	node->rank[1].inherited = node->rank[2].inherited = "8-11";
	node->rank[4].inherited = "20-22";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-1");
	check_share(&node->rank[3], "2-3");
	check_share(&node->rank[1], "8-9");
	check_share(&node->rank[2], "10-11");
	check_share(&node->rank[4], "20-22");
	check_divided(&node->rank[1], "");
	check_divided(&node->rank[4], "");
	close_node(node);
}
END_TEST

/* Who confined them did not mean the lists. */
START_TEST(lists_are_not_for_a_part_of_the_ranks)
{
	struct node *node = node_of(3, ALL);

	node->config.policy.domain = SP_DOMAIN_LISTS;
	node->config.policy.lists = "1:0:2";
	node->rank[0].inherited = node->rank[1].inherited = "0-3";
	node->rank[2].inherited = "20-22";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-1");
	check_share(&node->rank[1], "2-3");
	close_node(node);
}
END_TEST

START_TEST(ranks_bound_one_by_one_are_kept)
{
	struct node *node = node_of(3, ALL);

	node->rank[0].inherited = "0,68,136,204";
	node->rank[1].inherited = "1,69,137,205";
	node->rank[2].inherited = "2,70,138,206";
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++)
		check_kept(&node->rank[i], false);
	close_node(node);
}
END_TEST

/* The verdict, after MPI_Init, says that they overlap. */
START_TEST(masks_that_overlap_in_part_are_kept)
{
	struct node *node = node_of(3, ALL);

	node->rank[0].inherited = "0-3";
	node->rank[1].inherited = "2-5";
	node->rank[2].inherited = "0-5";
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++)
		check_kept(&node->rank[i], false);
	close_node(node);
}
END_TEST

START_TEST(a_group_with_too_few_CPUs)
{
	struct node *node = node_of(4, ALL);

	node->rank[0].inherited = "9";
	node->rank[1].inherited = node->rank[2].inherited = node->rank[3].inherited = "0-1";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "9");
	for (int i = 1; i < 4; i++) {
		ck_assert_int_eq(node->rank[i].error, -ENOSPC);
		ck_assert_int_eq(node->rank[i].found.is_reporter, i == 1);
		ck_assert_ptr_nonnull(strstr(node->rank[i].found.why, "3 ranks share 2 CPUs"));
	}
	close_node(node);
}
END_TEST

/* It is no warning where somebody asked for it; a setting's fault still is. */
START_TEST(more_ranks_than_CPUs_on_request)
{
	struct node *node = node_of(3, "0-1");

	node->from = _i == 1 ? "hydra" : "openmpi";
	node->environment[0] = _i == 2 ? NULL : "OMPI_MCA_rmaps_base_oversubscribe=1";
	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = "0-1";
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(node->rank[i].error, -ENOSPC);
		ck_assert_int_eq(node->rank[i].found.is_expected, _i == 0);
		ck_assert_str_eq(node->rank[i].found.why, _i == 0 ?
				 "3 ranks share 2 CPUs, which was asked for (rmaps_base_oversubscribe), so all run as if splitpin were absent; up to 2 would have CPUs of their own" :
				 "3 ranks share 2 CPUs, too few for one each, so all run as if splitpin were absent; start fewer ranks on this node, or ask for more CPUs");
	}
	close_node(node);
}
END_TEST

/* The first node, which has as many, says it for all if Slurm says that it has as few CPUs. */
START_TEST(more_ranks_than_CPUs_on_several_nodes)
{
	struct node *node = node_of(3, "0-1");

	node->from = "hydra";
	node->environment[0] = "PMI_SIZE=6";
	node->environment[1] = _i == 0 ? "PMI_RANK=0" : "PMI_RANK=3";
	node->environment[2] = _i == 2 ? NULL : "SLURM_JOB_CPUS_PER_NODE=2(x2)";
	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = "0-1";
	if (!open_node(node))
		return;
	run_node(node);
	ck_assert_int_eq(node->rank[0].error, -ENOSPC);
	ck_assert(node->rank[0].found.is_reporter);
	ck_assert_int_eq(node->rank[0].found.is_expected, _i == 1);
	close_node(node);
}
END_TEST

/* Of several settings the one named first is told. */
START_TEST(settings_that_leave_too_few_CPUs)
{
	static const struct {
		struct sp_policy policy;
		const char *setting, *remedy, *left;
	} cases[] = {
		{ { .smt = 1 }, "SPLITPIN_SMT", "use more hardware threads of each core", "1 CPU" },
		{ { .smt = 1, .reserve = 1, .domain = SP_DOMAIN_CORE }, "SPLITPIN_RESERVE", "reserve less", "0 CPUs" },
		{ { .smt = 1, .reserved = { { 1 } } }, "SPLITPIN_RESERVE", "reserve less", "1 CPU" },
		{ { .smt = 1, .domain = SP_DOMAIN_CORE }, "SPLITPIN_DOMAIN", "choose larger objects", "1 CPU" },
		{ { .kinds = SP_KINDS_PERFORMANCE }, "SPLITPIN_KINDS", "allow all kinds of cores", "1 CPU" },
	};
	struct node *node = node_of(2, "0,68");
	char why[SP_WHY];

	node->machine = machine_knl();
	node->machine->pu[0].kind = 1;
	node->no_board = true;
	node->launcher = "0,68";
	node->config.policy = cases[_i].policy;
	snprintf(why, sizeof(why), "%s leaves %s for 2 ranks, so all run as if splitpin were absent; %s, or start fewer ranks on this node",
		 cases[_i].setting, cases[_i].left, cases[_i].remedy);
	for (int i = 0; i < 2; i++) {
		find(node, i, "0,68", &node->rank[i]);
		ck_assert_int_eq(node->rank[i].error, -ENOSPC);
		ck_assert_str_eq(node->rank[i].found.why, why);
		ck_assert(node->rank[i].found.is_refused);
		ck_assert_int_eq(node->rank[i].found.is_reporter, i == 0);
		ck_assert(sp_cpus_empty(&node->rank[i].found.cpus));
	}
	free(node->machine);
}
END_TEST

/* CPUs 0 and 68 are one core. */
START_TEST(a_setting_that_leaves_too_few_CPUs)
{
	struct node *node = node_of(3, ALL);

	node->rank[0].inherited = "9";
	node->rank[1].inherited = node->rank[2].inherited = "0,68";
	node->config.policy.smt = 1;
	node->from = "openmpi";
	node->environment[0] = "OMPI_MCA_rmaps_base_oversubscribe=1";
	if (!open_node(node))
		return;
	run_node(node);
	ck_assert_int_eq(node->rank[1].error, -ENOSPC);
	ck_assert_ptr_nonnull(strstr(node->rank[1].found.why, "SPLITPIN_SMT leaves 1 CPU for 2 ranks"));
	ck_assert(!node->rank[1].found.is_expected);
	close_node(node);
}
END_TEST

/* Ranks that do not come. */

START_TEST(one_that_never_comes)
{
	struct node *node = node_of(4, ALL);
	unsigned longest = 0;
	int warnings = 0;

	node->config.wait_ms = 400;
	node->rank[0].inherited = node->rank[1].inherited = node->rank[2].inherited = "0-7";
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++) {
		check_kept(&node->rank[i], true);
		ck_assert_uint_lt(node->rank[i].waited_ms, 30000);
		longest = node->rank[i].waited_ms > longest ? node->rank[i].waited_ms : longest;
		warnings += node->rank[i].found.waited_in_vain;
	}
	/* The one that gave up for all has waited; one that came after that has not. */
	ck_assert_uint_ge(longest, 200);
	ck_assert_int_eq(warnings, 1);
	close_node(node);
}
END_TEST

START_TEST(one_that_comes_too_late)
{
	struct node *node = node_of(3, ALL);
	int warnings = 0;

	node->config.wait_ms = 200;
	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = "0-7";
	node->rank[1].after = 2;
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++) {
		check_kept(&node->rank[i], true);
		warnings += node->rank[i].found.waited_in_vain;
	}
	/* It finds that all is decided. */
	ck_assert(!node->rank[1].found.waited_in_vain);
	ck_assert_int_eq(warnings, 1);
	close_node(node);
}
END_TEST

/* Whatever the moment, all are cut or all keep. */
START_TEST(one_that_comes_at_the_last_moment)
{
	int cut = 0, kept = 0;

	for (int round = 0; round < 60; round++) {
		struct node *node = node_of(3, ALL);
		int unpinned = 0, warnings = 0;

		node->config.wait_ms = 40;
		for (int i = 0; i < 3; i++)
			node->rank[i].inherited = "0-7";
		node->rank[1].late_ms = 16 + (unsigned)round % 10;
		if (!open_node(node))
			return;
		run_node(node);
		for (int i = 0; i < 3; i++) {
			unpinned += node->rank[i].found.may_be_others;
			warnings += node->rank[i].found.waited_in_vain;
		}
		ck_assert_msg(unpinned == 0 || unpinned == 3, "%d of 3 keep their masks", unpinned);
		ck_assert_int_eq(warnings, unpinned == 3);
		cut += unpinned == 0;
		kept += unpinned == 3;
		close_node(node);
	}
	/* (Where it is always the same, the machine is too slow for this test.) */
	ck_assert_int_eq(cut + kept, 60);
}
END_TEST

/* A short program, or one that was killed: its mask is known. */
START_TEST(one_that_has_ended_is_not_waited_for)
{
	struct node *node = node_of(3, ALL);

	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = "0-7";
	node->rank[0].ends = true;
	node->rank[1].late_ms = node->rank[2].late_ms = 100;
	node->config.wait_ms = 50000;
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[1], "2-3");
	check_share(&node->rank[2], "4-5");
	ck_assert_uint_lt(node->rank[1].waited_ms, 30000);
	close_node(node);
}
END_TEST

START_TEST(no_wait_at_all)
{
	struct node *node = node_of(2, ALL);

	node->config.wait_ms = 0;
	node->rank[0].inherited = "0-7";
	if (!open_node(node))
		return;
	run_node(node);
	check_kept(&node->rank[0], true);
	ck_assert(node->rank[0].found.waited_in_vain);
	ck_assert_uint_lt(node->rank[0].waited_ms, 30000);
	close_node(node);
}
END_TEST

/* A rank that is about to come is waited for as long as it gets on. */
static int
come_busily(int number, void *data)
{
	struct node *node = data;
	uint64_t end;

	if (sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return 1;
	end = milliseconds() + 1500;
	node->settled = 1;
	while (milliseconds() < end)
		;
	find(node, number, node->rank[number].inherited, &node->rank[number]);
	return 0;
}

START_TEST(one_that_takes_its_time)
{
	struct node *node = node_of(2, ALL);

	node->config.wait_ms = 400;
	node->rank[0].inherited = node->rank[1].inherited = "0-7";
	if (!open_node(node))
		return;
	pid_t pid = start_rank(1, come_busily, node);
	while (!node->settled)
		sleep_ms(1);
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	find(node, 0, "0-7", &node->rank[0]);
	ck_assert_int_eq(status_of(pid), 0);
	check_share(&node->rank[0], "0-3");
	check_share(&node->rank[1], "4-7");
	ck_assert(!node->rank[0].found.may_be_others);
	close_node(node);
}
END_TEST

/* Bindings that nobody asked for: Intel MPI's own, as no variable tells otherwise. */

static struct node *
bound_node(uint32_t nranks, uint32_t threads)
{
	struct node *node = node_of(nranks, ALL);

	node->from = "intel";
	node->launcher = ALL;
	node->threads = threads;
	return node;
}

START_TEST(starved_ranks_cut_the_node_anew)
{
	struct node *node = bound_node(2, 8);

	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-33,68-101,136-169,204-237");
	check_share(&node->rank[1], "34-67,102-135,170-203,238-271");
	for (int i = 0; i < 2; i++) {
		ck_assert(node->rank[i].found.was_cut_anew);
		ck_assert(!node->rank[i].found.may_be_others);
		ck_assert_ptr_nonnull(strstr(node->rank[i].found.why, "too few for its threads, so replaced"));
	}
	/* The rank that decided has cut for both. */
	const struct sp_common_cut asked = { .generation = 2, .cpus = cpus_of_list(ALL), .policy = node->config.policy };
	const uint32_t need[] = { 8, 8 };
	uint32_t owner[272];
	struct sp_cut cut;
	ck_assert_int_eq(sp_board_cut(node->board, &asked, need, owner, 272, &cut), 0);
	ck_assert(owner[0] == 0 && owner[271] == 1);
	close_node(node);
}
END_TEST

/* What the user says of the cores counts more than what a launcher does by default. */
START_TEST(a_setting_counts_more_than_a_default)
{
	static const struct {
		struct sp_policy policy;
		const char *setting;
	} cases[] = {
		{ { .domain = SP_DOMAIN_NODE }, "SPLITPIN_DOMAIN" },
		{ { .reserve = 1 }, "SPLITPIN_RESERVE" },
		{ { .reserved = { .word = { 1 } } }, "SPLITPIN_RESERVE" },
		{ { .smt = 1 }, "SPLITPIN_SMT" },
		{ { .cores = 4 }, "SPLITPIN_CORES" },
		{ { .kinds = SP_KINDS_ALL }, "SPLITPIN_KINDS" },
		{ { .share = SP_SHARE_ALL }, "SPLITPIN_CORES" },
		{ { .distribution = SP_CYCLIC }, "SPLITPIN_DISTRIBUTION" },
		{ { .devices = SP_DEVICES_OFF }, NULL },
	};
	uint32_t nranks = _i % 2 ? 2 : 1;
	struct node *node = bound_node(nranks, 0);
	char wanted[64];

	node->config.policy = cases[_i / 2].policy;
	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	if (!open_node(node))
		return;
	run_node(node);
	snprintf(wanted, sizeof(wanted), ", while %s is set, so replaced: ", cases[_i / 2].setting ? cases[_i / 2].setting : "none");
	for (uint32_t i = 0; i < nranks; i++) {
		ck_assert(node->rank[i].found.was_cut_anew == (cases[_i / 2].setting != NULL));
		ck_assert((strstr(node->rank[i].found.why, wanted) != NULL) == (cases[_i / 2].setting != NULL));
	}
	if (nranks == 2 && cases[_i / 2].policy.smt)
		check_share(&node->rank[1], "34-67");
	close_node(node);
}
END_TEST

START_TEST(the_reason_names_the_rank_s_own_mask)
{
	const struct sp_decision decision = { .what = SP_DIVISION_STARVED };
	struct sp_part part[2];
	struct node *node = bound_node(2, 8);

	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	if (!open_node(node))
		return;
	memset(part, 0, sizeof(part));
	for (uint32_t i = 0; i < 2; i++)
		part[i] = (struct sp_part){ .seen = cpus_of_list(node->rank[i].inherited), .cpus = cpus_of_list(ALL), .index = i, .count = 2 };
	ck_assert_int_eq(sp_board_revise(node->board, NULL, NULL, &decision, part), 0);
	run_node(node);
	for (int i = 0; i < 2; i++)
		ck_assert_ptr_nonnull(strstr(node->rank[i].found.why, "bound to 1 core ("));
	close_node(node);
}
END_TEST

/* A wrapper has changed the mask since the others have read it; CPUs that the machine lacks do not count. */
START_TEST(a_mask_that_has_changed_since)
{
	static const struct { const char *mask; bool is_changed; } cases[] = {
		{ "0-3", false }, { "0-4", true }, { "0-2", true }, { "0-3,300", false },
	};
	const struct sp_decision decision = { .what = SP_DIVISION_KEPT };
	struct sp_part part[2] = { { .seen = cpus_of_list("0-3"), .cpus = cpus_of_list("0-3"), .count = 1 } };
	struct node *node = bound_node(2, 1);

	part[1] = part[0];
	node->rank[0].inherited = cases[_i].mask;
	if (!open_node(node))
		return;
	ck_assert_int_eq(sp_board_revise(node->board, NULL, NULL, &decision, part), 0);
	run_node(node);
	check_kept(&node->rank[0], cases[_i].is_changed);
	close_node(node);
}
END_TEST

/* The same, but for one fact each. */
START_TEST(what_keeps_a_mask)
{
	static const struct {
		const char *name, *from, *launcher;
		enum sp_inherited inherited;
		uint32_t threads;
		const char *why;
		enum { MASK, BEYOND, NOTHING } open;	/* to a team that is larger than announced */
		enum sp_domain domain;
	} cases[] = {
		{ "SPLITPIN_INHERITED=keep", "intel", ALL, SP_INHERITED_KEEP, 8, "kept Intel MPI's default binding", MASK, 0 },
		{ "somebody asked for it", "user", ALL, SP_INHERITED_AUTO, 8, "kept the binding that was asked for (no launcher bound it)", MASK, 0 },
		{ "somebody asked for it", "user", ALL, SP_INHERITED_AUTO, 8,
		  "kept the binding that was asked for (no launcher bound it), although SPLITPIN_DOMAIN is set", NOTHING, SP_DOMAIN_NUMA },
		{ "the launcher cannot be seen", "intel", "", SP_INHERITED_AUTO, 8, "kept Intel MPI's default binding", MASK, 0 },
		{ "the launcher has no more itself", "intel", "0-1", SP_INHERITED_AUTO, 8, "kept Intel MPI's default binding", BEYOND, 0 },
		{ "no threads are announced", "intel", ALL, SP_INHERITED_AUTO, 0, "kept Intel MPI's default binding", BEYOND, 0 },
		{ "it has enough cores", "intel", ALL, SP_INHERITED_AUTO, 1, "kept Intel MPI's default binding", BEYOND, 0 },
		{ "the node may be other users' as well", "slurm", ALL, SP_INHERITED_AUTO, 8,
		  "kept the binding (Slurm does not say, and srun is not visible on all nodes)", MASK, 0 },
	};
	struct node *node = bound_node(2, cases[_i].threads);

	node->from = cases[_i].from;
	node->launcher = cases[_i].launcher;
	node->config.inherited = cases[_i].inherited;
	node->config.policy.domain = cases[_i].domain;
	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(!node->rank[i].found.was_cut_anew, "%s", cases[_i].name);
		ck_assert_str_eq(node->rank[i].found.why, cases[_i].why);
		check_kept(&node->rank[i], false);
		ck_assert(sp_cpus_within(&node->rank[i].found.open, &node->rank[i].found.cpus) == (cases[_i].open != BEYOND));
		ck_assert(sp_cpus_empty(&node->rank[i].found.open) == (cases[_i].open == NOTHING));
	}
	close_node(node);
}
END_TEST

/* Whoever confines the launcher confines the job. */
START_TEST(a_new_cut_stays_within_the_launchers_mask)
{
	struct node *node = bound_node(2, 8);

	node->launcher = "0-7";
	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-3");
	check_share(&node->rank[1], "4-7");
	ck_assert(node->rank[1].found.was_cut_anew);
	close_node(node);
}
END_TEST

/* What another job has decided to take is left to it. */
/* _i: in a dry run, or not. */
START_TEST(a_job_on_the_same_cores_is_avoided)
{
	struct node *node = bound_node(1, 1);
	const struct sp_terms terms = { .claim = cpus_of_list("0-3,68-71,136-139,204-207") };
	struct sp_common common = { .terms = &terms, .need = &(uint32_t){ 0 } };
	struct sp_board *other;

	node->config.dry_run = _i;
	node->rank[0].inherited = "0";
	if (!open_node(node))
		return;
	common.machine = node->machine;
	ck_assert_int_eq(sp_board_create("another job", 1, &common, &other), 0);
	run_node(node);
	check_share(&node->rank[0], "4,72,140,208");
	ck_assert(node->rank[0].found.was_cut_anew);
	/* More threads than cores may be there, too, as without splitpin. */
	ck_assert_str_eq(list_of_cpus(&node->rank[0].found.open), ALL);
	ck_assert_ptr_nonnull(strstr(node->rank[0].found.why, "another job"));
	sp_board_leave(other, 0, 0);
	sp_board_release(other);
	close_node(node);
}
END_TEST

/* Nor does a rank give way that others could not see to have done so. */
START_TEST(a_job_on_the_same_cores_need_not_be_avoided)
{
	struct node *node = bound_node(1, 1);
	const struct sp_terms terms = { .claim = cpus_of_list("0-3,68-71,136-139,204-207") };
	struct sp_common common = { .terms = &terms, .need = &(uint32_t){ 0 } };
	struct sp_board *other;

	node->rank[0].inherited = "0";
	node->no_board = _i == 0;
	node->config.dry_run = _i == 1;
	node->config.topology = _i == 1 ? "a machine" : NULL;
	node->config.neighbours = _i == 2 ? SP_NEIGHBOURS_IGNORE : SP_NEIGHBOURS_AVOID;
	if (!open_node(node))
		return;
	common.machine = node->machine;
	ck_assert_int_eq(sp_board_create("another job", 1, &common, &other), 0);
	run_node(node);
	check_kept(&node->rank[0], false);
	sp_board_leave(other, 0, 0);
	sp_board_release(other);
	close_node(node);
}
END_TEST

/*
 * Masks that the user has asked for, of which another job has cores: all ranks
 * have one, or each its own.  The pins lie beside the others', or there are
 * none, in a mask of which too much is taken.
 */
static const struct {
	const char *taken, *mask[2], *share[2];
	bool is_unpinned[2];
} kept_beside[] = {
	{ "0-1", { "0-3", "0-3" }, { "2", "3" }, { false, false } },
	{ "0-2", { "0-3", "0-3" }, { "0-3", "0-3" }, { true, true } },
	{ "0-1", { "0-3", "4-7" }, { "2", "4-7" }, { false, false } },
	{ "0-5", { "0-3", "4-7" }, { "0-3", "6" }, { true, false } },
	{ "8-9", { "0-3", "4-7" }, { "0-3", "4-7" }, { false, false } },
};

START_TEST(threads_in_a_mask_that_was_asked_for_leave_the_cores_of_others)
{
	struct node *node = node_of(2, ALL);
	const struct sp_terms terms = { .claim = cpus_of_list(kept_beside[_i].taken) };
	struct sp_common common = { .terms = &terms, .need = &(uint32_t){ 0 } };
	struct sp_board *other;

	node->threads = 1;
	node->from = "slurm";
	node->environment[0] = "SLURM_STEP_ID=0";
	node->environment[1] = "SLURM_CPU_BIND_TYPE=rank";
	node->rank[0].inherited = kept_beside[_i].mask[0];
	node->rank[1].inherited = kept_beside[_i].mask[1];
	if (!open_node(node))
		return;
	common.machine = node->machine;
	ck_assert_int_eq(sp_board_create("another job", 1, &common, &other), 0);
	run_node(node);
	for (int i = 0; i < 2; i++) {
		check_share(&node->rank[i], kept_beside[_i].share[i]);
		ck_assert_int_eq(node->rank[i].found.may_be_others, kept_beside[_i].is_unpinned[i]);
		ck_assert_int_eq(node->rank[i].found.is_node_shared, kept_beside[_i].is_unpinned[i]);
	}
	ck_assert_int_eq(sp_board_is_stale(node->board), kept_beside[_i].is_unpinned[0] || kept_beside[_i].is_unpinned[1]);
	sp_board_leave(other, 0, 0);
	sp_board_release(other);
	close_node(node);
}
END_TEST

/*
 * Found again once all have come.  _i 0: the other job has ended, and confined
 * ranks are divided as any.  1: a default binding was replaced because of another
 * job, and then too few cores are left: threads are where they could be without
 * splitpin, and on all cores.
 */
START_TEST(a_share_is_found_again)
{
	struct node *node = node_of(2, ALL);
	const struct sp_decision decision = { .what = _i ? SP_DIVISION_COLLIDED : SP_DIVISION_ALIKE };
	const struct sp_cpus mask = cpus_of_list("0-3"), allowed = cpus_of_list(ALL), nothing = { 0 }, left = cpus_of_list("4-7");
	const struct sp_rank self = { .local_rank = 1, .local_size = 2, .from = "user" };
	struct sp_rank_share share = { .cpus = mask, .may_be_others = true, .is_node_shared = true };
	struct sp_terms terms = { .generation = 1, .how = _i ? SP_TERMS_SHARED : SP_TERMS_ALONE };
	uint32_t need[2] = { 1, 1 };
	struct sp_part part[2];

	if (!open_node(node))
		return;
	memset(part, 0, sizeof(part));
	for (uint32_t i = 0; i < 2; i++) {
		part[i].seen = mask;
		part[i].cpus = _i ? left : mask;
		part[i].index = i;
		part[i].count = 2;
	}
	ck_assert_int_eq(sp_board_revise(node->board, _i ? &terms : NULL, _i ? need : NULL, &decision, part), 0);
	const struct sp_situation situation = {
		.config = &node->config, .rank = &self, .machine = node->machine, .inherited = &mask, .allowed = &allowed,
		.launcher = _i ? &allowed : &nothing, .terms = &terms, .need = need, .board = node->board, .job = JOB, .environment = node->environment };
	ck_assert_int_eq(sp_share_again(&situation, &share), 0);
	ck_assert_str_eq(list_of_cpus(&share.cpus), _i ? "4-7" : "2-3");
	ck_assert(share.may_be_others == _i && share.is_node_shared == _i);
	if (_i)
		ck_assert_str_eq(list_of_cpus(&share.open), ALL);
	close_node(node);
}
END_TEST

/* As many cores as the widest of them had, if they announce nothing: a third job may come. */
START_TEST(ranks_that_give_way_take_no_more_than_they_had)
{
	struct node *node = bound_node(3, 0);
	const struct sp_terms terms = { .claim = cpus_of_list("0-3,68-71,136-139,204-207") };
	struct sp_common common = { .terms = &terms, .need = &(uint32_t){ 0 } };
	struct sp_board *other;

	node->rank[0].inherited = "0";
	node->rank[1].inherited = "1";
	node->rank[2].inherited = "2-3";
	if (!open_node(node))
		return;
	common.machine = node->machine;
	ck_assert_int_eq(sp_board_create("another job", 1, &common, &other), 0);
	run_node(node);
	check_share(&node->rank[0], "4-5,72-73,140-141,208-209");
	check_share(&node->rank[1], "6-7,74-75,142-143,210-211");
	check_share(&node->rank[2], "8-9,76-77,144-145,212-213");
	sp_board_leave(other, 0, 0);
	sp_board_release(other);
	close_node(node);
}
END_TEST

/* Each in a container of its own. */
START_TEST(ranks_with_cpusets_of_their_own_keep_them)
{
	static const char *const own[] = { "0-3", "4-7", "8-11" };
	struct node *node = bound_node(3, 8);

	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = node->rank[i].allowed = own[i];
	if (!open_node(node))
		return;
	run_node(node);
	for (int i = 0; i < 3; i++) {
		check_kept(&node->rank[i], false);
		ck_assert_ptr_nonnull(strstr(node->rank[i].found.why, "this rank may use no other CPUs"));
	}
	close_node(node);
}
END_TEST

/* All confined alike, by a batch system whose launcher is outside of that. */
START_TEST(ranks_with_the_same_cpuset_cut_it)
{
	struct node *node = bound_node(3, 8);

	for (int i = 0; i < 3; i++)
		node->rank[i].inherited = node->rank[i].allowed = "0-5";
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-1");
	check_share(&node->rank[1], "2-3");
	check_share(&node->rank[2], "4-5");
	ck_assert(!node->rank[0].found.may_be_others);
	ck_assert(!node->rank[0].found.was_cut_anew);
	close_node(node);
}
END_TEST

/* Most likely all of them may use the same CPUs. */
START_TEST(one_with_the_same_cpuset_that_never_comes)
{
	struct node *node = bound_node(2, 8);

	node->allowed = node->rank[0].inherited = "0-7";
	node->config.wait_ms = 0;
	if (!open_node(node))
		return;
	run_node(node);
	check_share(&node->rank[0], "0-3");
	ck_assert(!node->rank[0].found.may_be_others);
	close_node(node);
}
END_TEST

/* The second wait would be longer than a test may take. */
START_TEST(lists_of_gpus_that_one_gave_up_are_not_waited_for_again)
{
	struct node *node = node_of(2, ALL);
	const struct sp_cpus all = cpus_of_list(ALL);
	const struct sp_gpu_list own = { .told = SP_GPUS_ALL };
	const struct sp_rank self = { .local_rank = 0, .local_size = 2, .from = node->from };
	bool gave_up;

	if (!open_node(node))
		return;
	const struct sp_situation situation = {
		.config = &node->config, .rank = &self, .machine = node->machine, .inherited = &all,
		.board = node->board, .gpus = &own };
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	node->machine->gpus.n = 1;
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	node->config.wait_ms = 20;
	ck_assert(!sp_board_gave_gpus_up(node->board));
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	ck_assert(gave_up);
	ck_assert(sp_board_gave_gpus_up(node->board));
	node->config.wait_ms = 60000;
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	ck_assert(!gave_up);
	close_node(node);
}
END_TEST

static int
come_and_stay(int number, void *data)
{
	struct node *node = data;

	if (sp_board_arrive(node->board, (uint32_t)number, false) == 0)
		node->settled = 1;
	return pause_for_ever(number, NULL);
}

static int
tell_gpus(int number, void *data)
{
	struct node *node = data;
	const struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list(ALL),
				      .gpus = { .told = SP_GPUS_LISTED, .n = 1, .gpu = { [0] = 5 } } };

	if (sp_board_arrive(node->board, (uint32_t)number, false) != 0 || sp_board_write(node->board, (uint32_t)number, &seat) != 0)
		return 1;
	return node->rank[number].ends ? 0 : pause();
}

/* It may be another program's, which saw others. */
START_TEST(a_list_of_gpus_from_before_does_not_count)
{
	struct node *node = node_of(2, ALL);
	const struct sp_cpus all = cpus_of_list(ALL);
	const struct sp_gpu_list own = { .told = SP_GPUS_ALL };
	const struct sp_rank self = { .local_rank = 0, .local_size = 2, .from = node->from };
	bool gave_up;

	node->config.wait_ms = 20;
	node->rank[1].ends = true;
	if (!open_node(node))
		return;
	node->machine->gpus.n = 1;
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	ck_assert_int_eq(status_of(start_rank(1, tell_gpus, node)), 0);
	pid_t other = start_rank(1, come_and_stay, node);
	while (!node->settled)
		sleep_ms(1);
	ck_assert_ptr_null(sp_gpus_lists(&(struct sp_situation){
		.config = &node->config, .rank = &self, .machine = node->machine, .inherited = &all,
		.board = node->board, .gpus = &own }, &gave_up));
	ck_assert(gave_up);
	kill(other, SIGKILL);
	status_of(other);
	close_node(node);
}
END_TEST

static struct node *late;

static int
tell_and_use_gpus(int number, void *data)
{
	struct node *node = data;
	bool first;

	if (tell_gpus(number, data) != 0)
		return 1;
	sp_board_use_gpus(node->board, true, &first);
	return 0;
}

static int
come_meanwhile(void)
{
	ck_assert_int_eq(status_of(start_rank(1, tell_and_use_gpus, late)), 0);
	return 0;
}

/* The other sees all lists before this rank has given up, or not: both take the same of the two. */
START_TEST(lists_of_gpus_that_come_at_the_last_moment)
{
	const struct sp_cpus all = cpus_of_list(ALL);
	const struct sp_gpu_list own = { .told = SP_GPUS_ALL };
	bool gave_up = false;

	for (int nth = 0, reached = 1; reached; nth++) {
		late = node_of(2, ALL);
		late->config.wait_ms = 0;
		late->rank[1].ends = true;
		late->gpus = 8;
		if (!open_node(late))
			return;
		const struct sp_rank self = { .local_rank = 0, .local_size = 2, .from = late->from };
		ck_assert_int_eq(sp_board_arrive(late->board, 0, false), 0);
		calls_at(nth, come_meanwhile);
		struct sp_gpu_list *lists = sp_gpus_lists(&(struct sp_situation){
			.config = &late->config, .rank = &self, .machine = late->machine, .inherited = &all,
			.board = late->board, .gpus = &own }, &gave_up);
		reached = calls_were_reached();
		ck_assert_msg(gave_up == sp_board_gave_gpus_up(late->board), "call %d", nth);
		ck_assert_msg(!lists == gave_up, "call %d", nth);
		free(lists);
		close_node(late);
	}
	ck_assert(gave_up);
}
END_TEST

START_TEST(lists_of_gpus_of_all_ranks)
{
	struct node *node = node_of(2, ALL);
	const struct sp_cpus all = cpus_of_list(ALL);
	const struct sp_gpu_list own = { .told = SP_GPUS_ALL };
	struct sp_rank self = { .local_rank = 0, .local_size = 1, .from = node->from };
	bool gave_up = true;

	node->gpus = 8;
	if (!open_node(node))
		return;
	struct sp_situation situation = {
		.config = &node->config, .rank = &self, .machine = node->machine, .inherited = &all, .gpus = &own };
	/* One needs no board for that. */
	struct sp_gpu_list *lists = sp_gpus_lists(&situation, &gave_up);
	ck_assert_ptr_nonnull(lists);
	ck_assert_int_eq(lists[0].told, SP_GPUS_ALL);
	ck_assert(!gave_up);
	free(lists);
	self.local_size = 2;
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	situation.board = node->board;
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	pid_t other = start_rank(1, tell_gpus, node);
	lists = sp_gpus_lists(&situation, &gave_up);
	ck_assert_ptr_nonnull(lists);
	ck_assert(!gave_up);
	ck_assert_int_eq(lists[0].told, SP_GPUS_ALL);
	ck_assert_int_eq(lists[1].told, SP_GPUS_LISTED);
	ck_assert_uint_eq(lists[1].n, 1);
	free(lists);
	/* Who has not the seat can tell nobody, and who does not know its own has nothing to tell. */
	self.local_rank = 1;
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	self.local_rank = 0;
	situation.gpus = NULL;
	ck_assert_ptr_null(sp_gpus_lists(&situation, &gave_up));
	kill(other, SIGKILL);
	status_of(other);
	close_node(node);
}
END_TEST

/* Where no rank can be asked: each has one of the GPUs that are visible; a list of one says nothing of the others'. */
START_TEST(gpus_of_others_are_guessed)
{
	struct sp_machine *machine = machine_knl_snc4();
	struct sp_gpu_list all = { .told = SP_GPUS_ALL, .n = 2, .gpu = { 0, 1 } }, one = { .told = SP_GPUS_LISTED, .n = 1, .gpu = { 1 } };
	struct sp_gpu_list last = { .told = SP_GPUS_LISTED, .n = 2, .gpu = { 1, 2 } };

	ck_assert_ptr_null(sp_gpus_guess(machine, &all, 2));
	machine->gpus.n = 2;
	for (uint32_t i = 0; i < 3; i++)
		machine->gpus.gpu[i] = (struct sp_gpu){ .vendor = SP_NVIDIA, .tiles = 1,
							.near = { SP_ANYWHERE, i + 1, SP_ANYWHERE } };
	for (uint32_t nranks = 1; nranks <= 2; nranks++) {
		struct sp_near *near = sp_gpus_guess(machine, &all, nranks);

		ck_assert_ptr_nonnull(near);
		ck_assert_uint_eq(near[0].numa, nranks == 1 ? SP_ANYWHERE : 1);
		ck_assert(nranks == 1 || near[1].numa == 2);
		free(near);
		near = sp_gpus_guess(machine, &one, nranks);
		ck_assert_ptr_nonnull(near);
		ck_assert_uint_eq(near[0].numa, nranks == 1 ? 2 : 1);
		ck_assert(nranks == 1 || near[1].numa == 2);
		free(near);
	}
	machine->gpus.n = 3;
	struct sp_near *near = sp_gpus_guess(machine, &last, 2);
	ck_assert_ptr_nonnull(near);
	ck_assert_uint_eq(near[0].numa, 2);
	ck_assert_uint_eq(near[1].numa, 3);
	free(near);
	free(machine);
}
END_TEST

/* Several processes of one rank. */

/* A child of rank 1, when that has settled. */
static int
run_with_child(int number, void *data)
{
	struct node *node = data;
	struct case_rank *parent = &node->rank[number], *child = &node->rank[number + 1];
	pid_t own = getpid();

	if (sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return 1;
	find(node, number, parent->inherited, parent);
	settle(node, number, parent);
	pid_t pid = fork();
	if (pid == 0) {
		struct node *copy = malloc(sizeof(*copy));
		const char *problem;

		/* As after exec: what the parent knew of the board is forgotten. */
		*copy = *node;
		if (sp_board_open(JOB, node->nranks, &copy->board, &problem) != 0 ||
		    sp_board_arrive(copy->board, (uint32_t)number, false) != -EBUSY)
			_exit(1);
		find(copy, number, child->inherited, child);
		settle(copy, number, child);
		_exit(parent->error == 0 && child->found.child_of != own);
	}
	return status_of(pid);
}

START_TEST(a_child_has_the_share_of_its_rank)
{
	/* What the child inherits, and what it gets of the share 2-3. */
	static const struct { const char *inherited, *share, *why; } cases[] = {
		{ "2-3", "2-3", "its share" },
		{ "0-7", "2-3", "its share" },
		{ ALL, "2-3", "its share" },
		{ "3", "3", "another mask" },
		{ "5", "5", "another mask" },
		{ "3-5", "3-5", "another mask" },
	};
	struct node *node = node_of(4, ALL);

	if (!open_node(node))
		return;
	node->config.wait_ms = 0;
	for (uint32_t i = 0; i < 4; i++) {
		struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0-7") };

		if (i != 1) {
			ck_assert_int_eq(sp_board_arrive(node->board, i, false), 0);
			ck_assert_int_eq(sp_board_write(node->board, i, &seat), 0);
		}
	}
	node->rank[1].inherited = "0-7";
	node->rank[2].inherited = cases[_i].inherited;
	ck_assert_int_eq(status_of(start_rank(1, run_with_child, node)), 0);
	check_share(&node->rank[1], "2-3");
	ck_assert_str_eq(share_text(&node->rank[2]), cases[_i].share);
	ck_assert(node->rank[2].found.may_be_others);
	ck_assert_ptr_nonnull(strstr(node->rank[2].found.why, cases[_i].why));
	for (uint32_t i = 0; i < 4; i++)
		sp_board_leave(node->board, i, 0);
	close_node(node);
}
END_TEST

/* Its parent has said why; it has nothing to add. */
START_TEST(a_child_of_a_rank_without_a_share)
{
	struct node *node = node_of(4, "0-2");

	node->rank[0].inherited = node->rank[1].inherited = "0-2";
	node->config.wait_ms = 50000;
	if (!open_node(node))
		return;
	for (uint32_t i = 1; i < 4; i++) {
		struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0-2") };

		ck_assert_int_eq(sp_board_arrive(node->board, i, false), 0);
		ck_assert_int_eq(sp_board_write(node->board, i, &seat), 0);
	}
	ck_assert_int_eq(status_of(start_rank(0, run_with_child, node)), 0);
	ck_assert_int_eq(node->rank[0].error, -ENOSPC);
	ck_assert(node->rank[0].found.is_refused);
	ck_assert(node->rank[0].found.is_reporter);
	ck_assert_int_eq(node->rank[1].error, -ENOSPC);
	ck_assert(!node->rank[1].found.is_reporter);
	ck_assert_ptr_nonnull(strstr(node->rank[1].found.why, "4 ranks share 3 CPUs"));
	ck_assert_uint_lt(node->rank[1].waited_ms, 30000);
	for (uint32_t i = 1; i < 4; i++)
		sp_board_leave(node->board, i, 0);
	close_node(node);
}
END_TEST

/* Programs side by side under one shell, which start at the same moment. */
struct twins {
	struct node *node;
	atomic_int ready, again, first;
};

static int
run_twin(int number, void *data)
{
	struct twins *twins = data;
	struct case_rank rank = { .inherited = ALL };
	int arrived;

	(void)number;
	twins->ready++;
	while (twins->ready < 4)
		;
	arrived = sp_board_arrive(twins->node->board, 0, false);
	if (arrived != 0 && arrived != -EBUSY)
		return 1;
	find(twins->node, 0, ALL, &rank);
	settle(twins->node, 0, &rank);
	twins->first += !rank.found.child_of;
	twins->again += rank.found.child_of != 0;
	while (twins->first + twins->again < 4)
		sleep_ms(1);
	return rank.error || strcmp(share_text(&rank), "0-33,68-101,136-169,204-237") != 0;
}

START_TEST(twins_have_one_share_and_one_is_pinned)
{
	struct twins *twins = shared_memory(sizeof(*twins));

	for (int round = 0; round < 20; round++) {
		twins->node = node_of(2, ALL);
		twins->ready = twins->first = twins->again = 0;
		if (!open_node(twins->node))
			return;
		ck_assert_int_eq(run_ranks(4, run_twin, twins), 0);
		ck_assert_int_eq(twins->first, 1);
		ck_assert_int_eq(twins->again, 3);
		close_node(twins->node);
	}
}
END_TEST

START_TEST(one_that_never_settles_is_not_waited_for_long)
{
	struct node *node = node_of(2, ALL);

	node->config.wait_ms = 200;
	node->rank[0].inherited = "0-7";
	if (!open_node(node))
		return;
	pid_t pid = start_rank(0, come_and_stay, node);
	while (!node->settled)
		sleep_ms(1);
	find(node, 0, "0-7", &node->rank[0]);
	check_kept(&node->rank[0], true);
	ck_assert_int_eq(node->rank[0].found.child_of, pid);
	ck_assert_uint_ge(node->rank[0].waited_ms, 100);
	ck_assert_uint_lt(node->rank[0].waited_ms, 30000);

	kill(pid, SIGKILL);
	status_of(pid);
	close_node(node);
}
END_TEST

static int
wait_for_seat(int number, void *data)
{
	struct node *node = data;

	if (sp_board_arrive(node->board, (uint32_t)number, false) != -EBUSY)
		return 1;
	node->settled = 2;
	find(node, number, ALL, &node->rank[0]);
	settle(node, number, &node->rank[0]);
	node->settled = 3;
	while (node->settled != 4)
		sleep_ms(1);
	return node->rank[0].found.child_of != 0;
}

static int
settle_and_end(int number, void *data)
{
	struct node *node = data;

	if (sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return 1;
	find(node, number, ALL, &node->rank[number]);
	settle(node, number, &node->rank[number]);
	return 0;
}

/* The other program of the rank comes when the first one asks for it. */
static int
take_seat(int number, void *data)
{
	struct node *node = data;

	while (node->settled != 1)
		sleep_ms(1);
	node->rank[1].error = sp_board_arrive(node->board, (uint32_t)number, false);
	node->settled = 2;
	return pause_for_ever(number, NULL);
}

static int
let_other_come(void)
{
	late->settled = 1;
	while (late->settled != 2)
		sleep_ms(1);
	return 0;
}

static int
find_while_other_comes(int nth, void *data)
{
	calls_at(nth, let_other_come);
	find(data, 0, ALL, &late->rank[0]);
	return !calls_were_reached();
}

/* Of two programs that a rank starts when its first one has ended: the other comes a call later each time, until it is too late. */
START_TEST(a_seat_that_is_free_is_taken_by_one)
{
	bool is_others = true;

	for (int nth = 0; is_others; nth++) {
		late = node_of(1, ALL);
		late->config.wait_ms = 0;
		late->rank[0].inherited = ALL;
		if (!open_node(late))
			return;
		ck_assert_int_eq(status_of(start_rank(0, settle_and_end, late)), 0);
		late->settled = 0;
		pid_t other = start_rank(0, take_seat, late);
		ck_assert_int_eq(status_of(start_rank(nth, find_while_other_comes, late)), 0);
		is_others = late->rank[0].found.child_of != 0;
		ck_assert_msg(is_others == (late->rank[1].error == 0), "call %d", nth);
		kill(other, SIGKILL);
		status_of(other);
		close_node(late);
	}
}
END_TEST

START_TEST(one_that_is_killed_before_it_settles_is_replaced)
{
	struct node *node = node_of(1, ALL);

	node->rank[0].inherited = ALL;
	node->config.wait_ms = 50000;
	if (!open_node(node))
		return;
	pid_t pid = start_rank(0, come_and_stay, node);
	while (node->settled != 1)
		sleep_ms(1);
	pid_t other = start_rank(0, wait_for_seat, node);
	while (node->settled != 2)
		sleep_ms(1);
	sleep_ms(30);
	kill(pid, SIGKILL);
	status_of(pid);
	while (node->settled != 3)
		sleep_ms(1);
	/* It has not called MPI_Init: who does is the rank. */
	ck_assert_int_eq(sp_board_arrive(node->board, 0, true), 0);
	node->settled = 4;
	ck_assert_int_eq(status_of(other), 0);
	check_share(&node->rank[0], ALL);
	ck_assert_uint_lt(node->rank[0].waited_ms, 30000);
	close_node(node);
}
END_TEST

/* A wrapper that is an OpenMP program itself and executes the real one. */
START_TEST(a_share_outlives_exec)
{
	struct node *node = node_of(2, ALL);
	struct sp_seat other = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0-7") }, seat;

	node->rank[0].inherited = "0-7";
	node->config.wait_ms = 0;
	if (!open_node(node))
		return;
	ck_assert_int_eq(sp_board_arrive(node->board, 1, false), 0);
	ck_assert_int_eq(sp_board_write(node->board, 1, &other), 0);
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	find(node, 0, "0-7", &node->rank[0]);
	settle(node, 0, &node->rank[0]);
	check_share(&node->rank[0], "0-3");

	find(node, 0, "0-3", &node->rank[2]);
	check_share(&node->rank[2], "0-3");
	ck_assert(!node->rank[2].found.may_be_others);
	node->rank[2].inherited = "0-3";
	settle(node, 0, &node->rank[2]);
	/* Others still see what the launcher gave it. */
	ck_assert_int_eq(sp_board_read(node->board, 0, &seat), 0);
	ck_assert(sp_cpus_equal(&seat.inherited, &other.inherited));

	/* A mask that was set on purpose on the way is kept. */
	find(node, 0, "2", &node->rank[3]);
	check_share(&node->rank[3], "2");
	sp_board_leave(node->board, 1, 0);
	close_node(node);
}
END_TEST

/* What a rank has started and left behind: no launcher has bound that. */
START_TEST(a_share_outlives_the_rank)
{
	struct node *node = node_of(2, ALL);

	node->rank[0].inherited = ALL;
	node->config.wait_ms = 0;
	if (!open_node(node))
		return;
	ck_assert_int_eq(status_of(start_rank(0, settle_and_end, node)), 0);
	ck_assert_int_eq(sp_board_arrive(node->board, 0, false), 0);
	find(node, 0, share_text(&node->rank[0]), &node->rank[1]);
	check_share(&node->rank[1], "0-33,68-101,136-169,204-237");
	ck_assert(!node->rank[1].found.may_be_others);
	close_node(node);
}
END_TEST

Suite *
suite_share(void)
{
	Suite *suite = suite_create("share");
	TCase *facts = tcase_create("facts"), *slow = tcase_create("slow");

	tcase_add_test(facts, ranks_that_nobody_bound_need_no_board);
	tcase_add_test(facts, what_one_has_cut_for_all_is_not_cut_again);
	tcase_add_loop_test(facts, a_cut_for_other_facts_is_not_used, 0, 4);
	tcase_add_test(facts, what_others_have_is_left_to_them);
	tcase_add_test(facts, a_mask_can_be_ignored);
	tcase_add_test(facts, a_shared_node_is_not_divided);
	tcase_add_test(facts, spawned_ranks_keep_their_mask);
	tcase_add_test(facts, very_many_ranks_and_no_board);
	tcase_add_test(facts, a_narrow_mask_and_no_board);
	tcase_add_loop_test(facts, a_rank_whose_runtime_binds_has_the_cores_that_it_uses, 0, 2);
	tcase_add_test(facts, one_rank_with_a_cpuset_of_its_own);
	tcase_add_test(facts, a_rank_without_a_launcher);
	tcase_add_test(facts, lists_of_all_ranks);
	tcase_add_test(facts, without_memory_there_is_no_share);
	tcase_add_loop_test(facts, settings_that_leave_too_few_CPUs, 0, 5);
	tcase_add_loop_test(facts, a_mask_that_has_changed_since, 0, 4);
	tcase_add_loop_test(facts, a_job_on_the_same_cores_need_not_be_avoided, 0, 3);
	tcase_add_loop_test(facts, threads_in_a_mask_that_was_asked_for_leave_the_cores_of_others, 0, sizeof(kept_beside) / sizeof(kept_beside[0]));
	tcase_add_loop_test(facts, a_share_is_found_again, 0, 2);
	tcase_add_test(facts, ranks_that_give_way_take_no_more_than_they_had);
	tcase_add_test(facts, one_with_the_same_cpuset_that_never_comes);
	tcase_add_test(facts, a_list_of_gpus_from_before_does_not_count);
	tcase_add_loop_test(facts, lists_that_differ_between_ranks_are_their_shares, 0, sizeof(listed) / sizeof(listed[0]));
	tcase_add_test(facts, a_list_that_comes_late_is_a_share);
	tcase_add_test(facts, ranks_confined_together_are_cut);
	tcase_add_test(facts, each_group_is_cut_by_itself);
	tcase_add_test(facts, lists_are_not_for_a_part_of_the_ranks);
	tcase_add_test(facts, ranks_bound_one_by_one_are_kept);
	tcase_add_test(facts, masks_that_overlap_in_part_are_kept);
	tcase_add_loop_test(facts, a_setting_counts_more_than_a_default, 0, 18);
	tcase_add_test(facts, the_reason_names_the_rank_s_own_mask);
	tcase_add_test(facts, a_group_with_too_few_CPUs);
	tcase_add_loop_test(facts, more_ranks_than_CPUs_on_request, 0, 3);
	tcase_add_loop_test(facts, more_ranks_than_CPUs_on_several_nodes, 0, 3);
	tcase_add_test(facts, a_setting_that_leaves_too_few_CPUs);
	tcase_add_test(slow, one_that_never_comes);
	tcase_add_test(slow, one_that_comes_too_late);
	tcase_add_test(slow, one_that_comes_at_the_last_moment);
	tcase_add_test(facts, one_that_has_ended_is_not_waited_for);
	tcase_add_test(facts, no_wait_at_all);
	tcase_add_test(slow, one_that_takes_its_time);
	tcase_add_test(facts, starved_ranks_cut_the_node_anew);
	tcase_add_loop_test(facts, what_keeps_a_mask, 0, 8);
	tcase_add_test(facts, a_new_cut_stays_within_the_launchers_mask);
	tcase_add_loop_test(facts, a_job_on_the_same_cores_is_avoided, 0, 2);
	tcase_add_test(facts, ranks_with_cpusets_of_their_own_keep_them);
	tcase_add_test(facts, ranks_with_the_same_cpuset_cut_it);
	tcase_add_test(facts, lists_of_gpus_that_one_gave_up_are_not_waited_for_again);
	tcase_add_test(facts, lists_of_gpus_that_come_at_the_last_moment);
	tcase_add_test(facts, lists_of_gpus_of_all_ranks);
	tcase_add_test(facts, gpus_of_others_are_guessed);
	tcase_add_loop_test(facts, a_child_has_the_share_of_its_rank, 0, 6);
	tcase_add_test(facts, a_child_of_a_rank_without_a_share);
	tcase_add_test(slow, twins_have_one_share_and_one_is_pinned);
	tcase_add_test(slow, one_that_never_settles_is_not_waited_for_long);
	tcase_add_test(facts, a_seat_that_is_free_is_taken_by_one);
	tcase_add_test(facts, one_that_is_killed_before_it_settles_is_replaced);
	tcase_add_test(facts, a_share_outlives_exec);
	tcase_add_test(facts, a_share_outlives_the_rank);
	suite_add_tcase(suite, facts);
	suite_add_tcase(suite, slow);
	return suite;
}
