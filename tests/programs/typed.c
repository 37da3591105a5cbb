/*
 * A rank, or a program without MPI, that waits at given points: tests order
 * what happens by files, and not by the clock.
 *
 *   typed mpi|omp [COMMAND]
 *
 *   mpi      MPI_Init first; omp: no MPI
 *   COMMAND  run when the region is over, three times
 *
 * One parallel region.  TYPED_DIR/NAME then has lines "pid 4711", "procs 2" (as
 * OpenMP counts them), "share 0,1" and "thread 1 0"; NAME is TYPED_NAME, or the
 * local rank.  The environment may name:
 *
 *   TYPED_HELPER   a command to start before MPI_Init, which stays
 *   TYPED_FIRST    a file to wait for before MPI_Init and the region
 *   TYPED_LAST     a file to wait for before the end
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 64, TEXT = 256 };

static char masks[THREADS][TEXT];

/* What the program is told, and not the place of its first thread. */
static void
own_share(char text[TEXT])
{
	cpu_set_t set;
	size_t len = 0;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		exit(1);
	for (int cpu = 0; cpu < CPU_SETSIZE && len < TEXT - 8; cpu++)
		if (CPU_ISSET(cpu, &set))
			len += snprintf(text + len, TEXT - len, "%s%d", len ? "," : "", cpu);
}

static void
own_mask(char text[TEXT])
{
	FILE *status = fopen("/proc/thread-self/status", "r");
	char line[1024];

	strcpy(text, "?");
	while (status && fgets(line, sizeof line, status))
		sscanf(line, "Cpus_allowed_list: %255s", text);
	if (status)
		fclose(status);
}

/* Five minutes at most. */
static void
wait_for(const char *path)
{
	for (int i = 0; i < 30000 && path && access(path, F_OK) != 0; i++)
		usleep(10000);
}

static const char *
own_name(void)
{
	static const char *const names[] = { "TYPED_NAME", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SPLITPIN_LOCAL_RANK" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return "0";
}

static void
write_all(const char *share)
{
	char path[4096], to[4096];

	snprintf(to, sizeof to, "%s/%s", getenv("TYPED_DIR"), own_name());
	snprintf(path, sizeof path, "%s/.%s", getenv("TYPED_DIR"), own_name());
	FILE *file = fopen(path, "w");

	if (!file)
		exit(1);
	fprintf(file, "pid %d\nprocs %d\nshare %s\n", (int)getpid(), omp_get_num_procs(), share);
	for (int i = 0; i < THREADS && masks[i][0]; i++)
		fprintf(file, "thread %d %s\n", i, masks[i]);
	fclose(file);
	rename(path, to);
}

int
main(int argc, char **argv)
{
	int is_mpi = argc > 1 && strcmp(argv[1], "mpi") == 0, status = 0;
	char share[TEXT];

	FILE *helper = getenv("TYPED_HELPER") ? popen(getenv("TYPED_HELPER"), "w") : NULL;
	wait_for(getenv("TYPED_FIRST"));
	if (is_mpi)
		MPI_Init(&argc, &argv);
#pragma omp parallel
	if (omp_get_thread_num() < THREADS)
		own_mask(masks[omp_get_thread_num()]);
	own_share(share);
	write_all(share);
	for (int i = 0; i < 3 && argc > 2 && !status; i++)
		status = system(argv[2]);
	wait_for(getenv("TYPED_LAST"));
	if (is_mpi)
		MPI_Finalize();
	if (helper)
		pclose(helper);
	return status != 0;
}
