/*
 * CPU time of a rank when MPI_Init has returned, in nanoseconds:
 *
 *   init_ns: 1
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int
main(int argc, char **argv)
{
	struct timespec t;

	MPI_Init(&argc, &argv);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	printf("init_ns: %ld\n", t.tv_sec * 1000000000 + t.tv_nsec);
	MPI_Finalize();
	return 0;
}
