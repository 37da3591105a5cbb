/*
 * STREAM's triad, a = b + s c: the best of several passes, each thread on its
 * own part, which it has initialised.  Rank 0 prints the sum over the ranks.
 *
 *   triad [MIB [PASSES]]	MIB: of each array and rank (64)
 *
 *   triad: 12.34 GB/s
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

int
main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 64;
	int rank, threads, passes = argc > 2 ? atoi(argv[2]) : 10;
	double best = 0, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
	threads = omp_get_max_threads();
	size_t bytes = (mib << 20) / (size_t)threads;
	double *a = held_array("a", threads, &bytes), *b = held_array("b", threads, &bytes),
	       *c = held_array("c", threads, &bytes);
	size_t n = bytes / sizeof *a * (size_t)threads;

#pragma omp parallel
	held_thread(omp_get_thread_num());
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++) {
		a[i] = 0;
		b[i] = 1;
		c[i] = 2;
	}
	for (int pass = 0; pass < passes; pass++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double begin = MPI_Wtime();
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < n; i++)
			a[i] = b[i] + 3 * c[i];
		MPI_Barrier(MPI_COMM_WORLD);
		double rate = 3e-9 * (double)(n * sizeof *a) / (MPI_Wtime() - begin);
		if (rate > best)
			best = rate;
	}
	held(rank);
	MPI_Reduce(&best, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("triad: %.2f GB/s\n", all);
	MPI_Finalize();
	return a[n / 2] != 7;
}
