/* Facts about what "splitpin show" finds wrong, on invented jobs. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/show/jobs_without.h"
#include "cmd/show/running.h"
#include "emulated.h"
#include "machines.h"
#include "suites.h"

static struct show show;

/* A job of one rank a share, on 8 cores of 2 threads: CPUs c and c + 8. */
static struct show_job *
add_job(const char *name, const char *const shares[], uint32_t nranks)
{
	show.job = cmd_enlarge(show.job, show.njobs + 1, sizeof(*show.job));
	struct show_job *job = &show.job[show.njobs++];

	*job = (struct show_job){ .name = cmd_format("%s", name), .is_wanted = true, .machine = machine_uniform(8, 2),
				  .nranks = nranks, .rank = cmd_allocate(nranks, sizeof(*job->rank)) };
	for (uint32_t i = 0; i < nranks; i++) {
		job->rank[i].seat.state = SP_SEAT_READY;
		job->rank[i].seat.share = cpus_of_list(shares[i]);
		sp_cpus_or(&job->claim, &job->rank[i].seat.share);
	}
	return job;
}

static void
add_thread(struct show_rank *rank, pid_t tid, const char *cpus, bool is_busy)
{
	rank->thread = cmd_enlarge(rank->thread, rank->nthreads + 1, sizeof(*rank->thread));
	struct show_thread *thread = &rank->thread[rank->nthreads++];

	*thread = (struct show_thread){ .tid = tid, .name = "worker", .state = is_busy ? 'R' : 'S', .is_busy = is_busy,
					.cpus = cpus_of_list(cpus) };
	thread->last = sp_cpus_next(&thread->cpus, 0);
}

static size_t
faults(enum show_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < show.nfaults; i++)
		n += show.fault[i].kind == kind;
	return n;
}

static void
summary_is(const char *expected)
{
	char *summary = faults_summary(&show);

	ck_assert_str_eq(summary, expected);
	free(summary);
}

static const char *const apart[] = { "0-3,8-11", "4-7,12-15" };

START_TEST(threads_in_their_share_are_right)
{
	struct show_job *job = add_job("job", apart, 2);

	add_thread(&job->rank[0], 10, "0-3,8-11", true);
	add_thread(&job->rank[0], 11, "1,9", true);
	add_thread(&job->rank[1], 20, "4", true);
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 0);
	ck_assert_uint_eq(job->verdict.idle, 0);
	summary_is("1 job, 2 ranks, 3 threads: no problems");
}
END_TEST

START_TEST(a_thread_outside_of_the_share_has_drifted)
{
	struct show_job *job = add_job("job", apart, 2);

	add_thread(&job->rank[0], 10, "0", false);
	add_thread(&job->rank[0], 11, "2-5", false);
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 1);
	ck_assert_uint_eq(show.fault[0].kind, SHOW_DRIFT);
	ck_assert_int_eq(show.fault[0].tid, 11);
	ck_assert_ptr_null(job->rank[0].thread[0].mark);
	ck_assert_str_eq(job->rank[0].thread[1].mark, "may run on CPUs 4-5, outside the share");
	ck_assert_str_eq(show.fault[0].text, "job: rank 0, thread 11 (worker) may run on CPUs 4-5, outside the share");
	summary_is("1 job, 2 ranks, 2 threads: 1 thread may run outside its rank's share");
}
END_TEST

/* They may use all CPUs that they could use without splitpin, also those that other ranks have claimed. */
START_TEST(threads_that_are_left_to_the_kernel_have_not_drifted)
{
	struct show_job *job = add_job("job", (const char *const[]){ "0,8", "1,9" }, 2);

	job->rank[0].seat.unpinned = cpus_of_list("0-15");
	for (pid_t tid = 10; tid < 13; tid++)
		add_thread(&job->rank[0], tid, "0-15", true);
	add_thread(&job->rank[1], 20, "0-15", true);
	job->has_terms = true;
	faults_find(&show);
	ck_assert_uint_eq(faults(SHOW_DRIFT), 1);
	ck_assert_ptr_nonnull(job->rank[1].thread[0].mark);
	ck_assert_ptr_null(job->rank[0].thread[0].mark);
}
END_TEST

