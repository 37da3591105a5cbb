/*
 * The mask of a thread around a fork, a spawn and an exec.  Masks are set, so the
 * machine has two of the CPUs at hand, and a test has nothing to try with one.
 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "base/pin.h"
#include "engine/mask.h"
#include "kept_lock.h"
#include "machines.h"
#include "suites.h"

static struct sp_state rank;
static struct sp_cpus share, pinned, other;
static int slot;

static struct sp_cpus
own_mask(void)
{
	struct sp_cpus mask;

	ck_assert_int_eq(sp_pin_get(0, &mask), 0);
	return mask;
}

/* The calling thread is the first of two on two CPUs.  False where there is one. */
static bool
is_pinned(void)
{
	const struct sp_worker first = { .team = 2, .near = -1, .root = 1, .runtime = SP_LIBOMP };
	struct sp_machine *machine = machine_at_hand();

	if (!machine)
		return false;
	for (uint32_t i = 0; i < machine->ncpus; i++)
		sp_cpus_add(&share, machine->pu[i].cpu);
	sp_config_read(&rank.config, (char *[]){ NULL }, NULL, NULL);
	sp_who_init(&rank.who, 0, 1);
	rank.workers = sp_workers_create(machine, &share, &rank.config, &rank.who);
	rank.share = rank.unpinned = &share;
	ck_assert_ptr_nonnull(rank.workers);
	slot = sp_workers_take(rank.workers, &first, false);
	ck_assert_int_eq(sp_workers_pin(rank.workers, slot, &first), 0);
	pinned = own_mask();
	ck_assert_uint_eq(sp_cpus_count(&pinned), 1);
	other = share;
	sp_cpus_sub(&other, &pinned);
	return true;
}

static void
choose(const struct sp_cpus *mask)
{
	ck_assert_int_eq(sp_pin_set(0, mask), 0);
}

static void
expect(const struct sp_cpus *expected)
{
	const struct sp_cpus mask = own_mask();

	ck_assert(sp_cpus_equal(&mask, expected));
}

START_TEST(a_forked_child_has_the_share)
{
	if (!is_pinned())
		return;
	uint64_t given = sp_mask_given(&rank, slot);
	ck_assert_uint_eq(given, sp_drift_hash(&pinned));
	sp_mask_leave(&rank, slot, given, 0);
	expect(&share);
}
END_TEST

START_TEST(a_forked_child_keeps_the_mask_that_the_program_has_chosen)
{
	if (!is_pinned())
		return;
	choose(&other);
	uint64_t given = sp_mask_given(&rank, slot);
	ck_assert_uint_eq(given, sp_drift_hash(&pinned));
	sp_mask_leave(&rank, slot, given, 0);
	expect(&other);
}
END_TEST

START_TEST(a_forked_child_keeps_the_mask_that_a_handler_has_chosen)
{
	if (!is_pinned())
		return;
	uint64_t given = sp_mask_given(&rank, slot);
	choose(&other);
	sp_mask_leave(&rank, slot, given, 0);
	expect(&other);
}
END_TEST

START_TEST(a_forked_child_of_a_thread_that_was_moved_meanwhile_has_the_share)
{
	if (!is_pinned())
		return;
	uint64_t given = sp_mask_given(&rank, slot);
	ck_assert_int_eq(sp_workers_move(rank.workers, &other, 0, &other), 0);
	expect(&other);
	sp_mask_leave(&rank, slot, given, 0);
	expect(&share);
}
END_TEST

START_TEST(a_forked_child_keeps_the_mask_chosen_in_a_slot_taken_meanwhile)
{
	if (!is_pinned())
		return;
	choose(&other);
	sp_mask_leave(&rank, slot, 0, 0);
	expect(&other);
}
END_TEST

START_TEST(in_a_dry_run_no_mask_changes)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	rank.config.dry_run = true;
	ck_assert_uint_eq(sp_mask_given(&rank, slot), 0);
	sp_mask_leave(&rank, slot, 0, 0);
	ck_assert_int_eq(sp_mask_widen(&rank, slot, &widened), -ECANCELED);
	expect(&pinned);
}
END_TEST

/* The lock. */

