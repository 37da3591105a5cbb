/* Slots: where threads go, who keeps what, who moves. */
#include "suites.h"

#include <errno.h>
#include <stdlib.h>

#include "machines.h"
#include "slots/explain.h"
#include "slots/slots.h"

#define MAIN { 0, 0, 0 }		/* the pool of the first thread and its runtime */
#define SECOND_RUNTIME { 0, 1, 0 }	/* that of another of its runtimes */

/* All of a machine as one share; frees the machine. */
static struct sp_slots *
slots_on(struct sp_machine *machine, enum sp_bind bind)
{
	struct sp_cpus share = { 0 };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&share, machine->pu[i].cpu);

	struct sp_slots *slots = sp_slots_create(machine, &share, bind);

	ck_assert_ptr_nonnull(slots);
	free(machine);
	return slots;
}

/* A thread takes a slot, which must have this number and these CPUs. */
static void
expect_request(struct sp_slots *slots, struct sp_request request, int slot, const char *list)
{
	struct sp_cpus cpus;

	ck_assert_int_eq(sp_slots_take(slots, &request, &cpus), slot);
	ck_assert_str_eq(list_of_cpus(&cpus), list);
}

static void
expect(struct sp_slots *slots, int thread, uint32_t team, const char *list)
{
	expect_request(slots, (struct sp_request){ thread, team, false, -1, MAIN }, thread, list);
}

static void
expect_give(struct sp_slots *slots, int slot, int mover, const char *list)
{
	struct sp_cpus cpus = cpus_of_list("8000");

	ck_assert_int_eq(sp_slots_give(slots, slot, &cpus), mover);
	ck_assert_str_eq(list_of_cpus(&cpus), mover < 0 ? "8000" : list);
}

static void
expect_slot(struct sp_slots *slots, int slot, const char *list)
{
	struct sp_cpus cpus;

	ck_assert_int_eq(sp_slots_cpus(slots, slot, &cpus), 0);
	ck_assert_str_eq(list_of_cpus(&cpus), list);
}

static void
expect_team(struct sp_slots *slots, uint32_t team, const char *const lists[])
{
	for (uint32_t thread = 0; thread < team; thread++)
		expect(slots, (int)thread, team, lists[thread]);
}

/* The table. */

/* Two of the four CPUs of a core: the rank that has the others is not crowded. */
START_TEST(a_part_of_a_core)
{
	struct sp_cpus share = cpus_of_list("138,206");
	struct sp_machine *machine = machine_knl();
	static const char *const lists[][4] = { { "138,206" }, { "138", "206" }, { "138,206", "138,206", "138,206", "138,206" } };
	uint32_t team = 1u << _i;
	struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);

	ck_assert_ptr_nonnull(slots);
	expect_team(slots, team, lists[_i]);
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