START_TEST(what_has_ended_or_has_no_share_cannot_drift)
{
	struct show_job *job = add_job("job", apart, 2);

	add_thread(&job->rank[0], 10, "0-15", false);
	job->rank[0].seat.state = SP_SEAT_COMING;
	add_thread(&job->rank[1], 20, "0-15", false);
	job->rank[1].thread[0].state = 'Z';
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 0);
}
END_TEST

START_TEST(busy_threads_on_one_core_are_crowded_while_another_is_empty)
{
	struct show_job *job = add_job("job", (const char *const[]){ "0-2,8-10" }, 1);

	add_thread(&job->rank[0], 10, "0,8", true);
	add_thread(&job->rank[0], 11, "8", true);
	add_thread(&job->rank[0], 12, "1", true);
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 1);
	ck_assert_uint_eq(show.fault[0].kind, SHOW_CROWDED);
	ck_assert_str_eq(job->rank[0].thread[1].mark, "shares core 0 with busy thread 10, while core 2 of the share is idle");
}
END_TEST

/* No core is empty; one of two threads sleeps; one is not pinned, and was last seen on the third core. */
START_TEST(threads_are_not_crowded)
{
	struct show_job *job = add_job("job", (const char *const[]){ "0-1,8-9", "2-4,10-12", "5-7,13-15" }, 3);

	add_thread(&job->rank[0], 10, "0", true);
	add_thread(&job->rank[0], 11, "8", true);
	add_thread(&job->rank[0], 12, "1", false);
	add_thread(&job->rank[1], 20, "2", true);
	add_thread(&job->rank[1], 21, "10", false);
	add_thread(&job->rank[2], 30, "5", true);
	add_thread(&job->rank[2], 31, "13", true);
	add_thread(&job->rank[2], 32, "6", false);
	add_thread(&job->rank[2], 33, "5-7,13-15", true);
	job->rank[2].thread[3].last = 7;
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 0);
}
END_TEST

START_TEST(overlapping_ranks_are_told_once)
{
	struct show_job *job = add_job("job", (const char *const[]){ "0-1", "1-2", "5" }, 3);

	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 1);
	ck_assert_uint_eq(job->verdict.overlapping, 2);
	ck_assert_str_eq(show.fault[0].text, "job: 2 of 3 ranks overlap: ranks 0 and 1 both have CPU 1");
}
END_TEST

START_TEST(ranks_that_have_left_do_not_overlap)
{
	struct show_job *job = add_job("job", (const char *const[]){ "0-1", "1-2" }, 2);

	job->rank[1].seat.state = SP_SEAT_LEFT;
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 0);
	summary_is("1 job, 1 rank, 0 threads: no problems");
}
END_TEST

START_TEST(jobs_overlap_with_each_other)
{
	add_job("one", (const char *const[]){ "0-3" }, 1);
	add_job("two", (const char *const[]){ "3-5" }, 1);
	add_job("three", (const char *const[]){ "6" }, 1);
	faults_find(&show);
	ck_assert_uint_eq(faults(SHOW_OVERLAP), 1);
	ck_assert_str_eq(show.fault[0].text, "jobs one and two both use CPU 3");
}
END_TEST

START_TEST(jobs_that_are_not_wanted_count_as_neighbours_alone)
{
	add_job("one", (const char *const[]){ "0-1", "1-2" }, 2);
	add_job("two", (const char *const[]){ "2-5" }, 1);
	add_job("three", (const char *const[]){ "1" }, 1);
	show.job[0].is_wanted = show.job[2].is_wanted = false;
	add_thread(&show.job[0].rank[0], 10, "0-15", true);
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 1);
	ck_assert_str_eq(show.fault[0].text, "jobs one and two both use CPU 2");
	summary_is("1 job, 1 rank, 0 threads: 1 overlap of shares");
}
END_TEST

START_TEST(a_dry_run_has_no_faults)
{
	struct show_job *job = add_job("one", (const char *const[]){ "0-3", "0-3" }, 2);

	job->dry_run = true;
	add_thread(&job->rank[0], 10, "0-15", true);
	add_job("two", (const char *const[]){ "3-5" }, 1);
	faults_find(&show);
	ck_assert_uint_eq(show.nfaults, 0);
}
END_TEST

