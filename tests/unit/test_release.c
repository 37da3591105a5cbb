/* Facts about threads of another job that are released from cores: real processes on two CPUs. */
#include <check.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/pin.h"
#include "board/board.h"
#include "node/release.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

#define OTHER "another job"

/* Whether the other job is told to pin no more threads. */
static void
look_at_mark(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	bool *is_marked = data;

	if (!found->error && board)
		*is_marked = sp_board_releases(board) > 0;
}

/* A rank of another job on CPUs of this machine, each a core. */
struct rank {
	struct sp_seat seat;
	struct sp_cpus mask;	/* its thread's */
	bool dry_run;		/* its share was decided, not applied */
	atomic_int ready;
};

static struct sp_machine *machine;
static struct sp_cpus both, first, second;

static int
run_rank(int number, void *data)
{
	static const uint32_t none_known[1];
	struct rank *rank = data;
	const struct sp_terms alone = { .claim = rank->seat.share };
	const struct sp_common common = { .machine = machine, .terms = &alone, .need = none_known, .dry_run = rank->dry_run };
	struct sp_board *board;

	if (sp_board_create(OTHER, 1, &common, &board) != 0 || sp_board_arrive(board, 0, false) != 0 ||
	    sp_board_write(board, 0, &rank->seat) != 0 || sp_pin_set(0, &rank->mask) != 0)
		return 1;
	rank->ready = 1;
	return pause_for_ever(number, data);
}

/* False: it cannot be tried here. */
static bool
begin(void)
{
	struct sp_cpus allowed;

	ck_assert_int_eq(sp_pin_allowed(&allowed), 0);
	if (sp_cpus_count(&allowed) < 2 || !shm_of_own(NULL))
		return false;
	uint32_t one = sp_cpus_next(&allowed, 0), other = sp_cpus_next(&allowed, one + 1);

	sp_cpus_add(&first, one);
	sp_cpus_add(&second, other);
	both = first;
	sp_cpus_or(&both, &second);
	machine = machine_uniform(other + 1, 1);
	return true;
}

enum { PINNED, ONE_CPU, MORE_THREADS, NONE_ANNOUNCED, BOUND, NOWHERE_ELSE, NOT_SETTLED, NOT_IN_SHARE, ELSEWHERE, ANYWHERE, OWN, DRY_RUN, CASES };

/* Only a thread that is pinned to a core of its share by splitpin, and may be elsewhere, is released. */
START_TEST(a_pinned_thread_is_released)
{
	if (!begin())
		return;
	struct rank *rank = shared_memory(sizeof(*rank));

	*rank = (struct rank){ .mask = first, .seat = { .state = SP_SEAT_READY, .inherited = both, .share = both, .unpinned = both } };
	rank->seat.is_bound = _i == BOUND;
	rank->dry_run = _i == DRY_RUN;
	/* The two CPUs are one core then. */
	if (_i == ONE_CPU || _i == MORE_THREADS || _i == NONE_ANNOUNCED)
		machine->pu[sp_cpus_next(&second, 0)].core = machine->pu[sp_cpus_next(&first, 0)].core;
	rank->seat.threads = _i == MORE_THREADS ? 2 : _i != NONE_ANNOUNCED;
	if (_i == NOWHERE_ELSE)
		rank->seat.unpinned = first;
	if (_i == NOT_SETTLED)
		rank->seat.state = SP_SEAT_HERE;
	if (_i == NOT_IN_SHARE)
		rank->seat.share = second;
	const bool is_released = _i == PINNED || _i == MORE_THREADS || _i == NONE_ANNOUNCED || _i == ANYWHERE;
	pid_t pid = start_rank(0, run_rank, rank);
	struct sp_cpus now;

	while (!rank->ready)
		sleep_ms(1);
	ck_assert_uint_eq(sp_release_pinned(_i == OWN ? OTHER : "own job", machine,
					     _i == ELSEWHERE ? &second : _i == ANYWHERE ? &both : &first), is_released);
	ck_assert_int_eq(sp_pin_get(pid, &now), 0);
	ck_assert(sp_cpus_equal(&now, is_released ? &both : &first));
	const uid_t self = geteuid();
	bool is_marked;
	ck_assert_int_eq(sp_board_each(&self, look_at_mark, &is_marked), 0);
	ck_assert_int_eq(is_marked, _i != NOT_IN_SHARE && _i != OWN && _i != DRY_RUN);
	/* No more is to be done. */
	ck_assert_uint_eq(sp_release_pinned("own job", machine, &second), 0);
	kill(pid, SIGKILL);
	status_of(pid);
}
END_TEST

Suite *
suite_release(void)
{
	Suite *suite = suite_create("release");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, a_pinned_thread_is_released, 0, CASES);
	suite_add_tcase(suite, facts);
	return suite;
}
