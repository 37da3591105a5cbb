/*
 * What threads and parallel regions cost in a rank, in nanoseconds; but for
 * the first region each is the median of several batches.
 *
 *   thread_ns: 1        pthread_create and join, before the first region
 *   first_region_ns: 1  the first parallel region, which makes the threads
 *   thread_later_ns: 1  the same from a thread that has been in a region
 *   region_ns: 1        an empty parallel region
 */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 15 };

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *
nothing(void *argument)
{
	return argument;
}

static void
one_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nothing, NULL) == 0)
		pthread_join(thread, NULL);
}

static void
one_region(void)
{
#pragma omp parallel
	__asm__ volatile("");
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_ns(void (*one)(void), int times)
{
	double batch[BATCHES], begin;

	for (int i = 0; i < BATCHES; i++) {
		begin = now();
		for (int k = 0; k < times; k++)
			one();
		batch[i] = (now() - begin) / times;
	}
	qsort(batch, BATCHES, sizeof batch[0], compare);
	return batch[BATCHES / 2];
}

int
main(int argc, char **argv)
{
	double begin;

	MPI_Init(&argc, &argv);
	printf("thread_ns: %.0f\n", median_ns(one_thread, 500));
	begin = now();
	one_region();
	printf("first_region_ns: %.0f\n", now() - begin);
	/* Workers wait for their next region on the CPU before they sleep. */
	usleep(500000);
	printf("thread_later_ns: %.0f\n", median_ns(one_thread, 500));
	one_region();
	printf("region_ns: %.0f\n", median_ns(one_region, 20000));
	MPI_Finalize();
	return 0;
}