START_TEST(cores_that_another_job_claims_are_not_idle)
{
	add_job("wide", (const char *const[]){ "0-5,8-13" }, 1)->claim = cpus_of_list("0-2,8-10");
	add_job("beside", (const char *const[]){ "4,12" }, 1);
	faults_find(&show);
	ck_assert_uint_eq(show.job[0].verdict.idle, 2);
	ck_assert_uint_eq(show.job[1].verdict.idle, 4);
	show.job[0].dry_run = true;
	faults_find(&show);
	ck_assert_uint_eq(show.job[1].verdict.idle, 7);
}
END_TEST

START_TEST(a_claim_is_what_of_it_is_in_the_share)
{
	static const char *const shares[] = { "0-3,8-11", "4-7,12-15", "0" };
	uint32_t need[] = { 2, SP_NEED_FIXED, 0 };
	struct show_job *job = add_job("a", shares, 3);

	job->claim = cpus_of_list("0,2,4-7,8,10,12-15");
	ck_assert_uint_eq(jobs_need(job, 0), 0);
	job->need = need;
	ck_assert_uint_eq(jobs_need(job, 0), 2);
	ck_assert_uint_eq(jobs_need(job, 1), 0);
	ck_assert_uint_eq(jobs_need(job, 2), 0);
	struct sp_cpus claim = jobs_claim(job, 0), expected = cpus_of_list("0,2,8,10");
	ck_assert(sp_cpus_equal(&claim, &expected));
	claim = jobs_claim(job, 1);
	ck_assert(sp_cpus_equal(&claim, &job->rank[1].seat.share));
	job->need = NULL;
}
END_TEST

START_TEST(no_job_is_nothing_wrong)
{
	faults_find(&show);
	summary_is("no job runs with splitpin on this node");
}
END_TEST

START_TEST(a_stat_file_is_read)
{
	struct show_thread thread = { .tid = 1 };

	ck_assert(threads_parse_stat("4242 (a) R 7 (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 "
				   "26 27 28 29 30 31 32 33 34 17 61 0 0\n", &thread));
	ck_assert_str_eq(thread.name, "a) R 7 (x");
	ck_assert_int_eq(thread.state, 'S');
	ck_assert_uint_eq(thread.last, 61);
	ck_assert(threads_parse_stat("7 (\x1b[2J\xff) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 "
				   "26 27 28 29 30 31 32 33 34 17 61 0\n", &thread));
	ck_assert_str_eq(thread.name, "?[2J?");
}
END_TEST

START_TEST(what_is_no_stat_file_is_refused)
{
	static const char *const texts[] = { "", "1", "1 (a", "1 (a)", "1 (a) S", "1 (a) S 2 3 4", ") 1 (" };
	struct show_thread thread;

	ck_assert(!threads_parse_stat(texts[_i], &thread));
}
END_TEST

START_TEST(a_status_file_is_read)
{
	const struct sp_cpus expected = cpus_of_list("0-3,68");
	struct show_thread thread = { .tid = 1 };

	ck_assert(threads_parse_status("Name:\tCpus_allowed_list:\t9\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,68\nMems:\t0\n", &thread));
	ck_assert(sp_cpus_equal(&thread.cpus, &expected));
	ck_assert(!threads_parse_status("Name:\ta\n", &thread));
	ck_assert(!threads_parse_status("Name:\ta\nCpus_allowed_list:\tx\n", &thread));
}
END_TEST

START_TEST(this_process_is_read)
{
	char name[SHOW_NAME];
	struct show_thread *thread;
	size_t n = threads_read(getpid(), &thread);

	ck_assert_uint_eq(n, 1 + emulators_threads());
	ck_assert_int_eq(thread[0].tid, getpid());
	ck_assert_int_eq(thread[0].state, 'R');
	ck_assert_uint_eq(threads_read_again(getpid(), thread, n), n);
	ck_assert(thread[0].is_busy);
	ck_assert_uint_eq(threads_read_again(-1, thread, n), 0);
	free(thread);
	threads_program(getpid(), name);
	ck_assert_str_eq(name, "unit-tests");
}
END_TEST

static void
release(void)
{
	jobs_release(&show);
}

