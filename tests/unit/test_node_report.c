/* What one rank finds out for its node when ranks end. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suites.h"

#include "calls.h"
#include "base/pin.h"
#include "report/first_thread.h"
#include "report/overlap.h"
#include "report/node_report.h"
#include "machines.h"
#include "message.h"
#include "ranks.h"

#define JOB "a job of the unit tests, 32 ranks"
#define RANKS 32

static struct sp_machine *machine;

/* The board of a job whose ranks are bound to a core each; all of them are this process. */
static struct sp_board *
board_of_ranks(void)
{
	static uint32_t need[RANKS];
	static struct sp_terms terms = { .generation = 1 };
	const struct sp_common common = { .machine = machine, .terms = &terms, .need = need };
	struct sp_board *board;
	const char *problem;

	ck_assert_int_eq(sp_board_begin(JOB, RANKS, 1000, &board, &problem), 0);
	ck_assert_int_eq(sp_board_create(JOB, RANKS, &common, &board), 0);
	sp_board_end();
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct sp_seat seat = { .state = SP_SEAT_READY };

		sp_cpus_add(&seat.share, rank);
		seat.inherited = seat.share;
		ck_assert_int_eq(sp_board_arrive(board, rank, false), 0);
		ck_assert_int_eq(sp_board_write(board, rank, &seat), 0);
	}
	return board;
}

static const struct sp_who who = { .host = "n1", .local_size = RANKS };
static const struct sp_record record = { .to = SP_RECORD_OFF };
static struct sp_config config;

/* Such a job under Slurm on a machine of so many cores; setting: "NAME=VALUE", or NULL.  False: it cannot be tried here. */
static bool
node_begin(struct sp_node *node, uint32_t cores, char *setting)
{
	if (!shm_of_own(NULL))
		return false;
	sp_config_read(&config, (char *[]){ setting, NULL }, NULL, NULL);
	machine = machine_uniform(cores, 1);
	*node = (struct sp_node){ .who = &who, .config = &config, .machine = machine, .from = "slurm", .job = JOB, .record = &record,
				  .board = board_of_ranks() };
	sp_machine_cpus(machine, &node->domain);
	return true;
}

static void
node_end(struct sp_node *node)
{
	sp_board_release(node->board);
	free(machine);
}

static void
crowd(const struct sp_node *node, uint32_t announced)
{
	const struct sp_cpus share = cpus_of_list("0");
	const struct sp_measured measured = { .is_crowded = true, .waited = 50, .crowding = { .cpus = share, .threads = 8 } };

	sp_node_report_crowd(node, &(struct sp_used){ .share = &share, .measured = &measured, .threads = announced });
}

static void
crowd_unannounced(const struct sp_node *node)
{
	crowd(node, 0);
}

static void
crowd_announced(const struct sp_node *node)
{
	crowd(node, 8);
}

static void
few_cores(const struct sp_node *node)
{
	sp_node_report_few_cores(node, true);
}

/* All ranks may have the same to report, and end at the same time: that must not be the work of all seats for each. */
static const struct {
	void (*report)(const struct sp_node *node);
	unsigned messages;
} reasons[] = { { crowd_unannounced, 1 }, { crowd_announced, 0 }, { few_cores, 0 } };

START_TEST(one_rank_looks_at_all_seats)
{
	struct sp_node node;

	if (!node_begin(&node, RANKS + RANKS / 2, NULL))
		return;
	int reader = message_listen();
	unsigned before = calls_into_proc(), messages = 0;

	reasons[_i].report(&node);
	unsigned first = calls_into_proc() - before;
	ck_assert_uint_ge(first, RANKS);
	for (uint32_t rank = 1; rank < RANKS; rank++)
		reasons[_i].report(&node);
	ck_assert_uint_eq(calls_into_proc() - before, first);
	while (*message_next(reader))
		messages++;
	ck_assert_uint_eq(messages, reasons[_i].messages);
	node_end(&node);
}
END_TEST

