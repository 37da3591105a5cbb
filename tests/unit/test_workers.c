/*
 * Which OpenMP thread is assigned to which slot, and pinned to it.
 *
 * On invented machines no mask is set (SPLITPIN_DRYRUN); where masks are, the
 * machine has two of the CPUs at hand, and a test has nothing to try with one.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pin.h"
#include "threads/workers.h"
#include "kept_lock.h"
#include "machines.h"
#include "message.h"
#include "suites.h"

static struct sp_config config;
static struct sp_who who;
static struct sp_workers *current;	/* never destroyed, so kept in sight of leak checkers */

static struct sp_workers *
workers_on(const struct sp_machine *machine, bool dry_run)
{
	static struct sp_cpus share;

	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&share, machine->pu[i].cpu);
	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	config.dry_run = dry_run;
	sp_who_init(&who, 0, 1);
	current = sp_workers_create(machine, &share, &config, &who);
	ck_assert_ptr_nonnull(current);
	return current;
}

/* 4 cores: CPUs 0,4 and 1,5 and 2,6 and 3,7. */
static struct sp_workers *
workers(void)
{
	return workers_on(machine_uniform(4, 2), true);
}

static struct sp_worker
worker(int thread, uint32_t team)
{
	return (struct sp_worker){ .thread = thread, .team = team, .near = -1, .root = 1, .runtime = SP_LIBOMP };
}

static int
take(struct sp_workers *w, int thread, uint32_t team)
{
	struct sp_worker asking = worker(thread, team);

	return sp_workers_take(w, &asking, false);
}

/* The CPUs of a slot, as a list. */
static const char *
cpus(struct sp_workers *w, int slot)
{
	static char text[SP_CPUS_TEXT];
	struct sp_cpus set;

	ck_assert_int_eq(sp_workers_cpus(w, slot, &set), 0);
	return sp_cpus_format(&set, text, sizeof(text));
}

START_TEST(threads_of_a_team_have_a_core_each)
{
	static const char *const cores[] = { "0,4", "1,5", "2,6", "3,7" };
	struct sp_workers *w = workers();

	for (int thread = 0; thread < 4; thread++)
		ck_assert_str_eq(cpus(w, take(w, thread, 4)), cores[thread]);
}
END_TEST

/* Unless the user has set it: a smaller team may come, so every core has a thread before any has two. */
START_TEST(the_default_team_of_a_runtime_is_a_guess)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(1, 8);

	asking.guess = true;
	ck_assert_str_eq(cpus(w, sp_workers_take(w, &asking, _i)), _i ? "4" : "1");
}
END_TEST

START_TEST(a_team_of_no_threads_gets_no_slot)
{
	ck_assert_int_eq(take(workers(), 0, 0), -EINVAL);
}
END_TEST

START_TEST(a_slot_that_was_given_back_is_free)
{
	struct sp_workers *w = workers();
	struct sp_cpus set;
	int slot = take(w, 0, 4);

	sp_workers_give(w, slot);
	ck_assert_int_eq(sp_workers_cpus(w, slot, &set), -EINVAL);
	ck_assert_str_eq(cpus(w, take(w, 0, 4)), "0,4");
}
END_TEST

/* 5 threads on 4 cores: two share one; when another ends, one of them moves. */
START_TEST(a_thread_moves_to_a_core_that_becomes_free)
{
	struct sp_workers *w = workers();
	struct sp_cpus set, seen = { 0 };
	int slot[5];

	for (int thread = 0; thread < 5; thread++)
		slot[thread] = take(w, thread, 5);
	sp_workers_give(w, slot[4]);
	for (int thread = 0; thread < 4; thread++) {
		ck_assert_int_eq(sp_workers_cpus(w, slot[thread], &set), 0);
		sp_cpus_add(&seen, sp_cpus_next(&set, 0) % 4);
	}
	ck_assert_uint_eq(sp_cpus_count(&seen), 4);
}
END_TEST