START_TEST(spread_leaves_equal_gaps)
{
	static const char *const lists[] = { "0,16", "4,20", "8,24", "12,28" };
	struct sp_slots *slots = slots_on(machine_uniform(16, 2), SP_SPREAD);

	expect_team(slots, 4, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(close_leaves_none)
{
	static const char *const lists[] = { "0,16", "1,17", "2,18", "3,19" };
	struct sp_slots *slots = slots_on(machine_uniform(16, 2), SP_CLOSE);

	expect_team(slots, 4, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(odd_teams_are_spread)
{
	static const char *const lists[] = { "0", "3", "6" };
	struct sp_slots *slots = slots_on(machine_uniform(10, 1), SP_SPREAD);

	expect_team(slots, 3, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(one_thread_a_core_has_the_core)
{
	static const char *const lists[] = { "0,4", "1,5", "2,6", "3,7" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	expect_team(slots, 4, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(neighbours_share_a_core)
{
	static const char *const lists[] = { "0", "4", "1", "5", "2", "6", "3", "7" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	expect_team(slots, 8, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(close_neighbours_share_a_core)
{
	static const char *const lists[] = { "0", "4", "1", "5", "2", "6", "3", "7" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_CLOSE);

	expect_team(slots, 8, lists);
	sp_slots_destroy(slots);
}
END_TEST

/* Two of four cores have a second thread: the first and the third. */
START_TEST(second_threads_are_spread)
{
	static const char *const lists[] = { "0", "4", "1", "2", "6", "3" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	expect_team(slots, 6, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(granularity_thread_takes_one_cpu)
{
	static const char *const lists[] = { "0", "1", "2", "3" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 4, lists);
	/* the CPU that is taken is not given again while its core has another */
	expect_request(slots, (struct sp_request){ -1, 4, false, 1, MAIN }, 4, "5");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(granularity_core_takes_the_core)
{
	static const char *const lists[] = { "0,4", "0,4", "1,5", "1,5", "2,6", "2,6", "3,7", "3,7" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	sp_slots_granularity(slots, SP_GRANULARITY_CORE);
	expect_team(slots, 8, lists);
	sp_slots_destroy(slots);
}
END_TEST

/* Cores of two CPUs (0-7) and of one (8-15). */
START_TEST(hybrid_cores_have_no_more_threads_than_cpus)
{
	static const char *const lists[] = {
		"0", "1", "2", "3", "4", "5", "6", "7",
		"8", "9", "10", "11", "12", "13", "14", "15" };
	struct sp_slots *slots = slots_on(machine_hybrid(), SP_SPREAD);

	expect_team(slots, 16, lists);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(hybrid_cores_have_one_thread_each_first)
{
	static const char *const lists[] = {
		"0-1", "2-3", "4-5", "6-7", "8", "9", "10", "11", "12", "13", "14", "15" };
	struct sp_slots *slots = slots_on(machine_hybrid(), SP_SPREAD);

	expect_team(slots, 12, lists);
	sp_slots_destroy(slots);
	slots = slots_on(machine_hybrid(), SP_SPREAD);
	expect(slots, 0, 14, "0");
	expect(slots, 1, 14, "1");
	expect(slots, 2, 14, "2");
	expect(slots, 3, 14, "4");
	expect(slots, 13, 14, "15");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(more_threads_than_cpus_go_on_in_rounds)
{
	static const char *const lists[] = { "0", "0", "2", "1", "1", "3" };
	static const char *const twice[] = { "0", "0", "2", "2", "1", "1", "3", "3" };
	static const char *const one[] = { "0", "0" };
	struct sp_slot_facts facts;
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 6, lists);
	sp_slots_destroy(slots);
	slots = slots_on(machine_uniform(2, 2), SP_CLOSE);
	expect_team(slots, 6, lists);
	sp_slots_destroy(slots);
	slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 8, twice);
	sp_slots_destroy(slots);
	/* Where there is one CPU that is the place. */
	slots = slots_on(machine_uniform(1, 1), SP_SPREAD);
	expect_team(slots, 2, one);
	ck_assert_int_eq(sp_slots_facts(slots, 1, &facts), 0);
	ck_assert(!facts.is_unpinned);
	sp_slots_destroy(slots);
}
END_TEST

/* Pinned, 6 threads on 4 CPUs would take as long as 8, and two of 8 that alone have work would share a CPU. */
START_TEST(more_threads_than_cpus_share_them)
{
	static const char *const all[] = { "0-3", "0-3", "0-3", "0-3", "0-3", "0-3", "0-3", "0-3" };
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	struct sp_slot_facts facts;
	struct sp_cpus cpus;

	expect_team(slots, 6, all);
	ck_assert_int_eq(sp_slots_facts(slots, 5, &facts), 0);
	ck_assert(facts.is_unpinned);
	ck_assert_int_eq(sp_slots_cpus(slots, 5, &cpus), 0);
	ck_assert_str_eq(list_of_cpus(&cpus), "0-3");
	sp_slots_destroy(slots);
	slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	expect_team(slots, 8, all);
	sp_slots_destroy(slots);

	/* Those of the team before are released with the first new one. */
	slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	expect(slots, 0, 2, "0,2");
	expect(slots, 1, 2, "1,3");
	ck_assert(!sp_slots_others_moved(slots));
	expect(slots, 2, 5, "0-3");
	ck_assert(sp_slots_others_moved(slots));
	for (int slot = 0; slot < 2; slot++) {
		ck_assert_int_eq(sp_slots_facts(slots, slot, &facts), 0);
		ck_assert(facts.is_unpinned);
		ck_assert_int_eq(sp_slots_cpus(slots, slot, &cpus), 0);
		ck_assert_str_eq(list_of_cpus(&cpus), "0-3");
	}
	expect(slots, 3, 5, "0-3");
	ck_assert(!sp_slots_others_moved(slots));
	sp_slots_destroy(slots);
}
END_TEST

/* Expects the CPUs of slots 0, 1 and 2. */
static void
expect_slots(struct sp_slots *slots, const char *const lists[])
{
	for (int slot = 0; slot < 3; slot++)
		expect_slot(slots, slot, lists[slot]);
}

START_TEST(teams_are_pinned_or_not_as_their_size_is)
{
	static const char *const all[] = { "0-1", "0-1", "0-1" }, *const pinned[] = { "0", "1", "0" };
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);

	expect_team(slots, 3, all);
	ck_assert(sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	expect_slots(slots, pinned);
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 1));
	ck_assert(sp_slots_resize(slots, (struct sp_pool)MAIN, 3));
	expect_slots(slots, all);
	/* What goes on so stays unpinned. */
	for (uint32_t i = 0; i < 40; i++)
		sp_slots_resize(slots, (struct sp_pool)MAIN, 2 + i % 2);
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	expect_slots(slots, all);
	sp_slots_destroy(slots);
}
END_TEST

/* It may be on the core that fell free already. */
START_TEST(a_thread_that_is_not_pinned_does_not_move)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);
	struct sp_cpus cpus = { 0 };

	for (int slot = 0; slot < 6; slot++)
		expect(slots, slot, 6, "0-1");
	for (int slot = 5; slot > 2; slot--) {
		ck_assert_int_eq(sp_slots_give(slots, slot, &cpus), -1);
		ck_assert(!sp_slots_others_moved(slots));
	}
	ck_assert(sp_cpus_empty(&cpus));
	sp_slots_destroy(slots);
}
END_TEST

/* A thread ends; whether others are placed anew then. */
static void
expect_end(struct sp_slots *slots, int slot, bool others_move)
{
	struct sp_cpus cpus;

	sp_slots_give(slots, slot, &cpus);
	ck_assert_int_eq(sp_slots_others_moved(slots), others_move);
}

/* libgomp's threads end where a team is smaller, and nothing else says so. */
START_TEST(a_smaller_team_is_pinned_again_when_threads_end)
{
	static const char *const pinned[] = { "0", "2", "1" };
	struct sp_slots *slots = slots_on(machine_uniform(3, 1), SP_SPREAD);

	for (int slot = 0; slot < 4; slot++)
		expect(slots, slot, 4, "0-2");
	expect_end(slots, 3, true);
	expect_slots(slots, pinned);
	expect_end(slots, 2, false);
	expect(slots, 2, 3, "1");
	expect_slots(slots, pinned);
	sp_slots_destroy(slots);
}
END_TEST

/* The root thread, which came with another runtime, is one of the threads that remain. */
START_TEST(a_smaller_team_counts_a_root_thread_of_two_runtimes)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);
	struct sp_request unknown = { -1, 4, false, -1, SECOND_RUNTIME };

	expect(slots, 0, 2, "0");
	for (int slot = 1; slot < 4; slot++)
		expect_request(slots, unknown, slot, "0-1");
	expect_end(slots, 3, false);
	expect_slot(slots, 1, "0-1");
	expect_end(slots, 2, true);
	expect_slot(slots, 1, "1");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(nested_teams_count_a_root_thread_of_two_runtimes)
{
	struct sp_request unknown = { -1, 2, false, -1, SECOND_RUNTIME };
	struct sp_request inner = { -1, 2, false, 1, SECOND_RUNTIME };
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);

	expect(slots, 0, 2, "0");
	expect_request(slots, unknown, 1, "1");
	expect_request(slots, inner, 2, "0-1");
	expect_slot(slots, 0, "0-1");
	sp_slots_destroy(slots);
}
END_TEST

static void
expect_inner(struct sp_slots *slots, int outer, uint32_t team, const char *list)
{
	struct sp_request request = { .thread = -1, .team = team, .near = outer, .pool = MAIN };
	struct sp_cpus cpus;

	ck_assert_int_ge(sp_slots_take(slots, &request, &cpus), 0);
	ck_assert_str_eq(list_of_cpus(&cpus), list);
}

/* Thread 0 may sleep: its CPU is for the team inside of thread 1. */
START_TEST(nested_teams_with_more_threads_than_cpus_are_not_pinned)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);
	struct sp_slot_facts facts;

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "1");
	expect_inner(slots, 1, 2, "0-1");
	ck_assert(sp_slots_others_moved(slots));
	ck_assert_uint_eq(sp_slots_wanted(slots), 4);
	expect_slot(slots, 0, "0-1");
	expect_slot(slots, 1, "0-1");
	ck_assert_int_eq(sp_slots_facts(slots, 2, &facts), 0);
	ck_assert(facts.is_unpinned);
	expect_inner(slots, 0, 2, "0-1");
	ck_assert(!sp_slots_others_moved(slots));
	sp_slots_destroy(slots);
}
END_TEST

/* libgomp's inner threads end with their team; libomp keeps them for the next one. */
START_TEST(threads_are_pinned_again_when_their_nested_teams_have_ended)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);
	struct sp_cpus cpus;

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "1");
	expect_inner(slots, 0, 2, "0-1");
	expect_inner(slots, 1, 3, "0-1");
	expect_inner(slots, 1, 3, "0-1");
	expect_end(slots, 3, false);
	expect_end(slots, 4, false);
	expect_slot(slots, 0, "0-1");
	expect_end(slots, 2, true);
	expect_slot(slots, 0, "0");
	expect_slot(slots, 1, "1");
	/* A program that goes on so is left to the kernel. */
	for (int i = 0; i < 40; i++) {
		expect_inner(slots, 1, 2, "0-1");
		sp_slots_give(slots, 2, &cpus);
	}
	ck_assert(!sp_slots_others_moved(slots));
	expect_slot(slots, 0, "0-1");
	expect_slot(slots, 1, "0-1");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(nested_teams_are_pinned_while_there_is_a_cpu_for_each)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "2");
	expect_inner(slots, 0, 2, "1");
	expect_inner(slots, 1, 2, "3");
	ck_assert(!sp_slots_others_moved(slots));
	/* Not so any more: those that are there are released. */
	expect_inner(slots, 1, 3, "0-3");
	ck_assert(sp_slots_others_moved(slots));
	for (int slot = 0; slot < 4; slot++)
		expect_slot(slots, slot, "0-3");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_new_share_decides_anew_whether_nested_teams_are_pinned)
{
	struct sp_machine *machine = machine_uniform(4, 1);
	struct sp_cpus two = cpus_of_list("0-1"), three = cpus_of_list("0-2");

	for (int by_thread = 0; by_thread < 2; by_thread++) {
		struct sp_slots *slots = sp_slots_create(machine, &two, SP_SPREAD);

		if (by_thread)
			sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
		expect(slots, 0, 2, "0");
		expect(slots, 1, 2, "1");
		expect_inner(slots, 1, 2, by_thread ? "1" : "0-1");
		slots = sp_slots_on(slots, machine, &three);
		expect_slot(slots, 2, "2");
		slots = sp_slots_on(slots, machine, &two);
		expect_slot(slots, 2, by_thread ? "1" : "0-1");
		sp_slots_destroy(slots);
	}
	free(machine);
}
END_TEST

/* A table of four cores, of which the rank has claimed so many; the node has eight. */
static struct sp_slots *
strict_on(unsigned pus, uint32_t claimed, uint32_t full)
{
	struct sp_machine *machine = machine_uniform(8, pus);
	struct sp_cpus share = cpus_of_list(pus == 2 ? "0-3,8-11" : "0-3"), all;
	struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);

	sp_machine_cpus(machine, &all);
	sp_slots_claim(slots, claimed);
	sp_slots_release(slots, full, &all);
	free(machine);
	return slots;
}

START_TEST(threads_are_pinned_as_long_as_each_has_a_claimed_core)
{
	static const struct {
		unsigned pus;
		uint32_t claimed, full, team;
		const char *first;
	} teams[] = {
		{ 1, 0, 0, 4, "0" }, { 1, 0, 0, 5, "0-7" }, { 1, 4, 4, 2, "0" },
		/* Other jobs may have the cores that are not claimed. */
		{ 1, 2, 2, 2, "0" }, { 1, 2, 2, 3, "0-7" },
		/* As announced, or by the runtime's own count of CPUs, one on each CPU; other jobs and ranks are not expected to leave it more. */
		{ 2, 8, 8, 8, "0" }, { 2, 0, 0, 8, "0" }, { 2, 4, 4, 8, "0-15" }, { 2, 0, 0, 6, "0-15" }, { 2, 8, 8, 6, "0-15" },
		/* None is full. */
		{ 2, 8, SP_UNEVEN, 8, "0-15" }, { 2, 8, SP_UNEVEN, 4, "0" },
		/* Not as many on each core. */
		{ 2, 6, 6, 6, "0-15" },
		{ 1, 8, 8, 8, "0-7" },
	};

	for (size_t i = 0; i < sizeof(teams) / sizeof(teams[0]); i++) {
		struct sp_slots *slots = strict_on(teams[i].pus, teams[i].claimed, teams[i].full);
		struct sp_cpus cpus;
		struct sp_slot_facts facts;

		for (uint32_t thread = 0; thread < teams[i].team; thread++)
			ck_assert_int_ge(sp_slots_take(slots, &(struct sp_request){
				.thread = (int)thread, .team = teams[i].team, .near = -1, .pool = MAIN }, &cpus), 0);
		ck_assert_int_eq(sp_slots_cpus(slots, 0, &cpus), 0);
		ck_assert_int_eq(sp_slots_facts(slots, 0, &facts), 0);
		ck_assert_int_eq(facts.is_uneven, teams[i].full == SP_UNEVEN);
		if (strcmp(teams[i].first, "0-15") == 0 || strcmp(teams[i].first, "0-7") == 0)
			ck_assert_str_eq(list_of_cpus(&cpus), teams[i].first);
		else
			ck_assert(sp_cpus_has(&cpus, 0) && sp_cpus_count(&cpus) <= 2);
		sp_slots_destroy(slots);
	}
}
END_TEST

/* Whether one of them works is not known of the others. */
START_TEST(threads_of_several_roots_are_pinned_as_long_as_each_has_a_core)
{
	struct sp_slots *slots = strict_on(1, 0, 0);
	struct sp_request request = { .team = 2, .near = -1 };
	struct sp_cpus cpus, all = { 0 };

	for (uint32_t root = 0; root < 2; root++)
		for (request.thread = 0; request.thread < 2; request.thread++) {
			request.pool.root = root;
			ck_assert_int_ge(sp_slots_take(slots, &request, &cpus), 0);
			ck_assert(sp_cpus_count(&cpus) == 1 && !sp_cpus_intersect(&all, &cpus));
			sp_cpus_or(&all, &cpus);
		}
	request.thread = 0;
	request.pool.root = 2;
	int slot = sp_slots_take(slots, &request, &cpus);
	ck_assert_str_eq(list_of_cpus(&cpus), "0-7");
	ck_assert(sp_slots_others_moved(slots));
	expect_slot(slots, 0, "0-7");
	sp_slots_give(slots, slot, &cpus);
	ck_assert(sp_slots_others_moved(slots));
	expect_slot(slots, 0, "0");
	sp_slots_destroy(slots);
}
END_TEST

/* The root thread works in the teams of one runtime at a time. */
START_TEST(of_two_runtimes_the_larger_team_counts)
{
	struct sp_slots *slots = strict_on(1, 0, 0);
	struct sp_cpus cpus;

	for (uint32_t runtime = 0; runtime < 2; runtime++)
		for (int thread = (int)runtime; thread < 4; thread++) {
			const struct sp_request request = { .thread = thread, .team = 4, .near = -1, .pool = { .root = 1, .runtime = runtime } };

			ck_assert_int_ge(sp_slots_take(slots, &request, &cpus), 0);
			ck_assert_uint_eq(sp_cpus_count(&cpus), 1);
		}
	ck_assert_uint_eq(sp_slots_wanted(slots), 4);
	sp_slots_destroy(slots);
}
END_TEST

/* Others may have the cores that are not claimed. */
START_TEST(nested_teams_and_other_roots_lie_on_claimed_cores)
{
	struct sp_slots *slots = strict_on(1, 3, 3);
	struct sp_request inner = { .thread = -1, .team = 2, .near = 1, .pool = MAIN };
	struct sp_cpus cpus, claim = { 0 }, all = { 0 };

	sp_slots_team_cores(slots, 3, &claim);
	expect(slots, 0, 1, "0");
	inner.near = 0;
	ck_assert_int_ge(sp_slots_take(slots, &inner, &cpus), 0);
	ck_assert(sp_cpus_within(&cpus, &claim));
	sp_cpus_or(&all, &cpus);
	ck_assert_int_ge(sp_slots_take(slots, &(struct sp_request){ .thread = 0, .team = 1, .near = -1, .pool = { .root = 9 } }, &cpus), 0);
	ck_assert(sp_cpus_within(&cpus, &claim) && !sp_cpus_intersect(&cpus, &all));
	sp_slots_destroy(slots);
}
END_TEST

/* Its threads came before their cores were claimed, and were put on those that had been. */
START_TEST(a_nested_team_for_which_cores_are_claimed_has_them)
{
	struct sp_slots *slots = strict_on(2, 2, 1);

	expect_team(slots, 2, (const char *const []){ "0,8", "2,10" });
	expect_inner(slots, 0, 2, "0-15");
	expect_inner(slots, 1, 2, "0-15");
	sp_slots_claim(slots, 4);
	expect_slot(slots, 0, "0,8");
	expect_slot(slots, 1, "2,10");
	expect_slot(slots, 2, "1,9");
	expect_slot(slots, 3, "3,11");
	sp_slots_destroy(slots);
}
END_TEST

/* After a larger team that was left to the kernel; its threads sleep (libomp, _i 0), or end (libgomp, 1). */
START_TEST(a_team_that_is_pinned_again_lies_on_claimed_cores)
{
	struct sp_slots *slots = strict_on(1, 2, 2);

	expect_team(slots, 2, (const char *const []){ "0", "2" });
	for (int thread = 0; thread < 2; thread++)
		ck_assert_int_eq(sp_slots_give(slots, thread, &(struct sp_cpus){ 0 }), -1);
	expect_team(slots, 4, (const char *const []){ "0-7", "0-7", "0-7", "0-7" });
	if (_i == 0)
		ck_assert(sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	for (int thread = 3; _i == 1 && thread > 1; thread--)
		ck_assert_int_eq(sp_slots_give(slots, thread, &(struct sp_cpus){ 0 }), -1);
	expect_slot(slots, 0, "0");
	expect_slot(slots, 1, "2");
	sp_slots_destroy(slots);
}
END_TEST

/* Since another job has too few cores: whatever comes later, while that is there. */
START_TEST(threads_that_were_stopped_are_pinned_again_only_when_told)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	struct sp_cpus two = cpus_of_list("0-1"), all = cpus_of_list("0-7");
	struct sp_slots *slots = strict_on(1, 0, 0);
	struct sp_slot_facts facts;
	char why[SP_TEXT_MAX];

	expect(slots, 0, 2, "0");
	sp_slots_stop(slots, true);
	expect_slot(slots, 0, "0-7");
	expect(slots, 1, 2, "0-7");
	ck_assert_int_eq(sp_slots_facts(slots, 1, &facts), 0);
	ck_assert_str_eq(sp_explain_slot(&facts, why, sizeof(why)), "left to the kernel: another of your jobs has too few cores");
	slots = sp_slots_on(slots, machine, &two);
	sp_slots_release(slots, 2, &all);
	expect_slot(slots, 0, "0-7");
	sp_slots_stop(slots, false);
	expect_slot(slots, 0, "0");
	expect_slot(slots, 1, "1");
	sp_slots_destroy(slots);
	/* But where the user wants that. */
	slots = sp_slots_create(machine, &two, SP_CLOSE);
	sp_slots_release(slots, 0, &all);
	expect(slots, 0, 2, "0");
	sp_slots_stop(slots, true);
	expect_slot(slots, 0, "0");
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

/* Pinned threads stay in the share, as they do where the user has set how they are pinned. */
START_TEST(threads_that_the_user_wants_pinned_are_pinned)
{
	struct sp_machine *machine = machine_uniform(4, 1);
	struct sp_cpus two = cpus_of_list("0-1"), all = cpus_of_list("0-3");
	struct sp_slots *slots = sp_slots_create(machine, &two, SP_CLOSE);

	sp_slots_release(slots, 0, &all);
	expect(slots, 0, 3, "0");
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

/* On one CPU, too; on another share `unpinned` is to be given anew. */
START_TEST(threads_that_are_not_pinned_may_leave_the_share)
{
	struct sp_machine *machine = machine_uniform(4, 1);
	struct sp_cpus one = cpus_of_list("0"), two = cpus_of_list("0-1"), wider = cpus_of_list("0-2");
	struct sp_slots *slots = sp_slots_create(machine, &one, SP_SPREAD);

	expect(slots, 0, 2, "0");
	sp_slots_release(slots, 0, &wider);
	expect_slot(slots, 0, "0-2");
	expect(slots, 1, 2, "0-2");
	/* Pinned again while it is alone. */
	expect_end(slots, 1, true);
	expect_slot(slots, 0, "0");
	expect(slots, 1, 3, "0-2");
	slots = sp_slots_on(slots, machine, &two);
	expect_slot(slots, 0, "0-1");
	sp_slots_release(slots, 0, &wider);
	expect_slot(slots, 0, "0-2");
	/* More cores have been claimed. */
	slots = sp_slots_on(slots, machine, &wider);
	sp_slots_release(slots, 0, &wider);
	expect_slot(slots, 0, "0");
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

/* On more CPUs there is one for each thread of the same team, or no longer is. */
START_TEST(a_new_share_decides_anew_whether_a_team_is_pinned)
{
	static const char *const all[] = { "0-1", "0-1", "0-1" }, *const pinned[] = { "0", "1", "2" };
	struct sp_machine *machine = machine_uniform(4, 1);
	struct sp_cpus two = cpus_of_list("0-1"), three = cpus_of_list("0-2");
	struct sp_slots *slots = sp_slots_create(machine, &two, SP_SPREAD);

	expect_team(slots, 3, all);
	slots = sp_slots_on(slots, machine, &three);
	expect_slots(slots, pinned);
	slots = sp_slots_on(slots, machine, &two);
	expect_slots(slots, all);
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

START_TEST(a_share_may_be_any_part)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_cpus share = cpus_of_list("3,9-11,100");
	struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);

	free(machine);
	expect(slots, 0, 3, "9");	/* cores 1, 2 and 3; of 1 and 2 one CPU each */
	expect(slots, 1, 3, "10");
	expect(slots, 2, 3, "3,11");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(the_highest_number_names_a_core_like_others)
{
	struct sp_machine *machine = machine_uniform(2, 2);

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].core = UINT32_MAX - machine->pu[i].core;

	struct sp_slots *slots = slots_on(machine, SP_SPREAD);

	expect(slots, 0, 2, "0,2");
	expect(slots, 1, 2, "1,3");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_cpu_that_is_there_twice_has_room_once)
{
	struct sp_machine *machine = machine_uniform(4, 1);

	machine->pu[1].cpu = machine->pu[2].cpu = machine->pu[3].cpu = 0;

	struct sp_slots *slots = slots_on(machine, SP_SPREAD);

	expect(slots, 0, 1, "0");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(an_empty_share_has_no_table)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	struct sp_cpus elsewhere = cpus_of_list("2-3"), nothing = { 0 };

	ck_assert_ptr_null(sp_slots_create(machine, &elsewhere, SP_SPREAD));
	ck_assert_ptr_null(sp_slots_create(machine, &nothing, SP_SPREAD));
	free(machine);
	sp_slots_destroy(NULL);
}
END_TEST

START_TEST(no_bind_leaves_threads_on_the_share)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_NO_BIND);

	expect(slots, 0, 2, "0-3");
	expect(slots, 1, 2, "0-3");
	expect_give(slots, 0, -1, NULL);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_team_of_none_is_an_error)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);
	struct sp_cpus cpus = cpus_of_list("7");

	ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ 0, 0, false, -1, MAIN }, &cpus), -EINVAL);
	ck_assert_str_eq(list_of_cpus(&cpus), "7");
	expect(slots, 0, 1, "0");
	sp_slots_destroy(slots);
}
END_TEST

