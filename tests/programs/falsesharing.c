/*
 * Threads that write to one cache line: the nearer they are to each other the
 * better.  falsesharing [THOUSANDS OF TIMES]
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

int
main(int argc, char **argv)
{
	long times = (argc > 1 ? atol(argv[1]) : 100) * 1000, sum = 0;
	static volatile long line[8];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
#pragma omp parallel
	{
		int number = omp_get_thread_num();

		held_thread(number);
		for (long i = 0; i < times; i++) {
			line[number % 8]++;
#pragma omp atomic
			sum++;
		}
	}
	held(rank);
	MPI_Finalize();
	printf("rank %d: %ld\n", rank, sum / omp_get_max_threads());
	return 0;
}