START_TEST(where_the_lock_is_kept_what_is_not_known_counts_as_given)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	kept_lock_begin(rank.workers, slot);
	choose(&other);
	ck_assert_uint_eq(sp_mask_given(&rank, slot), sp_drift_hash(&other));
	ck_assert_int_eq(sp_mask_widen(&rank, slot, &widened), 0);
	expect(&share);
	sp_mask_restore(&rank, slot, &widened);
	expect(&other);
	/* In a child nobody releases it: it may be splitpin that has moved the forker meanwhile. */
	sp_mask_leave(&rank, slot, sp_drift_hash(&pinned), 0);
	expect(&share);
	choose(&other);
	sp_mask_note(&rank, 0, expect);
	sp_mask_leave(&rank, slot, sp_drift_hash(&pinned), 0);
	expect(&other);
	sp_mask_leave(&rank, slot, sp_drift_hash(&other), 0);
	expect(&share);
	choose(&other);
	sp_mask_leave(&rank, slot, 0, 0);
	expect(&share);
	kept_lock_end();
}
END_TEST

/* Spawn and exec. */

START_TEST(a_widened_thread_goes_back_to_its_slot)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	ck_assert_int_eq(sp_mask_widen(&rank, slot, &widened), 0);
	expect(&share);
	sp_mask_restore(&rank, slot, &widened);
	expect(&pinned);
}
END_TEST

START_TEST(a_thread_without_a_slot_goes_back_to_what_it_had)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	choose(&other);
	ck_assert_int_eq(sp_mask_widen(&rank, -1, &widened), 0);
	expect(&share);
	sp_mask_restore(&rank, -1, &widened);
	expect(&other);
}
END_TEST

START_TEST(a_chosen_mask_is_not_widened)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	choose(&other);
	ck_assert_int_eq(sp_mask_widen(&rank, slot, &widened), -ECANCELED);
	expect(&other);
}
END_TEST

START_TEST(a_mask_that_was_changed_meanwhile_stays)
{
	uint64_t before[SP_CPUS_MAX / 64];
	struct sp_widened widened = { .before = before, .n = SP_CPUS_MAX / 64 };

	if (!is_pinned())
		return;
	ck_assert_int_eq(sp_mask_widen(&rank, slot, &widened), 0);
	choose(&other);
	sp_mask_restore(&rank, slot, &widened);
	expect(&other);
}
END_TEST

/* One CPU is the share: which others there are for threads that are not pinned depends on who has narrowed the mask to it. */
START_TEST(what_is_not_pinned_stays_in_a_binding_that_is_kept)
{
	if (!is_pinned())
		return;
	rank.share = &pinned;
	rank.found.cpus = pinned;
	rank.found.open = share;
	rank.inherited = pinned;
	sp_state_find_unpinned(&rank);
	ck_assert(sp_cpus_equal(rank.unpinned, &pinned));
	/* Other threads may read a value that was replaced: the process keeps it. */
	const struct sp_cpus *first = rank.unpinned;
	rank.inherited = share;
	sp_state_find_unpinned(&rank);
	ck_assert(sp_cpus_equal(rank.unpinned, &share));
	const struct sp_cpus *second = rank.unpinned;
	/* Another binding, which was replaced. */
	rank.inherited = other;
	sp_state_find_unpinned(&rank);
	ck_assert(sp_cpus_equal(rank.unpinned, &share));
	if (rank.unpinned != second)
		free((void *)second);
	if (first != second)
		free((void *)first);
}
END_TEST

Suite *
suite_mask(void)
{
	Suite *suite = suite_create("mask");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, a_forked_child_has_the_share);
	tcase_add_test(facts, a_forked_child_keeps_the_mask_that_the_program_has_chosen);
	tcase_add_test(facts, a_forked_child_keeps_the_mask_that_a_handler_has_chosen);
	tcase_add_test(facts, a_forked_child_of_a_thread_that_was_moved_meanwhile_has_the_share);
	tcase_add_test(facts, a_forked_child_keeps_the_mask_chosen_in_a_slot_taken_meanwhile);
	tcase_add_test(facts, in_a_dry_run_no_mask_changes);
	tcase_add_test(facts, where_the_lock_is_kept_what_is_not_known_counts_as_given);
	tcase_add_test(facts, a_widened_thread_goes_back_to_its_slot);
	tcase_add_test(facts, a_thread_without_a_slot_goes_back_to_what_it_had);
	tcase_add_test(facts, a_chosen_mask_is_not_widened);
	tcase_add_test(facts, a_mask_that_was_changed_meanwhile_stays);
	tcase_add_test(facts, what_is_not_pinned_stays_in_a_binding_that_is_kept);
	suite_add_tcase(suite, facts);
	return suite;
}
