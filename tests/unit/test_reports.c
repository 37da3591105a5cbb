/* What splitpin compare reads of the reports of several nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "suites.h"

#include "cmd/compare/reports.h"
#include "machines.h"
#include "report/report.h"

#define HEADING(host) "splitpin: host=" host " rank     pid  threads  cores  CPUs  NUMA  the node\n"

/* A job that prints this; NULL: what it comes to is one node, or none. */
static void
reports_are(const char *output, const char *sentence)
{
	struct reports reports = { .n = 0 };
	FILE *file = tmpfile();

	fputs(output, file);
	reports_read(file, &reports);
	/* A run without a report leaves what is known. */
	ck_assert_int_eq(ftruncate(fileno(file), 0), 0);
	reports_read(file, &reports);
	char *said = reports_sentence(&reports);
	if (sentence)
		ck_assert_str_eq(said, sentence);
	else
		ck_assert_ptr_null(said);
	free(said);
	reports_release(&reports);
	fclose(file);
}

START_TEST(nodes_that_report)
{
	static const struct { const char *output, *sentence; } cases[] = {
		{ "splitpin: host=n10    0     123  0        0      0     0     [#.]\n"
		  "splitpin: host=n9    0     123  0        0-1    0-1   0     [##]\n",
		  "2 nodes, 2 ranks; cores of a rank: 1 on n10, 2 on n9; no problems" },
		{ HEADING("a") "splitpin: host=a    0     123  0        0      0     0     [#.]\n"
		  "splitpin: host=a    1     124  0        1      1     0     [.#]\n"
		  "splitpin: host=a why: each has 1 core\n"
		  "splitpin: host=a result: 2 of 2 ranks have their own CPUs, 0 cores idle\n"
		  "the program's own line\n"
		  /* a launcher may put the rank before each line */
		  "[1,2]<stderr>:splitpin: host=b    0     123  0        0      0     0     [#.]\n"
		  "[1,2]<stderr>:splitpin: host=b    1     124  0        1      1     0     [.#]\n"
		  "[1,2]<stderr>:splitpin: host=b result: 2 of 2 ranks have their own CPUs, 0 cores idle\n",
		  "2 nodes, 4 ranks, all nodes alike; no problems" },
		{ "splitpin: host=a    0     123  -        0,2,4-5  0,2,4-5  0-1   [#.#.]  (bound on request; 2 others 1)\n"
		  "splitpin: warning: host=b 1 rank has more threads than CPUs: rank 0 has 2 CPUs for 8 threads\n"
		  "splitpin: host=b    0     123  0-7      0-1    0-1   0     [##]\n",
		  "2 nodes, 2 ranks; cores of a rank: 2 on b, 4 on a; threads of a rank: 8 on b, - on a; slowest: b, with 8 threads on 2 CPUs; problems on b" },
		{ "splitpin: host=a 1 of 2 ranks runs without libsplitpin.so: rank 1 (process 7)\n"
		  "splitpin: host=b    0     123  0-1      0-1    0-1   0     [##]\n",
		  "2 nodes, 1 rank; ranks: 1 on b, 0 on a; cores of a rank: 2 on b, - on a; threads of a rank: 2 on b, - on a; no problems" },
		{ "splitpin: host=a    0     123  0        0      0     0     [#.]\n", NULL },
		{ "splitpin: host=\nsplitpin: host= x\nsplitpin: no host\n", NULL }, { "", NULL },
	};

	reports_are(cases[_i].output, cases[_i].sentence);
}
END_TEST

/* As ranks print it: two nodes of 4 cores of 2 CPUs, on the second of which nothing is announced. */
START_TEST(nodes_that_report_by_the_table)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	const char *const hosts[] = { "a", "b" };
	struct reports reports = { .n = 0 };
	FILE *file = tmpfile();
	int err = dup(STDERR_FILENO);

	dup2(fileno(file), STDERR_FILENO);
	for (uint32_t node = 0; node < 2; node++) {
		struct sp_who who = { .local_size = 2 };
		struct sp_seat seats[] = {
			{ .state = SP_SEAT_READY, .process.pid = 11, .share = cpus_of_list("0-1,4-5"), .threads = node ? 0 : 2, .why = "one" },
			{ .state = SP_SEAT_READY, .process.pid = 12, .share = cpus_of_list("2-3,6-7"), .threads = node ? 0 : 12, .why = "two" },
		};

		snprintf(who.host, sizeof(who.host), "%s", hosts[node]);
		sp_report_table(&who, machine, seats);
	}
	dup2(err, STDERR_FILENO);
	close(err);
	reports_read(file, &reports);
	char *said = reports_sentence(&reports);
	ck_assert_str_eq(said, "2 nodes, 4 ranks; threads of a rank: - on b, 2-12 on a; slowest: a, with 14 threads on 8 CPUs; no problems");
	free(said);
	reports_release(&reports);
	fclose(file);
	free(machine);
}
END_TEST

Suite *
suite_reports(void)
{
	Suite *suite = suite_create("reports");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, nodes_that_report, 0, 7);
	tcase_add_test(facts, nodes_that_report_by_the_table);
	suite_add_tcase(suite, facts);
	return suite;
}
