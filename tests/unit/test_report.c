/* Facts about the text of the reports' lines. */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log_file.h"
#include "machines.h"
#include "message.h"
#include "report/rank_gpus.h"
#include "report/measure.h"
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
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus share = cpus_of_list("2-3,10-11"), inherited = cpus_of_list("0-15");
	struct sp_share_line line = {
		.is_active = true, .cpus = &share, .inherited = &inherited, .allowed = &inherited, .from = "openmpi",
		.trigger = "MPI_Init", .threads = 2, .memory = "bind:0", .why = "two each" };

	sp_report_share(&who, machine, &line);
	expect(RANK, "active=yes cpu_list=2-3,10-11 core_list=2-3 numa_list=0 thread_count=2 memory=bind:0 start_cpus=0-15 job_cpus=0-15 trigger=MPI_Init launcher=\"Open MPI\" why=\"two each\"\n");
	line.is_active = false;
	line.from = "hydra";
	line.threads = 0;
	sp_report_share(&who, machine, &line);
	expect(RANK, "active=no cpu_list=2-3,10-11 core_list=2-3 numa_list=0 thread_count=0 memory=bind:0 start_cpus=0-15 job_cpus=0-15 trigger=MPI_Init launcher=MPICH why=\"two each\"\n");
	free(machine);
}
END_TEST

START_TEST(pin_line)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_cpus cpus = cpus_of_list("3,11");
	struct sp_pin_line line = { .thread = 4, .tid = 77, .cpus = &cpus, .trigger = "libgomp", .why = "a core" };

	sp_report_pin(&who, machine, &line);
	expect(RANK, "thread=4 tid=77 cpu_list=3,11 core_list=3 numa_list=0 trigger=libgomp why=\"a core\"\n");
	line.thread = 0;
	sp_report_pin(&who, machine, &line);
	expect(RANK, "thread=0 tid=77 cpu_list=3,11 core_list=3 numa_list=0 trigger=libgomp why=\"a core\"\n");
	line.thread = -1;
	sp_report_pin(&who, machine, &line);
	expect(RANK, "tid=77 cpu_list=3,11 core_list=3 numa_list=0 trigger=libgomp why=\"a core\"\n");
	line.trigger = NULL;
	sp_report_pin(&who, machine, &line);
	expect(RANK, "tid=77 cpu_list=3,11 core_list=3 numa_list=0 why=\"a core\"\n");
	free(machine);
}
END_TEST

START_TEST(pages_line)
{
	static const struct sp_numa_maps before = { .on = { 10, 20 } }, now = { .on = { 30, 5, 1 } };
	const struct sp_cpus nodes = cpus_of_list("0");

	sp_report_pages(&who, "bind:0", &nodes, &before, &now);
	expect(RANK, "memory=bind:0 numa_list=0 there=30 elsewhere=6 before=20 pages=0:30,1:5,2:1\n");
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

START_TEST(table_of_ranks_with_different_reasons)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	struct sp_seat seats[] = { seat("0", 1), seat("1", 1), { .state = SP_SEAT_EMPTY } };

	strcpy(seats[1].why, "else");
	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs  NUMA  the node  (why)\n");
	expect(NODE, "   0    4711  0        0      0     0     [B./../../..]  (so)\n");
	expect(NODE, "   1    4711  0        1      1     0     [../B./../..]  (else)\n");
	expect("", "");
	free(machine);
}
END_TEST

START_TEST(table)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	const struct sp_seat seats[] = { seat("0-1,4-5", 4), { .state = SP_SEAT_EMPTY }, seat("3", 0) };

	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs     NUMA  the node\n");
	expect(NODE, "   0    4711  0-3      0-1    0-1,4-5  0     [BB/BB/../..]\n");
	/* Rank 1 has not come. */
	expect(NODE, "   2    4711  -        3      3        0     [../../../B.]\n");
	expect(NODE, "why: so\n");
	expect("", "");
	free(machine);
}
END_TEST

/* What is wider than its column is not cut. */
START_TEST(columns_are_as_wide_as_they_need_be)
{
	struct sp_machine *machine = machine_uniform(24, 1);
	struct sp_seat seats[] = { seat("0", 1), seat("1", 1), seat("2", 1) };

	strcpy(seats[0].memory, "interleave:0-3");
	strcpy(seats[1].memory, "preferred:0");
	strcpy(seats[0].why, "else");
	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs  NUMA  memory          the node  (why)\n");
	expect(NODE, "   0    4711  0        0      0     0     interleave:0-3  [B/23x.]  (else)\n");
	expect(NODE, "   1    4711  0        1      1     0     preferred:0     [./B/22x.]  (so)\n");
	expect(NODE, "   2    4711  0        2      2     0     default         [2x./B/21x.]  (so)\n");
	expect("", "");
	/* Who has not come needs no room. */
	seats[0].state = SP_SEAT_EMPTY;
	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs  NUMA  memory       the node\n");
	expect(NODE, "   1    4711  0        1      1     0     preferred:0  [./B/22x.]\n");
	expect(NODE, "   2    4711  0        2      2     0     default      [2x./B/21x.]\n");
	expect(NODE, "why: so\n");
	expect("", "");
	free(machine);
}
END_TEST

