/* Jobs that run without splitpin: processes with MPI, or with OpenMP threads that are busy, that no board has. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "process/process.h"
#include "elf/runtimes.h"
#include "base/words.h"
#include "cmd/cmd.h"
#include "cmd/show/jobs_without.h"
#include "cmd/show/which.h"
#include "cmd/target/target.h"
#include "launcher/ancestors.h"
#include "launcher/binding.h"
#include "launcher/launcher.h"
#include "launcher/nearest.h"
#include "settings/omp_env.h"

/* A process that may belong to a job without splitpin. */
struct candidate {
	pid_t pid;
	bool has_mpi, has_openmp;
	char **environment;	/* NULL: not readable */
	struct sp_rank rank;
	bool is_rank;
};

static void
look_at_library(const char *name, void *data)
{
	struct candidate *candidate = data;

	candidate->has_mpi |= target_is_any_mpi(name);
	candidate->has_openmp |= target_is_openmp(name);
}

static bool
has_seat(const struct show *show, pid_t pid)
{
	for (size_t i = 0; i < show->njobs; i++)
		for (uint32_t k = 0; k < show->job[i].nranks; k++)
			if (jobs_has_process(&show->job[i].rank[k]) && show->job[i].rank[k].seat.process.pid == pid)
				return true;
	return false;
}

/* Whether it is a rank with splitpin, was started by one, or has ended. */
static bool
is_of_splitpin(const struct show *show, pid_t pid)
{
	struct sp_process process;

	for (int i = 0; i <= SP_GENERATIONS_MAX && pid > 0; i++) {
		if (has_seat(show, pid))
			return true;
		if (sp_process_read(pid, &process) != 0)
			return i == 0;
		pid = process.parent;
	}
	return false;
}

/* Whether to show the job; fills it in, or releases it. */
static bool
examine(const struct show *show, struct candidate *candidate)
{
	sp_process_each_file(candidate->pid, look_at_library, candidate);
	if (!(candidate->has_mpi || candidate->has_openmp) || sp_ancestors_is_launcher(candidate->pid) || is_of_splitpin(show, candidate->pid))
		return false;
	candidate->environment = sp_process_environment(candidate->pid);
	int error = candidate->environment ? sp_launcher_rank(candidate->environment, &candidate->rank) : -ENOENT;
	if (!error)
		sp_nearest_rank(candidate->pid, candidate->environment, &candidate->rank);
	candidate->is_rank = error == 0 || error == -EAGAIN;
	return true;
}

static const char *
variable(const struct candidate *candidate, const char *name)
{
	const char *value = candidate->environment ? sp_environment_value(candidate->environment, name) : NULL;

	return value ? value : "";
}

static char *
quote_all(const char *arguments, size_t length)
{
	struct sp_words words = { arguments, arguments + length };
	char *line = cmd_format("%s", "");

	for (const char *word; (word = sp_words_next(&words)); ) {
		char *quoted = cmd_quote(word);

		line = cmd_append(line, " ", "%s", quoted);
		free(quoted);
	}
	cmd_make_plain(line);
	return line;
}

/* The command that would start the job with splitpin; option: one of splitpin run and a blank, or "". */
static char *
line_with_splitpin(const struct candidate *candidate, const struct sp_ancestor *command, const char *option)
{
	size_t length = 0;
	char *own = command ? NULL : sp_process_arguments(candidate->pid, &length);
	char *words = command ? quote_all(command->arguments, command->length) : quote_all(own, length), *line;

	if (candidate->is_rank && !command)
		line = cmd_format("preload libsplitpin.so in the script that starts the job");
	else
		line = cmd_format("splitpin run %s%s-- %s", command ? "" : "--alone ", option, words);
	free(words);
	free(own);
	return line;
}

