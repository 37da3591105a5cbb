/*
 * A rank that starts processes from its (pinned) main thread, in each way
 * there is.  Each child prints the CPU list it was given; with
 * $PLACEMENT_DIR set they are written to its children.N, one line a way:
 * "fork 0-3".  The last line has the variables that a child sees and that
 * bear on threads.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placement.h"

extern char **environ;

static char *const show[] = {
	"sed", "-n", "s/^Cpus_allowed_list:[[:blank:]]*//p", "/proc/self/status", NULL
};
#define SHOW "sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' /proc/self/status"

static int
by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execvp(show[0], show);
		_exit(127);
	}
	return waitpid(pid, NULL, 0) < 0;
}

static int
by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve("/bin/sed", show, environ);
		_exit(127);
	}
	return waitpid(pid, NULL, 0) < 0;
}

static int
by_posix_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, "/bin/sed", NULL, NULL, show, environ) || waitpid(pid, NULL, 0) < 0;
}

static int
by_posix_spawnp(void)
{
	pid_t pid;

	return posix_spawnp(&pid, "sed", NULL, NULL, show, environ) || waitpid(pid, NULL, 0) < 0;
}

static int
by_system(void)
{
	return system(SHOW);
}

static int
by_popen(void)
{
	char line[4096];
	FILE *child = popen(SHOW, "r");

	if (!child || !fgets(line, sizeof line, child))
		return 1;
	fputs(line, stdout);
	return pclose(child);
}

static const struct {
	const char *name;
	int (*start)(void);
} ways[] = {
	{ "fork", by_fork },
	{ "vfork", by_vfork },
	{ "posix_spawn", by_posix_spawn },
	{ "posix_spawnp", by_posix_spawnp },
	{ "system", by_system },
	{ "popen", by_popen },
};

int
main(int argc, char **argv)
{
	const char *dir = getenv("PLACEMENT_DIR");
	char path[4096];
	int rank, size, faults = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	placement_start(rank, size, omp_get_max_threads());
#pragma omp parallel
	placement_thread(0, omp_get_thread_num());
	placement_end();

	if (dir && *dir) {
		snprintf(path, sizeof path, "%s/children.%d", dir, rank);
		if (!freopen(path, "w", stdout))
			return 1;
		for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
			printf("%s ", ways[i].name);
			fflush(stdout);
			faults += ways[i].start() != 0;
		}
		printf("variables ");
		fflush(stdout);
		faults += system("env | grep -E '^(OMP_|KMP_|GOMP_|LD_PRELOAD|SPLITPIN)' | sort | paste -s -d ' '") != 0;
		fflush(stdout);
	}
	MPI_Finalize();
	return faults;
}
