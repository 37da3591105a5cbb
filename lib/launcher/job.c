#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/text.h"
#include "base/words.h"
#include "launcher/job.h"
#include "launcher/launcher.h"
#include "launcher/nearest.h"
#include "launcher/known/known.h"
#include "base/environment.h"
#include "process/process.h"

#define BY_PROCESS "process "
#define NETWORK 32		/* room for the name of a network name space */
#define ID 280			/* room for a name without the number of ranks; PMIx's have 255 at most */

/* The value, or NULL; also NULL if name is NULL. */
static const char *
value_of(char *const environment[], const char *variable)
{
	return variable ? sp_environment_value(environment, variable) : NULL;
}

/* "VARIABLE VALUE", or "slurm JOB.STEP". */
static int
given_name(enum sp_launcher launcher, char *const environment[], char text[ID])
{
	const char *const *variable = sp_launcher_details_of(launcher)->job;
	const char *job = value_of(environment, variable[0]), *step = value_of(environment, variable[1]);

	if (!job || !*job || (variable[1] && !step))
		return -ENOENT;
	if (step)
		snprintf(text, ID, "%s %s.%s", sp_launcher_row[launcher].name, job, step);
	else
		snprintf(text, ID, "%s %s", variable[0], job);
	return 0;
}

/*
 * A shell between launcher and rank has the rank's variables, a launcher has
 * none.  It may have set SPLITPIN_LOCAL_RANK itself, from those it was given.
 */
static bool
is_same_rank(pid_t pid, const struct sp_rank *rank)
{
	char **environment = sp_process_environment(pid);
	struct sp_rank its;
	bool same = environment && sp_nearest_find(pid, environment, &its) == 0 &&
		    its.local_rank == rank->local_rank && its.local_size == rank->local_size &&
		    (strcmp(its.from, rank->from) == 0 || sp_launcher_find(rank->from) == SP_LAUNCHER_USER);

	free(environment);
	return same;
}

/*
 * Apptainer and Singularity have processes between launcher and rank, with
 * environments of their own; the second kind where ranks share a container.
 */
static bool
is_containers(pid_t pid)
{
	static const char *const titles[] = {
		"Apptainer runtime parent", "Singularity runtime parent", "appinit", "sinit",
	};
	size_t length = 0;
	char *arguments = sp_process_arguments(pid, &length);
	bool is = false;

	for (size_t i = 0; arguments && !is && i < sizeof(titles) / sizeof(titles[0]); i++) {
		size_t end = strlen(titles[i]);

		is = length > end && memcmp(arguments, titles[i], end) == 0 && strchr(": ", arguments[end]);
	}
	free(arguments);
	return is;
}

static void
process_name(const struct sp_process *process, char text[ID])
{
	struct sp_text name = sp_text_begin(text, ID);

	sp_text_put(&name, BY_PROCESS);
	sp_text_put_number(&name, (uint32_t)process->pid);
	sp_text_put(&name, ".");
	sp_text_put_number(&name, process->started);
}

/*
 * A process that no launcher started is a job of its own; or of the process
 * above it for which "splitpin run --alone" was typed.
 */
static int
own_name(pid_t pid, char *const environment[], char text[ID])
{
	const char *run = value_of(environment, SP_RUN);
	struct sp_process process;
	uint32_t lone;
	int error = sp_process_read(pid, &process);

	if (!error && run && sp_ascii_number(run, &lone) && sp_process_is_ancestor((pid_t)lone, &process))
		error = sp_process_read((pid_t)lone, &process);
	if (!error)
		process_name(&process, text);
	return error;
}

/* The nearest ancestor that is no process of the rank. */
static int
find_starter(pid_t pid, const struct sp_rank *rank, struct sp_process *starter)
{
	pid_t parent = sp_process_parent(pid);
	int error = parent < 0 ? parent : sp_process_read(parent, starter);

	for (int i = 0; !error && i < SP_GENERATIONS_MAX && starter->parent > 0; i++) {
		if (!is_same_rank(starter->pid, rank) && !is_containers(starter->pid))
			break;
		error = sp_process_read(starter->parent, starter);
	}
	return error;
}

