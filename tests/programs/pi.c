/* Pi as an integral: nothing but a CPU is needed.  pi [MILLIONS OF STEPS] */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

int
main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 1) * 1000000;
	double sum = 0;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
#pragma omp parallel
	held_thread(omp_get_thread_num());
#pragma omp parallel for reduction(+:sum)
	for (long i = 0; i < n; i++) {
		double x = ((double)i + 0.5) / (double)n;

		sum += 4 / (1 + x * x);
	}
	held(rank);
	MPI_Finalize();
	printf("rank %d: %.6f\n", rank, sum / (double)n);
	return 0;
}