/* A board of another job that claims these CPUs. */
static struct sp_board *
other_job(const char *claim)
{
	const struct sp_terms terms = { .generation = 1, .claim = cpus_of_list(claim) };
	const struct sp_common its = { .machine = machine, .terms = &terms, .need = &(uint32_t){ 1 } };
	struct sp_board *other;

	ck_assert_int_eq(sp_board_create("another job, 1 rank", 1, &its, &other), 0);
	return other;
}

static const struct {
	enum sp_domain domain;
	const char *inherited;	/* by the rank that reports; NULL: its share, a core */
	const char *remedy;
} beside[] = {
	{ SP_DOMAIN_AUTO, NULL, "run them one after the other, or use srun --cpu-bind=none\n" },
	{ SP_DOMAIN_AUTO, "0-31", "run them one after the other, or with fewer threads each (OMP_NUM_THREADS)\n" },
	{ SP_DOMAIN_LISTS, NULL, "run them one after the other, or name other CPUs (SPLITPIN_DOMAIN)\n" },
};

/* What a job has that somebody has confined is known, though its ranks do not divide it. */
START_TEST(another_job_on_a_part_that_is_not_divided)
{
	struct sp_node node;
	struct sp_terms terms;
	struct sp_seat seat = { .state = SP_SEAT_HERE };
	uint32_t need[RANKS];

	if (!node_begin(&node, RANKS, NULL))
		return;
	config.policy.domain = beside[_i].domain;
	if (beside[_i].inherited) {
		seat.inherited = cpus_of_list(beside[_i].inherited);
		ck_assert_int_eq(sp_board_write(node.board, 0, &seat), 0);
		sp_cpus_add(&seat.share, 0);
		seat.state = SP_SEAT_READY;
		ck_assert_int_eq(sp_board_write(node.board, 0, &seat), 0);
	}
	struct sp_board *other = other_job("2-5");
	seat = (struct sp_seat){ .state = SP_SEAT_READY, .threads = 2 * RANKS, .inherited = cpus_of_list("0-31") };
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	ck_assert_int_eq(sp_board_write(other, 0, &seat), 0);
	ck_assert_int_eq(sp_board_terms(node.board, &terms, need), 0);
	terms.how = SP_TERMS_SHARED;
	terms.claim = cpus_of_list("0-3");
	ck_assert_int_eq(sp_board_revise(node.board, &terms, need, NULL, NULL), 0);
	int reader = message_listen();

	sp_node_report_at_end(&node);
	char begin[128];
	snprintf(begin, sizeof(begin), "another of your jobs uses CPUs 2-3 of this job too (PID %d, unit-tests), which slows both while both are busy: ", (int)getpid());
	const char *warning = message_next(reader);
	const char *said = strstr(warning, begin);
	ck_assert_msg(said != NULL, "%s", warning);
	ck_assert_str_eq(said + strlen(begin), beside[_i].remedy);
	sp_board_release(other);
	node_end(&node);
}
END_TEST

