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
#include "launcher/known/known.h"
#include "launcher/overcommit.h"
#include "launcher/launch_line.h"
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
	struct sp_launch launch = { .syntax = target_syntax(target->launcher), .is_x_shared = !target->is_by_part,
				    .arguments = target->arguments, .length = target->length };
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

static uint32_t
number_in(const char *name)
{
	const char *text = getenv(name);
	uint64_t number = 0;

	return text && sp_ascii_digits(text, &number) && number <= UINT32_MAX ? (uint32_t)number : 0;
}

/* Of the batch system that this process is in; 0: not known. */
static uint32_t
nodes_of_batch(void)
{
	uint32_t slurm = number_in("SLURM_JOB_NUM_NODES");

	return slurm ? slurm : getenv("PBS_NODEFILE") || getenv("LSB_MCPU_HOSTS") || getenv("PE_HOSTFILE") ? 0 : 1;
}

/* srun takes from its allocation what the command line leaves out. */
static void
complete_srun(struct sp_part_of_launch *all)
{
	if (!all->nodes)
		all->nodes = number_in("SLURM_JOB_NUM_NODES");
	if (!all->ranks && all->a_node)
		all->ranks = all->a_node * (all->nodes ? all->nodes : 1);
	if (!all->ranks)
		all->ranks = number_in("SLURM_NTASKS");
	if (!all->ranks)
		all->ranks = all->nodes ? all->nodes : 1;
	if (!all->nodes)
		all->nodes = 1;
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
	uint32_t nodes = target->launcher == TARGET_SRUN ? all->nodes : nodes_of_batch();
	bool is_elsewhere = target->launcher == TARGET_OPENMPI ? target->reach.names_others : all->has_hosts;

	if (all->a_node)
		return all->ranks && all->ranks < all->a_node ? all->ranks : all->a_node;
	return is_elsewhere || !nodes ? 0 : (all->ranks + nodes - 1) / nodes;
}

/* The binding as a rank of this command would find it. */
static void
find_binding(const struct target *target, struct target_job *job)
{
	const enum sp_launcher launcher = target_known(target->launcher);
	const struct sp_launcher_details *known = sp_launcher_details[launcher];
	struct sp_rank rank = { .from = sp_launcher_row[launcher].name };
	struct sp_ancestor ancestor = { .arguments = target->arguments, .length = target->length, .environment = environ };
	char *bound[] = { (char *)known->bound, NULL };
	struct sp_binding binding;

	sp_binding_find(&rank, bound, &ancestor, 1, &binding);
	job->binding = binding.is_below ? TARGET_UNBOUND : binding.asked == SP_ASKED_YES ? TARGET_BOUND_AS_ASKED :
		       known->bound ? TARGET_BOUND_BY_DEFAULT : TARGET_UNBOUND;
	job->is_core_default = job->binding == TARGET_BOUND_BY_DEFAULT && job->ranks > 0 && job->ranks <= known->bound_to_cores;
	job->overcommit = sp_overcommit_asked(&rank, environ, &ancestor, 1);
	memcpy(job->evidence, binding.evidence, sizeof(job->evidence));
}

/* What stands between launcher and ranks binds after the launcher. */
static void
find_binder(const struct target *target, struct target_job *job)
{
	for (uint32_t i = 0; i < target->parts && !job->binder; i++)
		job->binder = target->part[i].binder;
	if (!job->binder)
		return;
	job->binding = TARGET_BOUND_AS_ASKED;
	job->is_core_default = false;
	snprintf(job->evidence, sizeof(job->evidence), "by %s", job->binder);
}

/* Whether options of the line bind each rank to one core or CPU. */
static bool
is_core_asked(const struct target *target)
{
	const struct sp_syntax *syntax = target_syntax(target->launcher);
	struct sp_cores_asked asked = { 0 };
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, syntax, target->arguments, target->length);
	while (syntax->read_cores && sp_options_next(&options, &option))
		syntax->read_cores(&asked, &option);
	return asked.one && !asked.others;
}

void
target_read_job(const struct target *target, struct target_job *job)
{
	char **environment = target_environment(target);

	*job = (struct target_job){ .binding = TARGET_UNBOUND };
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
	find_binding(target, job);
	job->is_core_asked = job->binding == TARGET_BOUND_AS_ASKED && is_core_asked(target);
	find_binder(target, job);
}

bool
target_binds_to_core(const struct target_job *job, const struct sp_config *config)
{
	return job->is_core_default && config->inherited != SP_INHERITED_IGNORE && !sp_policy_says(&config->policy);
}

void
target_release_job(struct target_job *job)
{
	target_release_list(job->environment);
	free(job->threads);
	free(job->ranks_of);
	*job = (struct target_job){ .ranks = 0 };
}