/* A line of a large machine fits a window of usual width: prefix, columns, folded picture and CPUs; the reason has its own. */
START_TEST(table_of_a_large_machine_is_not_wide)
{
	struct sp_machine *machine = machine_uniform(192, 2);
	struct sp_seat seats[3] = { seat("0-47,192-239", 48), { .state = SP_SEAT_EMPTY }, { .state = SP_SEAT_EMPTY } };

	strcpy(seats[0].why, "cores 0-47 of NUMA node 0, 6 L3 groups");
	sp_report_table(&who, machine, seats);
	message_next(reader);
	const char *line = message_next(reader);
	ck_assert_ptr_nonnull(strstr(line, "0-47     0-47   0-47,192-239  0     [48xBB/144x..]"));
	ck_assert_uint_le(strchr(line, ']') + 1 - line, 84);
	expect(NODE, "why: cores 0-47 of NUMA node 0, 6 L3 groups\n");
	free(machine);
}
END_TEST

/* A refused rank runs on what it inherited. */
START_TEST(table_of_refused_ranks)
{
	struct sp_machine *machine = machine_uniform(4, 2);
	const struct sp_seat seats[3] = { { .state = SP_SEAT_REFUSED, .process = { .pid = 4711 }, .inherited = cpus_of_list("1,5"), .why = "few" } };

	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs  NUMA  the node\n");
	expect(NODE, "   0    4711  -        1      1,5   0     [../BB/../..]\n");
	expect(NODE, "why: few\n");
	expect("", "");
	free(machine);
}
END_TEST

/* Two cores and a GPU in each of two NUMA nodes. */
static struct sp_machine *
machine_with_gpus(void)
{
	struct sp_machine *machine = machine_of((struct shape){ .numas = 2, .cores = 2 });

	machine->gpus = (struct sp_gpus){ .n = 2, .gpu = {
		{ .address = "0000:c1:00.0", .vendor = SP_AMD, .near = { 0, 1, SP_ANYWHERE } },
		{ .address = "0000:d6:00.0", .vendor = SP_AMD, .near = { 0, 0, SP_ANYWHERE } } } };
	return machine;
}

static struct sp_seat
seat_with_gpus(const char *share)
{
	struct sp_seat made = seat(share, 0);

	made.gpus = (struct sp_gpu_list){ .told = SP_GPUS_ALL, .n = 2, .gpu = { 0, 1 } };
	return made;
}

START_TEST(gpus_have_a_column)
{
	struct sp_machine *machine = machine_with_gpus();
	struct sp_seat seats[3] = { seat_with_gpus("2"), seat_with_gpus("0"), { .state = SP_SEAT_EMPTY } };

	seats[0].gpus.n = seats[1].gpus.n = 1;
	seats[1].gpus.gpu[0] = 1;
	sp_report_table(&who, machine, seats);
	expect(NODE, "rank     pid  threads  cores  CPUs  NUMA  GPU            the node\n");
	expect(NODE, "   0    4711  -        2      2     1     0 (c1:00.0)    [././B/.]\n");
	expect(NODE, "   1    4711  -        0      0     0     1 (d6:00.0)    [B/././.]\n");
	expect(NODE, "why: so\n");
	free(machine);
}
END_TEST

START_TEST(a_column_of_many_gpus)
{
	struct sp_machine *machine = machine_with_gpus();
	const struct sp_who alone = { .host = "n1", .local_size = 1 };
	struct sp_seat seats[1] = { seat_with_gpus("2") };

	seats[0].gpus.n = machine->gpus.n = 8;
	for (uint8_t i = 0; i < 8; i++) {
		seats[0].gpus.gpu[i] = i;
		machine->gpus.gpu[i] = machine->gpus.gpu[0];
	}
	sp_report_table(&alone, machine, seats);
	message_next(reader);
	expect(NODE, "   0    4711  -        2      2     1     0,1,2,3,4,5,6,7 (c1:00.0... [././B/.]\n");
	expect(NODE, "why: so\n");
	free(machine);
}
END_TEST

/* Those that have not come are taken for ones that see the same, and divide that with it. */
START_TEST(gpus_of_ranks_that_have_not_come)
{
	struct sp_machine *machine = machine_with_gpus();
	struct sp_seat seats[2] = { seat_with_gpus("0"), seat_with_gpus("1") };
	struct sp_rank_gpus gpus;

	seats[1].gpus.n = 1;
	seats[1].state = SP_SEAT_EMPTY;
	sp_rank_gpus(machine, seats, 2, 0, &gpus);
	ck_assert_uint_eq(gpus.own.n, 1);
	ck_assert_uint_eq(gpus.own.gpu[0], 0);
	sp_rank_gpus(machine, seats, 2, 1, &gpus);
	ck_assert_uint_eq(gpus.own.n, 0);
	/* Of one that has come it is its own list. */
	seats[1].state = SP_SEAT_READY;
	seats[1].gpus.gpu[0] = 1;
	seats[0].gpus.n = 1;
	sp_rank_gpus(machine, seats, 2, 1, &gpus);
	ck_assert_uint_eq(gpus.own.n, 1);
	ck_assert_uint_eq(gpus.own.gpu[0], 1);
	free(machine);
}
END_TEST