/* Growth. */

START_TEST(nobody_moves_when_the_team_grows)
{
	struct sp_slots *slots = slots_on(machine_uniform(16, 2), SP_SPREAD);
	struct sp_cpus seen = { 0 }, cpus;
	uint32_t twice = 0;

	expect(slots, 0, 2, "0,16");
	expect(slots, 1, 2, "8,24");
	expect(slots, 2, 4, "4,20");	/* that of thread 1, which has 8 */
	expect(slots, 3, 4, "12,28");
	for (uint32_t cpu = 0; cpu < 16; cpu++)
		if (cpu % 4 == 0)
			sp_cpus_add(&seen, cpu);
	for (int thread = 4; thread < 17; thread++) {
		ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ thread, 17, false, -1, MAIN }, &cpus), thread);
		ck_assert_uint_eq(sp_cpus_count(&cpus), 1);

		uint32_t core = sp_cpus_next(&cpus, 0) % 16;

		twice += sp_cpus_has(&seen, core);
		sp_cpus_add(&seen, core);
	}
	ck_assert_uint_eq(sp_cpus_count(&seen), 16);
	ck_assert_uint_eq(twice, 1);
	sp_slots_destroy(slots);
}
END_TEST

/* The cores of a share that a team uses, alone. */
static struct sp_cpus
cores_of_team(const struct sp_slots *slots, uint32_t team)
{
	struct sp_cpus cores = { 0 };

	sp_slots_team_cores(slots, team, &cores);
	return cores;
}

