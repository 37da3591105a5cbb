/* Facts about what a survey makes of an interval: who had too few CPUs, why, what was lost. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/survey/batch_job.h"
#include "cmd/survey/judge.h"
#include "machines.h"
#include "suites.h"

#define SECOND 1000000000u

/*
 * An interval of one second on 4 CPUs.  Processes as "JOB:FIRST:THREADS ...", where
 * a thread is CPUS/RAN/WAITED in ms, threads separated by commas; FIRST is
 * where the process might run when it was found.  of_first: changes job 0.
 */
static void
no_change(struct survey_job *job)
{
	(void)job;
}

static void
with_launcher(struct survey_job *job)
{
	job->launcher = "openmpi";
}

static void
with_request(struct survey_job *job)
{
	job->launcher = "openmpi";
	job->is_asked = true;
}

static void
with_list(struct survey_job *job)
{
	job->list = strdup("GOMP_CPU_AFFINITY");
}

static void
with_bound_runtime(struct survey_job *job)
{
	job->launcher = "hydra";
	job->is_bound_by_runtime = true;
}

static void
with_confined_launcher(struct survey_job *job)
{
	job->launcher = "hydra";
	job->around = cpus_of_list("0");
}

static void
with_one_cpu(struct survey_job *job)
{
	job->allocated = cpus_of_list("0");
}

/* Idle: ms of each of the 4 CPUs.  One interval alone is no pile-up, two are, and both count.  Lost and left out: ms of job 0. */
static const struct {
	const char *processes;
	void (*change)(struct survey_job *job);
	unsigned idle[4];
	enum survey_cause cause;
	unsigned lost, left_out;
} cases[] = {
	{ "0:0-3:0-3/1000/0,0-3/1000/0", no_change, { 0, 0, 1000, 1000 }, CAUSES, 0, 0 },
	{ "0:0:0/500/500,0/500/500", with_launcher, { 0, 1000, 1000, 1000 }, CAUSE_DEFAULT, 1000, 3000 },
	{ "0:0:0/500/500,0/500/500", with_request, { 0, 1000, 1000, 1000 }, CAUSE_REQUEST, 1000, 0 },
	{ "0:0:0/500/500,0/500/500", no_change, { 0, 1000, 1000, 1000 }, CAUSE_REQUEST, 1000, 0 },
	{ "0:0:0/500/500,0/500/500", with_list, { 0, 1000, 1000, 1000 }, CAUSE_LIST, 1000, 0 },
	{ "0:0:0/500/500 0:0:0/500/500", with_bound_runtime, { 0, 1000, 1000, 1000 }, CAUSE_OPENMP, 1000, 0 },
	/* One process on one CPU is the launcher's work, whatever its runtime binds. */
	{ "0:0:0/500/500,0/500/500", with_bound_runtime, { 0, 1000, 1000, 1000 }, CAUSE_DEFAULT, 1000, 0 },
	{ "0:0:0/500/500 0:0:0/500/500", with_confined_launcher, { 0, 1000, 1000, 1000 }, CAUSE_REQUEST, 1000, 0 },
	{ "0:0-3:0/500/500,0/500/500", with_launcher, { 0, 1000, 1000, 1000 }, CAUSE_PROGRAM, 1000, 3000 },
	{ "0:0:0/500/500 1:0:0/500/500", with_launcher, { 0, 1000, 1000, 1000 }, CAUSE_TWO_JOBS, 500, 3000 },
	{ "0:0:0/500/500,0/500/500", with_one_cpu, { 0, 1000, 1000, 1000 }, CAUSE_THREADS, 0, 0 },
	/* Where no other CPU of the job is idle nothing is lost: what others have is no fault of the binding. */
	{ "0:0:0/500/500,0/500/500", with_launcher, { 0, 0, 0, 0 }, CAUSE_DEFAULT, 0, 0 },
	{ "0:0:0/500/500,0/500/500", with_launcher, { 0, 300, 0, 0 }, CAUSE_DEFAULT, 300, 300 },
	/* Threads that are not bound wait for other users, and where they are more than CPUs. */
	{ "0:0-3:0-3/500/500,0-3/500/500", with_launcher, { 500, 500, 500, 500 }, CAUSES, 0, 0 },
	{ "0:0-3:0-3/800/200,0-3/800/200,0-3/800/200,0-3/800/200,0-3/800/200", no_change, { 0, 0, 0, 0 }, CAUSE_THREADS, 0, 0 },
	/* A helper thread that sleeps makes no crowd, nor do two that take turns. */
	{ "0:0:0/900/100,0/100/0", with_launcher, { 0, 1000, 1000, 1000 }, CAUSES, 100, 3000 },
	{ "0:0:0/500/20,0/500/20", with_launcher, { 0, 1000, 1000, 1000 }, CAUSES, 40, 3000 },
	{ "0:0:0/1000/0", with_launcher, { 0, 1000, 1000, 1000 }, CAUSES, 0, 3000 },
};

static struct survey survey;
static struct survey_job job[2];
static struct survey_process process[8];
static struct survey_thread thread[8][8];

static void
read_thread(const char *text, struct survey_thread *to)
{
	char list[32];
	unsigned ran, waited;

	ck_assert_int_eq(sscanf(text, "%31[^/]/%u/%u", list, &ran, &waited), 3);
	*to = (struct survey_thread){ .tid = 1, .cpus = cpus_of_list(list), .lacked_ns = waited * 1000000ull, .need_ns = (ran + waited) * 1000000ull };
}

