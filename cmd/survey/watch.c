#include "cmd/survey/watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/order.h"
#include "cmd/cmd.h"
#include "cmd/show/jobs_without.h"
#include "process/process.h"

#define NS 1000000000u
#define LOOKS 8			/* at how many processes, or how often, whether a job has the engine, which MPI_Init opens */

static char *
take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

/* "17_3", where the variables are those of the job that the kernel has. */
static char *
array_of(pid_t pid, const struct batch_job *batch)
{
	char **environment = sp_process_environment(pid), *array = NULL;
	const char *job = environment ? sp_environment_value(environment, "SLURM_JOB_ID") : NULL;
	const char *of = environment ? sp_environment_value(environment, "SLURM_ARRAY_JOB_ID") : NULL;
	const char *task = environment ? sp_environment_value(environment, "SLURM_ARRAY_TASK_ID") : NULL;

	if (job && of && task && strcmp(job, batch->job) == 0) {
		array = cmd_format("%s_%s", of, task);
		cmd_make_plain(array);
	}
	free(environment);
	return array;
}

/* Where the engine is in a process, that is a rank with splitpin. */
static void
look_for_engine(const char *name, void *has)
{
	*(bool *)has |= strncmp(name, "libsplitpin-engine.so", strlen("libsplitpin-engine.so")) == 0;
}

static int64_t
began(const struct survey *survey, pid_t pid)
{
	struct sp_process process;

	return survey->time - (sp_process_read(pid, &process) == 0 ? (int64_t)(sp_process_age_ns(&process) / NS) : 0);
}

static struct survey_job *
find_job(struct survey *survey, struct show_other *other, const struct survey_process *process)
{
	for (struct survey_job *job = survey->job; job; job = job->next)
		if (job->key == other->key)
			return job;
	struct survey_job *job = cmd_allocate(1, sizeof(*job));
	*job = (struct survey_job){ .next = survey->job, .key = other->key, .name = cmd_format("%s", other->name), .list = take(&other->list),
		.is_asked = other->unbound_line != NULL, .is_bound_by_runtime = other->is_bound_by_runtime, .launcher = other->launcher,
		.owner = other->owner, .around = other->around, .announced = other->threads, .from = began(survey, process->pid) };
	job->line = other->unbound_line ? take(&other->unbound_line) : take(&other->line);
	snprintf(job->program, sizeof(job->program), "%s", other->process[other->n - 1].program);
	batch_job_read(process->pid, &survey->all, &job->batch, &job->allocated);
	job->array = array_of(process->pid, &job->batch);
	return survey->job = job;
}

/* Look at a process that belongs to no job so far. */
static void
examine(struct survey *survey, struct survey_process *process)
{
	struct show_other *other = jobs_without_add(&survey->show, process->pid);

	if (!other)
		return;
	process->job = find_job(survey, other, process);
	struct show_process *seen = &other->process[other->n - 1];
	for (size_t i = 0; i < seen->nthreads; i++)
		sp_cpus_or(&process->first, &seen->thread[i].cpus);
	/* The job goes on without this list of processes, which is the survey's own. */
	free(seen->thread);
	other->n--;
}

/* A process that works may have executed another program since, or loaded a library: one that is new, or has worked a quarter more. */
static bool
has_worked(struct survey_process *process)
{
	struct sp_activity activity;

	if (sp_process_activity(process->pid, &activity) != 0)
		return false;
	if (process->is_seen && activity.ticks <= process->ticks + process->ticks / 4)
		return false;
	process->is_seen = true;
	process->ticks = activity.ticks;
	return true;
}

static int
by_pid(const void *a, const void *b)
{
	const struct survey_process *one = a, *other = b;

	return (one->pid > other->pid) - (one->pid < other->pid);
}

/* They run no program. */
static bool
is_kernel_thread(pid_t pid)
{
	char path[32], program[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, program, sizeof(program)) < 0 && errno == ENOENT;
}

static void
begin(struct survey *survey, struct survey_process *process)
{
	uid_t owner;

	process->is_skipped = is_kernel_thread(process->pid) || !(survey->is_root || (threads_owner(process->pid, &owner) && owner == geteuid()));
	if (!process->is_skipped)
		examine(survey, process);
}

/* The old entry of this pid, moved to *process. */
static void
go_on(struct survey *survey, struct survey_process *old, struct survey_process *process)
{
	*process = *old;
	old->thread = NULL;
	if (!process->is_skipped && !process->job && has_worked(process))
		examine(survey, process);
}

static void
read_threads(struct survey *survey, struct survey_process *process)
{
	if (!threads_sample(process, survey->interval_ns)) {
		free(process->thread);
		*process = (struct survey_process){ .pid = process->pid };
		return;
	}
	process->job->living++;
	if (!process->job->has_splitpin && process->job->looks++ < LOOKS)
		sp_process_each_file(process->pid, look_for_engine, &process->job->has_splitpin);
}

static void
list_processes(struct survey *survey)
{
	DIR *folder = opendir("/proc");
	struct survey_process *now = NULL;
	size_t n = 0, room = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder)); ) {
		struct survey_process process = { .pid = sp_process_number(entry->d_name) };

		if (!process.pid || process.pid == getpid())
			continue;
		struct survey_process *old = bsearch(&process, survey->process, survey->nprocesses, sizeof(process), by_pid);
		if (old)
			go_on(survey, old, &process);
		else
			begin(survey, &process);
		if (n == room)
			now = cmd_enlarge(now, room = room ? 2 * room : 256, sizeof(*now));
		now[n++] = process;
	}
	if (folder)
		closedir(folder);
	for (size_t i = 0; i < survey->nprocesses; i++)
		free(survey->process[i].thread);
	free(survey->process);
	survey->process = now;
	survey->nprocesses = n;
	if (n)
		qsort(now, n, sizeof(*now), by_pid);
}

void
watch_sample(struct survey *survey)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t at = (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
	survey->interval_ns = survey->at_ns ? at - survey->at_ns : 0;
	survey->at_ns = at;
	survey->time = time(NULL);
	idle_sample(survey);
	list_processes(survey);
	for (struct survey_job *job = survey->job; job; job = job->next)
		job->living = 0;
	for (size_t i = 0; i < survey->nprocesses; i++)
		if (survey->process[i].job)
			read_threads(survey, &survey->process[i]);
	for (struct survey_job *job = survey->job; job; job = job->next) {
		job->ranks = (uint32_t)sp_larger(job->ranks, job->living);
		if (job->living)
			job->to = survey->time;
	}
}

void
watch_drop(struct survey *survey, struct survey_job *job)
{
	struct survey_job **at = &survey->job;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	for (size_t i = 0; i < survey->show.nothers; i++) {
		if (survey->show.other[i].key != job->key)
			continue;
		jobs_without_release_one(&survey->show.other[i]);
		survey->show.other[i] = survey->show.other[--survey->show.nothers];
		break;
	}
	free(job->name);
	free(job->line);
	free(job->list);
	free(job->array);
	free(job);
}

void
watch_release(struct survey *survey)
{
	while (survey->job)
		watch_drop(survey, survey->job);
	for (size_t i = 0; i < survey->nprocesses; i++)
		free(survey->process[i].thread);
	free(survey->process);
	jobs_without_release(&survey->show);
}
