/*
 * Ranks that start more ranks with MPI_Comm_spawn: two children together,
 * which run the same program.  All of them work with OpenMP; rank 0 prints
 * the parents' sum and the children's.
 *
 * Children write where they are to $PLACEMENT_DIR/children, which is to exist.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "placement.h"

#define CHILDREN 2

static long
work(int rank)
{
	long sum = 0;

#pragma omp parallel reduction(+:sum)
	{
#pragma omp for
		for (long i = 0; i < 100000; i++)
			sum += i * (rank + 1) % 1009;
		placement_thread(0, omp_get_thread_num());
	}
	return sum;
}

static void
be_child(void)
{
	const char *dir = getenv("PLACEMENT_DIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/children", dir && *dir ? dir : ".");
	setenv("PLACEMENT_DIR", dir && *dir ? path : "", 1);
}

int
main(int argc, char **argv)
{
	MPI_Comm parents, children;
	long sum, sums[2];
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL)
		be_child();
	placement_start(rank, size, omp_get_max_threads());
	sum = work(rank);
	placement_end();

	MPI_Reduce(&sum, &sums[0], 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (parents != MPI_COMM_NULL) {
		if (rank == 0)
			MPI_Send(&sums[0], 1, MPI_LONG, 0, 0, parents);
		MPI_Barrier(parents);
		MPI_Comm_disconnect(&parents);
	} else {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0,
			       MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
		if (rank == 0) {
			MPI_Recv(&sums[1], 1, MPI_LONG, 0, 0, children, MPI_STATUS_IGNORE);
			printf("%d parents: %ld\n%d children: %ld\n", size, sums[0], CHILDREN, sums[1]);
		}
		/* Nobody leaves before everybody has met: MPICH 5 fails then. */
		MPI_Barrier(children);
		MPI_Comm_disconnect(&children);
	}
	MPI_Finalize();
	return 0;
}