/* Threads of both jobs, and where these may run that are not pinned; of the one whose rank reports, all CPUs. */
static const struct {
	uint32_t own, theirs;
	const char *usable;
	bool is_slow;
	bool is_counted;	/* theirs are only as many as their runtime has counted cores */
	const char *claim;	/* of both jobs */
	bool is_bound;		/* both by the user's settings, to CPU 0 */
} too_many[] = {
	{ .own = 32, .theirs = 32, .usable = "0-31", .is_slow = true },
	{ .own = 32, .theirs = 31, .usable = "0-31", .is_slow = false },
	{ .own = 32, .theirs = 32, .usable = "0-15", .is_slow = true },
	{ .own = 32, .theirs = 32, .usable = "0-14", .is_slow = false },	/* two of them crowd each other, and nobody elsewhere */
	{ .own = 32, .theirs = 8, .usable = "0-3", .is_slow = false },		/* those of the own job may leave these CPUs */
	{ .own = 32, .theirs = 32, .usable = "32-63", .is_slow = false },
	{ .own = 32, .theirs = 32, .usable = "0-31", .is_slow = false, .is_counted = true },	/* their process has one thread */
	{ .own = 32, .theirs = 32, .usable = "0-31", .is_slow = true, .claim = "0-3" },
	{ .own = 32, .theirs = 31, .usable = "0-31", .is_slow = false, .claim = "0-3" },	/* they may leave these CPUs */
	{ .own = 32, .theirs = 31, .usable = "0-31", .is_slow = true, .claim = "0-3", .is_bound = true },
	{ .own = 32, .theirs = 1, .usable = "0-31", .is_slow = true, .claim = "0-31" },		/* these are all that they have */
	{ .own = 32, .theirs = 1, .usable = "0-32", .is_slow = false, .claim = "0-31" },
};

/* "": nothing is said of another job. */
static const char *
message_of_other_job(int reader)
{
	const char *text = message_next(reader);

	while (*text && !strstr(text, "another of your jobs"))
		text = message_next(reader);
	return text;
}

/* Jobs that have claimed no CPU in common slow each other only where there are twice as many threads as cores. */
START_TEST(another_job_and_too_few_cores)
{
	struct sp_node node;

	if (!node_begin(&node, 2 * RANKS, NULL))
		return;
	const char *claim = too_many[_i].claim ? too_many[_i].claim : "";
	struct sp_seat seat = { .state = SP_SEAT_READY, .inherited = cpus_of_list("0-31"), .share = cpus_of_list("0"), .unpinned = cpus_of_list("0-31"),
				.threads = 1, .is_bound = too_many[_i].is_bound };
	struct sp_terms terms;
	uint32_t need[2 * RANKS];
	ck_assert_int_eq(sp_board_terms(node.board, &terms, need), 0);
	terms.claim = cpus_of_list(claim);
	ck_assert_int_eq(sp_board_revise(node.board, &terms, need, NULL, NULL), 0);
	struct sp_board *other = other_job(claim);

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		seat.threads = rank ? 0 : too_many[_i].own - (RANKS - 1);	/* where nothing is announced, one */
		ck_assert_int_eq(sp_board_write(node.board, rank, &seat), 0);
	}
	seat.unpinned = cpus_of_list(too_many[_i].usable);
	seat.threads = too_many[_i].is_counted ? 0 : too_many[_i].theirs;
	seat.counted = too_many[_i].theirs;
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	ck_assert_int_eq(sp_board_write(other, 0, &seat), 0);
	int reader = message_listen();

	sp_node_report_at_end(&node);
	const char *warning = message_of_other_job(reader);
	ck_assert_msg((strstr(warning, "another of your jobs uses CPU") != NULL) == too_many[_i].is_slow, "%s", warning);
	char holder[64];
	snprintf(holder, sizeof(holder), " of this job too (PID %d, unit-tests), which", (int)getpid());
	ck_assert_msg(!too_many[_i].is_slow || strstr(warning, holder), "%s", warning);
	sp_board_release(other);
	node_end(&node);
}
END_TEST

