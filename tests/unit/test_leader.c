/* Facts about the rank that looks at all others: there is one, and another takes its place. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board/board_file.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

#define JOB "a job of the unit tests, of whom one looks"
#define SIZE 8

static struct sp_board *
make_board(void)
{
	struct sp_machine *machine = machine_knl();
	struct sp_common common = { .machine = machine };
	struct sp_board *board;

	ck_assert_int_eq(sp_board_create(JOB, SIZE, &common, &board), 0);
	free(machine);
	return board;
}

static struct race {
	struct sp_board *board;
	atomic_int tried, looking, watching;
} *race;

/* As long as others have not tried they all are there. */
static int
try(int rank, void *data)
{
	(void)data;
	if (sp_board_arrive(race->board, (uint32_t)rank, false) != 0)
		return 1;
	int error = sp_board_lead(race->board, 0);
	race->looking += error == 0;
	race->watching += error == -EBUSY;
	race->tried++;
	while (race->tried < SIZE)
		sleep_ms(1);
	return 0;
}

START_TEST(one_of_many_looks)
{
	race = shared_memory(sizeof(*race));
	if (!shm_of_own(NULL))
		return;
	race->board = make_board();
	ck_assert_int_eq(run_ranks(SIZE, try, NULL), 0);
	ck_assert_int_eq(race->looking, 1);
	ck_assert_int_eq(race->watching, SIZE - 1);
	sp_board_release(race->board);
}
END_TEST

/* Rank 1 looks so often, then is there until it is killed. */
static int
look(int times, void *data)
{
	(void)data;
	if (sp_board_arrive(race->board, 1, false) != 0 || sp_board_lead(race->board, 0) != 0)
		return 1;
	for (int i = 1; i < times; i++)
		sp_board_lead_on(race->board, (uint32_t)i);
	race->looking = 1;
	pause();
	return 0;
}

/* False where this cannot be tried. */
static bool
another_looks(int times, pid_t *other)
{
	race = shared_memory(sizeof(*race));
	if (!shm_of_own(NULL))
		return false;
	race->board = make_board();
	ck_assert_int_eq(sp_board_arrive(race->board, 0, false), 0);
	*other = start_rank(times, look, NULL);
	while (!race->looking)
		sleep_ms(1);
	return true;
}

static void
end(pid_t other)
{
	kill(other, SIGKILL);
	status_of(other);
	sp_board_release(race->board);
}

/* Once it has been silent since one look anyone may: once. */
START_TEST(who_looks_no_more_is_replaced)
{
	struct sp_leader leader;
	pid_t other;

	if (!another_looks(3, &other))
		return;
	ck_assert_int_eq(sp_board_leader(race->board, &leader), 0);
	ck_assert_int_eq(leader.process.pid, other);
	ck_assert_uint_eq(leader.looks, 3);
	ck_assert_uint_eq(leader.known, 2);
	ck_assert_int_eq(sp_board_lead(race->board, 2), -EBUSY);
	ck_assert_int_eq(sp_board_lead(race->board, 3), 0);
	/* It is this process by now. */
	ck_assert_int_eq(sp_board_leader(race->board, &leader), -ENOENT);
	ck_assert_int_eq(sp_board_lead(race->board, 0), 0);
	sp_board_wake_followers(race->board);
	end(other);
}
END_TEST

/* By itself, or because it was killed. */
START_TEST(its_end_is_seen)
{
	struct sp_patience patience = sp_patience_begin(0, 60000);
	struct sp_leader leader;
	pid_t other;

	if (!another_looks(2, &other))
		return;
	ck_assert_int_eq(sp_board_leader(race->board, &leader), 0);
	int fd = sp_work_watch(&leader.process, &leader.work);
	ck_assert_int_ge(fd, 0);
	sp_patience_until(&patience, fd);
	end(other);
	ck_assert(sp_patience_nap(&patience));
	ck_assert_int_eq(patience.end, -1);
}
END_TEST

