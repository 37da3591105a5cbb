#include "launcher/nearest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "launcher/ancestors.h"
#include "launcher/known/known.h"
#include "launcher/launcher.h"
#include "process/process.h"

static bool
is_python(const struct sp_rank *rank)
{
	return rank->from && sp_launcher_details_of(sp_launcher_find(rank->from))->is_pythons;
}

/* The rank by the launchers of MPI libraries and resource managers alone; 0, or a negative errno. */
static int
mpi_rank(char *const environment[], struct sp_rank *rank)
{
	char **others = sp_environment_copy(environment, 0);
	size_t n = 0;

	if (!others)
		return -ENOMEM;
	for (char **entry = others; *entry; entry++)
		if (strncmp(*entry, "LOCAL_", 6) != 0 && strncmp(*entry, "SPLITPIN_", 9) != 0)
			others[n++] = *entry;
	others[n] = NULL;
	int error = sp_launcher_rank(others, rank);
	free(others);
	return error;
}

static bool
is_same(const struct sp_rank *a, const struct sp_rank *b)
{
	return strcmp(a->from, b->from) == 0 && a->local_rank == b->local_rank && a->local_size == b->local_size;
}

static bool
has_python(char *const environment[], const struct sp_rank *rank)
{
	struct sp_rank its;

	return environment && sp_launcher_rank(environment, &its) == 0 && is_same(&its, rank);
}

static bool
has_mpi(char *const environment[], const struct sp_rank *rank)
{
	struct sp_rank its;

	return environment && mpi_rank(environment, &its) == 0 && is_same(&its, rank);
}

enum answer { PYTHON, MPI, NEITHER };

/*
 * What this process started.  A launcher lacks the variables that it gives to
 * its ranks; a daemon on another node, or of a resource manager, may lack the
 * outer ones as well, or hide its environment.
 */
static enum answer
started_by(pid_t pid, const struct sp_rank *python, const struct sp_rank *mpi)
{
	char **environment = sp_process_environment(pid);
	bool python_is_outer = has_python(environment, python), mpi_is_outer = has_mpi(environment, mpi);

	free(environment);
	if (python_is_outer && mpi_is_outer)
		return NEITHER;
	if (python_is_outer || mpi_is_outer)
		return python_is_outer ? MPI : PYTHON;
	return sp_ancestors_is_launcher(pid) ? MPI : PYTHON;
}

static bool
is_started_by_mpi(pid_t pid, const struct sp_rank *python, const struct sp_rank *mpi)
{
	enum answer answer = NEITHER;
	struct sp_process process;

	for (int i = 0; i < SP_GENERATIONS_MAX && answer == NEITHER; i++) {
		if (sp_process_read(pid, &process) || process.parent <= 0)
			break;
		pid = process.parent;
		answer = started_by(pid, python, mpi);
	}
	return answer == MPI;
}

int
sp_nearest_find(pid_t pid, char *const environment[], struct sp_rank *rank)
{
	int error = sp_launcher_rank(environment, rank);

	if (!error)
		sp_nearest_rank(pid, environment, rank);
	return error;
}

void
sp_nearest_rank(pid_t pid, char *const environment[], struct sp_rank *rank)
{
	struct sp_rank mpi;

	if (!is_python(rank) || mpi_rank(environment, &mpi) != 0 || !is_started_by_mpi(pid, rank, &mpi))
		return;
	mpi.may_be_asked = rank->may_be_asked;
	mpi.from_start = rank->from_start;
	*rank = mpi;
}
