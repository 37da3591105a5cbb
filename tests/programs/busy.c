/*
 * A rank without MPI whose OpenMP threads are busy.
 *
 *   busy FILE    makes FILE.0 (its rank) once all threads are there, and spins
 *                until that is gone; never longer than half an hour
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *
rank_number(void)
{
	static const char *const names[] = { "SPLITPIN_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return "none";
}

int
main(int argc, char **argv)
{
	char path[4096];
	volatile int ended = 0;
	double begin = omp_get_wtime();

	if (argc != 2)
		return 2;
	snprintf(path, sizeof path, "%s.%s", argv[1], rank_number());
#pragma omp parallel
	{
#pragma omp barrier
#pragma omp master
		close(open(path, O_WRONLY | O_CREAT, 0600));
		while (!ended && omp_get_wtime() - begin < 1800) {
			if (omp_get_thread_num() == 0 && access(path, F_OK) != 0)
				ended = 1;
		}
	}
	return 0;
}