/* Neighbours of a team of 8 share a core; the first 4 alone have one each. */
START_TEST(threads_of_a_smaller_team_have_a_core_each)
{
	struct sp_workers *w = workers();
	struct sp_worker primary = worker(0, 4);
	struct sp_cpus set, seen = { 0 };
	int slot[8];

	for (int thread = 0; thread < 8; thread++)
		slot[thread] = take(w, thread, 8);
	ck_assert_str_eq(cpus(w, slot[0]), "0");
	ck_assert_str_eq(cpus(w, slot[1]), "4");
	sp_workers_resize(w, &primary);
	for (int thread = 0; thread < 4; thread++) {
		ck_assert_int_eq(sp_workers_cpus(w, slot[thread], &set), 0);
		sp_cpus_add(&seen, sp_cpus_next(&set, 0) % 4);
	}
	ck_assert_uint_eq(sp_cpus_count(&seen), 4);
}
END_TEST

static void
expect(int reader, const char *thread, const char *why)
{
	const char *message = message_next(reader);

	ck_assert_msg(strstr(message, thread) && strstr(message, why), "%s", message);
}

/* Of libomp, too, where it is seen like a thread of libgomp. */
START_TEST(how_a_thread_was_seen_is_logged)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(0, 4);
	int reader = message_listen(), slot = take(w, 0, 4);

	config.debug = true;
	asking.when_made = _i;
	ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
	expect(reader, "thread=0 ", _i ? "trigger=pthread " : "trigger=ompt ");
}
END_TEST

/* In a dry run it is reported alone.  Thread 0 keeps its CPU, of which nothing is to be told. */
START_TEST(threads_that_have_started_move_for_a_smaller_team)
{
	struct sp_workers *w = workers();
	struct sp_worker primary = worker(0, 4), asking = worker(0, 8);
	int reader = message_listen(), slot[8];

	for (int thread = 0; thread < 8; thread++)
		slot[thread] = take(w, thread, 8);
	ck_assert_int_eq(sp_workers_pin(w, slot[0], &asking), 0);
	config.debug = true;
	ck_assert_str_eq(message_next(reader), "");
	ck_assert_int_eq(sp_workers_pin(w, slot[1], &asking), 0);
	expect(reader, "thread=1 ", "trigger=ompt why=\"8 threads on 4 cores");
	sp_workers_resize(w, &primary);
	expect(reader, "thread=1 ", "moved for a team of another size");
	ck_assert_str_eq(message_next(reader), "");
}
END_TEST

/* Idle threads of libgomp, too, which is not asked again when a team is larger. */
START_TEST(threads_that_have_started_are_released_for_a_larger_team)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(0, 2);
	int reader = message_listen(), slot[3];

	config.debug = true;
	for (int thread = 0; thread < 2; thread++)
		slot[thread] = take(w, thread, 2);
	ck_assert_int_eq(sp_workers_pin(w, slot[0], &asking), 0);
	expect(reader, "thread=0 ", "trigger=ompt why=\"2 threads on 4 cores");
	slot[2] = take(w, 2, 100);
	expect(reader, "thread=0 ", "moved for a team of another size: pinned only if there is a core for each thread");
	ck_assert_str_eq(message_next(reader), "");
}
END_TEST

START_TEST(threads_of_other_teams_are_released_too)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(0, 2), other = worker(1, 2);
	int reader = message_listen();

	config.debug = true;
	ck_assert_int_eq(sp_workers_pin(w, take(w, 0, 2), &asking), 0);
	expect(reader, "thread=0 ", "trigger=ompt");
	other.root = 2;
	ck_assert_int_eq(sp_workers_pin(w, sp_workers_take(w, &other, false), &other), 0);
	expect(reader, "thread=1 ", "trigger=ompt");
	other.thread = 2;
	other.team = 100;
	ck_assert_int_ge(sp_workers_take(w, &other, false), 0);
	expect(reader, "thread=0 ", "moved for a team of another size");
	expect(reader, "thread=1 ", "moved for a team of another size");
	ck_assert_str_eq(message_next(reader), "");
}
END_TEST

/* Visits. */

static void
copy(void *data, int slot, const struct sp_assignment *assignment)
{
	struct sp_assignment *copied = data;

	(void)slot;
	*copied = *assignment;
}

START_TEST(a_visitor_gets_the_thread_of_a_slot)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(2, 4);
	struct sp_assignment visited = { 0 }, assignment;
	int slot = take(w, 2, 4);

	ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
	ck_assert_int_eq(sp_workers_visit(w, slot, copy, &visited, &assignment), 0);
	ck_assert_int_eq(visited.thread, 2);
	ck_assert_int_eq(visited.tid, gettid());
	ck_assert(sp_cpus_equal(&visited.cpus, &assignment.cpus));
	ck_assert_str_eq(cpus(w, slot), "2,6");
}
END_TEST

