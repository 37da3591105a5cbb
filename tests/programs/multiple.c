/*
 * MPI_THREAD_MULTIPLE: each thread sends to the thread of its number in the
 * next rank.  The parallel region stands in main and names its number of
 * threads: clang then asks the OpenMP runtime for a thread number at main's
 * entry, so that the runtime starts before MPI_Init.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

#include "placement.h"

int
main(int argc, char **argv)
{
	int rank, size, provided, threads, wrong = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	placement_start(rank, size, omp_get_max_threads());
	threads = omp_get_max_threads();
	MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);

#pragma omp parallel num_threads(threads) reduction(+:wrong)
	{
		int number = omp_get_thread_num();
		int next = (rank + 1) % size, previous = (rank + size - 1) % size;

		for (int i = 0; provided == MPI_THREAD_MULTIPLE && i < 20; i++) {
			int sent[3] = { rank, number, i }, got[3];

			MPI_Sendrecv(sent, 3, MPI_INT, next, number, got, 3, MPI_INT, previous,
				     number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			wrong += got[0] != previous || got[1] != number || got[2] != i;
		}
#pragma omp barrier
		placement_thread(0, number);
	}
	placement_end();

	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, thread level %s, %d wrong messages\n", size,
		       provided == MPI_THREAD_MULTIPLE ? "multiple" : "lower", wrong);
	MPI_Finalize();
	return wrong != 0;
}