/* Whether somebody asked for the mask of a rank, so that a run would keep it. */
static bool
is_bound_as_asked(const struct candidate *candidate, const struct show_process *process, const struct sp_ancestor ancestor[], size_t n)
{
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	struct sp_cpus cpus = { 0 };
	struct sp_binding binding;

	for (size_t i = 0; i < process->nthreads; i++)
		sp_cpus_or(&cpus, &process->thread[i].cpus);
	if (!launcher || !candidate->rank.from || sp_cpus_within(&launcher->mask, &cpus))
		return false;
	sp_binding_find(&candidate->rank, candidate->environment, ancestor, n, &binding);
	return binding.asked == SP_ASKED_YES;
}

/* What its variables and its launcher say, beyond names. */
static void
read_settings(const struct candidate *candidate, const struct sp_ancestor *launcher, struct show_other *other)
{
	static char *const none[] = { NULL };
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, candidate->environment ? candidate->environment : none);
	other->is_bound_by_runtime = omp_env.libgomp || omp_env.libomp;
	if (omp_env.numbers_from)
		other->list = cmd_format("%.*s", (int)strcspn(omp_env.numbers_from, "="), omp_env.numbers_from);
	other->threads = omp_env.threads;
	other->launcher = candidate->rank.from;
	if (launcher)
		other->around = launcher->mask;
}

static char *
name_of(const struct candidate *candidate, const struct sp_ancestor *command, const char *program)
{
	const char *slurm = variable(candidate, "SLURM_JOB_ID"), *step = variable(candidate, "SLURM_STEP_ID");
	char *name;

	if (candidate->is_rank && *slurm && *step && (!command || strcmp(sp_ancestors_name(command->arguments, command->length), "srun") == 0))
		name = cmd_format("Slurm job %s step %s", slurm, step);
	else if (command)
		name = jobs_name(sp_ancestors_name(command->arguments, command->length), command->pid);
	else
		name = jobs_name(program, candidate->pid);
	cmd_make_plain(name);
	return name;
}

char *
jobs_without_job_name(pid_t rank, const char *program)
{
	struct candidate candidate = { .pid = rank, .is_rank = true, .environment = sp_process_environment(rank) };
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(rank, &n);
	const struct sp_ancestor *command = sp_ancestors_command(ancestor, n);
	char *name = name_of(&candidate, command, program);

	if (command && strncmp(name, "Slurm ", strlen("Slurm ")) != 0) {
		char *longer = cmd_format("%s %s", name, program);

		free(name);
		name = longer;
	}
	sp_ancestors_free(ancestor, n);
	free(candidate.environment);
	return name;
}

/* Find the job of this process, or add it if this is its first process. */
static struct show_other *
find_other(struct show *show, const struct candidate *candidate, const struct show_process *process)
{
	size_t n = 0;
	struct sp_ancestor *ancestor = candidate->is_rank ? sp_ancestors_of(candidate->pid, &n) : NULL;
	pid_t key = n > 0 ? ancestor[0].pid : candidate->pid;
	struct show_other *other = NULL;

	for (size_t i = 0; i < show->nothers && !other; i++)
		if (show->other[i].key == key)
			other = &show->other[i];
	if (!other) {
		const struct sp_ancestor *command = sp_ancestors_command(ancestor, n);
		bool is_bound = is_bound_as_asked(candidate, process, ancestor, n);

		show->other = cmd_enlarge(show->other, show->nothers + 1, sizeof(*show->other));
		other = &show->other[show->nothers++];
		*other = (struct show_other){ .is_wanted = true, .key = key, .command = command ? command->pid : 0,
			.name = name_of(candidate, command, process->program), .line = line_with_splitpin(candidate, command, ""),
			.unbound_line = is_bound ? line_with_splitpin(candidate, command, "--inherited ignore ") : NULL,
			.slurm_id = cmd_format("%s", variable(candidate, "SLURM_JOB_ID")),
			.slurm_name = cmd_format("%s", variable(candidate, "SLURM_JOB_NAME")) };
		read_settings(candidate, sp_ancestors_launcher(ancestor, n), other);
		threads_owner(candidate->pid, &other->owner);
	}
	sp_ancestors_free(ancestor, n);
	return other;
}