/* Open a team, of which these threads are there already.  Returns the CPUs of all. */
static struct sp_cpus
open_team(struct sp_slots *slots, uint32_t there, uint32_t team)
{
	struct sp_cpus all = { 0 };

	for (uint32_t thread = 0; thread < team; thread++) {
		struct sp_cpus cpus;

		if (thread >= there)
			ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ (int)thread, team, false, -1, MAIN }, &cpus), (int)thread);
		ck_assert_int_eq(sp_slots_cpus(slots, (int)thread, &cpus), 0);
		ck_assert_msg(!sp_cpus_intersect(&all, &cpus), "a team of %u, after one of %u", team, there);
		sp_cpus_or(&all, &cpus);
	}
	return all;
}

/* Whatever teams start before: of 1 to 16 cores others may have those that are not claimed. */
START_TEST(teams_stay_on_the_cores_that_are_claimed)
{
	uint32_t ncores = (uint32_t)_i + 1;

	for (uint32_t claimed = 1; claimed <= ncores; claimed++)
		for (uint32_t first = 1; first <= claimed; first++)
			for (uint32_t second = first; second <= claimed; second++) {
				struct sp_slots *slots = slots_on(machine_uniform(ncores, 1), SP_SPREAD);
				const struct sp_cpus allowed = cores_of_team(slots, claimed);

				sp_slots_claim(slots, claimed);
				struct sp_cpus used = open_team(slots, 0, first);
				ck_assert(sp_cpus_within(&used, &allowed));
				used = open_team(slots, first, second);
				ck_assert(sp_cpus_within(&used, &allowed));
				used = open_team(slots, second, claimed);
				ck_assert(sp_cpus_equal(&used, &allowed));
				sp_slots_destroy(slots);
			}
}
END_TEST

/* Also of an odd number of threads: on the other package. */
START_TEST(two_threads_are_in_both_halves_of_the_claim)
{
	for (uint32_t claimed = 2; claimed <= 16; claimed++) {
		struct sp_slots *slots = slots_on(machine_uniform(16, 1), SP_SPREAD);
		struct sp_cpus cpus;

		sp_slots_claim(slots, claimed);
		expect(slots, 0, 2, "0");
		ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ 1, 2, false, -1, MAIN }, &cpus), 1);
		ck_assert_uint_ge(sp_cpus_next(&cpus, 0), 8);
		sp_slots_destroy(slots);
	}
}
END_TEST

/* And of a rank that claims more: all its threads move there. */
START_TEST(threads_move_to_the_cores_that_are_claimed)
{
	struct sp_machine *machine = machine_uniform(16, 1);
	struct sp_cpus share;

	sp_machine_cpus(machine, &share);
	for (uint32_t before = 1; before <= 16; before++)
		for (uint32_t claimed = before; claimed <= 16; claimed++) {
			struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);

			ck_assert_ptr_nonnull(slots);
			const struct sp_cpus allowed = cores_of_team(slots, claimed);

			sp_slots_claim(slots, before);
			open_team(slots, 0, before);
			sp_slots_claim(slots, claimed);
			slots = sp_slots_on(slots, machine, &share);
			ck_assert_ptr_nonnull(slots);
			struct sp_cpus used = open_team(slots, before, claimed);
			ck_assert(sp_cpus_equal(&used, &allowed));
			sp_slots_destroy(slots);
		}
	free(machine);
}
END_TEST

