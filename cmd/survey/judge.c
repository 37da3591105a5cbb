#include "cmd/survey/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/cmd.h"
#include "report/crowding.h"

#define NS 1000000000u

/* A thread counts as busy if it ran or waited for a CPU in a quarter of the interval. */
static bool
is_busy(const struct survey_thread *thread, uint64_t interval_ns)
{
	return thread->need_ns >= interval_ns / 4 && thread->need_ns > 0;
}

/* Of a job its number is the group. */
static struct sp_busy *
list_busy(const struct survey *survey, size_t *n, uint64_t *waited)
{
	struct sp_busy *busy = NULL;

	*n = 0;
	for (size_t i = 0; i < survey->nprocesses; i++) {
		const struct survey_process *process = &survey->process[i];

		if (!process->job)
			continue;
		busy = cmd_enlarge(busy, *n + process->nthreads + 1, sizeof(*busy));
		for (size_t k = 0; k < process->nthreads; k++) {
			*waited += process->thread[k].lacked_ns;
			if (is_busy(&process->thread[k], survey->interval_ns))
				busy[(*n)++] = (struct sp_busy){ .cpus = &process->thread[k].cpus, .need = process->thread[k].need_ns, .group = process->job->number };
		}
	}
	return busy;
}

/* The idle time of these CPUs. */
static uint64_t
idle_on(const struct survey *survey, const struct sp_cpus *cpus)
{
	uint64_t idle = 0;

	for (uint32_t cpu = sp_cpus_next(cpus, 0); cpu != SP_NO_CPU; cpu = sp_cpus_next(cpus, cpu + 1))
		idle += sp_smaller(survey->idled_ns[cpu], survey->interval_ns);
	return idle;
}

/* Of those of its processes that have threads in the crowd: how many, and whether each of them might run elsewhere when it was found. */
struct crowd_processes {
	uint32_t n;
	bool were_wider;
};

static struct crowd_processes
look_into(const struct survey *survey, const struct survey_job *job, const struct sp_crowding *crowd)
{
	struct crowd_processes in = { .were_wider = true };

	for (size_t i = 0; i < survey->nprocesses; i++) {
		const struct survey_process *process = &survey->process[i];
		bool is_in = false;

		for (size_t k = 0; process->job == job && k < process->nthreads; k++)
			is_in |= is_busy(&process->thread[k], survey->interval_ns) && sp_cpus_within(&process->thread[k].cpus, &crowd->cpus);
		in.n += is_in;
		in.were_wider &= !is_in || !sp_cpus_within(&process->first, &crowd->cpus);
	}
	return in;
}

/* Whether the launcher itself was confined, as by taskset in front of it. */
static bool
is_confined(const struct survey_job *job)
{
	return !sp_cpus_empty(&job->around) && !sp_cpus_within(&job->allocated, &job->around);
}

static enum survey_cause
cause_of(const struct survey *survey, const struct survey_job *job, const struct sp_crowding *crowd)
{
	struct crowd_processes in = look_into(survey, job, crowd);

	if (crowd->own < crowd->threads && crowd->own <= sp_cpus_count(&crowd->cpus))
		return CAUSE_TWO_JOBS;
	if (sp_cpus_within(&job->allocated, &crowd->cpus))
		return CAUSE_THREADS;
	if (job->list)
		return CAUSE_LIST;
	if (is_confined(job) && sp_cpus_within(&job->around, &crowd->cpus))
		return CAUSE_REQUEST;
	if (job->is_bound_by_runtime && in.n > 1)
		return CAUSE_OPENMP;
	if (in.were_wider)
		return CAUSE_PROGRAM;
	return job->is_asked || !job->launcher ? CAUSE_REQUEST : CAUSE_DEFAULT;
}

/* What the job's threads did in the interval. */
static void
add_threads(const struct survey *survey, struct survey_job *job, uint64_t *confined_ns)
{
	uint32_t busy = 0;

	for (size_t i = 0; i < survey->nprocesses; i++) {
		const struct survey_process *process = &survey->process[i];

		for (size_t k = 0; process->job == job && k < process->nthreads; k++) {
			const struct survey_thread *thread = &process->thread[k];

			job->waited_ns += thread->lacked_ns;
			job->ran_ns += thread->need_ns - thread->lacked_ns;
			busy += is_busy(thread, survey->interval_ns);
			if (!sp_cpus_within(&job->allocated, &thread->cpus))
				*confined_ns += thread->lacked_ns;
		}
	}
	job->busy = (uint32_t)sp_larger(job->busy, busy);
}

