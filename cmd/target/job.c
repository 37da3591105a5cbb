/* What the line of a launcher says of the job: how many ranks, of how many threads, with which variables, bound by whom. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "base/order.h"
#include "cmd/cmd.h"
#include "cmd/target/target.h"
#include "launcher/options.h"
#include "launcher/overcommit.h"
#include "launcher/table.h"
#include "settings/omp_env.h"

#define BOUND_TO_CORES 2	/* up to so many ranks Open MPI binds each to a core unless it is told otherwise */

/* What is read of one line, or of the part of one that starts a program. */
struct reading {
	enum sp_syntax syntax;
	uint32_t ranks, nodes, a_node;	/* 0: it does not say */
	bool has_hosts;		/* nodes are named */
	bool is_x_shared;	/* -x of one program counts for those without their own: Open MPI 5 */
	char **environment;
};

static const enum sp_syntax syntaxes[] = {
	[TARGET_OPENMPI] = SP_SYNTAX_OPENMPI, [TARGET_HYDRA] = SP_SYNTAX_HYDRA, [TARGET_SRUN] = SP_SYNTAX_SRUN,
};

static bool
is_read(const struct target *target)
{
	return target->launcher != TARGET_NO_LAUNCHER && target->launcher != TARGET_OTHER;
}

/* Takes over the entry. */
static void
put(struct reading *reading, char *entry)
{
	size_t length = strcspn(entry, "="), n = 0;
	char **environment = reading->environment;

	for (; environment[n]; n++) {
		if (strncmp(environment[n], entry, length) == 0 && environment[n][length] == '=') {
			free(environment[n]);
			environment[n] = entry;
			return;
		}
	}
	environment = cmd_enlarge(environment, n + 2, sizeof(*environment));
	environment[n] = entry;
	environment[n + 1] = NULL;
	reading->environment = environment;
}

/* "NAME=VALUE"; one without a value is in the environment, if at all. */
static void
take_variable(struct reading *reading, const char *entry, size_t length)
{
	if (memchr(entry, '=', length))
		put(reading, cmd_format("%.*s", (int)length, entry));
}

static void
take_variables(struct reading *reading, const char *list, const char *between)
{
	for (const char *at = list; *at; at += strcspn(at, between), at += strspn(at, between))
		take_variable(reading, at, strcspn(at, between));
}

/* "2" of "2-4", "2:1". */
static void
take_number(const char *text, uint32_t *number)
{
	uint64_t n;

	if (sp_ascii_digits(text, &n) && n <= UINT32_MAX)
		*number = (uint32_t)n;
}

static void
read_openmpi(struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "np", "c", NULL }, *const a_node[] = { "N", "npernode", "ppr", NULL };

	if (sp_option_is_one_of(option, ranks))
		take_number(option->value ? option->value : "", &reading->ranks);
	else if (sp_option_is_one_of(option, a_node))
		take_number(option->value ? option->value : "", &reading->a_node);
	else if (sp_option_is(option, "pernode"))
		reading->a_node = 1;
	else if ((sp_option_is(option, "map-by") || sp_option_is(option, "mapby")) && option->value &&
		 strncmp(option->value, "ppr:", 4) == 0 && strstr(option->value, ":node"))
		take_number(option->value + 4, &reading->a_node);
	else if (sp_option_is(option, "x") && option->value)
		take_variable(reading, option->value, strlen(option->value));
}

static void
read_shared_openmpi(struct reading *reading, const struct sp_option *option)
{
	if (option->second && strcmp(option->value, "mca_base_env_list") == 0)
		take_variables(reading, option->second, ";");
	else if (reading->is_x_shared && sp_option_is(option, "x") && option->value)
		take_variable(reading, option->value, strlen(option->value));
}

/* "-env NAME VALUE", "-env NAME=VALUE". */
static void
take_pair(struct reading *reading, const struct sp_option *option, const char *name)
{
	if (!sp_option_is(option, name) || !option->value)
		return;
	if (option->second)
		put(reading, cmd_format("%s=%s", option->value, option->second));
	else
		take_variable(reading, option->value, strlen(option->value));
}

