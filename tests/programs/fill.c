/*
 * Takes memory and does nothing else: each OpenMP thread touches every page of
 * its part of an array.
 *
 *   fill PAGES	of each thread's part
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

int
main(int argc, char **argv)
{
	int rank;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = page * (argc > 1 ? strtoul(argv[1], NULL, 10) : 1);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
	char *array = held_array("x", omp_get_max_threads(), &bytes);

#pragma omp parallel
	{
		char *mine = array + bytes * (size_t)omp_get_thread_num();

		held_thread(omp_get_thread_num());
		for (size_t i = 0; i < bytes; i += page)
			mine[i] = 1;
	}
	held(rank);
	MPI_Finalize();
	return 0;
}