static void
check_few_cpus(const char *end)
{
	faults_find(&show);
	ck_assert_uint_eq(faults(SHOW_FEW_CPUS), end ? 1 : 0);
	for (size_t i = 0; i < show.nfaults; i++)
		if (show.fault[i].kind == SHOW_FEW_CPUS)
			ck_assert_msg(strstr(show.fault[i].text, end), "%s", show.fault[i].text);
}

static const char *const narrow[] = { "0-1", "2-3" };

START_TEST(busy_threads_are_counted_where_they_may_run)
{
	struct show_job *job = add_job("job", narrow, 2);

	add_thread(&job->rank[0], 10, "0-1", true);
	add_thread(&job->rank[0], 11, "0-1", true);
	add_thread(&job->rank[0], 12, "0-1", false);
	add_thread(&job->rank[1], 20, "2-3", true);
	check_few_cpus(NULL);
	add_thread(&job->rank[0], 13, "0-1", true);
	check_few_cpus("job: 3 busy threads of rank 0 may run only on 2 CPUs (0-1): start fewer");
}
END_TEST

START_TEST(two_runtimes_on_one_core)
{
	struct show_job *job = add_job("job", narrow, 1);

	/* One CPU of each core, and no core is empty. */
	add_thread(&job->rank[0], 10, "0", true);
	add_thread(&job->rank[0], 11, "1", true);
	check_few_cpus(NULL);
	add_thread(&job->rank[0], 12, "1", true);
	check_few_cpus("job: 2 busy threads of rank 0 may run only on 1 CPU (1): its share has more CPUs");
}
END_TEST

START_TEST(two_ranks_bound_to_the_same_CPU)
{
	struct show_job *job = add_job("job", narrow, 2);

	add_thread(&job->rank[0], 10, "0", true);
	add_thread(&job->rank[1], 20, "0", true);
	check_few_cpus("job: 2 busy threads of ranks 0 and 1 may run only on 1 CPU (0): leave lists of CPUs");
	ck_assert_uint_eq(faults(SHOW_DRIFT), 1);
}
END_TEST

/* What the verdict or a mark tells is not told again. */
START_TEST(crowds_are_reported_once)
{
	struct show_job *job = add_job("starved", narrow, 1);

	job->rank[0].seat.threads = 3;
	for (pid_t tid = 10; tid < 13; tid++)
		add_thread(&job->rank[0], tid, "0-1", true);
	check_few_cpus(NULL);
	ck_assert_uint_eq(faults(SHOW_STARVED), 1);

	job = add_job("marked", apart, 1);
	add_thread(&job->rank[0], 20, "0", true);
	add_thread(&job->rank[0], 21, "0", true);
	check_few_cpus(NULL);
	ck_assert_uint_eq(faults(SHOW_CROWDED), 1);
}
END_TEST

START_TEST(one_starved_rank_is_named)
{
	struct show_job *job = add_job("job", narrow, 2);

	job->rank[1].seat.threads = 3;
	faults_find(&show);
	ck_assert_uint_eq(faults(SHOW_STARVED), 1);
	ck_assert_msg(strstr(show.fault[0].text, "job: rank 1 has CPUs 2-3 for 3 threads ("), "%s", show.fault[0].text);
}
END_TEST

START_TEST(starved_ranks_are_counted)
{
	struct show_job *job = add_job("job", narrow, 2);

	job->rank[0].seat.threads = job->rank[1].seat.threads = 3;
	faults_find(&show);
	ck_assert_uint_eq(faults(SHOW_STARVED), 1);
	ck_assert_msg(strstr(show.fault[0].text, "job: 2 of 2 ranks have too few CPUs for their threads, such as rank 0: CPUs 0-1 for 3 threads ("),
		      "%s", show.fault[0].text);
}
END_TEST

/* A job without splitpin, of one rank for each CPU list, which are this process as jobs_without_read has seen it. */
static struct show_other *
add_other(const char *const cpus[], size_t n)
{
	show.other = cmd_enlarge(show.other, show.nothers + 1, sizeof(*show.other));
	struct show_other *other = &show.other[show.nothers++];

	*other = (struct show_other){ .is_wanted = true, .line = cmd_format("line"), .process = cmd_allocate(n, sizeof(*other->process)), .n = n };
	for (size_t i = 0; i < n; i++) {
		struct show_process *process = &other->process[i];

		*process = (struct show_process){ .pid = getpid(), .number = (int)i };
		process->nthreads = threads_read(getpid(), &process->thread);
		process->thread[0].is_busy = true;
		process->thread[0].cpus = cpus_of_list(cpus[i]);
	}
	return other;
}

