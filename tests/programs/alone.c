/* OpenMP without MPI: nothing that splitpin should touch. */
#include <omp.h>
#include <stdio.h>

#include "placement.h"

int
main(void)
{
	int threads = 0;

	placement_start(0, 1, omp_get_max_threads());
#pragma omp parallel reduction(+:threads)
	{
		threads++;
#pragma omp barrier
		placement_thread(0, omp_get_thread_num());
	}
	placement_end();
	printf("%d processors, %d threads\n", omp_get_num_procs(), threads);
	return 0;
}