static void
read_hydra(struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "np", NULL }, *const a_node[] = { "ppn", "perhost", "grr", NULL };
	static const char *const hosts[] = { "f", "host", "hosts", "hostfile", "hostlist", "machine", "machinefile", "machinelist", "machines", NULL };

	if (sp_option_is_one_of(option, ranks))
		take_number(option->value ? option->value : "", &reading->ranks);
	else if (sp_option_is_one_of(option, a_node))
		take_number(option->value ? option->value : "", &reading->a_node);
	else
		take_pair(reading, option, "env");
	reading->has_hosts |= sp_option_is_one_of(option, hosts);
}

static void
read_shared_hydra(struct reading *reading, const struct sp_option *option)
{
	take_pair(reading, option, "genv");
}

static void
read_srun(struct reading *reading, const struct sp_option *option)
{
	static const char *const ranks[] = { "n", "ntasks", NULL }, *const nodes[] = { "N", "nodes", NULL };

	if (!option->value)
		return;
	if (sp_option_is_one_of(option, ranks))
		take_number(option->value, &reading->ranks);
	else if (sp_option_is_one_of(option, nodes))
		take_number(option->value, &reading->nodes);
	else if (sp_option_is(option, "ntasks-per-node"))
		take_number(option->value, &reading->a_node);
	else if (sp_option_is(option, "export"))
		take_variables(reading, option->value, ",");
}

typedef void option_reader(struct reading *reading, const struct sp_option *option);

/* Of an option that counts for the program in whose part it stands; for all programs, wherever it stands, or NULL. */
static option_reader *const own[] = {
	[SP_SYNTAX_OPENMPI] = read_openmpi, [SP_SYNTAX_HYDRA] = read_hydra, [SP_SYNTAX_SRUN] = read_srun,
};
static option_reader *const shared[] = {
	[SP_SYNTAX_OPENMPI] = read_shared_openmpi, [SP_SYNTAX_HYDRA] = read_shared_hydra, [SP_SYNTAX_SRUN] = NULL,
};

static void
read_part(struct reading *reading, option_reader *read, const char *arguments, size_t length)
{
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, reading->syntax, arguments, length);
	while (read && sp_options_next(&options, &option))
		read(reading, &option);
}

