/* Finds the jobs that a word of the user means. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/which.h"
#include "launcher/ancestors.h"

/* Whether such a word is the number of a job or of a process. */
static bool
is_number(const char *which)
{
	return *which && strspn(which, "0123456789") == strlen(which);
}

/* What some shell would not leave as it is becomes '_', in the place of an option's dash too. */
static void
make_typable(char *word)
{
	for (char *c = word; *c; c++)
		if ((unsigned char)*c < 0x80 && !isalnum((unsigned char)*c) && (!strchr("-._+:/@", *c) || (c == word && *c == '-')))
			*c = '_';
}

char *
jobs_name(const char *program, pid_t pid)
{
	char *name = cmd_format("%s-%d", program, (int)pid);

	make_typable(name);
	return name;
}

/* Whether the first letters of a text end as a job's name does: "-4711". */
static bool
ends_in_number(const char *text, size_t length)
{
	size_t before = length;

	while (before > 0 && isdigit((unsigned char)text[before - 1]))
		before--;
	return before < length && before > 1 && text[before - 1] == '-';
}

char *
jobs_word(const char *name)
{
	size_t first = strcspn(name, " ,");
	char *number = NULL, *step = NULL, *word;

	if (sscanf(name, "Slurm job %m[^ ] step %m[^ ,]", &number, &step) == 2)
		word = cmd_format("slurm-%s.%s", number, step);
	else
		word = cmd_format("%.*s", (int)(ends_in_number(name, first) ? first : strcspn(name, ",")), name);
	make_typable(word);
	free(number);
	free(step);
	return word;
}

/* "slurm-17" names every step of that job. */
static bool
is_word(const char *name, const char *which)
{
	char *word = jobs_word(name);
	size_t length = strlen(which);
	bool is = *which && strncmp(word, which, length) == 0 && (word[length] == '\0' || word[length] == '.');

	free(word);
	return is;
}

/* "12" is in "Slurm job 12 step 0" and not in "Slurm job 123 step 0". */
static bool
has_whole_number(const char *name, size_t length, const char *number)
{
	size_t digits = strlen(number);

	for (const char *at = name; (at = strstr(at, number)) && at + digits <= name + length; at++)
		if ((at == name || !isdigit((unsigned char)at[-1])) && !isdigit((unsigned char)at[digits]))
			return true;
	return false;
}

static bool
has_task(const struct show_rank *rank, pid_t tid)
{
	if (rank->seat.state != SP_SEAT_EMPTY && rank->seat.process.pid == tid)
		return true;
	for (size_t i = 0; i < rank->nthreads; i++)
		if (rank->thread[i].tid == tid)
			return true;
	return false;
}

static bool
job_has_task(const struct show_job *job, pid_t tid)
{
	for (uint32_t i = 0; i < job->nranks; i++)
		if (has_task(&job->rank[i], tid))
			return true;
	return false;
}

/* Whether the name contains the word, without the number of ranks at its end; "mpirun-47" is not in "mpirun-4711". */
static bool
is_in(const char *name, const char *which)
{
	const char *end = strrchr(name, ','), *at = name;
	size_t length = end ? (size_t)(end - name) : strlen(name), n = strlen(which);
	bool is_whole = ends_in_number(which, n);

	if (is_number(which))
		return has_whole_number(name, length, which);
	while ((at = strstr(at, which)) && is_whole && isdigit((unsigned char)at[n]))
		at++;
	return at && at + n <= name + length;
}

static bool
is_named(const struct show_job *job, const char *which)
{
	return is_in(job->name, which) || is_in(job->id, which) || is_word(job->name, which) ||
	       (is_number(which) && job_has_task(job, (pid_t)atol(which)));
}

/* Whether it is the job's program, or its name or number in Slurm. */
static bool
is_called(const struct show_job *job, const char *which)
{
	const char *program = sp_last_part(which);

	for (uint32_t i = 0; i < job->nranks; i++) {
		if (!jobs_has_process(&job->rank[i]))
			continue;
		char **environment = sp_process_environment(job->rank[i].seat.process.pid);
		const char *name = environment ? sp_environment_value(environment, "SLURM_JOB_NAME") : NULL;
		const char *number = environment ? sp_environment_value(environment, "SLURM_JOB_ID") : NULL;
		bool is = strcmp(job->rank[i].program, program) == 0 || (name && strcmp(name, which) == 0) ||
			  (number && strcmp(number, which) == 0);

		free(environment);
		if (is)
			return true;
	}
	return false;
}

