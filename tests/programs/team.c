/*
 * A team of OpenMP threads as a shared library, for programs that are not
 * written in C; the work is hybrid.c's.
 */
#include <omp.h>

#include "placement.h"

int team_max_threads(void);
long team_work(int rank, int region);

int
team_max_threads(void)
{
	return omp_get_max_threads();
}

long
team_work(int rank, int region)
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
