/*
 * A hybrid program in C: two parallel regions, one sum a rank, printed by
 * rank 0.  The sum does not depend on the number of threads.
 *
 *   hybrid           MPI_Init
 *   hybrid thread    MPI_Init_thread
 *   hybrid chdir     MPI_Init, after leaving the folder it was started in
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "placement.h"

static long
work(int rank, int region)
{
	long sum = 0;

#pragma omp parallel reduction(+:sum)
	{
#pragma omp for
		for (long i = 0; i < 100000; i++)
			sum += (i * (rank + 1) + region) % 1009;
		placement_thread(region, omp_get_thread_num());
	}
	return sum;
}

int
main(int argc, char **argv)
{
	int rank, size, provided;
	long sum, *sums;

	if (argc > 1 && !strcmp(argv[1], "thread"))
		MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	else if (argc > 1 && !strcmp(argv[1], "chdir") && chdir("/"))
		return 1;
	else
		MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	placement_start(rank, size, omp_get_max_threads());

	sum = work(rank, 0) + work(rank, 1);
	placement_end();

	sums = calloc(size, sizeof *sums);
	MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		printf("rank %d of %d: %ld\n", i, size, sums[i]);
	free(sums);
	MPI_Finalize();
	return 0;
}