/* libgomp does not say them: the lowest that is free is found. */
START_TEST(a_thread_without_a_number_gets_one)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(-1, 4);
	struct sp_assignment visited = { 0 }, assignment;

	take(w, 0, 4);
	int slot = sp_workers_take(w, &asking, false);
	ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
	ck_assert_int_eq(sp_workers_visit(w, slot, copy, &visited, &assignment), 0);
	ck_assert_int_eq(visited.thread, 1);
}
END_TEST

START_TEST(slots_without_a_thread_are_not_visited)
{
	struct sp_workers *w = workers();
	struct sp_assignment visited = { .tid = -1 }, assignment;

	ck_assert_int_eq(sp_workers_visit(w, 0, copy, &visited, &assignment), -ERANGE);
	int slot = take(w, 0, 4);
	ck_assert_int_eq(sp_workers_visit(w, slot, copy, &visited, &assignment), -EINVAL);
	sp_workers_give(w, slot);
	ck_assert_int_eq(sp_workers_visit(w, slot, copy, &visited, &assignment), -EINVAL);
	ck_assert_int_eq(sp_workers_visit(w, 1 << 20, copy, &visited, &assignment), -ERANGE);
	ck_assert_int_eq(visited.tid, -1);
}
END_TEST

/* The lock. */

START_TEST(a_caller_that_must_not_block_is_turned_away)
{
	struct sp_workers *w = workers();
	struct sp_worker asking = worker(0, 4);
	struct sp_assignment visited = { .tid = -1 }, assignment;
	struct sp_cpus set;
	int slot = take(w, 0, 4);

	ck_assert_int_eq(slot, 0);
	ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
	kept_lock_begin(w, slot);
	ck_assert_int_eq(sp_workers_cpus(w, slot, &set), -EBUSY);
	/* Others are turned away in the end, too. */
	ck_assert_int_eq(sp_workers_visit(w, slot, copy, &visited, &assignment), -EBUSY);
	ck_assert_int_eq(visited.tid, -1);
	kept_lock_end();
	ck_assert_int_eq(sp_workers_cpus(w, slot, &set), 0);
}
END_TEST

#define THREADS 8
#define ROUNDS 200

static atomic_int owner[1024];	/* threads that have a slot at once */
static atomic_int failures;

static void *
come_and_go(void *w)
{
	struct sp_worker asking = worker(-1, THREADS);

	for (int i = 0; i < ROUNDS; i++) {
		int slot = sp_workers_take(w, &asking, false);

		if (slot < 0 || slot >= 1024 || owner[slot]++ != 0 || sp_workers_pin(w, slot, &asking) != 0) {
			failures++;
			return NULL;
		}
		owner[slot]--;
		sp_workers_give(w, slot);
	}
	return NULL;
}

START_TEST(threads_that_come_and_go_never_share_a_slot)
{
	struct sp_workers *w = workers();
	pthread_t thread[THREADS];
	struct sp_cpus set;

	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, come_and_go, w), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_int_eq(failures, 0);
	for (int slot = 0; slot < THREADS; slot++)
		ck_assert_int_eq(sp_workers_cpus(w, slot, &set), -EINVAL);
}
END_TEST

/* Masks. */

static struct sp_cpus
own_mask(void)
{
	struct sp_cpus mask;

	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	return mask;
}

START_TEST(a_pinned_thread_has_the_mask_of_its_slot)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_workers *w = machine ? workers_on(machine, false) : NULL;

	for (int thread = 0; w && thread < 2; thread++) {
		struct sp_worker asking = worker(thread, 2);
		int slot = take(w, thread, 2);
		struct sp_cpus expected, mask;

		ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
		ck_assert_int_eq(sp_workers_cpus(w, slot, &expected), 0);
		mask = own_mask();
		ck_assert(sp_cpus_equal(&mask, &expected));
		ck_assert_uint_eq(sp_cpus_count(&mask), 1);
		ck_assert(sp_cpus_has(&mask, machine->pu[thread].cpu));
	}
}
END_TEST