/* Rank 0 of this job and the rank of another one have these CPUs, claims on them and threads; the other ranks of this job may go elsewhere. */
static const struct {
	const char *own, *own_claim;
	uint32_t own_threads;
	const char *theirs, *their_claim, *unpinned;
	uint32_t their_threads;
	const char *common;	/* CPUs that are said to slow both; "": nothing is said */
	bool is_bound;		/* both by the user's settings */
	const char *second;	/* rank 1 of this job has these CPUs and a thread; NULL: it may go elsewhere, too */
} confined[] = {
	{ "0-3", "0-3", 4, "0-1", "0-1", "0-1", 2, "0-1", false, NULL },
	{ "0-1", "0-1", 2, "0-3", "0-3", "0-3", 4, "0-1", false, NULL },
	{ "0-3", "0-3", 4, "0-3", "0-3", "0-3", 1, "0-3", false, NULL },
	{ "0-3", "0-1", 2, "0-3", "0-1", "0-3", 2, "0-1", true, NULL },
	{ "0-3", "0", 1, "0-3", "0", "0-3", 1, "", true, NULL },	/* a thread that has no team is not bound */
	{ "0-3", "0-1", 2, "0-3", "0-1", "0-3", 2, "", false, NULL },	/* those that no runtime has bound may be on CPUs 2-3 */
	{ "0-3", "0-3", 2, "0-3", "0-3", "0-3", 2, "", false, NULL },	/* each thread may have a core */
	{ "0-3", "0-3", 1, "0-1", "0-1", "0-1", 2, "", false, NULL },
	{ "0-3", "0-3", 9, "3-4", "3-4", "3-4", 1, "", false, NULL },	/* its thread may be on CPU 4 */
	{ "0-3", "0-3", 4, "3-4", "3-4", "3-4", 1, "", false, "0-3" },	/* as here */
	{ "0", "0-2", 9, "0-2", "0-2", "0-2", 1, "", false, "1-2" },	/* and here, where those of rank 0 keep to CPU 0 */
	{ "0-3", "0-3", 4, "0-1", "0-1", "0-7", 2, "", false, NULL },	/* its threads may leave */
	{ "0-3", "0-3", 4, "0-3", "2-3", "0-3", 2, "2-3", false, NULL },
	{ "0-3", "0-1", 2, "0-3", "2-3", "0-3", 2, "", false, NULL },
};

static void
settled(struct sp_board *board, uint32_t rank, const char *share, const char *unpinned, uint32_t threads, bool is_bound)
{
	const struct sp_seat seat = { .state = SP_SEAT_READY, .threads = threads, .is_bound = is_bound, .share = cpus_of_list(share), .unpinned = cpus_of_list(unpinned) };

	ck_assert_int_eq(sp_board_write(board, rank, &seat), 0);
}

START_TEST(jobs_that_cannot_leave_the_same_CPUs)
{
	struct sp_node node;
	struct sp_terms terms;
	uint32_t need[RANKS];

	if (!node_begin(&node, 2 * RANKS, NULL))
		return;
	config.policy.domain = SP_DOMAIN_LISTS;
	ck_assert_int_eq(sp_board_terms(node.board, &terms, need), 0);
	terms.claim = cpus_of_list(confined[_i].own_claim);
	ck_assert_int_eq(sp_board_revise(node.board, &terms, need, NULL, NULL), 0);
	settled(node.board, 0, confined[_i].own, confined[_i].own, confined[_i].own_threads, confined[_i].is_bound);
	for (uint32_t rank = 1; rank < RANKS; rank++)
		settled(node.board, rank, "32", "32-63", 1, false);
	if (confined[_i].second)
		settled(node.board, 1, confined[_i].second, confined[_i].second, 1, false);
	struct sp_board *other = other_job(confined[_i].their_claim);
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	settled(other, 0, confined[_i].theirs, confined[_i].unpinned, confined[_i].their_threads, confined[_i].is_bound);
	int reader = message_listen();

	sp_node_report_at_end(&node);
	char expected[256] = "";
	if (*confined[_i].common)
		snprintf(expected, sizeof(expected), "another of your jobs uses CPUs %s of this job too (PID %d, unit-tests), which slows both while both are busy: "
			 "run them one after the other, or name other CPUs (SPLITPIN_DOMAIN)\n", confined[_i].common, (int)getpid());
	const char *warning = message_of_other_job(reader), *said = strstr(warning, "another of your jobs");
	ck_assert_str_eq(said ? said : "", expected);
	sp_board_release(other);
	node_end(&node);
}
END_TEST