/* Of three ranks two end between the two looks, then the last. */
START_TEST(a_process_that_has_ended_is_dropped)
{
	struct show_other *other = add_other((const char *const[]){ "0", "1", "2" }, 3);

	other->process[0].pid = other->process[2].pid = -1;
	jobs_without_read_again(&show);
	ck_assert_uint_eq(show.nothers, 1);
	ck_assert_uint_eq(other->n, 1);
	ck_assert_int_eq(other->process[0].number, 1);
	other->process[0].pid = -1;
	jobs_without_read_again(&show);
	ck_assert_uint_eq(show.nothers, 0);
}
END_TEST

START_TEST(each_job_that_is_crowded_is_told)
{
	add_other((const char *const[]){ "0", "0" }, 2);
	add_other((const char *const[]){ "1", "1", "2" }, 3)->unbound_line = cmd_format("unbound");
	add_other((const char *const[]){ "3", "4" }, 2)->unbound_line = cmd_format("unbound");
	add_other((const char *const[]){ "5" }, 1);
	add_other((const char *const[]){ "5" }, 1);
	jobs_without_find_faults(&show);
	ck_assert_uint_eq(show.ncrowded, 4);
	ck_assert_str_eq(show.other[0].problem, "2 busy threads may run only on 1 CPU (0)");
	ck_assert_str_eq(show.other[0].line, "line");
	ck_assert_str_eq(show.other[1].problem, "2 busy threads may run only on 1 CPU (1)");
	ck_assert_str_eq(show.other[1].line, "unbound");
	ck_assert_ptr_null(show.other[2].problem);
	ck_assert_str_eq(show.other[2].line, "line");
	ck_assert_str_eq(show.other[4].problem, "2 busy threads may run only on 1 CPU (5): 1 of this job, 1 of others");
}
END_TEST

Suite *
suite_show(void)
{
	Suite *suite = suite_create("show");
	TCase *faults = tcase_create("faults"), *reading = tcase_create("read");

	tcase_add_checked_fixture(faults, NULL, release);
	tcase_add_test(faults, threads_in_their_share_are_right);
	tcase_add_test(faults, a_thread_outside_of_the_share_has_drifted);
	tcase_add_test(faults, threads_that_are_left_to_the_kernel_have_not_drifted);
	tcase_add_test(faults, what_has_ended_or_has_no_share_cannot_drift);
	tcase_add_test(faults, busy_threads_on_one_core_are_crowded_while_another_is_empty);
	tcase_add_test(faults, threads_are_not_crowded);
	tcase_add_test(faults, overlapping_ranks_are_told_once);
	tcase_add_test(faults, ranks_that_have_left_do_not_overlap);
	tcase_add_test(faults, jobs_overlap_with_each_other);
	tcase_add_test(faults, jobs_that_are_not_wanted_count_as_neighbours_alone);
	tcase_add_test(faults, a_dry_run_has_no_faults);
	tcase_add_test(faults, cores_that_another_job_claims_are_not_idle);
	tcase_add_test(faults, a_claim_is_what_of_it_is_in_the_share);
	tcase_add_test(faults, no_job_is_nothing_wrong);
	tcase_add_test(faults, a_process_that_has_ended_is_dropped);
	tcase_add_test(faults, each_job_that_is_crowded_is_told);
	suite_add_tcase(suite, faults);
	tcase_add_test(reading, a_stat_file_is_read);
	tcase_add_loop_test(reading, what_is_no_stat_file_is_refused, 0, 7);
	tcase_add_test(reading, a_status_file_is_read);
	tcase_add_test(reading, this_process_is_read);
	tcase_add_test(reading, busy_threads_are_counted_where_they_may_run);
	tcase_add_test(reading, two_runtimes_on_one_core);
	tcase_add_test(reading, two_ranks_bound_to_the_same_CPU);
	tcase_add_test(reading, crowds_are_reported_once);
	tcase_add_test(reading, one_starved_rank_is_named);
	tcase_add_test(reading, starved_ranks_are_counted);
	suite_add_tcase(suite, reading);
	return suite;
}
