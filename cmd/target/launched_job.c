/* Reads a launcher's line: the job's ranks, their threads and variables, and who asked for a binding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/order.h"
#include "cmd/cmd.h"
#include "cmd/setting_options.h"
#include "cmd/target/target.h"
#include "launcher/job.h"
#include "launcher/syntax.h"
#include "settings/omp_env.h"

/* data: the environment. */
static void
take_variable(const char *name, size_t length, const char *value, size_t value_length, void *data)
{
	char ***environment = data;

	*environment = target_put(*environment, cmd_format("%.*s=%.*s", (int)length, name, (int)value_length, value));
}

static uint32_t
threads_in(char *const environment[])
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	return omp_env.threads;
}

/* Takes over the environment of the part's program. */
static void
add_part(struct target_job *job, const struct sp_part_of_launch *part, char **environment, struct sp_part_of_launch *all)
{
	job->threads = cmd_enlarge(job->threads, job->parts + 1, sizeof(*job->threads));
	job->ranks_of = cmd_enlarge(job->ranks_of, job->parts + 1, sizeof(*job->ranks_of));
	job->threads[job->parts] = threads_in(environment);
	job->ranks_of[job->parts] = part->ranks;
	all->ranks = (uint32_t)sp_smaller((uint64_t)all->ranks + part->ranks, UINT32_MAX);
	all->nodes = part->nodes ? part->nodes : all->nodes;
	all->a_node = part->a_node ? part->a_node : all->a_node;
	all->has_hosts |= part->has_hosts;
	if (job->parts++ == 0)
		job->environment = environment;
	else
		target_release_list(environment);
}

/* Takes over the environment without the line's additions.  Returns what all parts say together. */
static struct sp_part_of_launch
read_parts(const struct target *target, char **environment, struct target_job *job)
{
	struct sp_launch launch = target_launch(target);
	struct sp_part_of_launch part, all = { .ranks = 0 };

	sp_launch_shared(&launch, take_variable, &environment);
	char **own = target_copy(environment);
	while (sp_launch_next(&launch, &part, take_variable, &own)) {
		add_part(job, &part, target_change(own, target->part[job->parts].given), &all);
		own = target_copy(environment);
	}
	target_release_list(own);
	target_release_list(environment);
	return all;
}

/* What the command line leaves out is the allocation's, or one. */
static void
complete_srun(struct sp_part_of_launch *all)
{
	bool is_in_job = sp_job_batch_id(environ);

	if (!all->nodes && !is_in_job)
		all->nodes = 1;
	if (!all->ranks && !is_in_job)
		all->ranks = all->nodes * (all->a_node ? all->a_node : 1);
}

/* A program without a number of ranks has one. */
static void
complete_hydra(struct target_job *job, struct sp_part_of_launch *all)
{
	for (uint32_t i = 0; i < job->parts; i++) {
		if (job->ranks_of[i])
			continue;
		job->ranks_of[i] = 1;
		all->ranks = (uint32_t)sp_smaller((uint64_t)all->ranks + 1, UINT32_MAX);
	}
}

static uint32_t
ranks_here(const struct target *target, const struct sp_part_of_launch *all)
{
	uint32_t nodes = target->launcher == TARGET_SRUN ? all->nodes : !sp_job_batch_id(environ);

	if (all->a_node)
		return all->ranks && all->ranks < all->a_node ? all->ranks : all->a_node;
	return all->has_hosts || !nodes ? 0 : (all->ranks + nodes - 1) / nodes;
}

static void
count_change(const char *name, size_t length, const char *value, size_t value_length, void *data)
{
	(void)name;
	(void)length;
	(void)value;
	(void)value_length;
	++*(unsigned *)data;
}

/* Whether an option says something of ranks or variables. */
static bool
is_read_option(const struct sp_option *option)
{
	struct sp_part_of_launch part, nothing = { .ranks = 0 };
	unsigned changes = 0;
	const struct sp_reading reading = { .part = &part, .visit = count_change, .data = &changes };

	part = nothing;
	sp_reading_take_own(&reading, option);
	sp_reading_take_shared(&reading, option);
	return changes || part.ranks || part.nodes || part.a_node || part.has_hosts || part.folder || sp_option_is(option, "x") || sp_option_is(option, "genv");
}

/* What else the options say, and what binds a program to CPUs. */
static char *
read_rest(const struct target *target)
{
	const struct sp_syntax *syntax = target_syntax(target->launcher);
	struct sp_options options;
	struct sp_option option;
	char *unread = target->binder ? cmd_format("%s", target->binder) : NULL;

	sp_options_begin(&options, syntax, target->arguments, target->length);
	while (sp_options_next(&options, &option)) {
		if (is_read_option(&option))
			continue;
		bool is_apart = option.value && !strchr(option.word, '=') && option.value > option.word + strlen(option.word);
		unread = cmd_append(unread, ", ", is_apart ? "%s %s%s%s" : "%s", option.word, option.value,
				    option.second ? " " : "", option.second ? option.second : "");
	}
	for (uint32_t i = 0; i < target->parts; i++)
		if (target->part[i].binder)
			unread = cmd_append(unread, ", ", "%s", target->part[i].binder);
	return unread;
}

void
target_read_job(const struct target *target, struct target_job *job)
{
	char **environment = target_environment(target);

	*job = (struct target_job){ .ranks = 0 };
	if (!target_is_read(target->launcher)) {
		job->environment = environment;
		return;
	}
	struct sp_part_of_launch all = read_parts(target, environment, job);

	if (target->launcher == TARGET_SRUN)
		complete_srun(&all);
	if (target->launcher == TARGET_HYDRA && job->parts > 1)
		complete_hydra(job, &all);
	if (target->launcher == TARGET_HYDRA && !all.ranks)
		all.ranks = all.a_node ? all.a_node : 1;
	job->ranks = all.ranks;
	job->here = ranks_here(target, &all);
	job->unread = read_rest(target);
}

void
target_release_job(struct target_job *job)
{
	target_release_list(job->environment);
	free(job->threads);
	free(job->unread);
	free(job->ranks_of);
	*job = (struct target_job){ .ranks = 0 };
}