/* Who is on CPU 0 of this job. */
static const char *
holder(const struct sp_node *node)
{
	static char text[SP_HOLDER];
	const struct sp_cpus cpus = cpus_of_list("0");

	return sp_holder_find(node, &cpus, text);
}

static int
nobody_is_named(int rank, void *data)
{
	(void)rank;
	return *holder(data) != '\0';
}

/* srun starts torchrun, a job around that of its workers: these do not name it. */
START_TEST(a_job_around_this_one_is_not_named)
{
	struct sp_node node;

	if (!node_begin(&node, RANKS, NULL))
		return;
	struct sp_board *around = other_job("0-3");
	ck_assert_int_eq(sp_board_arrive(around, 0, false), 0);
	settled(around, 0, "0-3", "0-3", 1, false);
	ck_assert_str_ne(holder(&node), "");
	ck_assert_int_eq(status_of(start_rank(0, nobody_is_named, &node)), 0);
	sp_board_release(around);
	node_end(&node);
}
END_TEST

/* Its seat may have the share of an earlier process. */
START_TEST(a_rank_that_is_just_coming_is_not_named)
{
	struct sp_seat seat = { .state = SP_SEAT_COMING, .share = cpus_of_list("0"), .unpinned = cpus_of_list("0") };
	struct sp_node node;

	if (!node_begin(&node, RANKS, NULL))
		return;
	struct sp_board *other = other_job("0");
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	ck_assert_int_eq(sp_board_write(other, 0, &seat), 0);
	ck_assert_str_eq(holder(&node), "");
	seat.state = SP_SEAT_SETTLED;
	ck_assert_int_eq(sp_board_write(other, 0, &seat), 0);
	ck_assert_str_ne(holder(&node), "");
	sp_board_release(other);
	node_end(&node);
}
END_TEST

static int
settle_and_stop(int rank, void *data)
{
	if (sp_board_arrive(data, (uint32_t)rank, false) != 0)
		return 1;
	settled(data, (uint32_t)rank, "0", "0", 1, false);
	raise(SIGSTOP);
	return 0;
}

START_TEST(a_rank_that_was_stopped_is_not_named)
{
	struct sp_node node;
	int status;

	if (!node_begin(&node, RANKS, NULL))
		return;
	struct sp_board *other = other_job("0");
	pid_t pid = start_rank(0, settle_and_stop, other);
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert(WIFSTOPPED(status));
	ck_assert_str_eq(holder(&node), "");
	kill(pid, SIGCONT);
	ck_assert_int_eq(status_of(pid), 0);
	sp_board_release(other);
	node_end(&node);
}
END_TEST

static void
has_memory(const struct sp_node *node, uint32_t rank, enum sp_seat_state state, const char *policy)
{
	struct sp_seat seat = { .state = state };

	if (state >= SP_SEAT_SETTLED)
		sp_cpus_add(&seat.share, rank);
	strcpy(seat.memory, policy);
	ck_assert_int_eq(sp_board_write(node->board, rank, &seat), 0);
}

/* Rank 0 warns by itself; of others it is told, and of those alone that have a share. */
START_TEST(a_policy_that_other_ranks_lack)
{
	struct sp_node node;

	if (!node_begin(&node, RANKS, "SPLITPIN_MEMORY=local"))
		return;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		has_memory(&node, rank, SP_SEAT_READY, "local");
	has_memory(&node, 0, SP_SEAT_READY, _i ? "default" : "local");
	has_memory(&node, 1, SP_SEAT_REFUSED, "default");
	has_memory(&node, 2, SP_SEAT_SETTLED, "default");
	has_memory(&node, 5, SP_SEAT_READY, "kept:bind:0");
	int reader = message_listen();

	sp_node_report_at_end(&node);
	const char *warning = "splitpin: warning: host=n1 SPLITPIN_MEMORY=local is not available to 2 of 32 ranks, such as rank 2: "
			      "their memory policy is unchanged; SPLITPIN_DEBUG=1 shows why\n";
	ck_assert_str_eq(message_next(reader), _i ? "" : warning);
	ck_assert_str_eq(message_next(reader), "");
	node_end(&node);
}
END_TEST