/* With more threads than cores all are in use; without gaps ("close") a smaller team has the first ones anyway. */
START_TEST(a_claim_of_more_threads_than_cores_changes_nothing)
{
	static const enum sp_bind bind[] = { SP_SPREAD, SP_CLOSE };
	static const char *const spread[] = { "0", "2", "5" }, *const close[] = { "0", "1", "2" };

	for (size_t i = 0; i < sizeof(bind) / sizeof(bind[0]); i++) {
		struct sp_slots *slots = slots_on(machine_uniform(8, 1), bind[i]);

		sp_slots_claim(slots, bind[i] == SP_CLOSE ? 5 : 9);
		expect_team(slots, 3, bind[i] == SP_CLOSE ? close : spread);
		sp_slots_destroy(slots);
	}
}
END_TEST

/* Their memory is there. */
START_TEST(threads_stay_on_their_package_when_more_is_claimed)
{
	struct sp_machine *machine = machine_of((struct shape){ .packages = 2, .cores = 8 });
	struct sp_cpus share;

	sp_machine_cpus(machine, &share);
	struct sp_slots *slots = sp_slots_create(machine, &share, SP_SPREAD);
	sp_slots_claim(slots, 3);
	expect_team(slots, 3, (const char *const []){ "0", "5", "10" });
	sp_slots_claim(slots, 4);
	slots = sp_slots_on(slots, machine, &share);
	expect_slot(slots, 0, "0");
	expect_slot(slots, 1, "4");
	expect_slot(slots, 2, "12");
	expect(slots, 3, 4, "8");
	sp_slots_destroy(slots);
	free(machine);
}
END_TEST

START_TEST(an_exchange_avoids_inner_threads)
{
	struct sp_slots *slots = slots_on(machine_uniform(8, 1), SP_SPREAD);
	struct sp_cpus cpus;

	expect_team(slots, 2, (const char *const []){ "0", "4" });
	for (int inner = 1; inner < 3; inner++)
		ck_assert_int_ge(sp_slots_take(slots, &(struct sp_request){ inner, 3, false, 0, MAIN }, &cpus), 0);
	/* The last inner thread is on core 2, which would be that of thread 1, whose core this one is to have. */
	ck_assert_str_eq(list_of_cpus(&cpus), "2");
	ck_assert_int_ge(sp_slots_take(slots, &(struct sp_request){ 2, 4, false, -1, MAIN }, &cpus), 0);
	ck_assert_str_eq(list_of_cpus(&cpus), "3");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_smaller_team_uses_the_large_table)
{
	struct sp_slots *slots = slots_on(machine_uniform(8, 1), SP_SPREAD);

	expect(slots, 0, 8, "0");
	expect(slots, 1, 2, "1");
	sp_slots_destroy(slots);
}
END_TEST

/* Guesses. */

START_TEST(a_guess_fills_every_core_first)
{
	static const char *const lists[] = { "0", "1", "2", "3", "4", "5", "6", "7" };
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	for (int i = 0; i < 8; i++)
		expect_request(slots, (struct sp_request){ -1, 8, true, -1, MAIN }, i, lists[i]);
	expect_request(slots, (struct sp_request){ -1, 8, true, -1, MAIN }, 8, "1");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_guess_knows_hybrid_cores)
{
	static const char *const lists[] = {
		"0", "2", "4", "6", "8", "9", "10", "11", "12", "13", "14", "15", "1", "3", "5", "7" };
	struct sp_slots *slots = slots_on(machine_hybrid(), SP_SPREAD);

	for (int i = 0; i < 16; i++)
		expect_request(slots, (struct sp_request){ i, 16, true, -1, MAIN }, i, lists[i]);
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_guess_of_a_small_team_is_a_team)
{
	struct sp_slots *slots = slots_on(machine_uniform(8, 2), SP_SPREAD);

	expect_request(slots, (struct sp_request){ 1, 4, true, -1, MAIN }, 1, "2,10");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_guess_does_not_crowd_the_real_team)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	expect_request(slots, (struct sp_request){ 0, 8, true, -1, MAIN }, 0, "0");
	expect(slots, 1, 4, "1,5");
	expect(slots, 2, 4, "2,6");
	sp_slots_destroy(slots);
}
END_TEST

/* Numbers. */

START_TEST(unknown_threads_get_the_lowest_number)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);
	struct sp_request unknown = { -1, 4, false, -1, MAIN };

	expect(slots, 0, 4, "0");
	expect_request(slots, unknown, 1, "1");
	expect_request(slots, unknown, 2, "2");
	expect_give(slots, 1, -1, NULL);
	expect_request(slots, unknown, 1, "1");
	expect_request(slots, unknown, 3, "3");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(numbers_that_are_not_taken_are_ignored)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);

	expect_give(slots, 0, -1, NULL);
	expect(slots, 0, 4, "0");
	expect_give(slots, -1, -1, NULL);
	expect_give(slots, 1, -1, NULL);
	expect_give(slots, 1000000, -1, NULL);
	expect_give(slots, 0, -1, NULL);
	expect_give(slots, 0, -1, NULL);
	expect(slots, 0, 4, "0");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(wild_numbers_are_survived)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	struct sp_cpus cpus;
	struct sp_request wild = { INT32_MAX, 4, false, -1, MAIN };

	ck_assert_int_eq(sp_slots_take(slots, &wild, &cpus), 4);
	wild = (struct sp_request){ 3, UINT32_MAX, false, 77, MAIN };
	ck_assert_int_eq(sp_slots_take(slots, &wild, &cpus), 3);
	wild = (struct sp_request){ INT32_MAX, UINT32_MAX, true, INT32_MAX, MAIN };
	ck_assert_int_eq(sp_slots_take(slots, &wild, &cpus), 0);
	sp_slots_destroy(slots);
	/* Behind the largest team that can be there is no number. */
	slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	wild = (struct sp_request){ 1 << 20, 1 << 20, false, -1, MAIN };
	ck_assert_int_eq(sp_slots_take(slots, &wild, &cpus), 0);
	sp_slots_destroy(slots);
}
END_TEST

/* Threads that have not left yet. */

START_TEST(stacked_threads_move_when_others_leave)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	for (int thread = 0; thread < 4; thread++) {
		struct sp_cpus cpus;

		sp_slots_take(slots, &(struct sp_request){ thread, 4, false, -1, MAIN }, &cpus);
	}
	expect_request(slots, (struct sp_request){ 2, 4, false, -1, MAIN }, 4, "2");
	expect_request(slots, (struct sp_request){ 3, 4, false, -1, MAIN }, 5, "3");
	expect_give(slots, 2, 4, "2,6");
	expect_give(slots, 3, 5, "3,7");
	expect_give(slots, 4, -1, NULL);
	expect(slots, 2, 4, "2,6");
	sp_slots_destroy(slots);
}
END_TEST

/* The runtime without thread numbers: the new team is stacked from the first core on. */
START_TEST(stacked_threads_without_numbers_move)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	struct sp_request unknown = { -1, 4, false, -1, MAIN };
	static const char *const lists[] = { "0,4", "1,5", "2,6", "3,7", "1", "2", "3" };

	/* Not 0: that is the thread which opens the team, and it is there. */
	for (int i = 0; i < 7; i++)
		expect_request(slots, unknown, i, lists[i]);
	expect_give(slots, 1, 4, "1,5");
	expect_give(slots, 2, 5, "2,6");
	expect_give(slots, 3, 6, "3,7");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(stacked_threads_move_to_a_free_cpu)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	static const char *const lists[] = { "0", "2", "1", "3" };

	expect_team(slots, 4, lists);
	expect_request(slots, (struct sp_request){ 0, 4, false, -1, MAIN }, 4, "0");
	expect_give(slots, 1, 4, "2");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_free_core_is_not_provisional)
{
	struct sp_slots *slots = slots_on(machine_uniform(16, 1), SP_SPREAD);

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "8");
	expect_request(slots, (struct sp_request){ 1, 2, false, -1, MAIN }, 2, "7");
	expect_give(slots, 1, -1, NULL);	/* its memory is near 7 by now */
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(threads_that_fit_no_better_stay)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	static const char *const lists[] = { "0", "2", "1", "3" };

	expect_team(slots, 4, lists);
	expect_give(slots, 3, -1, NULL);
	expect_give(slots, 0, -1, NULL);
	expect_give(slots, 1, -1, NULL);
	sp_slots_destroy(slots);
}
END_TEST