START_TEST(who_is_not_beside_its_gpu)
{
	struct sp_machine *machine = machine_with_gpus();
	struct sp_seat seats[1] = { seat_with_gpus("0") };
	struct sp_rank_gpus gpus;

	seats[0].gpus.n = 1;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert(gpus.is_foreign);
	seats[0].state = SP_SEAT_REFUSED;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert(!gpus.is_foreign);
	ck_assert_uint_eq(sp_cpus_count(&gpus.beside), 2);
	/* As near to all CPUs it is beside none. */
	seats[0].state = SP_SEAT_READY;
	machine->gpus.gpu[0].near.numa = machine->gpus.gpu[0].near.package = SP_ANYWHERE;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert(!gpus.is_foreign);
	ck_assert(sp_cpus_empty(&gpus.beside));
	seats[0].gpus.told = SP_GPUS_UNTOLD;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert(!gpus.is_foreign);
	ck_assert_uint_eq(gpus.own.n, 0);
	free(machine);
}
END_TEST

/* Whoever writes a seat may write any number. */
START_TEST(gpus_end_at_one_that_the_machine_lacks)
{
	struct sp_machine *machine = machine_with_gpus();
	struct sp_seat seats[1] = { seat_with_gpus("0") };
	struct sp_rank_gpus gpus;

	seats[0].gpus.n = 4;
	seats[0].gpus.gpu[2] = 200;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert_uint_eq(gpus.own.n, 2);
	seats[0].gpus.gpu[0] = 2;
	sp_rank_gpus(machine, seats, 1, 0, &gpus);
	ck_assert_uint_eq(gpus.own.n, 0);
	free(machine);
}
END_TEST

START_TEST(a_foreign_gpu_is_named_if_asked_for)
{
	struct sp_machine *machine = machine_with_gpus();
	const struct sp_seat seats[3] = { seat_with_gpus("0"), seat_with_gpus("1"), seat_with_gpus("3") };
	const struct sp_cpus all = cpus_of_list("0-3");
	struct sp_verdict verdict;

	/* Ranks 0 and 1 use GPU 0, rank 2 the other. */
	sp_verdict(machine, &all, seats, 3, &verdict);
	ck_assert_uint_eq(verdict.foreign, 3);
	sp_report_verdict(&who, machine, "openmpi", seats, &verdict, false);
	sp_report_verdict(&who, machine, "openmpi", seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 1 core idle\n");
	expect(NODE, "result: 3 of 3 ranks are not beside their GPUs: GPU 0 (c1:00.0) is beside CPUs 2-3, rank 0 has 0\n");
	expect("", "");
	verdict.foreign = 1;
	verdict.stranger = 2;
	sp_report_verdict(&who, machine, "openmpi", seats, &verdict, true);
	message_next(reader);
	expect(NODE, "result: 1 of 3 ranks is not beside its GPU: GPU 1 (d6:00.0) is beside CPUs 0-1, rank 2 has 3\n");
	free(machine);
}
END_TEST

START_TEST(memory_that_no_policy_uses_is_named)
{
	struct sp_machine *machine = machine_uniform(4, 2);

	sp_notes_memory(&who, machine);
	expect("", "");
	machine->gpu_memory = cpus_of_list("4,12");
	sp_notes_memory(&who, machine);
	expect(NODE, "NUMA nodes 4,12 are GPU memory: no memory policy uses them\n");
	machine->far_memory = cpus_of_list("2");
	sp_notes_memory(&who, machine);
	expect(NODE, "NUMA nodes 4,12 are GPU memory, and node 2 has no CPU of its own: no memory policy uses them\n");
	machine->gpu_memory = cpus_of_list("");
	sp_notes_memory(&who, machine);
	expect(NODE, "NUMA node 2 has no CPU of its own: no memory policy uses it\n");
	free(machine);
}
END_TEST

/* 8 cores, of which the first 3 are fast; then one of each rank. */
START_TEST(ranks_with_slow_cores_alone_are_named)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_seat seats[3] = { seat("0-2", 1), seat("3-5", 1), seat("6-7", 1) };

	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].speed = machine->pu[i].core < 3;
	sp_notes_slow_ranks(&who, machine, seats);
	expect(NODE, "2 of 3 ranks have only slow cores while others have faster ones, such as rank 1; SPLITPIN_KINDS=performance uses only the fast cores\n");
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].speed = machine->pu[i].core < 7 && machine->pu[i].core % 3 == 0;
	sp_notes_slow_ranks(&who, machine, seats);
	expect("", "");
	free(machine);
}
END_TEST