START_TEST(who_gives_up_lets_another_look)
{
	struct sp_board *board;
	struct sp_leader leader;

	if (!shm_of_own(NULL))
		return;
	board = make_board();
	ck_assert_int_eq(sp_board_leader(board, &leader), -ENOENT);
	ck_assert_int_eq(sp_board_arrive(board, 0, false), 0);
	ck_assert_int_eq(sp_board_lead(board, 0), 0);
	sp_board_resign(board);
	ck_assert_int_eq(sp_board_arrive(board, 1, false), 0);
	ck_assert_int_eq(sp_board_leader(board, &leader), -ENOENT);
	ck_assert_int_eq(sp_board_lead(board, 0), 0);
	sp_board_wake_followers(board);
	sp_board_release(board);
}
END_TEST

/* What a rank that does not look any more says counts for nothing. */
START_TEST(only_who_looks_says_so)
{
	struct sp_leader leader;
	pid_t other;

	if (!another_looks(1, &other))
		return;
	sp_board_lead_on(race->board, SIZE);
	sp_board_resign(race->board);
	ck_assert_int_eq(sp_board_leader(race->board, &leader), 0);
	ck_assert_int_eq(leader.process.pid, other);
	ck_assert_uint_eq(leader.looks, 1);
	end(other);
}
END_TEST

/* One that was killed as it wrote. */
START_TEST(what_is_torn_is_nobody)
{
	struct sp_leader leader;
	pid_t other;

	if (!another_looks(1, &other))
		return;
	int fd = open(race->board->path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, "torn", 4, BOARD_LEADER_AT), 4);
	close(fd);
	ck_assert_int_eq(sp_board_leader(race->board, &leader), -EPROTO);
	ck_assert_int_eq(sp_board_lead(race->board, 0), 0);
	ck_assert_int_eq(sp_board_leader(race->board, &leader), -ENOENT);
	sp_board_wake_followers(race->board);
	end(other);
}
END_TEST

START_TEST(after_a_decision_nobody_is_asked)
{
	const struct sp_decision decision = { .what = 1 };
	struct sp_part part[SIZE] = { { .index = 0 } };
	struct sp_leader leader;
	uint32_t group[SIZE];
	pid_t other;

	if (!another_looks(1, &other))
		return;
	for (uint32_t rank = 0; rank < SIZE; rank++)
		part[rank].group = rank / 3 * 3;
	ck_assert_int_eq(sp_board_decide(race->board, &decision, part), 0);
	ck_assert_int_eq(sp_board_leader(race->board, &leader), -EALREADY);
	ck_assert_int_eq(sp_board_groups(race->board, group), 0);
	for (uint32_t rank = 0; rank < SIZE; rank++)
		ck_assert_uint_eq(group[rank], rank / 3 * 3);
	end(other);
}
END_TEST

/* What is known is not read. */
START_TEST(states_of_those_that_are_not_known)
{
	const struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("0") };
	uint32_t state[SIZE] = { 0 };
	pid_t other;

	if (!another_looks(1, &other))
		return;
	state[2] = SP_SEAT_READY;
	ck_assert_int_eq(sp_board_write(race->board, 0, &seat), 0);
	ck_assert_int_eq(sp_board_states(race->board, state), 0);
	ck_assert_uint_eq(state[0], SP_SEAT_HERE);
	ck_assert_uint_eq(state[1], SP_SEAT_COMING);
	ck_assert_uint_eq(state[2], SP_SEAT_READY);
	ck_assert_uint_eq(state[3], SP_SEAT_EMPTY);
	end(other);
}
END_TEST

Suite *
suite_leader(void)
{
	Suite *suite = suite_create("leader");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, one_of_many_looks);
	tcase_add_test(facts, who_looks_no_more_is_replaced);
	tcase_add_test(facts, its_end_is_seen);
	tcase_add_test(facts, who_gives_up_lets_another_look);
	tcase_add_test(facts, only_who_looks_says_so);
	tcase_add_test(facts, what_is_torn_is_nobody);
	tcase_add_test(facts, after_a_decision_nobody_is_asked);
	tcase_add_test(facts, states_of_those_that_are_not_known);
	suite_add_tcase(suite, facts);
	return suite;
}
