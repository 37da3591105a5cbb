/*
 * y = a x + y, each thread on its part.
 *
 *   daxpy each|first [remote] [PAGES]
 *
 *   each    every thread initialises its part
 *   first   the first thread initialises all
 *   remote  the memory is bound to another NUMA node than that of the thread
 *           that allocates it
 *   PAGES   of each thread's part of each array (64)
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sys/syscall.h>

#include "held.h"

enum { NODES = 64, BIND = 2 };

/* Bind to the next node that has memory. */
static void
go_away(void *array, size_t bytes)
{
	unsigned cpu, node;

	syscall(SYS_getcpu, &cpu, &node, NULL);
	for (unsigned i = 1; i < NODES; i++) {
		unsigned long mask = 1ul << (node + i) % NODES;

		if (syscall(SYS_mbind, array, bytes, BIND, &mask, NODES, 0) == 0)
			return;
	}
}

int
main(int argc, char **argv)
{
	int rank, threads, first = argc > 1 && !strcmp(argv[1], "first"), remote = argc > 2 && !strcmp(argv[2], "remote");
	size_t bytes = 4096 * (argc > 2 + remote ? strtoul(argv[2 + remote], NULL, 10) : 64);
	double sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
	threads = omp_get_max_threads();
	double *x = held_array("x", threads, &bytes), *y = held_array("y", threads, &bytes);
	size_t n = bytes / sizeof *x;

	if (remote) {
		go_away(x, bytes * (size_t)threads);
		go_away(y, bytes * (size_t)threads);
	}
	/* The team exists before the first thread initialises. */
#pragma omp parallel
	held_thread(omp_get_thread_num());
	for (size_t i = 0; first && i < n * (size_t)threads; i++) {
		x[i] = 1;
		y[i] = 2;
	}
#pragma omp parallel reduction(+:sum)
	{
		double *mine = y + n * (size_t)omp_get_thread_num(), *other = x + n * (size_t)omp_get_thread_num();

		for (size_t i = 0; !first && i < n; i++) {
			other[i] = 1;
			mine[i] = 2;
		}
		for (int times = 0; times < 4; times++)
			for (size_t i = 0; i < n; i++)
				mine[i] += 0.5 * other[i];
		for (size_t i = 0; i < n; i++)
			sum += mine[i];
	}
	held(rank);
	MPI_Finalize();
	printf("rank %d: %g\n", rank, sum / (double)(n * (size_t)threads));
	return 0;
}