static int
ancestor_name(pid_t pid, const struct sp_rank *rank, char text[ID])
{
	struct sp_process starter;
	int error = find_starter(pid, rank, &starter);

	if (!error)
		process_name(&starter, text);
	return error;
}

pid_t
sp_job_starter(const struct sp_rank *rank)
{
	bool is_alone = sp_launcher_find(rank->from) == SP_LAUNCHER_ALONE;
	struct sp_process starter;

	if (is_alone)
		return getpid();
	return find_starter(getpid(), rank, &starter) == 0 ? starter.pid : getppid();
}

/* "net:[4026531840]".  A process whose name space may not be read is taken to be in the caller's. */
static bool
read_network(pid_t pid, char network[NETWORK])
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	ssize_t n = readlink(path, network, NETWORK - 1);
	if (n < 0)
		n = readlink("/proc/self/ns/net", network, NETWORK - 1);
	network[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/*
 * What distinguishes this node of the job from others that share its /dev/shm:
 * " on n1", or " in net:[4026531840]".  Read from the environment alone, since PMIx
 * answers only for the calling process.
 */
static void
add_node(pid_t pid, const struct sp_rank *rank, char *const environment[], char *text)
{
	const struct sp_rank its = { .local_size = rank->local_size, .from = rank->from };
	size_t length = strlen(text), room = SP_JOB_NAME - length;
	char network[NETWORK];

	if (!sp_job_has_other_nodes(&its, environment))
		return;
	const char *node = sp_job_node(&its, environment);
	if (node && !strchr(node, ','))
		snprintf(text + length, room, " on %s", node);
	else if (read_network(pid, network))
		snprintf(text + length, room, " in %s", network);
}

int
sp_job_name_of(pid_t pid, const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME])
{
	char id[ID];
	enum sp_launcher launcher = sp_launcher_find(rank->from);
	int error = launcher == SP_LAUNCHER_ALONE ? own_name(pid, environment, id) : given_name(launcher, environment, id);
	bool is_given = !error && launcher != SP_LAUNCHER_ALONE;

	if (error == -ENOENT)
		error = ancestor_name(pid, rank, id);
	if (error)
		return error;
	struct sp_text name = sp_text_begin(text, SP_JOB_NAME);
	sp_text_put(&name, id);
	sp_text_put(&name, ", ");
	sp_text_put_number(&name, rank->local_size);
	sp_text_put(&name, " rank");
	sp_text_put(&name, sp_plural(rank->local_size));
	if (is_given)
		add_node(pid, rank, environment, text);
	return 0;
}

/* The option with the address of the command that started this daemon, or NULL. */
static const char *
address_option(const char *daemon)
{
	for (enum sp_launcher i = 0; daemon && i < SP_LAUNCHERS; i++) {
		const struct sp_launcher_details *details = sp_launcher_details[i];

		if (details->address.process && strcmp(details->address.process, daemon) == 0)
			return details->address.option;
	}
	return NULL;
}

int
sp_job_address(const struct sp_ancestor ancestor[], size_t n, char *text, size_t size)
{
	const char *name = n > 0 ? sp_ancestors_name(ancestor[0].arguments, ancestor[0].length) : NULL, *word;
	const char *option = address_option(name);

	if (!option)
		return -ENOENT;
	struct sp_words words = { ancestor[0].arguments, ancestor[0].arguments + ancestor[0].length };
	while ((word = sp_words_next(&words)) && strcmp(word, option) != 0)
		continue;
	word = word ? sp_words_next(&words) : NULL;
	if (!word || !*word)
		return -ENOENT;
	snprintf(text, size, "%s", word);
	return 0;
}

int
sp_job_address_of(pid_t pid, char text[SP_JOB_NAME])
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(pid, &n);
	int error = sp_job_address(ancestor, n, text, SP_JOB_NAME);

	sp_ancestors_free(ancestor, n);
	return error;
}

int
sp_job_launch_of(pid_t pid, char text[SP_JOB_NAME])
{
	char **environment = sp_process_environment(pid), id[ID];
	struct sp_rank rank;
	int error = -ENOENT;

	if (environment && !sp_job_is_spawned(environment) && sp_nearest_find(pid, environment, &rank) == 0) {
		error = given_name(sp_launcher_find(rank.from), environment, id);
		if (!error)
			snprintf(text, SP_JOB_NAME, "%s", id);
		else
			error = sp_job_address_of(pid, text);
	}
	free(environment);
	return error;
}

