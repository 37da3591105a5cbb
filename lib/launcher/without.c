#include "launcher/without.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "process/process.h"

#define GENERATIONS 3
#define LIBRARY "libsplitpin"

/* Of one process: what it has in its address space. */
struct loaded {
	bool library, mpi, loader;
	bool is_known;
};

static bool
is_library(const char *name)
{
	return strncmp(name, LIBRARY, sizeof(LIBRARY) - 1) == 0;
}

static void
look_at_file(const char *line, struct loaded *loaded)
{
	const char *name = strrchr(line, '/');

	if (!name)
		return;
	loaded->library |= is_library(name + 1);
	loaded->mpi |= strncmp(name, "/libmpi", 7) == 0;
	loaded->loader |= strncmp(name, "/ld", 3) == 0;
}

static struct loaded
look_at_process(pid_t pid)
{
	struct loaded loaded = { false };
	char path[32], *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = sp_process_is_readable(pid) ? fopen(path, "re") : NULL;
	while (maps && getline(&line, &room, maps) > 0) {
		look_at_file(line, &loaded);
		loaded.is_known = true;
	}
	free(line);
	if (maps)
		fclose(maps);
	return loaded;
}

/* Returns whether no process has the library; *is_mpi becomes true where one is an MPI program. */
static bool
tree_is_without(pid_t pid, int generation, bool *is_mpi)
{
	const struct loaded loaded = look_at_process(pid);
	pid_t *children;
	bool is_without = loaded.is_known && !loaded.library;

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
