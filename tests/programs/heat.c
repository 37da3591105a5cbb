/*
 * The heat equation in one dimension, by explicit steps, each thread on its part.
 *
 *   heat parallel|serial [PAGES]
 *
 * parallel, serial: who initialises the arrays, all threads or the first.
 * PAGES: of each thread's part of each array (64).
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

static double
start(size_t i, size_t n)
{
	return i < n / 2 ? 1 : 0;
}

int
main(int argc, char **argv)
{
	int rank, threads, serial = argc > 1 && !strcmp(argv[1], "serial");
	size_t bytes = 4096 * (argc > 2 ? strtoul(argv[2], NULL, 10) : 64);
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
	threads = omp_get_max_threads();
	double *old = held_array("old", threads, &bytes), *new = held_array("new", threads, &bytes);
	size_t n = bytes / sizeof *old * (size_t)threads;

#pragma omp parallel
	held_thread(omp_get_thread_num());
#pragma omp parallel for schedule(static) if (!serial)
	for (size_t i = 0; i < n; i++)
		old[i] = new[i] = start(i, n);
	for (int step = 0; step < 4; step++) {
#pragma omp parallel for schedule(static)
		for (size_t i = 1; i < n - 1; i++)
			new[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
		double *swap = old;
		old = new;
		new = swap;
	}
#pragma omp parallel for schedule(static) reduction(+:sum)
	for (size_t i = 0; i < n; i++)
		sum += old[i];
	held(rank);
	MPI_Finalize();
	printf("rank %d: %g\n", rank, sum / (double)n);
	return 0;
}