/* The team of libgomp shrinks: its last threads end, and the first ones shared a core. */
START_TEST(no_two_threads_stay_on_a_core_beside_a_free_one)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	static const char *const lists[] = { "0", "2", "1", "3" };

	expect_team(slots, 4, lists);
	expect_give(slots, 3, -1, NULL);
	expect_give(slots, 2, 1, "1");
	sp_slots_destroy(slots);
}
END_TEST

/* The team of libomp shrinks, and the runtime keeps the threads that are left out. */
START_TEST(a_smaller_team_moves_neighbours_apart_once)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	static const char *const before[] = { "0", "4", "1", "5", "2", "6", "3", "7" };
	static const char *const after[] = { "0", "1", "2", "3", "4", "5", "6", "7" };

	expect_team(slots, 8, before);
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 8));
	ck_assert(sp_slots_resize(slots, (struct sp_pool)MAIN, 4));
	for (int i = 0; i < 8; i++)
		expect_slot(slots, i, after[i]);
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 8));
	sp_slots_destroy(slots);
}
END_TEST

/* libgomp: a team of all hardware threads, a small one, then one thread a core again. */
START_TEST(new_threads_of_a_smaller_team_have_cores_of_their_own)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	struct sp_cpus cpus, cores = { 0 };

	for (int i = 0; i < 8; i++)
		sp_slots_take(slots, &(struct sp_request){ i ? -1 : 0, 8, false, -1, MAIN }, &cpus);
	for (int i = 2; i < 8; i++)
		sp_slots_give(slots, i, &cpus);
	for (int i = 2; i < 4; i++)
		ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ -1, 4, false, -1, MAIN }, &cpus), i);
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(sp_slots_cpus(slots, i, &cpus), 0);
		sp_cpus_add(&cores, sp_cpus_next(&cpus, 0) % 4);
	}
	ck_assert_uint_eq(sp_cpus_count(&cores), 4);
	sp_slots_destroy(slots);
}
END_TEST

/* The numbers of libgomp's threads begin behind those of another runtime's. */
START_TEST(a_second_runtime_stays_off_the_first_thread)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 1), SP_SPREAD);

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "1");
	expect_request(slots, (struct sp_request){ -1, 2, false, -1, MAIN }, 2, "1");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_smaller_team_of_whole_cores_changes_nothing)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);
	static const char *const lists[] = { "0,4", "1,5", "2,6", "3,7" };

	expect_team(slots, 4, lists);
	ck_assert(!sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	expect_slot(slots, 3, "3,7");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(threads_that_come_after_a_smaller_team_are_placed_likewise)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 2), SP_SPREAD);

	expect(slots, 0, 8, "0");
	expect(slots, 1, 8, "4");
	ck_assert(sp_slots_resize(slots, (struct sp_pool)MAIN, 2));
	expect_slot(slots, 1, "1");
	expect(slots, 2, 8, "2");
	expect(slots, 7, 8, "7");
	sp_slots_destroy(slots);
}
END_TEST

/* Nested teams. */

START_TEST(inner_threads_stay_near_the_outer_one)
{
	struct sp_slots *slots = slots_on(machine_uniform(16, 1), SP_SPREAD);

	expect(slots, 0, 2, "0");
	expect(slots, 1, 2, "8");
	expect_request(slots, (struct sp_request){ 1, 4, false, 1, MAIN }, 4, "7");
	expect_request(slots, (struct sp_request){ 2, 4, false, 1, MAIN }, 5, "9");
	expect_request(slots, (struct sp_request){ 3, 4, false, 1, MAIN }, 6, "6");
	expect_request(slots, (struct sp_request){ 1, 4, false, 0, MAIN }, 7, "1");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(inner_threads_take_the_next_cpu_where_cores_are_short)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);

	expect(slots, 0, 2, "0,2");
	expect(slots, 1, 2, "1,3");
	expect_request(slots, (struct sp_request){ 1, 2, false, 1, MAIN }, 2, "1");
	expect_request(slots, (struct sp_request){ 1, 2, false, 0, MAIN }, 3, "0");
	sp_slots_destroy(slots);
}
END_TEST

/* All 12 cores have a thread: the nearest that has a CPU left is the last of the large ones. */
START_TEST(inner_threads_prefer_a_cpu_of_their_own)
{
	struct sp_slots *slots = slots_on(machine_hybrid(), SP_SPREAD);
	struct sp_cpus cpus;

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	for (int i = 0; i < 12; i++)
		ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ i, 12, false, -1, MAIN }, &cpus), i);
	expect_request(slots, (struct sp_request){ 1, 2, false, 11, MAIN }, 12, "7");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_slot_unknown_is_not_near)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);

	expect_request(slots, (struct sp_request){ 1, 2, false, 5, MAIN }, 1, "2");
	sp_slots_destroy(slots);
}
END_TEST

/* It gets a number that no thread of the outer team will ask for. */
START_TEST(an_inner_thread_without_a_number_is_numbered_behind_the_team)
{
	struct sp_slots *slots = slots_on(machine_uniform(16, 1), SP_SPREAD);

	expect(slots, 0, 4, "0");
	expect_request(slots, (struct sp_request){ -1, 2, false, 0, MAIN }, 4, "1");
	/* One that is near nobody has the lowest that is free. */
	expect_request(slots, (struct sp_request){ -1, 4, false, -1, MAIN }, 1, "4");
	/* And so has one whose own is taken, or is none, behind the team. */
	expect_request(slots, (struct sp_request){ 0, 4, false, -1, MAIN }, 5, "2");
	expect_request(slots, (struct sp_request){ 1 << 20, 4, false, -1, MAIN }, 6, "3");
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(numbers_that_are_not_taken_have_nothing)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);
	static const int numbers[] = { -1, 1, 3, 1000, INT32_MAX };
	struct sp_slot_facts facts;
	struct sp_cpus cpus = cpus_of_list("8000");

	ck_assert_int_eq(sp_slots_take(slots, &(struct sp_request){ 0, 0, false, -1, MAIN }, &cpus), -EINVAL);
	ck_assert_str_eq(list_of_cpus(&cpus), "8000");
	expect(slots, 2, 4, "2");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		ck_assert_int_eq(sp_slots_cpus(slots, numbers[i], &cpus), -EINVAL);
		ck_assert_int_eq(sp_slots_facts(slots, numbers[i], &facts), -EINVAL);
		expect_give(slots, numbers[i], -1, NULL);
	}
	expect_slot(slots, 2, "2");
	sp_slots_destroy(slots);
}
END_TEST

/* Inner threads may come before the outer team is complete. */
START_TEST(an_inner_thread_makes_room_for_an_outer_one)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);
	struct sp_cpus cpus;

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	ck_assert_int_eq(sp_slots_moved(slots, &cpus), -1);
	expect(slots, 0, 4, "0");
	expect_request(slots, (struct sp_request){ 1, 2, false, 0, MAIN }, 4, "1");
	ck_assert_int_eq(sp_slots_moved(slots, &cpus), -1);
	expect(slots, 1, 4, "1");
	ck_assert_int_eq(sp_slots_moved(slots, &cpus), 4);
	ck_assert_str_eq(list_of_cpus(&cpus), "2");
	expect_slot(slots, 4, "2");
	expect(slots, 3, 4, "3");
	ck_assert_int_eq(sp_slots_moved(slots, &cpus), -1);
	expect(slots, 2, 4, "2");
	ck_assert_int_eq(sp_slots_moved(slots, &cpus), 4);
	sp_slots_destroy(slots);
}
END_TEST

/* Pools. */

#define SECOND_ROOT { 2, 0, 0 }

/* The threads of the first pool may be idle: the second one has each core once, too. */
START_TEST(each_pool_is_spread_as_if_alone)
{
	static const char *const lists[] = { "0", "2", "4", "6" };
	struct sp_slots *slots = slots_on(machine_uniform(8, 1), SP_SPREAD);
	struct sp_cpus cpus, seen = { 0 };

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 4, lists);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_ge(sp_slots_take(slots, &(struct sp_request){ i, 8, false, -1, SECOND_ROOT }, &cpus), 4);
		ck_assert(!sp_cpus_intersect(&cpus, &seen));
		ck_assert(i >= 4 || sp_cpus_next(&cpus, 0) % 2 == 1);	/* free cores first */
		sp_cpus_or(&seen, &cpus);
	}
	sp_slots_destroy(slots);
}
END_TEST

