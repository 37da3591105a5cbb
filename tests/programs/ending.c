/*
 * An MPI program that does not end well.
 *
 *   ending exit 3      every rank returns 3 after MPI_Finalize
 *   ending abort 3     rank 0 calls MPI_Abort
 *   ending signal 11   rank 0 dies of signal 11 before MPI_Finalize
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
	int rank, number = argc > 2 ? atoi(argv[2]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && !strcmp(argv[1], "abort"))
		MPI_Abort(MPI_COMM_WORLD, number);
	if (rank == 0 && !strcmp(argv[1], "signal")) {
		signal(number, SIG_DFL);
		raise(number);
	}
	MPI_Finalize();
	return number;
}