static struct show_other *
add(struct show *show, const struct candidate *candidate)
{
	struct show_process process = { .pid = candidate->pid, .number = candidate->is_rank ? (int)candidate->rank.local_rank : -1 };

	threads_program(candidate->pid, process.program);
	process.nthreads = threads_read(candidate->pid, &process.thread);
	if (process.nthreads == 0 || (!candidate->is_rank && process.nthreads == 1)) {
		free(process.thread);
		return NULL;
	}
	struct show_other *other = find_other(show, candidate, &process);

	other->process = cmd_enlarge(other->process, other->n + 1, sizeof(*other->process));
	other->process[other->n++] = process;
	return other;
}

struct show_other *
jobs_without_add(struct show *show, pid_t pid)
{
	struct candidate candidate = { .pid = pid };
	struct show_other *other = examine(show, &candidate) ? add(show, &candidate) : NULL;

	free(candidate.environment);
	return other;
}

void
jobs_without_read(const uid_t *owner, struct show *show)
{
	DIR *folder = opendir("/proc");

	for (struct dirent *entry; folder && (entry = readdir(folder)); ) {
		pid_t pid = (pid_t)atol(entry->d_name);
		uid_t uid;

		if (pid > 0 && pid != getpid() && threads_owner(pid, &uid) && (!owner || *owner == uid))
			jobs_without_add(show, pid);
	}
	if (folder)
		closedir(folder);
}

uint32_t
jobs_without_busy(const struct show_other *other)
{
	uint32_t busy = 0;

	for (size_t i = 0; i < other->n; i++)
		for (size_t k = 0; k < other->process[i].nthreads; k++)
			busy += other->process[i].thread[k].is_busy;
	return busy;
}

/* Processes that are not ranks count as a job only while they have busy threads. */
static bool
is_job(const struct show_other *other)
{
	for (size_t i = 0; i < other->n; i++)
		if (other->process[i].number >= 0)
			return true;
	return jobs_without_busy(other) > 0;
}

/* Those that have ended are dropped. */
static void
read_processes_again(struct show_other *other)
{
	size_t left = 0;

	for (size_t i = 0; i < other->n; i++) {
		struct show_process process = other->process[i];

		process.nthreads = threads_read_again(process.pid, process.thread, process.nthreads);
		if (process.nthreads)
			other->process[left++] = process;
		else
			free(process.thread);
	}
	other->n = left;
}

static int
by_rank(const void *a, const void *b)
{
	const struct show_process *one = a, *two = b;

	return one->number != two->number ? (one->number < two->number ? -1 : 1) : (one->pid > two->pid) - (one->pid < two->pid);
}

static int
by_key(const void *a, const void *b)
{
	const struct show_other *one = a, *two = b;

	return (one->key > two->key) - (one->key < two->key);
}

void
jobs_without_release_one(struct show_other *other)
{
	for (size_t i = 0; i < other->n; i++)
		free(other->process[i].thread);
	free(other->process);
	free(other->name);
	free(other->line);
	free(other->unbound_line);
	free(other->list);
	free(other->slurm_id);
	free(other->slurm_name);
	free(other->problem);
	free(other->remedy);
}

void
jobs_without_read_again(struct show *show)
{
	size_t left = 0;

	for (size_t i = 0; i < show->nothers; i++) {
		struct show_other other = show->other[i];

		read_processes_again(&other);
		if (!is_job(&other)) {
			jobs_without_release_one(&other);
			continue;
		}
		qsort(other.process, other.n, sizeof(*other.process), by_rank);
		show->other[left++] = other;
	}
	show->nothers = left;
	qsort(show->other, left, sizeof(*show->other), by_key);
}

void
jobs_without_release(struct show *show)
{
	for (size_t i = 0; i < show->nothers; i++)
		jobs_without_release_one(&show->other[i]);
	free(show->other);
}
