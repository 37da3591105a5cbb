/* A rank: the mask of each of its OpenMP threads, "rank 0 thread 1 of 2: 3". */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
#ifdef NO_MPI
int MPI_Finalize(void) { return 0; }
#endif

static void
print_mask(const char *rank)
{
	char text[4096];
	cpu_set_t set;
	int n = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int i = 0; i < CPU_SETSIZE && n < (int)sizeof(text) - 8; i++)
		if (CPU_ISSET(i, &set))
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%d", n ? "," : "", i);
	printf("rank %s thread %d of %d: %s\n", rank, omp_get_thread_num(), omp_get_num_threads(), text);
}

int
main(int argc, char **argv)
{
	const char *rank = getenv("PMI_RANK");

	if (!rank)
		rank = getenv("OMPI_COMM_WORLD_RANK");
	if (MPI_Init(&argc, &argv) != 0)
		return 1;
#pragma omp parallel
#pragma omp critical
	print_mask(rank ? rank : "?");
	return MPI_Finalize();
}