/* The remedy is the launcher's only where the launcher has bound the ranks. */
static const struct {
	bool is_decided, is_below;
	bool are_others;	/* another job has the cores that are idle in this one */
} bound_by[] = { { false, false, false }, { true, false, false }, { true, true, false }, { true, false, true } };

START_TEST(the_remedy_is_of_what_bound_the_ranks)
{
	struct sp_node node;
	const struct sp_decision decision = { .what = 1, .is_below = bound_by[_i].is_below };
	const struct sp_part part[RANKS] = { 0 };
	struct sp_seat seat = { .state = SP_SEAT_READY, .threads = 4, .why = "so" };

	if (!node_begin(&node, 2 * RANKS, NULL))
		return;
	sp_cpus_add(&seat.share, 3);
	ck_assert_int_eq(sp_board_write(node.board, 3, &seat), 0);
	if (bound_by[_i].is_decided)
		ck_assert_int_eq(sp_board_revise(node.board, NULL, NULL, &decision, part), 0);
	struct sp_board *other = bound_by[_i].are_others ? other_job("32-63") : NULL;
	int reader = message_listen();

	sp_node_report_at_end(&node);
	const char *warning = message_next(reader);
	ck_assert_msg(strstr(warning, other ? "1 rank has more threads than CPUs: rank 3 has 1 CPU for 4 threads; set OMP_NUM_THREADS=1" :
					      "1 rank has more threads than cores while 32 cores are idle: rank 3 has 1 core (CPU 3) for 4 threads, so; ") != NULL,
		      "%s", warning);
	ck_assert_msg((strstr(warning, "srun") == NULL) == (bound_by[_i].is_below || other), "%s", warning);
	if (other)
		sp_board_release(other);
	node_end(&node);
}
END_TEST

#define ENDED "splitpin: warning: host=n1 "

/* Rank 0 ends, whose first thread somebody has bound to the CPU of rank 1. */
static const struct {
	bool other_is_there, is_noted;
	unsigned waited;
	const char *by;
	const char *line;
} first_threads[] = {
	{ false, true, 0, "libfoo.so", ENDED "the first threads of ranks 0 and 1 were both bound to CPU 1 (by libfoo.so): SPLITPIN_GUARD=keep restores masks\n" },
	{ false, true, 60, NULL, ENDED "the first threads of ranks 0 and 1 were both bound to CPU 1 (by the program itself): switch off the program's own binding\n" },
	{ false, false, 25, "", ENDED "the first thread of rank 0 was bound to CPU 1 (not by splitpin), outside the share 0, and waited 25 percent of its time for it: SPLITPIN_GUARD=keep restores masks\n" },
	{ false, false, 24, "", "" },
	{ true, false, 0, "", ENDED "the first threads of ranks 0 and 1 were both bound to CPU 1 (not by splitpin): SPLITPIN_GUARD=keep restores masks\n" },
};

/* All but rank 0 have ended, rank 1 with this mark of the CPU of its first thread. */
static void
others_left(const struct sp_node *node, uint16_t bound)
{
	struct sp_seat seat = { .state = SP_SEAT_LEFT };

	for (uint32_t rank = 1; rank < RANKS; rank++) {
		seat.bound = rank == 1 ? bound : 0;
		ck_assert_int_eq(sp_board_write(node->board, rank, &seat), 0);
	}
}