/* By their kind first, and only those that have a share. */
START_TEST(slow_cores_of_two_kinds)
{
	struct sp_machine *machine = machine_uniform(8, 1);
	struct sp_seat seats[3] = { seat("0-2", 1), seat("3-5", 1), seat("6-7", 1) };

	for (uint32_t i = 0; i < machine->ncpus; i++) {
		machine->pu[i].kind = i < 6;
		machine->pu[i].speed = i >= 6;
	}
	sp_notes_slow_ranks(&who, machine, seats);
	expect(NODE, "1 of 3 ranks has only slow cores while others have faster ones, such as rank 2; SPLITPIN_KINDS=performance uses only the fast cores\n");
	seats[2].state = SP_SEAT_REFUSED;
	sp_notes_slow_ranks(&who, machine, seats);
	expect("", "");
	/* Who has none of the fast ones is no slower than others that have none. */
	seats[0].state = seats[1].state = SP_SEAT_REFUSED;
	seats[2].state = SP_SEAT_SETTLED;
	sp_notes_slow_ranks(&who, machine, seats);
	expect("", "");
	for (uint32_t i = 0; i < machine->ncpus; i++)
		machine->pu[i].kind = machine->pu[i].speed = i == 0;
	seats[0] = seats[1];
	sp_notes_slow_ranks(&who, machine, seats);
	expect("", "");
	free(machine);
}
END_TEST

START_TEST(cores_of_other_jobs_are_not_own_ones)
{
	struct sp_machine *machine = machine_uniform(2, 1);
	const struct sp_seat seats[1] = { seat("0", 1) };
	const struct sp_verdict verdict = { .ranks = 1, .all_came = true, .is_crowded = true };

	sp_report_verdict(&who, machine, "mpich", seats, &verdict, true);
	expect(NODE, "result: 1 of 3 ranks has CPUs that other jobs claim, too\n");
	expect("", "");
	free(machine);
}
END_TEST

START_TEST(one_thread_of_torchrun)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	const struct sp_seat seats[3] = { seat("0-2,8-10", 1), seat("3-4,11-12", 1), seat("5-6,13-14", 4) };
	const struct sp_verdict verdict = { .ranks = 3, .all_came = true };

	sp_report_verdict(&who, machine, "openmpi", seats, &verdict, false);
	sp_report_verdict(&who, machine, "torchrun", seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 0 cores idle\n");
	expect(NODE, "2 ranks have 1 thread, set by torchrun unless you did; the share has 2 cores: set OMP_NUM_THREADS=2 to use them\n");
	expect("", "");
	free(machine);
}
END_TEST

