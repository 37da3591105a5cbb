/*
 * A rank without MPI with threads of its own beside an OpenMP team that idles.
 *
 *   crowd MS THREADS    so many threads spin until the main one, which spins
 *                       for so many milliseconds, ends the program
 *
 * They spin for four times as long as the program took to come so far, if that
 * is longer: what counts is which part of its life they were busy.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* When this process was started, by now_ms; negative where /proc does not tell. */
static double
started_ms(void)
{
	FILE *stat = fopen("/proc/self/stat", "re");
	double ticks = -1;

	if (stat) {
		if (fscanf(stat, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lf", &ticks) != 1)
			ticks = -1;
		fclose(stat);
	}
	return ticks * 1e3 / sysconf(_SC_CLK_TCK);
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
	double begin = now_ms(), started = started_ms();
	int threads = 0;
	pthread_t thread;

	if (argc != 3 || started < 0)
		return 2;
	double before = begin - started, ms = atoi(argv[1]) > 4 * before ? atoi(argv[1]) : 4 * before;

#pragma omp parallel reduction(+:threads)
	threads++;
	for (int i = atoi(argv[2]); i > 0; i--)
		if (pthread_create(&thread, NULL, spin, NULL) != 0)
			return 2;
	while (now_ms() - begin < ms)
		;
	printf("team of %d\n", threads);
	return 0;
}
