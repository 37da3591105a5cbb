/* Each rank tells which GPUs its environment shows it after MPI_Init, and is looked at. */
#include <mpi.h>

#include "held.h"

int
main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	const char *list = getenv("CUDA_VISIBLE_DEVICES");

	held_start(rank);
	fprintf(stderr, "rank %d sees %s\n", rank, list ? list : "all");
	held_thread(0);
	held(rank);
	MPI_Finalize();
	return 0;
}
