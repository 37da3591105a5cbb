/* A loop of sines: nothing but a CPU is needed.  sines [THOUSANDS] */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>

#include "held.h"

/* sin(x) by its series: the mathematical library is not to be linked. */
static double
sine(double x)
{
	double term = x, sum = x;

	for (int i = 1; i < 12; i++) {
		term *= -x * x / (2 * i * (2 * i + 1));
		sum += term;
	}
	return sum;
}

int
main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 100) * 1000;
	double sum = 0;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	held_start(rank);
#pragma omp parallel
	held_thread(omp_get_thread_num());
#pragma omp parallel for reduction(+:sum)
	for (long i = 0; i < n; i++)
		sum += sine((double)i / (double)n * 3.14159265358979);
	held(rank);
	MPI_Finalize();
	printf("rank %d: %.5f\n", rank, sum / (double)n);
	return 0;
}