bool
sp_job_is_named_by_ancestor(const char *name)
{
	return strncmp(name, BY_PROCESS, strlen(BY_PROCESS)) == 0;
}

int
sp_job_name(const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME])
{
	return sp_job_name_of(getpid(), rank, environment, text);
}

/* The name of Grid Engine's variable is a common word, so it counts only beside other variables of Grid Engine. */
const char *
sp_job_batch_id(char *const environment[])
{
	static const char *const variables[] = {
		"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PJM_JOBID", "COBALT_JOBID", "OAR_JOB_ID",
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *id = sp_environment_value(environment, variables[i]);

		if (id && *id)
			return id;
	}
	const char *id = sp_environment_value(environment, "SGE_ROOT") ? sp_environment_value(environment, "JOB_ID") : NULL;
	return id && *id ? id : NULL;
}

uint32_t
sp_job_ranks(const struct sp_rank *rank, char *const environment[])
{
	const char *value = value_of(environment, sp_launcher_details_of(sp_launcher_of_rank(rank, environment))->ranks);
	uint32_t ranks = rank->job_size;

	return ranks || (value && sp_ascii_number(value, &ranks)) ? ranks : 0;
}

bool
sp_job_has_other_nodes(const struct sp_rank *rank, char *const environment[])
{
	return sp_job_ranks(rank, environment) > rank->local_size;
}

/* The variable of another launcher may be inherited from the node where the job began. */
const char *
sp_job_node(const struct sp_rank *rank, char *const environment[])
{
	const char *node = value_of(environment, sp_launcher_details_of(sp_launcher_find(rank->from))->node);

	return node && sp_job_has_other_nodes(rank, environment) ? node : NULL;
}

/* The rank's number in a job that has other nodes. */
static bool
is_numbered(const struct sp_rank *rank, char *const environment[], uint32_t *number)
{
	const char *value = value_of(environment, sp_launcher_details_of(sp_launcher_of_rank(rank, environment))->world);

	return sp_job_has_other_nodes(rank, environment) && value && sp_ascii_number(value, number);
}

bool
sp_job_is_first_rank(const struct sp_rank *rank, char *const environment[])
{
	uint32_t number;

	return is_numbered(rank, environment, &number) ? number == 0 : rank->local_rank == 0;
}

/* Slurm's "4(x2),2", where not all nodes have equally many. */
static bool
has_uneven_nodes(char *const environment[])
{
	const char *cpus = sp_environment_value(environment, "SLURM_JOB_CPUS_PER_NODE");

	return cpus && strchr(cpus, ',');
}

bool
sp_job_first_node_is_alike(const struct sp_rank *rank, char *const environment[])
{
	uint32_t number, ranks = sp_job_ranks(rank, environment), here = rank->local_size;

	if (!is_numbered(rank, environment, &number) || !here || ranks % here || has_uneven_nodes(environment))
		return false;
	uint32_t nodes = ranks / here;
	bool may_be_in_order = number % here == rank->local_rank, may_be_in_turn = number / nodes == rank->local_rank;

	return (may_be_in_order || may_be_in_turn) && !(may_be_in_order && number / here == 0) && !(may_be_in_turn && number % nodes == 0);
}

/* Without a list of CPUs per node, more nodes than this are taken to be equal; fewer may each warn. */
#define FEW_NODES 16

bool
sp_job_first_node_has_as_many_cpus(const struct sp_rank *rank, char *const environment[])
{
	if (!sp_job_first_node_is_alike(rank, environment))
		return false;
	return sp_environment_value(environment, "SLURM_JOB_CPUS_PER_NODE") ||
	       sp_job_ranks(rank, environment) / rank->local_size > FEW_NODES;
}

bool
sp_job_is_spawned(char *const environment[])
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++) {
		const char *value = value_of(environment, sp_launcher_details[i]->spawned);

		if (value && strcmp(value, "0") != 0)
			return true;
	}
	return false;
}