/* The table of one root thread's large team is not that of another's small one. */
START_TEST(each_pool_has_a_table_of_its_own)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	static const char *const lists[] = { "0", "2", "1", "3" };

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 4, lists);
	expect_request(slots, (struct sp_request){ 0, 2, false, -1, SECOND_ROOT }, 4, "1");
	expect_request(slots, (struct sp_request){ 1, 2, false, -1, SECOND_ROOT }, 5, "0");
	sp_slots_destroy(slots);
}
END_TEST

/* A root thread whose team has come before it goes where that leaves room. */
START_TEST(a_late_root_thread_crowds_no_core)
{
	struct sp_slots *slots = slots_on(machine_uniform(2, 2), SP_SPREAD);
	static const char *const lists[] = { "0", "2", "1", "3" };

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	expect_team(slots, 4, lists);
	expect_request(slots, (struct sp_request){ 2, 4, false, -1, SECOND_ROOT }, 4, "1");
	expect_request(slots, (struct sp_request){ 3, 4, false, -1, SECOND_ROOT }, 5, "3");
	expect_request(slots, (struct sp_request){ 0, 4, false, -1, SECOND_ROOT }, 6, "0");
	sp_slots_destroy(slots);
}
END_TEST

/* Between their teams root threads work alone. */
START_TEST(root_threads_have_cores_of_their_own)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);
	static const char *const lists[] = { "0", "1", "2", "3" };

	sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
	for (uint32_t root = 1; root <= 4; root++)
		for (int thread = 0; thread < 4; thread++) {
			struct sp_request request = { thread, 4, false, -1, { root, 0, 0 } };
			struct sp_cpus cpus;

			ck_assert_int_ge(sp_slots_take(slots, &request, &cpus), 0);
			if (thread == 0)
				ck_assert_str_eq(list_of_cpus(&cpus), lists[root - 1]);
		}
	sp_slots_destroy(slots);
}
END_TEST

/* The thread that opens the teams of both runtimes has one slot, and counts in both. */
START_TEST(a_root_thread_is_in_the_pools_of_all_its_runtimes)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_SPREAD);
	struct sp_request unknown = { -1, 2, false, -1, SECOND_RUNTIME };

	expect(slots, 0, 4, "0");
	expect_request(slots, unknown, 1, "2");
	expect(slots, 2, 4, "1");	/* its own, 2, has a thread of the other */
	sp_slots_destroy(slots);
}
END_TEST

START_TEST(a_pool_that_has_gone_is_forgotten)
{
	struct sp_slots *slots = slots_on(machine_uniform(4, 1), SP_CLOSE);

	for (uint32_t root = 1; root < 1000; root++) {
		struct sp_request request = { 0, root, false, -1, { root, 0, 0 } };

		expect_request(slots, request, 0, "0");
		expect_give(slots, 0, -1, NULL);
	}
	ck_assert(!sp_slots_resize(slots, (struct sp_pool){ 999, 0, 0 }, 1));
	sp_slots_destroy(slots);
}
END_TEST

/* What holds for every team. */

static uint64_t random_state;

static uint32_t
below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % n;
}

/* Check's own assertions write to a pipe even when they hold. */
#define HOLDS(what) \
	do { \
		if (!(what)) \
			ck_abort_msg("SPLITPIN_SEED=%llu, case %d: not so: " #what, \
				     (unsigned long long)seed, nth); \
	} while (0)

static struct sp_machine *
random_machine(void)
{
	struct sp_machine *whole = below(4) ? machine_uniform(1 + below(20), 1 + below(4)) : machine_hybrid();
	struct sp_cpus kept = { 0 };
	uint32_t lost = below(2) ? 0 : below(50);

	for (uint32_t i = 0; i < whole->ncpus; i++)
		if (i == 0 || below(100) >= lost)
			sp_cpus_add(&kept, whole->pu[i].cpu);

	struct sp_machine *part = machine_within(whole, &kept);

	free(whole);
	return part;
}

struct count {			/* of a core */
	uint32_t cpus, threads;
};

/* A core has fewer threads than another one, by more than one, only where it has no CPU for more. */
static void
check_balance(const struct sp_machine *machine, const struct sp_cpus *slot, uint32_t team,
	      uint64_t seed, int nth)
{
	struct count core[64] = { { 0, 0 } };
	uint32_t most = 0;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		core[machine->pu[i].core].cpus++;
	for (uint32_t thread = 0; thread < team; thread++)
		for (uint32_t i = 0; i < machine->ncpus; i++) {
			if (!sp_cpus_has(&slot[thread], machine->pu[i].cpu))
				continue;
			core[machine->pu[i].core].threads++;
			break;
		}
	for (int i = 0; i < 64; i++)
		if (core[i].threads > most)
			most = core[i].threads;
	for (int i = 0; i < 64; i++) {
		uint32_t full = team <= machine->ncpus ? core[i].cpus : team / machine->ncpus * core[i].cpus;

		HOLDS(core[i].cpus == 0 || core[i].threads + 1 >= most || core[i].threads >= full);
		HOLDS(team > machine->ncpus || core[i].threads <= core[i].cpus);
	}
	if (team > machine->ncpus)
		return;
	for (uint32_t thread = 1; thread < team; thread++)
		for (uint32_t other = 0; other < thread; other++)
			HOLDS(!sp_cpus_intersect(&slot[thread], &slot[other]));
}