START_TEST(a_thread_is_pinned_once_more)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_workers *w = machine ? workers_on(machine, false) : NULL;
	struct sp_worker asking = worker(0, 2);
	struct sp_cpus before = own_mask(), pinned, mask;

	if (!w)
		return;
	int slot = take(w, 0, 2);
	ck_assert_int_eq(sp_workers_pin(w, slot, &asking), 0);
	pinned = own_mask();
	ck_assert_int_eq(sp_pin_set(0, &before), 0);
	sp_workers_repin(w, slot + 1);
	mask = own_mask();
	ck_assert(sp_cpus_equal(&mask, &before));
	sp_workers_repin(w, slot);
	mask = own_mask();
	ck_assert(sp_cpus_equal(&mask, &pinned));
}
END_TEST

START_TEST(without_a_slot_the_mask_stays)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_workers *w = machine ? workers_on(machine, false) : NULL;
	struct sp_worker asking = worker(0, 2);
	struct sp_cpus before = own_mask();

	if (!w)
		return;
	ck_assert_int_eq(sp_workers_pin(w, 0, &asking), -EINVAL);
	struct sp_cpus after = own_mask();
	ck_assert(sp_cpus_equal(&before, &after));
}
END_TEST

START_TEST(in_a_dry_run_the_mask_stays)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_workers *w = machine ? workers_on(machine, true) : NULL;
	struct sp_worker asking = worker(0, 2);
	struct sp_cpus before = own_mask();

	if (!w)
		return;
	ck_assert_int_eq(sp_workers_pin(w, take(w, 0, 2), &asking), 0);
	struct sp_cpus after = own_mask();
	ck_assert(sp_cpus_equal(&before, &after));
}
END_TEST

/* While another pool's team grows, or is of another size: neither gives this thread other CPUs. */
START_TEST(a_mask_that_the_program_has_set_stays_while_the_cpus_do)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_workers *w = machine ? workers_on(machine, false) : NULL;
	struct sp_worker asking = worker(0, 2), other = worker(0, 2);
	struct sp_cpus before = own_mask();

	if (!w)
		return;
	ck_assert_int_eq(sp_workers_pin(w, take(w, 0, 2), &asking), 0);
	ck_assert_int_eq(sp_pin_set(0, &before), 0);
	other.root = 2;
	for (; other.thread < 2; other.thread++)
		ck_assert_int_ge(sp_workers_take(w, &other, false), 0);
	other.team = 100;
	if (_i)
		sp_workers_resize(w, &other);
	else
		ck_assert_int_ge(sp_workers_take(w, &other, false), 0);
	struct sp_cpus after = own_mask();
	ck_assert(sp_cpus_equal(&before, &after));
}
END_TEST

Suite *
suite_workers(void)
{
	Suite *suite = suite_create("workers");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, threads_of_a_team_have_a_core_each);
	tcase_add_loop_test(facts, the_default_team_of_a_runtime_is_a_guess, 0, 2);
	tcase_add_test(facts, a_team_of_no_threads_gets_no_slot);
	tcase_add_test(facts, a_slot_that_was_given_back_is_free);
	tcase_add_test(facts, a_thread_moves_to_a_core_that_becomes_free);
	tcase_add_test(facts, threads_of_a_smaller_team_have_a_core_each);
	tcase_add_loop_test(facts, how_a_thread_was_seen_is_logged, 0, 2);
	tcase_add_test(facts, threads_that_have_started_move_for_a_smaller_team);
	tcase_add_test(facts, threads_that_have_started_are_released_for_a_larger_team);
	tcase_add_test(facts, threads_of_other_teams_are_released_too);
	tcase_add_loop_test(facts, a_mask_that_the_program_has_set_stays_while_the_cpus_do, 0, 2);
	tcase_add_test(facts, a_visitor_gets_the_thread_of_a_slot);
	tcase_add_test(facts, a_thread_without_a_number_gets_one);
	tcase_add_test(facts, slots_without_a_thread_are_not_visited);
	tcase_add_test(facts, a_caller_that_must_not_block_is_turned_away);
	tcase_add_test(facts, threads_that_come_and_go_never_share_a_slot);
	tcase_add_test(facts, a_pinned_thread_has_the_mask_of_its_slot);
	tcase_add_test(facts, a_thread_is_pinned_once_more);
	tcase_add_test(facts, without_a_slot_the_mask_stays);
	tcase_add_test(facts, in_a_dry_run_the_mask_stays);
	suite_add_tcase(suite, facts);
	return suite;
}