static void
read_processes(const char *text)
{
	char copy[256], *rest = NULL, *inner;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
		struct survey_process *to = &process[survey.nprocesses];
		unsigned number;
		char list[32], *threads = strrchr(one, ':');

		ck_assert_int_eq(sscanf(one, "%u:%31[^:]:", &number, list), 2);
		*to = (struct survey_process){ .pid = 1, .job = &job[number], .first = cpus_of_list(list), .thread = thread[survey.nprocesses++] };
		job[number].living++;
		for (char *word = strtok_r(threads + 1, ",", &inner); word; word = strtok_r(NULL, ",", &inner))
			read_thread(word, &to->thread[to->nthreads++]);
	}
}

static void
begin(const char *processes, const unsigned idle[4])
{
	memset(&survey, 0, sizeof(survey));
	survey.all = cpus_of_list("0-3");
	survey.interval_ns = SECOND;
	survey.time = 1000;
	survey.process = process;
	survey.job = &job[0];
	for (int i = 0; i < 4; i++)
		survey.idled_ns[i] = idle[i] * 1000000ull;
	for (int i = 0; i < 2; i++)
		job[i] = (struct survey_job){ .allocated = survey.all, .next = i ? NULL : &job[1] };
	read_processes(processes);
}

START_TEST(an_interval_shows)
{
	begin(cases[_i].processes, cases[_i].idle);
	cases[_i].change(&job[0]);
	judge_interval(&survey);
	ck_assert_int_eq(judge_cause(&job[0]), CAUSES);
	ck_assert_uint_eq(job[0].lost_ns / 1000000, cases[_i].lost);
	ck_assert_uint_eq(job[0].left_out_ns / 1000000, cases[_i].left_out);
	judge_interval(&survey);
	ck_assert_int_eq(judge_cause(&job[0]), cases[_i].cause);
	ck_assert_uint_eq(judge_piled(&job[0]), cases[_i].cause == CAUSES ? 0 : 2 * (uint64_t)SECOND);
	judge_interval(&survey);
	ck_assert_uint_eq(judge_piled(&job[0]), cases[_i].cause == CAUSES ? 0 : 3 * (uint64_t)SECOND);
	free(job[0].list);
}
END_TEST

/* Two jobs do not both lose what one idle core could have given. */
START_TEST(an_idle_core_is_lost_once)
{
	begin("0:0:0/500/500 1:0:0/500/500", (unsigned[]){ 0, 600, 0, 0 });
	judge_interval(&survey);
	ck_assert_uint_eq((job[0].lost_ns + job[1].lost_ns) / 1000000, 600);
}
END_TEST

START_TEST(the_longest_cause_counts)
{
	struct survey_job one = { .piled_ns = { [CAUSE_DEFAULT] = 1, [CAUSE_TWO_JOBS] = 3, [CAUSE_PROGRAM] = 2 } };

	ck_assert_int_eq(judge_cause(&one), CAUSE_TWO_JOBS);
	ck_assert_uint_eq(judge_piled(&one), 6);
}
END_TEST

static const struct {
	const char *text, *job, *step, *unified, *cpuset;
} groups[] = {
	{ "0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_1\n", "17", "0",
	  "/system.slice/slurmstepd.scope/job_17/step_0/user/task_1", NULL },
	{ "0::/system.slice/slurmstepd.scope/job_17/step_batch/user/task_0\n", "17", "batch",
	  "/system.slice/slurmstepd.scope/job_17/step_batch/user/task_0", NULL },
	{ "9:cpuset,memory:/slurm/uid_1000/job_4711/step_2\n1:name=systemd:/x\n0::/\n", "4711", "2", "/", "/slurm/uid_1000/job_4711/step_2" },
	{ "3:cpuset:/pbs_jobs.service/jobid/23.server\n", "23.server", "", NULL, "/pbs_jobs.service/jobid/23.server" },
	{ "4:cpuset:/lsf/one/job.99.4711.1700000000\n", "99.4711.1700000000", "", NULL, "/lsf/one/job.99.4711.1700000000" },
	{ "0::/user.slice/user-1000.slice/session-3.scope\n", "", "", "/user.slice/user-1000.slice/session-3.scope", NULL },
	{ "0::/user.slice/job_of_mine/step_1\n", "", "", "/user.slice/job_of_mine/step_1", NULL },
	{ "", "", "", NULL, NULL },
	{ "no group", "", "", NULL, NULL },
};

START_TEST(a_group_names_the_job)
{
	struct batch_job batch;
	char *unified = batch_job_group(groups[_i].text, ""), *cpuset = batch_job_group(groups[_i].text, "cpuset");

	ck_assert_int_eq(batch_job_parse(groups[_i].text, &batch), groups[_i].job[0] != '\0');
	ck_assert_str_eq(batch.job, groups[_i].job);
	ck_assert_str_eq(batch.step, groups[_i].step);
	ck_assert_pstr_eq(unified, groups[_i].unified);
	ck_assert_pstr_eq(cpuset, groups[_i].cpuset);
	free(unified);
	free(cpuset);
}
END_TEST

Suite *
suite_survey(void)
{
	Suite *suite = suite_create("survey");
	TCase *facts = tcase_create("facts");

	tcase_add_loop_test(facts, an_interval_shows, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(facts, an_idle_core_is_lost_once);
	tcase_add_test(facts, the_longest_cause_counts);
	tcase_add_loop_test(facts, a_group_names_the_job, 0, sizeof(groups) / sizeof(groups[0]));
	suite_add_tcase(suite, facts);
	return suite;
}
