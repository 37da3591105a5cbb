#include "launcher/without.h"

#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "process/process.h"

#define GENERATIONS 3
#define LIBRARY "libsplitpin"

/* Of one process: what it has in its address space. */
struct loaded {
	bool library, mpi, loader;
};

static bool
is_library(const char *name)
{
	return strncmp(name, LIBRARY, sizeof(LIBRARY) - 1) == 0;
}

static void
look_at_file(const char *name, void *data)
{
	struct loaded *loaded = data;

	loaded->library |= is_library(name);
	loaded->mpi |= strncmp(name, "libmpi", 6) == 0;
	loaded->loader |= strncmp(name, "ld", 2) == 0;
}

/* Returns whether no process has the library; *is_mpi becomes true where one is an MPI program. */
static bool
tree_is_without(pid_t pid, int generation, bool *is_mpi)
{
	struct loaded loaded = { false };
	pid_t *children;
	bool is_without = sp_process_each_file(pid, look_at_file, &loaded) && !loaded.library;

	if (!is_without)
		return false;
	*is_mpi |= loaded.mpi || !loaded.loader;
	ssize_t n = generation < GENERATIONS ? sp_process_children(pid, &children) : 0;
	for (ssize_t i = 0; i < n && is_without; i++)
		is_without = tree_is_without(children[i], generation + 1, is_mpi);
	if (n > 0)
		free(children);
	return is_without;
}

bool
sp_is_without_library(pid_t pid)
{
	bool is_mpi = false;

	return tree_is_without(pid, 1, &is_mpi) && is_mpi;
}

/* The loader parts names by colons or blanks. */
bool
sp_is_preloaded(char *const environment[])
{
	const char *at = sp_environment_value(environment, "LD_PRELOAD");

	for (size_t length; at && *at; at += length, at += strspn(at, ": ")) {
		length = strcspn(at, ": ");
		const char *slash = memrchr(at, '/', length);

		if (is_library(slash ? slash + 1 : at))
			return true;
	}
	return false;
}
