/* Facts about the text of the reports' lines. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "machines.h"
#include "message.h"
#include "report/report.h"
#include "suites.h"

static const struct sp_who who = { .host = "n1", .local_rank = 1, .local_size = 3 };
static int reader;

static void
setup(void)
{
	reader = message_listen();
}

/* The next line is this one, without what every line begins with. */
static void
expect(const char *begin, const char *text)
{
	const char *line = message_next(reader);

	ck_assert_msg(strncmp(line, begin, strlen(begin)) == 0, "%s", line);
	ck_assert_str_eq(line + strlen(begin), text);
}

#define RANK "splitpin: host=n1 rank=1/3 "
#define NODE "splitpin: host=n1 "
#define WARNING "splitpin: warning: host=n1 "

START_TEST(share_line)
{
	const struct sp_cpus share = cpus_of_list("2-3,10-11"), inherited = cpus_of_list("0-15");

	sp_report_share(&who, &(struct sp_share_line){
		.share = &share, .inherited = &inherited, .allowed = &inherited, .cores = 2, .from = "OMPI",
		.by = "MPI_Init", .memory = "bind:0", .why = "two each" });
	expect(RANK, "share=2-3,10-11 inherited=0-15 allowed=0-15 cores=2 memory=bind:0 from=OMPI by=MPI_Init why=\"two each\"\n");
}
END_TEST

START_TEST(pin_line)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus cpus = cpus_of_list("3,11");
	struct sp_pin_line line = { .thread = 4, .tid = 77, .cpus = &cpus, .by = "libgomp", .why = "a core" };

	sp_report_pin(&who, machine, &line);
	expect(RANK, "thread=4 tid=77 cpus=3,11 core=3 numa=0 by=libgomp why=\"a core\"\n");
	line.thread = -1;
	sp_report_pin(&who, machine, &line);
	expect(RANK, "thread=? tid=77 cpus=3,11 core=3 numa=0 by=libgomp why=\"a core\"\n");
	free(machine);
}
END_TEST

START_TEST(pages_line)
{
	static const struct sp_numa_maps before = { .on = { 10, 20 } }, now = { .on = { 30, 5, 1 } };
	const struct sp_cpus nodes = cpus_of_list("0");

	sp_report_pages(&who, "bind:0", &nodes, &before, &now);
	expect(RANK, "memory=bind:0 nodes=0 there=30 elsewhere=6 before=20 pages=0:30,1:5,2:1\n");
}
END_TEST

START_TEST(note_line)
{
	sp_report_note(&who, "one sentence");
	expect(RANK, "note=\"one sentence\"\n");
}
END_TEST

static struct sp_seat
seat(const char *share, uint32_t threads)
{
	return (struct sp_seat){ .state = SP_SEAT_READY, .share = cpus_of_list(share), .threads = threads,
				 .process = { .pid = 4711 }, .memory = "default", .why = "so" };
}

START_TEST(table)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	const struct sp_seat seats[] = { seat("0-1,4-5", 4), { .state = SP_SEAT_EMPTY }, seat("3", 0) };

	sp_report_table(&who, machine, seats);
	expect(NODE, " rank      pid  cores  threads  memory         NUMA   the node  CPUs  (why)\n");
	expect(NODE, "    0     4711      2        4  default        0      [BB/BB/../..]  0-1,4-5  (so)\n");
	expect(NODE, "    1  has not been seen\n");
	expect(NODE, "    2     4711      1        -  default        0      [../../../B.]  3  (so)\n");
	expect("", "");
	free(machine);
}
END_TEST

START_TEST(what_is_right_is_said_if_asked_for)
{
	const struct sp_seat seats[3] = { 0 };
	struct sp_verdict verdict = { .ranks = 3, .idle = 1 };

	sp_report_verdict(&who, seats, &verdict, false);
	expect("", "");
	sp_report_verdict(&who, seats, &verdict, true);
	expect(NODE, "verdict: the shares of 3 of 3 ranks are disjoint, 1 core idle\n");
	verdict.idle = 2;
	sp_report_verdict(&who, seats, &verdict, true);
	expect(NODE, "verdict: the shares of 3 of 3 ranks are disjoint, 2 cores idle\n");
	expect("", "");
}
END_TEST

START_TEST(overlap_is_a_warning)
{
	const struct sp_seat seats[3] = { 0 };
	const struct sp_verdict verdict = { .ranks = 3, .overlapping = 2, .first = 0, .second = 2,
					    .common = cpus_of_list("4-5") };

	sp_report_verdict(&who, seats, &verdict, _i);
	expect(WARNING, "verdict: 2 of 3 ranks overlap: ranks 0 and 2 both have CPUs 4-5\n");
	expect("", "");
}
END_TEST

#define ADVICE "; if the launcher bound it so, give it --bind-to none (Open MPI), --cpu-bind=none (srun) or I_MPI_PIN=0 (Intel MPI), or set SPLITPIN_INHERITED=ignore\n"

START_TEST(starving_is_a_warning_if_asked_for)
{
	const struct sp_seat seats[] = { seat("0", 1), seat("1", 4), seat("2", 1) };
	struct sp_verdict verdict = { .ranks = 3, .starving = 1, .starved = 1, .idle = 1 };

	sp_report_verdict(&who, seats, &verdict, false);
	expect("", "");
	sp_report_verdict(&who, seats, &verdict, true);
	expect(NODE, "verdict: the shares of 3 of 3 ranks are disjoint, 1 core idle\n");
	expect(WARNING, "1 rank has fewer cores than threads while 1 core is idle: rank 1 has CPUs 1 for 4 threads" ADVICE);
	verdict.starving = 2;
	verdict.idle = 3;
	sp_report_verdict(&who, seats, &verdict, true);
	expect(NODE, "verdict: the shares of 3 of 3 ranks are disjoint, 3 cores idle\n");
	expect(WARNING, "2 ranks have fewer cores than threads while 3 cores are idle: rank 1 has CPUs 1 for 4 threads" ADVICE);
}
END_TEST

Suite *
suite_report(void)
{
	Suite *suite = suite_create("report");
	TCase *lines = tcase_create("lines");

	tcase_add_checked_fixture(lines, setup, NULL);
	tcase_add_test(lines, share_line);
	tcase_add_test(lines, pin_line);
	tcase_add_test(lines, pages_line);
	tcase_add_test(lines, note_line);
	tcase_add_test(lines, table);
	tcase_add_test(lines, what_is_right_is_said_if_asked_for);
	tcase_add_loop_test(lines, overlap_is_a_warning, 0, 2);
	tcase_add_test(lines, starving_is_a_warning_if_asked_for);
	suite_add_tcase(suite, lines);
	return suite;
}
