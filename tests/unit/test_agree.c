/*
 * Facts about what the ranks of a node agree on, where share.c has no part in
 * it: two ranks, each with one core of a Knights Landing and 8 threads; and
 * one rank below a launcher, which sees the others in /proc alone.
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pin.h"
#include "board/board_file.h"
#include "process/process.h"
#include "calls.h"
#include "emulated.h"
#include "node/agree.h"
#include "launcher/job.h"
#include "launchers.h"
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
	const char *mask[2];
	uint32_t threads[2];
	struct sp_agreement agreement[2];
	atomic_bool other_looks;
} *node;

static bool
open_node(uint32_t nranks, bool has_board)
{
	node = shared_memory(sizeof(*node));
	sp_config_read(&node->config, (char *[]){ NULL }, NULL, NULL);
	node->config.wait_ms = 2000;
	node->nranks = nranks;
	node->from = "slurm";
	node->mask[0] = "1";
	node->mask[1] = "2";
	node->threads[0] = node->threads[1] = 8;
	/* That is srun's own: nobody asked. */
	node->environment[0] = "SLURM_STEP_ID=0";
	if (!shm_of_own(NULL))
		return false;
	node->machine = machine_knl();
	static const struct sp_terms alone;
	static const uint32_t none[8];
	struct sp_common common = { .machine = node->machine, .terms = &alone, .need = none };
	if (has_board)
		ck_assert_int_eq(sp_board_create(JOB, nranks, &common, &node->board), 0);
	return true;
}