START_TEST(every_team)
{
	const char *text = getenv("SPLITPIN_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 20240817;

	for (int nth = 0; nth < 2000; nth++) {
		static struct sp_cpus slot[100];

		random_state = ((seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)nth * 0xbf58476d1ce4e5b9u) | 1;
		for (int i = 0; i < 4; i++)
			below(2);

		struct sp_machine *machine = random_machine();
		struct sp_cpus every = cpus_of_list("0-8191");
		enum sp_bind bind = below(2) ? SP_SPREAD : SP_CLOSE;
		struct sp_slots *slots = slots_on(machine_within(machine, &every), bind);
		uint32_t team = 1 + below(below(2) ? machine->ncpus : 100);
		bool is_unpinned = bind == SP_SPREAD && machine->ncpus > 1 && team > machine->ncpus && nth % 2;
		uint32_t start = below(team);
		bool guess = below(4) == 0, known = below(2);

		if (!is_unpinned && team > machine->ncpus)
			sp_slots_granularity(slots, SP_GRANULARITY_THREAD);
		/* In any order: from the middle on, then the rest. */
		for (uint32_t i = 0; i < team; i++) {
			uint32_t thread = known ? (start + i) % team : i;
			struct sp_request request = { known ? (int)thread : -1, team, guess, -1, MAIN };

			HOLDS(sp_slots_take(slots, &request, &slot[thread]) == (int)thread);
			HOLDS(team > count_cores(machine) || !sp_cpus_empty(&slot[thread]));
			HOLDS(team <= count_cores(machine) || sp_cpus_count(&slot[thread]) == (is_unpinned ? machine->ncpus : 1));
		}
		if (!is_unpinned)
			check_balance(machine, slot, team, seed, nth);
		for (uint32_t i = 0; i < team; i++)
			HOLDS(sp_slots_give(slots, (int)i, &slot[i]) != (int)i);
		sp_slots_destroy(slots);
		free(machine);
	}
}
END_TEST

/*
 * Threads come and go as they like; nothing that is taken is given twice.  Who
 * moves is a thread that has a slot.
 */
START_TEST(every_history)
{
	const char *text = getenv("SPLITPIN_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : 20240817;

	for (int nth = 0; nth < 500; nth++) {
		bool taken[2000] = { false };

		random_state = ((seed + 3) * 0x9e3779b97f4a7c15u + (uint64_t)nth * 0xbf58476d1ce4e5b9u) | 1;

		struct sp_machine *machine = random_machine();
		struct sp_slots *slots = slots_on(machine, SP_SPREAD);

		for (int step = 0; step < 200; step++) {
			struct sp_cpus cpus = { 0 };
			struct sp_request request = {
				(int)below(40) - 1, 1 + below(40), below(2), (int)below(60) - 20,
				{ below(3), below(2), below(2) } };
			int slot;

			if (below(3)) {
				slot = sp_slots_take(slots, &request, &cpus);
				HOLDS(slot >= 0 && slot < 2000 && !taken[slot]);
				HOLDS(!sp_cpus_empty(&cpus));
				taken[slot] = true;
			} else {
				int given = (int)below(60);

				slot = sp_slots_give(slots, given, &cpus);
				HOLDS(slot == -1 || (taken[given] && slot != given && taken[slot]));
				HOLDS(sp_cpus_empty(&cpus) == (slot == -1));
				taken[given] = false;
			}
		}
		sp_slots_destroy(slots);
	}
}
END_TEST

/* Thread 0 stays, and with it the pool. */
START_TEST(places_are_made_anew_so_many_times_at_most)
{
	struct sp_slots *slots = slots_on(machine_uniform(3, 2), SP_SPREAD);
	struct sp_request request = { .near = -1 };
	struct sp_cpus cpus;
	int times = 0;

	random_state = 20261122;
	expect(slots, 0, 6, "0");
	for (int step = 0; step < 3000; step++) {
		request.thread = (int)below(12) - 1;
		request.team = 1 + below(12);
		switch (below(3)) {
		case 0:
			sp_slots_take(slots, &request, &cpus);
			times += sp_slots_others_moved(slots);
			break;
		case 1:
			sp_slots_give(slots, 1 + (int)below(24), &cpus);
			times += sp_slots_others_moved(slots);
			break;
		default:
			times += sp_slots_resize(slots, request.pool, request.team);
		}
	}
	/* Sixteen times by either rule. */
	ck_assert_int_le(times, 32);
	sp_slots_destroy(slots);
}
END_TEST

Suite *
suite_slots(void)
{
	Suite *suite = suite_create("slots");
	TCase *facts = tcase_create("facts"), *random = tcase_create("random");

	tcase_add_loop_test(facts, a_part_of_a_core, 0, 3);
	tcase_add_test(facts, spread_leaves_equal_gaps);
	tcase_add_test(facts, close_leaves_none);
	tcase_add_test(facts, odd_teams_are_spread);
	tcase_add_test(facts, one_thread_a_core_has_the_core);
	tcase_add_test(facts, neighbours_share_a_core);
	tcase_add_test(facts, close_neighbours_share_a_core);
	tcase_add_test(facts, second_threads_are_spread);
	tcase_add_test(facts, granularity_thread_takes_one_cpu);
	tcase_add_test(facts, granularity_core_takes_the_core);
	tcase_add_test(facts, hybrid_cores_have_no_more_threads_than_cpus);
	tcase_add_test(facts, hybrid_cores_have_one_thread_each_first);
	tcase_add_test(facts, more_threads_than_cpus_go_on_in_rounds);
	tcase_add_test(facts, more_threads_than_cpus_share_them);
	tcase_add_test(facts, teams_are_pinned_or_not_as_their_size_is);
	tcase_add_test(facts, a_thread_that_is_not_pinned_does_not_move);
	tcase_add_test(facts, a_smaller_team_is_pinned_again_when_threads_end);
	tcase_add_test(facts, a_smaller_team_counts_a_root_thread_of_two_runtimes);
	tcase_add_test(facts, nested_teams_count_a_root_thread_of_two_runtimes);
	tcase_add_test(facts, threads_are_pinned_again_when_their_nested_teams_have_ended);
	tcase_add_test(facts, nested_teams_with_more_threads_than_cpus_are_not_pinned);
	tcase_add_test(facts, a_new_share_decides_anew_whether_nested_teams_are_pinned);
	tcase_add_test(facts, nested_teams_are_pinned_while_there_is_a_cpu_for_each);
	tcase_add_test(facts, a_new_share_decides_anew_whether_a_team_is_pinned);
	tcase_add_test(facts, threads_are_pinned_as_long_as_each_has_a_claimed_core);
	tcase_add_test(facts, threads_of_several_roots_are_pinned_as_long_as_each_has_a_core);
	tcase_add_test(facts, of_two_runtimes_the_larger_team_counts);
	tcase_add_test(facts, nested_teams_and_other_roots_lie_on_claimed_cores);
	tcase_add_test(facts, a_nested_team_for_which_cores_are_claimed_has_them);
	tcase_add_loop_test(facts, a_team_that_is_pinned_again_lies_on_claimed_cores, 0, 2);
	tcase_add_test(facts, threads_that_were_stopped_are_pinned_again_only_when_told);
	tcase_add_test(facts, threads_that_the_user_wants_pinned_are_pinned);
	tcase_add_test(facts, threads_that_are_not_pinned_may_leave_the_share);
	tcase_add_test(facts, a_share_may_be_any_part);
	tcase_add_test(facts, the_highest_number_names_a_core_like_others);
	tcase_add_test(facts, a_cpu_that_is_there_twice_has_room_once);
	tcase_add_test(facts, an_empty_share_has_no_table);
	tcase_add_test(facts, no_bind_leaves_threads_on_the_share);
	tcase_add_test(facts, a_team_of_none_is_an_error);
	tcase_add_test(facts, nobody_moves_when_the_team_grows);
	tcase_add_loop_test(facts, teams_stay_on_the_cores_that_are_claimed, 0, 16);
	tcase_add_test(facts, two_threads_are_in_both_halves_of_the_claim);
	tcase_add_test(facts, threads_move_to_the_cores_that_are_claimed);
	tcase_add_test(facts, a_claim_of_more_threads_than_cores_changes_nothing);
	tcase_add_test(facts, threads_stay_on_their_package_when_more_is_claimed);
	tcase_add_test(facts, an_exchange_avoids_inner_threads);
	tcase_add_test(facts, a_smaller_team_uses_the_large_table);
	tcase_add_test(facts, a_guess_fills_every_core_first);
	tcase_add_test(facts, a_guess_knows_hybrid_cores);
	tcase_add_test(facts, a_guess_of_a_small_team_is_a_team);
	tcase_add_test(facts, a_guess_does_not_crowd_the_real_team);
	tcase_add_test(facts, unknown_threads_get_the_lowest_number);
	tcase_add_test(facts, numbers_that_are_not_taken_are_ignored);
	tcase_add_test(facts, wild_numbers_are_survived);
	tcase_add_test(facts, stacked_threads_move_when_others_leave);
	tcase_add_test(facts, stacked_threads_without_numbers_move);
	tcase_add_test(facts, stacked_threads_move_to_a_free_cpu);
	tcase_add_test(facts, a_free_core_is_not_provisional);
	tcase_add_test(facts, threads_that_fit_no_better_stay);
	tcase_add_test(facts, no_two_threads_stay_on_a_core_beside_a_free_one);
	tcase_add_test(facts, a_smaller_team_moves_neighbours_apart_once);
	tcase_add_test(facts, new_threads_of_a_smaller_team_have_cores_of_their_own);
	tcase_add_test(facts, a_second_runtime_stays_off_the_first_thread);
	tcase_add_test(facts, a_smaller_team_of_whole_cores_changes_nothing);
	tcase_add_test(facts, threads_that_come_after_a_smaller_team_are_placed_likewise);
	tcase_add_test(facts, inner_threads_stay_near_the_outer_one);
	tcase_add_test(facts, inner_threads_take_the_next_cpu_where_cores_are_short);
	tcase_add_test(facts, inner_threads_prefer_a_cpu_of_their_own);
	tcase_add_test(facts, a_slot_unknown_is_not_near);
	tcase_add_test(facts, an_inner_thread_without_a_number_is_numbered_behind_the_team);
	tcase_add_test(facts, numbers_that_are_not_taken_have_nothing);
	tcase_add_test(facts, a_pool_that_has_gone_is_forgotten);
	tcase_add_test(facts, a_root_thread_is_in_the_pools_of_all_its_runtimes);
	tcase_add_test(facts, each_pool_has_a_table_of_its_own);
	tcase_add_test(facts, root_threads_have_cores_of_their_own);
	tcase_add_test(facts, a_late_root_thread_crowds_no_core);
	tcase_add_test(facts, each_pool_is_spread_as_if_alone);
	tcase_add_test(facts, an_inner_thread_makes_room_for_an_outer_one);
	suite_add_tcase(suite, facts);

	tcase_add_test(random, places_are_made_anew_so_many_times_at_most);
	tcase_add_test(random, every_team);
	tcase_add_test(random, every_history);
	tcase_set_timeout(random, 120);
	suite_add_tcase(suite, random);
	return suite;
}
