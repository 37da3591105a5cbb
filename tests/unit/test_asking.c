/*
 * A rank asks the kernel for all that it may use, and its mask is as wide for a
 * moment.  Who decides for all ranks never takes that for the mask of the rank:
 * each system call of one that joins is stopped at, and looked at as others see it.
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pin.h"
#include "node/join.h"
#include "given_hardware.h"
#include "machines.h"
#include "ranks.h"
#include "suites.h"

static char *environment[] = { "SLURM_JOB_ID=7", "SLURM_STEP_ID=0", NULL };
static struct sp_config config;
static struct sp_cpus one;		/* the CPU to which the ranks are bound */
static struct sp_joined joined;

static int
discover(const char *source, const struct sp_cpus *allowed, struct sp_machine **machine)
{
	(void)source;
	(void)allowed;
	*machine = machine_uniform(16, 1);
	return 0;
}

static const struct sp_hardware hardware = { .topology_read = discover };

static int
join(uint32_t number)
{
	const struct sp_rank rank = { .local_rank = number, .local_size = 2, .from = "slurm" };

	return sp_join(&(struct sp_situation){
		.rank = &rank, .config = &config, .environment = environment, .inherited = &one }, &joined);
}

/* False where there is nothing to try. */
static bool
open_node(void)
{
	struct sp_cpus all;

	sp_config_read(&config, (char *[]){ NULL }, NULL, NULL);
	config.policy.devices = SP_DEVICES_OFF;
	hardware_given = &hardware;
	ck_assert_int_eq(sp_pin_allowed(&all), 0);
	one = (struct sp_cpus){ 0 };
	sp_cpus_add(&one, (uint32_t)sp_cpus_next(&all, 0));
	return sp_cpus_count(&all) > 1 && sp_pin_set(0, &one) == 0 && shm_of_own(NULL);
}

static int
join_stopping(int number, void *data)
{
	(void)data;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		return errno;
	raise(SIGSTOP);
	int error = join((uint32_t)number);

	raise(SIGSTOP);
	return error;
}

/* Whether others would take the mask for that of this rank. */
static bool
may_be_looked_at(uint32_t number)
{
	struct sp_board *board;
	struct sp_seat seat = { .state = SP_SEAT_EMPTY };
	const char *problem;

	/* Nobody decides without a board. */
	if (sp_board_open("slurm 7.0, 2 ranks", 2, &board, &problem) != 0)
		return false;
	sp_board_read(board, number, &seat);
	sp_board_release(board);
	return seat.state != SP_SEAT_COMING;
}

/* How often its mask was wide, and how often others could have taken that for its own. */
static void
watch(pid_t pid, uint32_t number, unsigned *wide, unsigned *mistaken)
{
	struct sp_cpus mask;
	int status;

	for (;;) {
		ck_assert_int_eq(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFSTOPPED(status));
		if (WSTOPSIG(status) == SIGSTOP)
			return;
		ck_assert_int_eq(sp_pin_get(pid, &mask), 0);
		if (sp_cpus_equal(&mask, &one))
			continue;
		++*wide;
		*mistaken += may_be_looked_at(number);
	}
}

static void
check_asking(uint32_t number)
{
	unsigned wide = 0, mistaken = 0;
	pid_t pid = start_rank((int)number, join_stopping, NULL);
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	/* A container may forbid it. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == EPERM)
		return;
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	watch(pid, number, &wide, &mistaken);
	ck_assert_int_eq(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_uint_gt(wide, 0);
	ck_assert_uint_eq(mistaken, 0);
}

START_TEST(of_the_rank_that_makes_the_board)
{
	if (open_node())
		check_asking(0);
}
END_TEST

START_TEST(of_a_rank_that_finds_it)
{
	if (!open_node())
		return;
	struct sp_cpus all;

	ck_assert_int_eq(join(0), 0);
	ck_assert_ptr_nonnull(joined.board);
	ck_assert_int_eq(sp_pin_allowed(&all), 0);
	ck_assert(sp_cpus_equal(&joined.allowed, &all));
	check_asking(1);
	sp_board_leave(joined.board, 0, 0);
	sp_board_release(joined.board);
	free(joined.machine);
}
END_TEST

Suite *
suite_asking(void)
{
	Suite *suite = suite_create("asking");
	TCase *facts = tcase_create("facts");

	tcase_add_test(facts, of_the_rank_that_makes_the_board);
	tcase_add_test(facts, of_a_rank_that_finds_it);
	suite_add_tcase(suite, facts);
	return suite;
}
