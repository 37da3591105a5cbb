/*
 * hybrid.c's work by the sessions model: MPI_Session_init and no MPI_Init.
 * Open MPI 4 has no sessions.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "placement.h"

static long
work(int rank, int region)
{
	long sum = 0;

#pragma omp parallel reduction(+:sum)
	{
#pragma omp for
		for (long i = 0; i < 100000; i++)
			sum += (i * (rank + 1) + region) % 1009;
		placement_thread(region, omp_get_thread_num());
	}
	return sum;
}

int
main(void)
{
	MPI_Session session;
	MPI_Group group;
	MPI_Comm comm;
	int rank, size;
	long sum, *sums;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "splitpin", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	placement_start(rank, size, omp_get_max_threads());

	sum = work(rank, 0) + work(rank, 1);
	placement_end();

	sums = calloc(size, sizeof *sums);
	MPI_Gather(&sum, 1, MPI_LONG, sums, 1, MPI_LONG, 0, comm);
	for (int i = 0; rank == 0 && i < size; i++)
		printf("rank %d of %d: %ld\n", i, size, sums[i]);
	free(sums);
	MPI_Comm_free(&comm);
	MPI_Session_finalize(&session);
	return 0;
}
