/* The name of the job that a rank belongs to. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/job.h"
#include "launcher/launcher.h"
#include "base/process.h"

#define GENERATIONS 32		/* more ancestors than any wrapper has */
#define ID 280			/* room for a name without the number of ranks; PMIx's have 255 at most */

static const char *
value_of(char *const environment[], const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static int
slurm_name(char *const environment[], char text[ID])
{
	const char *job = value_of(environment, "SLURM_JOB_ID"), *step = value_of(environment, "SLURM_STEP_ID");

	if (!job || !step)
		return -ENOENT;
	snprintf(text, ID, "slurm %s.%s", job, step);
	return 0;
}

/* Managers whose ranks may be children of one daemon that serves many jobs. */
static const struct {
	const char *from, *variable;
} names[] = {
	{ "openmpi", "PMIX_NAMESPACE" },
	{ "pmix", "PMIX_NAMESPACE" },
	{ "pals", "PALS_APID" },
	{ "flux", "FLUX_JOB_ID" },
};

static int
given_name(const struct sp_rank *rank, char *const environment[], char text[ID])
{
	if (strcmp(rank->from, "slurm") == 0)
		return slurm_name(environment, text);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(rank->from, names[i].from) != 0)
			continue;
		const char *value = value_of(environment, names[i].variable);

		if (!value || !*value)
			return -ENOENT;
		snprintf(text, ID, "%s %s", names[i].variable, value);
		return 0;
	}
	return -ENOENT;
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
	bool same = environment && sp_launcher_rank(environment, &its) == 0 &&
		    its.local_rank == rank->local_rank && its.local_size == rank->local_size &&
		    (strcmp(its.from, rank->from) == 0 || strcmp(rank->from, "user") == 0);

	free(environment);
	return same;
}

static void
process_name(const struct sp_process *process, char text[ID])
{
	snprintf(text, ID, "process %d.%llu", (int)process->pid, (unsigned long long)process->started);
}

/* A process that no launcher started is a job of its own. */
static int
own_name(pid_t pid, char text[ID])
{
	struct sp_process process;
	int error = sp_process_read(pid, &process);

	if (!error)
		process_name(&process, text);
	return error;
}

static int
ancestor_name(pid_t pid, const struct sp_rank *rank, char text[ID])
{
	struct sp_process process;
	int error = sp_process_read(pid, &process);

	if (!error)
		error = sp_process_read(process.parent, &process);
	for (int i = 0; !error && i < GENERATIONS && process.parent > 0; i++) {
		if (!is_same_rank(process.pid, rank))
			break;
		error = sp_process_read(process.parent, &process);
	}
	if (!error)
		process_name(&process, text);
	return error;
}

int
sp_job_name_of(pid_t pid, const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME])
{
	char id[ID];
	int error = strcmp(rank->from, "alone") == 0 ? own_name(pid, id) : given_name(rank, environment, id);

	if (error == -ENOENT)
		error = ancestor_name(pid, rank, id);
	if (!error)
		snprintf(text, SP_JOB_NAME, "%s, %u ranks", id, rank->local_size);
	return error;
}

int
sp_job_name(const struct sp_rank *rank, char *const environment[], char text[SP_JOB_NAME])
{
	return sp_job_name_of(getpid(), rank, environment, text);
}

/* MPICH 5 says so itself; Open MPI 4 and 5 give the parents' address. */
bool
sp_job_is_spawned(char *const environment[])
{
	const char *hydra = value_of(environment, "PMI_SPAWNED");

	return (hydra && strcmp(hydra, "0") != 0) || value_of(environment, "OMPI_PARENT_PORT");
}