static int
agree(int number, void *data)
{
	const struct sp_rank rank = { .local_rank = (uint32_t)number, .local_size = node->nranks, .from = node->from };
	const struct sp_cpus inherited = cpus_of_list(node->mask[number]), all = cpus_of_list(ALL);
	struct sp_terms terms = { .generation = 1 };
	uint32_t need[8] = { 0 };

	(void)data;
	if (node->board && sp_board_arrive(node->board, (uint32_t)number, false) != 0)
		return -EBUSY;
	return sp_agree(&(struct sp_situation){
		.config = &node->config, .rank = &rank, .machine = node->machine, .inherited = &inherited,
		.allowed = &all, .launcher = &all, .terms = &terms, .need = need, .board = node->board, .job = JOB,
		.environment = node->environment, .threads = node->threads[number] }, &node->agreement[number]);
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

/* What the job takes by the decision. */
static void
check_claim(const char *list)
{
	struct sp_terms terms;
	char text[SP_CPUS_TEXT];

	ck_assert_int_eq(sp_board_terms(node->board, &terms, NULL), 0);
	ck_assert_str_eq(sp_cpus_format(&terms.claim, text, sizeof(text)), list);
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
	/* 8 cores for the threads of each of two ranks, spread over 34; or the two that they have. */
	check_claim(cases[_i].is_anew ? "0,4,8,12,17,21,25,29,34,38,42,46,51,55,59,63,68,72,76,80,85,89,93,97,102,106,110,114,119,123,127,131,136,140,144,148,153,157,161,165,170,174,178,182,187,191,195,199,204,208,212,216,221,225,229,233,238,242,246,250,255,259,263,267" : "1-2");
	close_node();
}
END_TEST

/* Neither do they divide it, nor do other jobs take it for free. */
START_TEST(a_part_of_the_node_with_unequal_threads_is_claimed)
{
	struct sp_terms terms;

	if (!open_node(2, true))
		return;
	node->mask[0] = node->mask[1] = "1-2";
	node->threads[0] = 1;
	node->threads[1] = 2;
	both_agree();
	ck_assert_int_eq(sp_board_terms(node->board, &terms, NULL), 0);
	ck_assert_uint_eq(terms.how, SP_TERMS_ALONE);
	check_claim("1-2");
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

/* As a job that had its launcher's mask when this one made its board, and has moved since. */
START_TEST(cores_that_nobody_has_any_more_are_not_left_to_others)
{
	struct sp_terms terms = { .generation = 1, .how = SP_TERMS_BESIDE, .taken = cpus_of_list("32,100,168,236") };
	const uint32_t need[8] = { 0 };

	if (!open_node(2, true))
		return;
	node->environment[1] = "SLURM_CPUS_ON_NODE=272";
	ck_assert_int_eq(sp_board_revise(node->board, &terms, need, NULL, NULL), 0);
	both_agree();
	ck_assert(sp_division_is_anew(node->agreement[0].division));
	ck_assert(sp_cpus_within(&terms.taken, &node->agreement[0].part.cpus));
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

static int
decide_to_keep(int number, void *data)
{
	const struct sp_decision decision = { .what = SP_DIVISION_KEPT, .evidence = "seen first" };
	struct sp_part part[2];

	(void)number;
	(void)data;
	memset(part, 0, sizeof(part));
	return sp_board_revise(node->board, NULL, NULL, &decision, part) != 0;
}

static bool other_decides;

static int
decide_meanwhile(void)
{
	other_decides = status_of(start_rank(1, decide_to_keep, NULL)) == 0;
	return 0;
}

/* The other one decides a call later each time, until it is too late. */
START_TEST(what_another_has_decided_meanwhile_holds)
{
	other_decides = true;
	for (int nth = 0; other_decides; nth++) {
		if (!open_node(2, true))
			return;
		node->config.wait_ms = 0;
		calls_at(nth, decide_meanwhile);
		ck_assert_int_eq(agree(0, NULL), 0);
		ck_assert(calls_were_reached());
		ck_assert_int_eq(node->agreement[0].division, other_decides ? SP_DIVISION_KEPT : SP_DIVISION_GIVEN_UP);
		ck_assert_str_eq(node->agreement[0].evidence, other_decides ? "seen first" : "");
		ck_assert_int_eq(node->agreement[0].gave_up_first, !other_decides);
		close_node();
	}
}
END_TEST

/* One that looks at all: rank 1, which has said what it has, and then does what it is to. */
static int
look_for_all(int silent, void *data)
{
	const struct sp_seat seat = { .state = SP_SEAT_HERE, .inherited = cpus_of_list("2"), .threads = 8 };

	(void)data;
	if (sp_board_arrive(node->board, 1, false) != 0 || sp_board_write(node->board, 1, &seat) != 0 || sp_board_lock_unless(JOB, 2, 0, NULL, NULL) != 0)
		return 1;
	node->other_looks = true;
	if (silent)
		pause();
	for (int i = 0; i < 1000; i++) {
		sleep_ms(1);
		sp_board_go_on();
	}
	int error = decide_to_keep(1, NULL);
	sp_board_end();
	return error;
}

static pid_t
let_another_look(bool silent)
{
	pid_t other = start_rank(silent, look_for_all, NULL);

	while (!node->other_looks)
		sleep_ms(1);
	return other;
}

/* How often this process has slept. */
static long
sleeps(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_nvcsw;
}

/* Waited for is that it goes on, and nothing else is read meanwhile but the board; rarely, since the end is seen. */
START_TEST(who_does_not_look_watches)
{
	if (!open_node(2, true))
		return;
	node->config.wait_ms = 300;
	pid_t other = let_another_look(false);
	unsigned before = calls_into_proc();
	long slept = sleeps();
	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_uint_le(calls_into_proc() - before, 100);
	ck_assert_int_le(sleeps() - slept, 50);
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_KEPT);
	ck_assert_str_eq(node->agreement[0].evidence, "seen first");
	ck_assert_int_eq(status_of(other), 0);
	close_node();
}
END_TEST

/* Neither one that has ended nor one that was stopped is waited for. */
START_TEST(who_looks_no_more_is_replaced)
{
	if (!open_node(2, true))
		return;
	node->environment[1] = "SLURM_CPUS_ON_NODE=272";
	node->config.wait_ms = 60000;
	pid_t other = let_another_look(true);
	kill(other, _i ? SIGSTOP : SIGKILL);
	if (!_i)
		status_of(other);
	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_int_eq(node->agreement[0].division, SP_DIVISION_STARVED);
	if (_i) {
		kill(other, SIGKILL);
		status_of(other);
	}
	close_node();
}
END_TEST

/* That another rank looks is seen: the wait for it ends all the same, and in naps. */
START_TEST(who_cannot_read_decisions_gives_up)
{
	if (!open_node(2, true))
		return;
	node->config.wait_ms = 100;
	pid_t other = let_another_look(true);
	long slept = sleeps();
	calls_unreadable(BOARD_WORD_AT(plan));
	ck_assert_int_eq(agree(0, NULL), -EIO);
	calls_unreadable(-1);
	ck_assert_int_gt(sleeps(), slept);
	kill(other, SIGKILL);
	status_of(other);
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

static int
lock_jobs(int rank, void *data)
{
	(void)rank;
	(void)data;
	return sp_board_lock_jobs(0);
}

/* Of two jobs that decide at once the second is to see what the first takes. */
START_TEST(nobody_decides_while_another_job_does)
{
	struct sp_decision decision;
	struct sp_part part;
	struct sp_seat seat = { .state = SP_SEAT_EMPTY };

	if (!open_node(1, true))
		return;
	node->config.wait_ms = 60000;
	ck_assert_int_eq(sp_board_lock_jobs(0), 0);
	pid_t pid = start_rank(0, agree, NULL);
	while (sp_board_read(node->board, 0, &seat) != 0 || seat.state != SP_SEAT_HERE)
		sleep_ms(1);
	sleep_ms(50);
	ck_assert_int_eq(sp_board_decision(node->board, 0, &decision, &part, NULL, NULL), -ENOENT);
	sp_board_end();
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(sp_board_decision(node->board, 0, &decision, &part, NULL, NULL), 0);
	close_node();
}
END_TEST

START_TEST(who_has_decided_lets_other_jobs_do_so)
{
	if (!open_node(1, true))
		return;
	ck_assert_int_eq(agree(0, NULL), 0);
	ck_assert_int_eq(status_of(start_rank(0, lock_jobs, NULL)), 0);
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
	const struct sp_decision decisions[] = {
		{ .what = SP_DIVISION_GIVEN_UP + 1 },
		{ .what = SP_DIVISION_KEPT, .asked = SP_ASKED_YES + 1 },
	};
	struct sp_part part[2];

	if (!open_node(2, true))
		return;
	memset(part, 0, sizeof(part));
	ck_assert_int_eq(sp_board_revise(node->board, NULL, NULL, &decisions[_i], part), 0);
	ck_assert_int_eq(agree(0, NULL), -EPROTO);
	close_node();
}
END_TEST

/* Below a launcher, which is a shell: this program, executed anew with SAY_TO set, is rank 0, or OWN. */

static struct sp_cpus
mask_of_one(const struct sp_cpus *cpus)
{
	struct sp_cpus one = { 0 };

	sp_cpus_add(&one, sp_cpus_next(cpus, 0));
	return one;
}

/* A process that comes as rank 1 and then sleeps, until its group is ended. */
static bool
let_other_come(const char *job, uint32_t local_size, FILE *said)
{
	const char *problem;
	struct sp_board *board;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		fclose(said);	/* its reader waits for the end */
		if (sp_board_open(job, local_size, &board, &problem) != 0 || sp_board_arrive(board, 1, false) != 0)
			_exit(1);
		raise(SIGSTOP);
		while (true)
			pause();
	}
	return pid > 0 && waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status) && kill(pid, SIGCONT) == 0;
}

static int
agree_and_say(FILE *said)
{
	struct sp_machine *machine = machine_at_hand();
	struct sp_common common = { .machine = machine };
	struct sp_agreement agreement;
	struct sp_decision decision = { .is_below = false };
	struct sp_board *board;
	struct sp_config config;
	struct sp_part part;
	struct sp_process parent;
	struct sp_cpus all;
	struct sp_terms terms = { .generation = 1 };
	uint32_t need[8] = { 0 };
	struct sp_rank rank;
	char job[SP_JOB_NAME];

	sp_config_read(&config, environ, NULL, NULL);
	sp_machine_cpus(machine, &all);
	if (sp_launcher_rank(environ, &rank) != 0 || sp_job_name(&rank, environ, job) != 0 || !shm_of_own(NULL) ||
	    sp_board_create(job, rank.local_size, &common, &board) != 0 || sp_board_arrive(board, rank.local_rank, false) != 0)
		return -1;
	if (getenv("OTHER_HAS_COME") && !let_other_come(job, rank.local_size, said))
		return -1;
	const struct sp_cpus own = getenv("ONE_CPU") ? mask_of_one(&all) : all;
	int error = sp_agree(&(struct sp_situation){
		.config = &config, .rank = &rank, .machine = machine, .inherited = &own, .allowed = &all, .launcher = &all,
		.terms = &terms, .need = need, .board = board, .job = job, .environment = environ }, &agreement);
	sp_board_decision(board, rank.local_rank, &decision, &part, NULL, NULL);
	unsigned age = sp_process_read(getppid(), &parent) == 0 ? (unsigned)(sp_process_age_ns(&parent) / 1000000) : 0;
	fprintf(said, "%d %d %d %u %u %s\n", error, (int)agreement.division, decision.is_below, calls_to_sleep(), age, agreement.evidence);
	sp_board_release(board);
	free(machine);
	return fclose(said);
}

#define IN_EXEC "in exec"

/* Appear in /proc as in the middle of exec, without arguments and environment; fails where the kernel cannot do that. */
static int
look_as_in_exec(int number, void *data)
{
	struct prctl_mm_map map = { .brk = (uintptr_t)sbrk(0), .exe_fd = (uint32_t)-1 };
	char text[1024] = "";
	FILE *stat = fopen("/proc/self/stat", "re");
	const char *rest = stat && fgets(text, sizeof(text), stat) ? strrchr(text, ')') : NULL;
	uint64_t field[52] = { 0 };	/* as numbered in proc(5); 3 is a letter */

	(void)number;
	(void)data;
	if (stat)
		fclose(stat);
	if (!rest || strlen(rest) < 4)
		return 1;
	rest += 3;
	for (size_t i = 4; i < sizeof(field) / sizeof(field[0]); i++)
		field[i] = strtoull(rest, (char **)&rest, 10);
	map.start_code = field[26];
	map.end_code = field[27];
	map.start_stack = field[28];
	map.start_data = field[45];
	map.end_data = field[46];
	map.start_brk = field[47];
	map.arg_start = map.arg_end = field[48];
	map.env_start = map.env_end = field[50];
	return prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0) != 0 || prctl(PR_SET_NAME, IN_EXEC) != 0;
}