static bool
other_is_named(const struct show_other *other, const char *which)
{
	long number = is_number(which) ? atol(which) : 0;
	/* As the text has it; a number is not looked for in the name of a program. */
	char *name = number ? cmd_format("%s", other->name) : cmd_format("%s %s", other->name, other->process[0].program);
	bool is = strcmp(other->slurm_id, which) == 0 || strcmp(other->slurm_name, which) == 0 || is_in(name, which) || is_word(other->name, which) ||
		  (number && (number == other->key || number == other->command));

	free(name);
	for (size_t i = 0; i < other->n && !is; i++) {
		is = strcmp(other->process[i].program, sp_last_part(which)) == 0;
		for (size_t t = 0; t < other->process[i].nthreads; t++)
			is |= number == other->process[i].thread[t].tid;
	}
	return is;
}

/* Whether it is the launcher of a rank; srun is not an ancestor of its tasks. */
static bool
is_launcher(pid_t pid, pid_t rank)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(rank, &n);
	bool is_among = false;

	for (size_t i = 0; i < n; i++)
		is_among |= ancestor[i].pid == pid;
	sp_ancestors_free(ancestor, n);
	return is_among;
}

/* Process 1 has started everything. */
static bool
is_started_by(const struct show_job *job, const char *which)
{
	long pid = is_number(which) ? atol(which) : 0;

	for (uint32_t i = 0; i < job->nranks && pid > 1; i++) {
		const struct sp_process *rank = &job->rank[i].seat.process;

		if (jobs_has_process(&job->rank[i]) && (sp_process_is_ancestor((pid_t)pid, rank) || is_launcher((pid_t)pid, rank->pid)))
			return true;
	}
	return false;
}

static bool
want(struct show *show, const char *which, bool (*is_meant)(const struct show_job *, const char *))
{
	bool any = false;

	for (size_t i = 0; i < show->njobs; i++) {
		show->job[i].is_wanted = is_meant(&show->job[i], which);
		any |= show->job[i].is_wanted;
	}
	return any;
}

/* Whether the process with this number is an ancestor of the job, such as a script. */
static bool
other_is_started_by(const struct show_other *other, const char *which)
{
	long pid = is_number(which) ? atol(which) : 0;
	struct sp_process process;

	return pid > 1 && sp_process_read(other->process[0].pid, &process) == 0 && sp_process_is_ancestor((pid_t)pid, &process);
}

static bool
want_others(struct show *show, const char *which, bool (*is_meant)(const struct show_other *, const char *))
{
	bool any = false;

	for (size_t i = 0; i < show->nothers; i++) {
		show->other[i].is_wanted = is_meant(&show->other[i], which);
		any |= show->other[i].is_wanted;
	}
	return any;
}

/* "mpirun[4711]", as a log of the system's names a process, in the form of these names; the caller's. */
static char *
without_brackets(const char *which)
{
	char *word = cmd_format("%s", which);
	size_t at = strcspn(word, "["), digits = strspn(word + at + (word[at] == '['), "0123456789");

	if (at > 0 && word[at] == '[' && digits && strcmp(word + at + 1 + digits, "]") == 0) {
		word[at] = '-';
		word[at + 1 + digits] = '\0';
	}
	return word;
}

static bool
pick(struct show *show, const char *which)
{
	bool is_other = want_others(show, which, other_is_named);
	if (want(show, which, is_named) || want(show, which, is_called))
		return true;
	bool any = want(show, which, is_started_by);
	return is_other || want_others(show, which, other_is_started_by) || any;
}

bool
jobs_pick(struct show *show, const char *which)
{
	char *word = which ? without_brackets(which) : NULL;
	bool is_there = !word || pick(show, word);

	free(word);
	return is_there;
}
