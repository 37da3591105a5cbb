/* An MPI rank with one parallel region. */
#include <mpi.h>

static int threads;

int
main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
#pragma omp parallel
	{
#pragma omp atomic
		threads++;
	}
	MPI_Finalize();
	return threads < 1;
}
