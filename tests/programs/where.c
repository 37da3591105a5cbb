/*
 * Writes where it runs: the CPUs of each OpenMP thread in turn, "0;1", into the file
 * DIR/HOST-RANK.  All ranks are there until all have written it; with NO_MPI they are
 * torchrun's workers of one node.
 *
 *   where DIR
 */
#define _GNU_SOURCE
#ifndef NO_MPI
#include <mpi.h>
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
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

static int
begin(int *argc, char ***argv)
{
	const char *number = getenv("LOCAL_RANK");
	int rank = number ? atoi(number) : 0;

#ifndef NO_MPI
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	(void)argc;
	(void)argv;
	return rank;
}

static void
end(const char *folder, const char *host)
{
#ifndef NO_MPI
	(void)folder;
	(void)host;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
#else
	const char *size = getenv("LOCAL_WORLD_SIZE");
	char path[4096];

	for (int i = 0; size && i < atoi(size); i++) {
		snprintf(path, sizeof path, "%s/%s-%d", folder, host, i);
		for (int nap = 0; nap < 3000 && access(path, F_OK) != 0; nap++)
			usleep(10000);
	}
#endif
}

int
main(int argc, char **argv)
{
	char host[64] = "", path[4096];
	int rank = begin(&argc, &argv);

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
	end(argv[1], host);
	return 0;
}