static char **
copy_environment(char *const environment[])
{
	size_t n = sp_environment_count(environment);
	char **copy = cmd_allocate(n + 1, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = cmd_format("%s", environment[i]);
	return copy;
}

/* This process's, with what wrappers give. */
static char **
begin_environment(const struct target *target)
{
	struct reading reading = { .environment = copy_environment(environ) };

	for (char **entry = target->given; entry && *entry; entry++)
		take_variable(&reading, *entry, strlen(*entry));
	return reading.environment;
}

static uint32_t
threads_in(char *const environment[])
{
	struct sp_omp_env omp_env;

	sp_omp_env_read(&omp_env, environment);
	return omp_env.team;
}

/* What to do with a part; its arguments begin with a word in the place of the launcher's name. */
typedef void part_visitor(struct target_job *job, const char *arguments, size_t length, struct reading *all);

static void
share_part(struct target_job *job, const char *arguments, size_t length, struct reading *all)
{
	(void)job;
	read_part(all, shared[all->syntax], arguments, length);
}

static void
add_part(struct target_job *job, const char *arguments, size_t length, struct reading *all)
{
	struct reading part = { .syntax = all->syntax, .environment = copy_environment(all->environment) };

	read_part(&part, own[all->syntax], arguments, length);
	job->threads = cmd_enlarge(job->threads, job->parts + 1, sizeof(*job->threads));
	job->ranks_of = cmd_enlarge(job->ranks_of, job->parts + 1, sizeof(*job->ranks_of));
	job->threads[job->parts] = threads_in(part.environment);
	job->ranks_of[job->parts] = part.ranks;
	all->ranks = (uint32_t)sp_smaller((uint64_t)all->ranks + part.ranks, UINT32_MAX);
	all->nodes = part.nodes ? part.nodes : all->nodes;
	all->a_node = part.a_node ? part.a_node : all->a_node;
	all->has_hosts |= part.has_hosts;
	if (job->parts++ == 0)
		job->environment = part.environment;
	else
		target_release_list(part.environment);
}

static void
each_part(const struct target *target, part_visitor *visit, struct target_job *job, struct reading *all)
{
	const char *begin = target->arguments, *end = target->arguments + target->length;
	struct sp_words words = { begin, end };

	for (const char *word; (word = sp_words_next(&words)); ) {
		if (strcmp(word, ":") != 0)
			continue;
		visit(job, begin, (size_t)(word - begin), all);
		begin = word;
	}
	visit(job, begin, (size_t)(end - begin), all);
}

static uint32_t
number_in(const char *name)
{
	const char *text = getenv(name);
	uint32_t number = 0;

	take_number(text ? text : "", &number);
	return number;
}

/* Of the batch system that this process is in; 0: not known. */
static uint32_t
nodes_of_batch(void)
{
	uint32_t slurm = number_in("SLURM_JOB_NUM_NODES");

	return slurm ? slurm : getenv("PBS_NODEFILE") || getenv("LSB_MCPU_HOSTS") || getenv("PE_HOSTFILE") ? 0 : 1;
}

/* srun takes from its allocation what is not said. */
static void
complete_srun(struct reading *all)
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

/* A program of which it is not said has one rank. */
static void
complete_hydra(struct target_job *job, struct reading *all)
{
	for (uint32_t i = 0; i < job->parts; i++) {
		if (job->ranks_of[i])
			continue;
		job->ranks_of[i] = 1;
		all->ranks = (uint32_t)sp_smaller((uint64_t)all->ranks + 1, UINT32_MAX);
	}
}

static uint32_t
ranks_here(const struct target *target, const struct reading *all)
{
	uint32_t nodes = target->launcher == TARGET_SRUN ? all->nodes : nodes_of_batch();
	bool is_elsewhere = target->launcher == TARGET_OPENMPI ? target->reach.names_others : all->has_hosts;

	if (all->a_node)
		return all->ranks && all->ranks < all->a_node ? all->ranks : all->a_node;
	return is_elsewhere || !nodes ? 0 : (all->ranks + nodes - 1) / nodes;
}

/* As a rank would find it, whose launcher is the command. */
static void
find_binding(const struct target *target, struct target_job *job)
{
	static const enum sp_launcher launchers[] = {
		[TARGET_OPENMPI] = SP_LAUNCHER_OPENMPI, [TARGET_HYDRA] = SP_LAUNCHER_HYDRA, [TARGET_SRUN] = SP_LAUNCHER_SLURM,
	};
	struct sp_rank rank = { .from = sp_launcher_row[launchers[target->launcher]].name };
	struct sp_ancestor ancestor = { .arguments = target->arguments, .length = target->length, .environment = environ };
	char *bound[] = { "OMPI_MCA_orte_bound_at_launch=1", NULL };
	struct sp_binding binding;

	sp_binding_find(&rank, target->launcher == TARGET_OPENMPI ? bound : NULL, &ancestor, 1, &binding);
	job->binding = binding.is_below ? TARGET_UNBOUND : binding.asked == SP_ASKED_YES ? TARGET_BOUND_AS_ASKED :
		       target->launcher == TARGET_OPENMPI ? TARGET_BOUND_BY_DEFAULT : TARGET_UNBOUND;
	job->overcommit = sp_overcommit_asked(&rank, environ, &ancestor, 1);
	memcpy(job->evidence, binding.evidence, sizeof(job->evidence));
}

void
target_read_job(const struct target *target, struct target_job *job)
{
	struct reading all = { .environment = begin_environment(target), .is_x_shared = !target->is_by_part };

	*job = (struct target_job){ .binding = TARGET_UNBOUND };
	if (!is_read(target)) {
		job->environment = all.environment;
		return;
	}
	all.syntax = syntaxes[target->launcher];
	each_part(target, share_part, job, &all);
	each_part(target, add_part, job, &all);
	target_release_list(all.environment);
	if (target->launcher == TARGET_SRUN)
		complete_srun(&all);
	if (target->launcher == TARGET_HYDRA && job->parts > 1)
		complete_hydra(job, &all);
	if (target->launcher == TARGET_HYDRA && !all.ranks)
		all.ranks = all.a_node ? all.a_node : 1;
	job->ranks = all.ranks;
	job->here = ranks_here(target, &all);
	find_binding(target, job);
}

bool
target_binds_to_core(const struct target_job *job, const struct sp_config *config)
{
	return job->binding == TARGET_BOUND_BY_DEFAULT && job->ranks > 0 && job->ranks <= BOUND_TO_CORES &&
	       config->inherited != SP_INHERITED_IGNORE && !sp_policy_says(&config->policy);
}

void
target_release_job(struct target_job *job)
{
	target_release_list(job->environment);
	free(job->threads);
	free(job->ranks_of);
	*job = (struct target_job){ .ranks = 0 };
}