/* Asked for or not, of whatever launcher; a share of one core has no more to use. */
START_TEST(who_is_told_of_one_thread)
{
	struct sp_machine *machine = machine_uniform(8, 2);
	struct sp_seat seats[3] = { seat("0-1,8-9", 1), seat("2,10", 1), seat("3-5,11-13", 4) };
	const struct sp_verdict verdict = { .ranks = 3, .all_came = true };

	seats[0].state = SP_SEAT_SETTLED;
	sp_report_verdict(&who, machine, "torchrun", seats, &verdict, false);
	expect("", "");
	sp_report_verdict(&who, machine, "slurm", seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 0 cores idle\n");
	expect("", "");
	sp_report_verdict(&who, machine, "torchrun", seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 0 cores idle\n");
	expect(NODE, "1 rank has 1 thread, set by torchrun unless you did; the share has 2 cores: set OMP_NUM_THREADS=2 to use them\n");
	expect("", "");
	seats[0].state = SP_SEAT_COMING;
	sp_report_verdict(&who, machine, "torchrun", seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 0 cores idle\n");
	expect("", "");
	free(machine);
}
END_TEST

/* A verdict has no fields: in a log of JSON it is a text. */
START_TEST(verdicts_in_a_log_of_json)
{
	static struct sp_log_file file;
	struct sp_who logging = who;
	const struct sp_seat seats[3] = { 0 };
	char path[] = "/tmp/splitpin-unit-XXXXXX.json", text[4096] = "";
	struct sp_machine *machine = machine_uniform(8, 2);
	int fd = mkostemps(path, 5, O_CLOEXEC);

	ck_assert_int_eq(sp_log_file_init(&file, path, &(struct sp_pattern_values){ .host = "n1", .job = "j" }), 0);
	logging.log = &file;
	sp_report_verdict(&logging, machine, "slurm", seats, &(struct sp_verdict){ .ranks = 3, .refused = 1 }, true);
	sp_report_verdict(&logging, machine, "slurm", seats, &(struct sp_verdict){ .ranks = 3, .all_came = true }, true);
	sp_report_verdict(&logging, machine, "slurm", seats, &(struct sp_verdict){ .ranks = 2 }, true);
	sp_report_verdict(&logging, machine, "slurm", seats, &(struct sp_verdict){ .ranks = 3, .sharing = 2 }, true);
	ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	unlink(path);
	ck_assert_ptr_nonnull(strstr(text, "\"event\": \"result\", \"result\": \"result: 1 of 3 ranks has no share"));
	ck_assert_ptr_nonnull(strstr(text, "\"event\": \"result\", \"result\": \"result: 3 of 3 ranks have their own CPUs"));
	ck_assert_ptr_nonnull(strstr(text, "\"event\": \"result\", \"result\": \"result: only 2 of 3 ranks appeared"));
	ck_assert_ptr_nonnull(strstr(text, "\"event\": \"result\", \"result\": \"result: 2 of 3 ranks share the node, threads not pinned"));
	free(machine);
}
END_TEST

/* A row has its fields alone: no heading, and no reason apart. */
START_TEST(a_table_in_a_log_of_json)
{
	static struct sp_log_file file;
	struct sp_who logging = who;
	struct sp_machine *machine = machine_with_gpus();
	const struct sp_seat seats[3] = { seat("0", 1), seat("1", 1), { .state = SP_SEAT_EMPTY } };
	char path[] = "/tmp/splitpin-unit-XXXXXX.json", text[4096] = "";
	int fd = mkostemps(path, 5, O_CLOEXEC), lines = 0;

	ck_assert_int_eq(sp_log_file_init(&file, path, &(struct sp_pattern_values){ .host = "n1", .job = "j" }), 0);
	logging.log = &file;
	sp_report_table(&logging, machine, seats);
	machine->gpus.n = 0;
	sp_report_table(&logging, machine, seats);
	ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	unlink(path);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		ck_assert_ptr_nonnull(strstr(line, "\"event\": \"row\", \"rank\": "));
		ck_assert_ptr_nonnull(strstr(line, lines < 2 ? "\"why\": \"so\", \"gpu_list\": \"-\"}" : "\"why\": \"so\"}"));
	}
	ck_assert_int_eq(lines, 4);
	free(machine);
}
END_TEST

/* As of a rank of Open MPI on 8 cores of 2 threads, CPUs c and c + 8. */
static void
report(const struct sp_seat seats[], const struct sp_verdict *verdict, bool asked)
{
	struct sp_machine *machine = machine_uniform(8, 2);

	sp_report_verdict(&who, machine, "openmpi", seats, verdict, asked);
	free(machine);
}

START_TEST(what_is_right_is_said_if_asked_for)
{
	const struct sp_seat seats[3] = { 0 };
	struct sp_verdict verdict = { .ranks = 3, .idle = 1, .all_came = true };

	report(seats, &verdict, false);
	expect("", "");
	report(seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 1 core idle\n");
	verdict.idle = 2;
	report(seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 2 cores idle\n");
	expect("", "");
}
END_TEST

START_TEST(what_is_not_known_is_not_said)
{
	const struct sp_seat seats[3] = { 0 };
	struct sp_verdict verdict = { .ranks = 1 };

	report(seats, &verdict, false);
	expect("", "");
	report(seats, &verdict, true);
	expect(NODE, "result: only 1 of 3 ranks appeared, with its own CPUs\n");
	verdict.ranks = 2;
	report(seats, &verdict, true);
	expect(NODE, "result: only 2 of 3 ranks appeared, with their own CPUs\n");
	expect("", "");
}
END_TEST

START_TEST(refused_ranks_have_no_share)
{
	const struct sp_seat seats[3] = { seat("0", 1), { .state = SP_SEAT_REFUSED, .why = "few CPUs" },
					  { .state = SP_SEAT_REFUSED, .why = "few CPUs" } };
	const struct sp_verdict verdict = { .ranks = 1, .refused = 2, .all_came = true };

	report(seats, &verdict, true);
	expect(NODE, "result: 2 of 3 ranks have no share, as if splitpin were absent\n");
	const struct sp_verdict one = { .ranks = 2, .refused = 1, .all_came = true };
	report(seats, &one, true);
	expect(NODE, "result: 1 of 3 ranks has no share, as if splitpin were absent\n");
	expect("", "");
}
END_TEST

START_TEST(a_rank_whose_settings_leave_it_no_share_is_a_warning)
{
	const struct sp_seat seats[3] = { seat("0", 1), { .state = SP_SEAT_REFUSED, .why = "few CPUs" }, seat("1", 1) };
	const struct sp_verdict verdict = { .ranks = 2, .refused = 1, .all_came = true, .unreported = 1, .untold = 1 };

	report(seats, &verdict, false);
	expect(WARNING, "settings differ between ranks, so that 1 of 3 has no share, such as rank 1: few CPUs\n");
	expect("", "");
}
END_TEST

START_TEST(overlap_is_a_warning)
{
	struct sp_seat seats[3] = { 0 };
	const struct sp_verdict verdict = { .ranks = 3, .all_came = true, .overlapping = 2, .first = 0, .second = 2,
					    .common = cpus_of_list("4-5") };

	report(seats, &verdict, _i);
	expect(WARNING, "2 of 3 ranks overlap: ranks 0 and 2 both have CPUs 4-5\n");
	seats[2].list = 1;
	report(seats, &verdict, _i);
	expect(WARNING, "2 of 3 ranks overlap: ranks 0 and 2 both have CPUs 4-5; rank 2 has a list of CPUs of its own and rank 0 has none: give each rank a list, or none\n");
	seats[0].list = 2;
	report(seats, &verdict, _i);
	expect(WARNING, "2 of 3 ranks overlap: ranks 0 and 2 both have CPUs 4-5\n");
	expect("", "");
}
END_TEST

START_TEST(starving_beside_idle_cores_is_a_warning)
{
	struct sp_seat seats[] = { seat("0", 2), seat("1-2", 4), seat("3", 1) };
	struct sp_verdict verdict = { .ranks = 3, .all_came = true, .starving = 1, .starved = 1, .idle = 4, .is_gain = true,
				      .allowed = cpus_of_list("0-7"), .part = 4 };

	for (int i = 0; i < 3; i++)
		seats[i].inherited = seats[i].share;

	report(seats, &verdict, false);
	expect(WARNING, "1 rank has more threads than cores while 4 cores are idle: rank 1 has 2 cores (CPUs 1-2) for 4 threads, so; use mpirun --bind-to none instead, or --map-by slot:PE=4\n");
	expect("", "");
	verdict.idle = 1;
	report(seats, &verdict, false);
	expect(WARNING, "1 rank has more threads than cores while 1 core is idle: rank 1 has 2 cores (CPUs 1-2) for 4 threads, so; use mpirun --bind-to none instead, or --map-by slot:PE=4\n");
	verdict.idle = 4;
	verdict.starving = 2;
	verdict.starved = 0;
	report(seats, &verdict, true);
	expect(NODE, "result: 3 of 3 ranks have their own CPUs, 4 cores idle\n");
	expect(WARNING, "2 ranks have more threads than cores while 4 cores are idle: rank 0 has 1 core (CPU 0) for 2 threads, so; use mpirun --bind-to none instead, or --map-by slot:PE=2\n");
	/* As many cores for each rank as there are; or no number that all can have. */
	verdict.starved = 1;
	verdict.part = 3;
	report(seats, &verdict, false);
	expect(WARNING, "2 ranks have more threads than cores while 4 cores are idle: rank 1 has 2 cores (CPUs 1-2) for 4 threads, so; use mpirun --bind-to none instead, or --map-by slot:PE=3\n");
	verdict.part = 2;
	report(seats, &verdict, false);
	expect(WARNING, "2 ranks have more threads than cores while 4 cores are idle: rank 1 has 2 cores (CPUs 1-2) for 4 threads, so; use mpirun --bind-to none instead\n");
	/* Nobody has bound it: cores are idle by a setting. */
	seats[1].inherited = cpus_of_list("0-7");
	report(seats, &verdict, false);
	expect(WARNING, "2 ranks have more threads than CPUs: rank 1 has 2 CPUs for 4 threads; set OMP_NUM_THREADS=2, or start fewer ranks on this node\n");
	expect("", "");
}
END_TEST

START_TEST(starving_on_a_full_node_is_a_warning)
{
	const struct sp_seat seats[] = { seat("0", 4), seat("0-3,8-11", 9), seat("4-7,12-15", 1) };
	struct sp_verdict verdict = { .ranks = 3, .all_came = true, .starving = 2, .starved = 0 };

	report(seats, &verdict, false);
	expect(WARNING, "2 ranks have more threads than CPUs: rank 0 has 1 CPU for 4 threads; set OMP_NUM_THREADS=1, or start fewer ranks on this node\n");
	verdict.starving = 1;
	verdict.starved = 1;
	report(seats, &verdict, false);
	expect(WARNING, "1 rank has more threads than CPUs: rank 1 has 8 CPUs for 9 threads; set OMP_NUM_THREADS=8, or start fewer ranks on this node\n");
	/* Fewer than one is no remedy. */
	verdict.ranks = 1;
	verdict.starved = 0;
	report(seats, &verdict, false);
	expect(WARNING, "1 rank has more threads than CPUs: rank 0 has 1 CPU for 4 threads; set OMP_NUM_THREADS=1\n");
	expect("", "");
}
END_TEST

#define ON_ONE_PLACE "3 busy threads of rank 1 had 1 CPU (2) and waited 60 percent of their time for it: its share has more CPUs, but OMP_PROC_BIND keeps a team on the place of its first thread; set OMP_PROC_BIND=close to use them\n"

START_TEST(crowded_threads_are_a_warning)
{
	const struct sp_cpus share = cpus_of_list("0-3");
	struct sp_crowding crowd = { .cpus = cpus_of_list("2"), .threads = 3 };
	struct sp_report_spare spare = { .from = "openmpi" };

	sp_report_crowd(&who, &share, &crowd, 60, NULL, &spare);
	expect(WARNING, "3 busy threads of rank 1 had 1 CPU (2) and waited 60 percent of their time for it: its share has more CPUs: leave settings that bind threads (OMP_PROC_BIND, GOMP_CPU_AFFINITY, KMP_AFFINITY) unset; if none is set, use SPLITPIN_BIND=none\n");
	sp_report_crowd(&who, &share, &crowd, 60, "OMP_PROC_BIND=close", &spare);
	expect(WARNING, "3 busy threads of rank 1 had 1 CPU (2) and waited 60 percent of their time for it: its share has more CPUs: leave settings that bind threads (OMP_PROC_BIND, GOMP_CPU_AFFINITY, KMP_AFFINITY) unset; if none is set, use SPLITPIN_BIND=none\n");
	sp_report_crowd(&who, &share, &crowd, 60, "OMP_PROC_BIND=Primary", &spare);
	expect(WARNING, ON_ONE_PLACE);
	sp_report_crowd(&who, &share, &crowd, 60, "OMP_PROC_BIND=master,close", &spare);
	expect(WARNING, ON_ONE_PLACE);
	crowd.cpus = share;
	sp_report_crowd(&who, &share, &crowd, 50, "OMP_PROC_BIND=master", &spare);
	expect(WARNING, "3 busy threads of rank 1 had 4 CPUs (0-3) and waited 50 percent of their time for one: start fewer threads in its runtimes and libraries (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, ...), or fewer ranks on this node\n");
	expect("", "");
}
END_TEST

/* A few threads more than CPUs is nothing to say; twice as many is. */
START_TEST(too_many_threads_on_a_shared_node_are_a_warning)
{
	const struct sp_seat seats[2] = { seat("0-3", 1), seat("0-3", 7) };
	struct sp_verdict verdict = { .ranks = 2, .all_came = true, .sharing = 2, .threads = 7, .cpus = 4 };

	sp_report_verdict(&who, NULL, "hydra", seats, &verdict, false);
	expect("", "");
	verdict.threads = 8;
	sp_report_verdict(&who, NULL, "hydra", seats, &verdict, false);
	expect(WARNING, "2 ranks share 4 CPUs, too few for their 8 threads: start fewer ranks on this node, or fewer threads in each (OMP_NUM_THREADS)\n");
	expect("", "");
}
END_TEST

/* Fewer threads are not the remedy where cores are idle. */
START_TEST(crowded_threads_beside_idle_cores_are_a_warning)
{
	const struct sp_cpus share = cpus_of_list("0-3");
	const struct sp_crowding crowd = { .cpus = share, .threads = 16 };
	struct sp_report_spare spare = { .from = "openmpi", .inside = 9, .ranks = 3, .outside = 2 };

	sp_report_crowd(&who, &share, &crowd, 75, NULL, &spare);
	expect(WARNING, "16 busy threads of rank 1 had 4 CPUs (0-3) and waited 75 percent of their time for one: 3 ranks with fewer threads left 9 cores idle; "
	       "set OMP_NUM_THREADS for each rank to the threads that it uses, in a script around the program or in parts of the launcher's line (-n 1 ... : -n 3 ...)\n");
	spare.inside = 0;
	spare.part = 16;
	spare.is_bound = true;
	sp_report_crowd(&who, &share, &crowd, 75, NULL, &spare);
	expect(WARNING, "16 busy threads of rank 1 had 4 CPUs (0-3) and waited 75 percent of their time for one: 2 cores are idle on this node; "
	       "use mpirun --bind-to none instead, or --map-by slot:PE=16\n");
	spare.is_bound = false;
	sp_report_crowd(&who, &share, &crowd, 75, NULL, &spare);
	expect(WARNING, "16 busy threads of rank 1 had 4 CPUs (0-3) and waited 75 percent of their time for one: "
	       "start fewer threads in its runtimes and libraries (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, ...), or fewer ranks on this node\n");
	expect("", "");
}
END_TEST

START_TEST(few_threads_beside_idle_cores_are_a_warning)
{
	const struct sp_report_spare spare = { .from = "openmpi", .outside = 13, .part = 5, .on_one_core = 2 };

	sp_report_few_cores(&who, &spare, false);
	expect(WARNING, "2 ranks of a program with OpenMP used only 1 core each, since the launcher binds ranks to one core by default and OMP_NUM_THREADS is not set; "
	       "13 cores were idle: set OMP_NUM_THREADS=5 to use all, or OMP_NUM_THREADS=1 if one is enough\n");
	expect("", "");
}
END_TEST

START_TEST(children_on_one_core_are_a_warning)
{
	const struct sp_report_spare spare = { .from = "openmpi", .outside = 1, .part = 2 };

	sp_report_few_cores(&who, &spare, true);
	expect(WARNING, "child processes of rank 1 took turns on 1 core, since the launcher binds ranks to one core by default and OMP_NUM_THREADS is not set; "
	       "1 core was idle: set OMP_NUM_THREADS=2 to use all, or OMP_NUM_THREADS=1 if one is enough\n");
	expect("", "");
}
END_TEST

static struct rusage
usage(long ms, long interrupted)
{
	return (struct rusage){ .ru_utime = { .tv_sec = ms / 2000, .tv_usec = ms / 2 % 1000 * 1000 }, .ru_stime = { .tv_sec = ms / 2000, .tv_usec = ms / 2 % 1000 * 1000 },
				.ru_nivcsw = interrupted };
}

/* own and children: ms of a CPU. */
static const struct {
	long own, children, interrupted, age;
	bool do_take_turns;
} pools[] = {
	{ 100, 4000, 1000, 4100, true },
	{ 100, 4000, 200, 200000, true },
	{ 100, 4000, 199, 4100, false },	/* one after the other */
	{ 4100, 4000, 1000, 8200, false },	/* the work is the rank's own */
	{ 100, 1900, 1000, 2100, false },	/* hardly any work */
	{ 100, 4000, 1000, 201000, false },	/* or seldom */
	{ 3000, 0, 0, 3000, false },
};

START_TEST(children_take_turns_that_interrupt_each_other)
{
	const struct rusage own = usage(pools[_i].own, 0), children = usage(pools[_i].children, pools[_i].interrupted);

	ck_assert_int_eq(sp_measure_took_turns(&own, &children, (uint64_t)pools[_i].age * 1000000), pools[_i].do_take_turns);
}
END_TEST

START_TEST(lists_that_leave_shares_are_a_warning)
{
	const struct sp_seat seats[3] = { seat("0", 1), seat("1", 1), seat("2-3", 1) };
	struct sp_verdict verdict = { .listed = 2, .one = 2, .claimed = cpus_of_list("5") };

	sp_report_listed(&who, "GOMP_CPU_AFFINITY=5", seats, &verdict);
	expect(WARNING, "GOMP_CPU_AFFINITY=5 names CPU 5, outside the share 2-3 of rank 2 (2 of 3 ranks have such a list): leave it unset, or use OMP_PLACES=cores\n");
	verdict.crowded = 3;
	verdict.one = 0;
	verdict.other = 2;
	verdict.claimed = cpus_of_list("0-1");
	sp_report_listed(&who, NULL, seats, &verdict);
	expect(WARNING, "a list of CPUs names the same CPUs in 3 of 3 ranks, CPUs 0-1 in both rank 0 and rank 2: leave it unset, or use OMP_PLACES=cores\n");
	expect("", "");
}
END_TEST

#define NOT_NAMED "whose LD_PRELOAD does not name the library; in a command with several programs, each needs its own -x or -genv\n"

START_TEST(ranks_without_the_library)
{
	struct sp_report_without without = { .ranks = 1, .rank = 2, .pid = 77 };

	sp_report_without(&who, &without);
	expect(NODE, "1 of 3 ranks runs without libsplitpin.so: rank 2 (process 77), " NOT_NAMED);
	without.ranks = 2;
	sp_report_without(&who, &without);
	expect(NODE, "2 of 3 ranks run without libsplitpin.so: such as rank 2 (process 77), " NOT_NAMED);
	without.meets = true;
	sp_report_without(&who, &without);
	expect(WARNING, "2 of 3 ranks run without libsplitpin.so, and may use the CPUs of others: such as rank 2 (process 77), " NOT_NAMED);
	without.ranks = 1;
	without.is_preloaded = true;
	sp_report_without(&who, &without);
	expect(WARNING, "1 of 3 ranks runs without libsplitpin.so, and may use the CPUs of others: rank 2 (process 77), although its LD_PRELOAD names the library: "
	       "the program is linked statically, or the file does not exist\n");
	expect("", "");
}
END_TEST

START_TEST(another_job_is_a_warning)
{
	const struct sp_cpus cpus = cpus_of_list("2,10"), one = cpus_of_list("3");

	sp_report_other_job(&who, &cpus, " (PID 7, a.out)", "so");
	expect(WARNING, "another of your jobs uses CPUs 2,10 of this job too (PID 7, a.out), which slows both while both are busy: run them one after the other, or so\n");
	sp_report_other_job(&who, &one, "", "otherwise");
	expect(WARNING, "another of your jobs uses CPU 3 of this job too, which slows both while both are busy: run them one after the other, or otherwise\n");
	expect("", "");
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
	tcase_add_test(lines, table_of_ranks_with_different_reasons);
	tcase_add_test(lines, columns_are_as_wide_as_they_need_be);
	tcase_add_test(lines, a_column_of_many_gpus);
	tcase_add_test(lines, gpus_of_ranks_that_have_not_come);
	tcase_add_test(lines, who_is_not_beside_its_gpu);
	tcase_add_test(lines, slow_cores_of_two_kinds);
	tcase_add_test(lines, a_table_in_a_log_of_json);
	tcase_add_test(lines, crowded_threads_are_a_warning);
	tcase_add_test(lines, too_many_threads_on_a_shared_node_are_a_warning);
	tcase_add_test(lines, crowded_threads_beside_idle_cores_are_a_warning);
	tcase_add_test(lines, few_threads_beside_idle_cores_are_a_warning);
	tcase_add_test(lines, children_on_one_core_are_a_warning);
	tcase_add_loop_test(lines, children_take_turns_that_interrupt_each_other, 0, sizeof(pools) / sizeof(pools[0]));
	tcase_add_test(lines, lists_that_leave_shares_are_a_warning);
	tcase_add_test(lines, cores_of_other_jobs_are_not_own_ones);
	tcase_add_test(lines, one_thread_of_torchrun);
	tcase_add_test(lines, who_is_told_of_one_thread);
	tcase_add_test(lines, verdicts_in_a_log_of_json);
	tcase_add_test(lines, memory_that_no_policy_uses_is_named);
	tcase_add_test(lines, ranks_with_slow_cores_alone_are_named);
	tcase_add_test(lines, gpus_have_a_column);
	tcase_add_test(lines, gpus_end_at_one_that_the_machine_lacks);
	tcase_add_test(lines, a_foreign_gpu_is_named_if_asked_for);
	tcase_add_test(lines, table_of_a_large_machine_is_not_wide);
	tcase_add_test(lines, table_of_refused_ranks);
	tcase_add_test(lines, what_is_right_is_said_if_asked_for);
	tcase_add_test(lines, what_is_not_known_is_not_said);
	tcase_add_test(lines, refused_ranks_have_no_share);
	tcase_add_test(lines, a_rank_whose_settings_leave_it_no_share_is_a_warning);
	tcase_add_loop_test(lines, overlap_is_a_warning, 0, 2);
	tcase_add_test(lines, starving_beside_idle_cores_is_a_warning);
	tcase_add_test(lines, starving_on_a_full_node_is_a_warning);
	tcase_add_test(lines, ranks_without_the_library);
	tcase_add_test(lines, another_job_is_a_warning);
	suite_add_tcase(suite, lines);
	return suite;
}
