/*
 * Writes where it runs: the CPUs of each OpenMP thread in turn, "0;1", into the file
 * DIR/HOST-RANK.  All ranks are there until all have written it.
 *
 *   where DIR
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 64, TEXT = 256 };

static char masks[THREADS][TEXT];

static void
own_mask(char text[TEXT])
{
	FILE *status = fopen("/proc/thread-self/status", "r");
	char line[1024];

	while (status && fgets(line, sizeof line, status))
		sscanf(line, "Cpus_allowed_list: %255s", text);
	if (status)
		fclose(status);
}

int
main(int argc, char **argv)
{
	char host[64] = "", path[4096];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel
	if (omp_get_thread_num() < THREADS)
		own_mask(masks[omp_get_thread_num()]);
	gethostname(host, sizeof host - 1);
	snprintf(path, sizeof path, "%s/%s-%d", argv[1], host, rank);
	FILE *file = fopen(path, "w");

	for (int i = 0; file && i < THREADS && masks[i][0]; i++)
		fprintf(file, "%s%s", i ? ";" : "", masks[i]);
	if (!file || fputc('\n', file) == EOF || fclose(file) != 0)
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