START_TEST(a_first_thread_on_the_CPU_of_another_is_named)
{
	const struct sp_cpus share = cpus_of_list("0"), cpu = cpus_of_list("1");
	struct sp_node node;

	/* All ranks are this process; where it may not run on that CPU, there is nothing to try. */
	if (!node_begin(&node, RANKS, NULL) || sp_pin_set(0, &cpu) != 0)
		return;
	if (!first_threads[_i].other_is_there)
		others_left(&node, first_threads[_i].is_noted ? 2 : 0);
	int reader = message_listen();

	sp_first_thread_report(&node, &share, &(struct sp_first_thread){
		.cpu = 1, .by = first_threads[_i].by, .waited = first_threads[_i].waited });
	ck_assert_str_eq(message_next(reader), first_threads[_i].line);
	sp_first_thread_report(&node, &share, &(struct sp_first_thread){ .cpu = 1, .by = "", .waited = 100 });
	bool is_silent = *message_next(reader) == '\0';
	ck_assert(is_silent == (*first_threads[_i].line != '\0'));
	node_end(&node);
}
END_TEST

/* The first thread of the rank, and that of a rank of another job, this process, on a CPU of the share. */
static const struct {
	const char *bound;	/* CPUs of the other job's first thread */
	unsigned waited;
	bool is_named;
} in_the_share[] = {
	{ "1", 25, true },
	{ "1", 24, false },
	{ "0", 90, false },
	{ "0-1", 90, false },
};

START_TEST(a_first_thread_on_the_CPU_of_another_job_is_named)
{
	const struct sp_cpus share = cpus_of_list("0-1"), bound = cpus_of_list(in_the_share[_i].bound);
	char line[256] = "";
	struct sp_node node;

	if (!node_begin(&node, RANKS, NULL) || sp_pin_set(0, &bound) != 0)
		return;
	struct sp_board *other = other_job("2");
	ck_assert_int_eq(sp_board_arrive(other, 0, false), 0);
	settled(other, 0, "2", "2", 1, false);
	int reader = message_listen();

	if (in_the_share[_i].is_named)
		snprintf(line, sizeof(line), ENDED "the first thread of rank 0 was bound to CPU 1 (by libfoo.so), as was that of another of your jobs (PID %d), and waited 25 percent of its time for it: SPLITPIN_GUARD=keep restores masks\n", (int)getpid());
	sp_first_thread_report(&node, &share, &(struct sp_first_thread){ .cpu = 1, .by = "libfoo.so", .waited = in_the_share[_i].waited });
	ck_assert_str_eq(message_next(reader), line);
	sp_board_release(other);
	node_end(&node);
}
END_TEST

Suite *
suite_node_report(void)
{
	Suite *suite = suite_create("node_report");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, one_rank_looks_at_all_seats, 0, sizeof(reasons) / sizeof(reasons[0]));
	tcase_add_loop_test(facts, another_job_on_a_part_that_is_not_divided, 0, sizeof(beside) / sizeof(beside[0]));
	tcase_add_loop_test(facts, another_job_and_too_few_cores, 0, sizeof(too_many) / sizeof(too_many[0]));
	tcase_add_loop_test(facts, jobs_that_cannot_leave_the_same_CPUs, 0, sizeof(confined) / sizeof(confined[0]));
	tcase_add_test(facts, a_job_around_this_one_is_not_named);
	tcase_add_test(facts, a_rank_that_is_just_coming_is_not_named);
	tcase_add_test(facts, a_rank_that_was_stopped_is_not_named);
	tcase_add_loop_test(facts, a_policy_that_other_ranks_lack, 0, 2);
	tcase_add_loop_test(facts, the_remedy_is_of_what_bound_the_ranks, 0, sizeof(bound_by) / sizeof(bound_by[0]));
	tcase_add_loop_test(facts, a_first_thread_on_the_CPU_of_another_is_named, 0, sizeof(first_threads) / sizeof(first_threads[0]));
	tcase_add_loop_test(facts, a_first_thread_on_the_CPU_of_another_job_is_named, 0, sizeof(in_the_share) / sizeof(in_the_share[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
