/* An MPI rank with one parallel region. */
#include <mpi.h>

int
main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
#pragma omp parallel
	{
	}
	MPI_Finalize();
	return 0;
}