/* Other jobs that have some of its CPUs. */
static void
add_others(const struct survey *survey, struct survey_job *job, const struct sp_busy busy[], size_t n)
{
	uint32_t threads = 0, ranks = 0;

	for (size_t i = 0; i < n; i++)
		threads += busy[i].group != job->number && sp_cpus_intersect(busy[i].cpus, &job->allocated);
	for (const struct survey_job *other = survey->job; other && threads; other = other->next)
		if (other != job && sp_cpus_intersect(&other->allocated, &job->allocated))
			ranks += other->living;
	job->others_busy = (uint32_t)sp_larger(job->others_busy, threads);
	job->others_ranks = (uint32_t)sp_larger(job->others_ranks, ranks);
}

/* Of a launcher's default alone: others have their reasons. */
static bool
is_default(const struct survey_job *job)
{
	return job->launcher && !job->is_asked && !job->list && !job->is_bound_by_runtime && !is_confined(job);
}

static void
judge(const struct survey *survey, struct survey_job *job, const struct sp_busy busy[], size_t n, const struct sp_cpus *reached, uint64_t *idle_left)
{
	struct sp_cpus left_out = job->allocated;
	struct sp_crowding crowd;
	uint64_t confined = 0, idle = idle_on(survey, &job->allocated), lost;
	/* A job that is younger than the interval could need no more than its age. */
	uint64_t age = ((uint64_t)(survey->time - job->from) + 1) * NS, each = sp_smaller(survey->interval_ns, age);

	add_threads(survey, job, &confined);
	add_others(survey, job, busy, n);
	sp_cpus_sub(&left_out, reached);
	/* A wait is a loss only while another core of the job was idle, and no idle core serves two threads. */
	lost = sp_smaller(confined, sp_smaller(idle, *idle_left));
	*idle_left -= lost;
	job->lost_ns += lost;
	job->idle_ns += idle;
	if (is_default(job))
		job->left_out_ns += idle_on(survey, &left_out);
	bool is_piled = n && sp_crowding_find(busy, n, each + each / 10, job->number, &crowd);
	if (is_piled && job->was_piled)
		job->piled_ns[cause_of(survey, job, &crowd)] += each + job->suspected_ns;
	job->suspected_ns = is_piled && !job->was_piled ? each : 0;
	job->was_piled = is_piled;
}

void
judge_interval(struct survey *survey)
{
	struct sp_cpus reached = { 0 };
	uint32_t number = 0;
	uint64_t waited = 0, idle_left = idle_on(survey, &survey->all);
	size_t n;

	if (!survey->interval_ns)
		return;
	for (struct survey_job *job = survey->job; job; job = job->next)
		job->number = number++;
	struct sp_busy *busy = list_busy(survey, &n, &waited);
	for (size_t i = 0; i < survey->nprocesses; i++)
		for (size_t k = 0; survey->process[i].job && k < survey->process[i].nthreads; k++)
			sp_cpus_or(&reached, &survey->process[i].thread[k].cpus);
	/* Where nobody waited for a CPU there is no crowd to be looked for, which takes long with many masks. */
	if (waited < survey->interval_ns / 20)
		n = 0;
	for (struct survey_job *job = survey->job; job; job = job->next)
		if (job->living)
			judge(survey, job, busy, n, &reached, &idle_left);
	free(busy);
}

enum survey_cause
judge_cause(const struct survey_job *job)
{
	enum survey_cause most = CAUSES;

	for (enum survey_cause cause = 0; cause < CAUSES; cause++)
		if (job->piled_ns[cause] > (most == CAUSES ? 0 : job->piled_ns[most]))
			most = cause;
	return most;
}

uint64_t
judge_piled(const struct survey_job *job)
{
	uint64_t sum = 0;

	for (enum survey_cause cause = 0; cause < CAUSES; cause++)
		sum += job->piled_ns[cause];
	return sum;
}