__attribute__((constructor)) static void
executed_anew(void)
{
	const char *path = getenv("SAY_TO");

	if (getenv("STAYS_IN_EXEC"))
		_exit(look_as_in_exec(1, NULL) || pause_for_ever(1, NULL));
	if (path)
		_exit(agree_and_say(fopen(path, "we")) != 0);
}

static struct below {
	pid_t launcher, other;	/* the rank beside it, 0: there is none */
	char folder[32], go[64], said[64];
	const char *wrapper;	/* one more word on the launcher's command line, or NULL */
	const char *then;	/* what the launcher does when it has started rank 0; NULL: it waits */
	bool in_shell;		/* a shell of its own has started rank 0 */
	bool is_below;		/* that is what has bound it */
	unsigned slept;		/* how often rank 0 has slept */
	unsigned age;		/* of what has started rank 0, when it has agreed: ms */
} below;

/* The launcher starts what the script says, and rank 0 when it is told to.  False where this cannot be tried. */
static bool
begin_below(const char *size, const char *wait, const char *others)
{
	struct sp_machine *machine = machine_at_hand();
	char program[PATH_MAX] = "", script[2 * PATH_MAX + 1024];
	const char *const argv[] = { "mpirun", "-c", script, below.wrapper, NULL };

	free(machine);
	if (!machine || !may_have_shm())
		return false;
	ck_assert_int_gt(readlink("/proc/self/exe", program, sizeof(program) - 1), 0);
	strcpy(below.folder, "/tmp/splitpin-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(below.folder));
	snprintf(below.go, sizeof(below.go), "%s/go", below.folder);
	snprintf(below.said, sizeof(below.said), "%s/said", below.folder);
	ck_assert_int_eq(mkfifo(below.go, 0600), 0);
	ck_assert_int_eq(mkfifo(below.said, 0600), 0);
	snprintf(script, sizeof(script), "OWN=0; PROGRAM=%s; RANK='env OMPI_MCA_orte_bound_at_launch=1 OMPI_COMM_WORLD_LOCAL_SIZE=%s PMIX_NAMESPACE=j@1 OMPI_COMM_WORLD_LOCAL_RANK'; "
		 "%s read go <%s; START=\"$RANK=$OWN SPLITPIN_WAIT=%s SAY_TO=%s %s\"; %s & %s",
		 program, size, others, below.go, wait, below.said, program, below.in_shell ? "$SCRIPT sh -c \"$BEFORE $START; :\"" : "$START",
		 below.then ? below.then : "wait");
	below.launcher = start_shell(NULL, argv, NULL);
	below.other = strstr(others, "$RANK=1") ? child_of(below.launcher, "sleep") : 0;
	return true;
}

/* What rank 0 has agreed on. */
static void
end_below(enum sp_division division, const char *evidence)
{
	FILE *go = fopen(below.go, "we");
	int error = -1, its = -1, is_below = -1;
	char text[256] = "";

	fputs("go\n", go);
	fclose(go);
	FILE *said = fopen(below.said, "re");
	int read = fscanf(said, "%d %d %d %u %u %255[^\n]", &error, &its, &is_below, &below.slept, &below.age, text);
	fclose(said);
	unlink(below.go);
	unlink(below.said);
	rmdir(below.folder);
	ck_assert_int_ge(read, 5);
	ck_assert_int_eq(error, 0);
	ck_assert_int_eq(its, division);
	ck_assert_msg(strstr(text, evidence), "%s", text);
	ck_assert_int_eq(is_below, below.is_below);
}

static void
pin_other(void)
{
	struct sp_cpus mask, one;

	ck_assert_int_eq(sp_pin_get(below.other, &mask), 0);
	one = mask_of_one(&mask);
	ck_assert_int_eq(sp_pin_set(below.other, &one), 0);
}

static void
check_below(const char *size, const char *wait, const char *others, enum sp_division division, const char *evidence)
{
	if (!begin_below(size, wait, others))
		return;
	end_below(division, evidence);
	end_group(below.launcher);
}

/* One that has not come: its mask is that in /proc. */
START_TEST(a_rank_that_is_seen_counts)
{
	check_below("2", "0.3", "$RANK=1 sleep 300 &", SP_DIVISION_ALIKE, "Open MPI's default");
}
END_TEST

START_TEST(a_rank_that_is_seen_may_have_asked)
{
	check_below("2", "2", "$RANK=1 SPLITPIN=off sleep 300 &", SP_DIVISION_ASKED, "rank 1 stays as it is");
}
END_TEST

START_TEST(the_binding_of_a_rank_that_is_seen_may_be_asked_for)
{
	check_below("2", "2", "$RANK=1 OMPI_MCA_hwloc_base_binding_policy=core sleep 300 &",
		    SP_DIVISION_ASKED, "OMPI_MCA_hwloc_base_binding_policy=core");
}
END_TEST

/* What stands between launcher and rank may have bound it. */
START_TEST(who_starts_ranks_through_another_program_has_asked)
{
	below.wrapper = "taskset";
	below.is_below = true;
	check_below("1", "2", "", SP_DIVISION_ASKED, "by taskset");
}
END_TEST

START_TEST(a_mask_that_is_not_that_of_the_shell_before_was_asked_for)
{
	below.in_shell = below.is_below = true;
	check_below("1", "2", "export ONE_CPU=1;", SP_DIVISION_ASKED, "between launcher and rank");
}
END_TEST

#define BY_CORE "OMPI_MCA_hwloc_base_binding_policy=core"

/* What is nearest to the rank counts; of what the launcher was asked for, that of any rank. */
START_TEST(what_was_asked_for_in_several_ways)
{
	static const struct { const char *wrapper; bool in_shell; const char *others, *evidence; } cases[] = {
		{ NULL, false, "$RANK=1 sleep 300 & export " BY_CORE ";", BY_CORE },
		{ "taskset", false, "$RANK=1 " BY_CORE " sleep 300 &", "by taskset" },
		{ "taskset", false, "$RANK=1 sleep 300 & export " BY_CORE ";", "by taskset" },
		{ NULL, true, "$RANK=1 sleep 300 & export ONE_CPU=1 " BY_CORE ";", BY_CORE },
	};

	below.wrapper = cases[_i].wrapper;
	below.is_below = below.wrapper;
	below.in_shell = cases[_i].in_shell;
	check_below("2", "2", cases[_i].others, SP_DIVISION_ASKED, cases[_i].evidence);
}
END_TEST

/* It may be changing its mask. */
START_TEST(a_rank_that_has_come_says_its_mask_itself)
{
	check_below("2", "0.3", "$RANK=1 sleep 300 & export OTHER_HAS_COME=1;", SP_DIVISION_GIVEN_UP, "");
}
END_TEST

/* A library that it loads may keep it there; who waits no longer than that takes it at once. */
START_TEST(a_young_rank_on_one_cpu_is_waited_for)
{
	struct sp_process other;

	if (!begin_below("2", _i ? "2" : "1", "$RANK=1 sleep 300 &"))
		return;
	pin_other();
	end_below(SP_DIVISION_KEPT, "");
	ck_assert_int_eq(sp_process_read(below.other, &other), 0);
	ck_assert(!_i || sp_process_age_ns(&other) >= 1000000000);
	end_group(below.launcher);
}
END_TEST

/* The launcher sleeps: a rank that is not there has ended, and is not waited for as long as the setting says. */
START_TEST(a_rank_that_is_not_there_counts_for_nothing)
{
	static const struct { const char *size, *others; } cases[] = {
		{ "3", "$RANK=1 sleep 300 &" }, { "2", "" }, { "2", "OWN=1;" },
	};

	check_below(cases[_i].size, "60", cases[_i].others, SP_DIVISION_ALIKE, "Open MPI's default");
}
END_TEST

/* As MPICH's is once a rank has ended.  It is waited for while it has 0.2 s of a CPU; if all of its work counted, 60 s. */
START_TEST(a_launcher_that_is_busy_for_ever_is_not_waited_for)
{
	struct sp_activity activity = { .ticks = 0 };

	below.then = "while :; do :; done";
	if (!begin_below("2", "60", "OWN=1;"))
		return;
	end_below(SP_DIVISION_ALIKE, "Open MPI's default");
	ck_assert_int_eq(sp_process_activity(below.launcher, &activity), 0);
	end_group(below.launcher);
	ck_assert_uint_lt(activity.ticks, 200);	/* of 10 ms */
}
END_TEST

#define A_SCRIPT "SCRIPT=\"$RANK=$OWN\" BEFORE='sleep 0.3;';"
#define HAS_ENDED "(sleep 0; :);"

/*
 * Rank 0 is a script, which the launcher has started long before it starts this
 * program, or (BEFORE=) just now: then it waits until the script is old.  The
 * other rank has ended, unless another child may yet become it.
 */
START_TEST(who_comes_long_after_all_were_started_does_not_wait)
{
	static const struct { const char *others, *then; bool waits; unsigned age; } cases[] = {
		{ HAS_ENDED A_SCRIPT, NULL, false, 300 },
		{ HAS_ENDED A_SCRIPT, "while :; do :; done", false, 300 },
		{ A_SCRIPT, NULL, true, 300 },
		{ HAS_ENDED A_SCRIPT "sleep 300 &", NULL, true, 300 },
		{ HAS_ENDED A_SCRIPT "BEFORE=;", NULL, false, 100 },
	};

	below.then = cases[_i].then;
	below.in_shell = true;
	if (!begin_below("2", "60", cases[_i].others))
		return;
	end_below(SP_DIVISION_ALIKE, "Open MPI's default");
	end_group(below.launcher);
	ck_assert_uint_ge(below.age, cases[_i].age);
	if (cases[_i].waits)
		ck_assert_uint_gt(below.slept, 3);
	else if (cases[_i].age == 300)
		ck_assert_uint_eq(below.slept, 1);
}
END_TEST

/* A copy of the launcher is about to become a rank. */
START_TEST(a_rank_that_is_about_to_start_is_waited_for)
{
	check_below("2", "0.3", "(sleep 300; :) &", SP_DIVISION_GIVEN_UP, "");
}
END_TEST

/* It is no copy of the launcher any more, and its variables cannot be read yet. */
START_TEST(a_rank_in_the_middle_of_exec_is_waited_for)
{
	if (status_of(start_rank(1, look_as_in_exec, NULL)) != 0 || !begin_below("2", "0.3", "STAYS_IN_EXEC=1 $PROGRAM &"))
		return;
	child_in_exec(below.launcher, IN_EXEC);
	end_below(SP_DIVISION_GIVEN_UP, "");
	end_group(below.launcher);
}
END_TEST

static TCase *
below_a_launcher(void)
{
	TCase *facts = tcase_create("below a launcher");

	tcase_add_test(facts, a_rank_that_is_seen_counts);
	tcase_add_test(facts, a_rank_that_is_seen_may_have_asked);
	tcase_add_test(facts, the_binding_of_a_rank_that_is_seen_may_be_asked_for);
	tcase_add_test(facts, who_starts_ranks_through_another_program_has_asked);
	tcase_add_test(facts, a_mask_that_is_not_that_of_the_shell_before_was_asked_for);
	tcase_add_loop_test(facts, what_was_asked_for_in_several_ways, 0, 4);
	tcase_add_test(facts, a_rank_that_has_come_says_its_mask_itself);
	tcase_add_loop_test(facts, a_young_rank_on_one_cpu_is_waited_for, 0, 2);
	tcase_add_loop_test(facts, a_rank_that_is_not_there_counts_for_nothing, 0, 3);
	tcase_add_test(facts, a_launcher_that_is_busy_for_ever_is_not_waited_for);
	tcase_add_loop_test(facts, who_comes_long_after_all_were_started_does_not_wait, 0, 5);
	tcase_add_test(facts, a_rank_that_is_about_to_start_is_waited_for);
	tcase_add_test(facts, a_rank_in_the_middle_of_exec_is_waited_for);
	return facts;
}

Suite *
suite_agree(void)
{
	Suite *suite = suite_create("agree");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, a_node_that_Slurm_gave_as_a_whole, 0, 4);
	tcase_add_test(facts, a_part_of_the_node_with_unequal_threads_is_claimed);
	tcase_add_test(facts, each_rank_has_its_part);
	tcase_add_test(facts, cores_that_nobody_has_any_more_are_not_left_to_others);
	tcase_add_test(facts, what_was_asked_for_is_evidence_in_all_ranks);
	tcase_add_test(facts, one_gives_up_for_all);
	tcase_add_test(facts, what_another_has_decided_meanwhile_holds);
	tcase_add_test(facts, who_does_not_look_watches);
	tcase_add_loop_test(facts, who_looks_no_more_is_replaced, 0, 2);
	tcase_add_test(facts, who_cannot_read_decisions_gives_up);
	tcase_add_test(facts, without_a_board_one_rank_alone_can_decide);
	tcase_add_test(facts, nobody_decides_while_another_job_does);
	tcase_add_test(facts, who_has_decided_lets_other_jobs_do_so);
	tcase_add_test(facts, without_memory_nothing_is_decided);
	tcase_add_loop_test(facts, an_unknown_decision_is_an_error, 0, 2);
	suite_add_tcase(suite, facts);
	/* The launcher executes this program: for another processor that takes an entry in the kernel (binfmt_misc). */
	if (!is_emulated())
		suite_add_tcase(suite, below_a_launcher());
	return suite;
}
