/*
 * A rank without MPI with threads of its own beside an OpenMP team that idles.
 *
 *   crowd MS THREADS    so many threads spin until the main one, which spins
 *                       for so many milliseconds, ends the program
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static void *
spin(void *unused)
{
	for (volatile double x = 1;;)
		x *= 1.0000001;
	return unused;
}

int
main(int argc, char **argv)
{
	double begin = now_ms();
	int threads = 0;
	pthread_t thread;

	if (argc != 3)
		return 2;
#pragma omp parallel reduction(+:threads)
	threads++;
	for (int i = atoi(argv[2]); i > 0; i--)
		if (pthread_create(&thread, NULL, spin, NULL) != 0)
			return 2;
	while (now_ms() - begin < atoi(argv[1]))
		;
	printf("team of %d\n", threads);
	return 0;
}
