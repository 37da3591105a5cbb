/*
 * What an empty parallel region and a barrier cost, in nanoseconds; each is that
 * of the quickest of many batches, since other programs may be running.  With -DTOOL: a tool of OMPT that asks for no event.
 *
 *   regions         of one size, and barriers
 *   regions A B     with -DTURNS, regions of A and B threads by turns: libgomp makes and ends threads for that
 *
 *   region_ns: 1
 *   barrier_ns: 1
 */
#ifdef TOOL
#include <stddef.h>

#include "ompt/ompt.h"

static int
initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)lookup;
	(void)device;
	(void)data;
	return 1;
}

static void
finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *
ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { .initialize = initialize, .finalize = finalize };

	(void)version;
	(void)runtime;
	return &result;
}
#else
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 200, TIMES = 500, REGIONS = 50 };

static double
least(double a, double b)
{
	return a < b ? a : b;
}

#ifdef TURNS	/* sizes of their own would count for the other regions, too */
static int
by_turns(int a, int b)
{
	double region = 1e9;

	for (int i = 0; i < BATCHES / 4; i++) {
		double begin = omp_get_wtime();

		for (int k = 0; k < REGIONS; k++) {
#pragma omp parallel num_threads(k & 1 ? b : a)
			__asm__ volatile("");
		}
		region = least(region, (omp_get_wtime() - begin) / REGIONS * 1e9);
	}
	printf("region_ns: %.1f\n", region);
	return 0;
}

int
main(int argc, char **argv)
{
	return argc == 3 ? by_turns(atoi(argv[1]), atoi(argv[2])) : 1;
}
#else
static double
ns_since(double begin)
{
	return (omp_get_wtime() - begin) / TIMES * 1e9;
}

int
main(void)
{
	double region = 1e9, barrier = 1e9;

	for (int i = 0; i < BATCHES; i++) {
		double begin = omp_get_wtime();

		for (int k = 0; k < TIMES; k++) {
#pragma omp parallel
			__asm__ volatile("");
		}
		region = least(region, ns_since(begin));
	}
#pragma omp parallel
	for (int i = 0; i < BATCHES; i++) {
		double begin = omp_get_wtime();

		for (int k = 0; k < TIMES; k++) {
#pragma omp barrier
		}
#pragma omp master
		barrier = least(barrier, ns_since(begin));
	}
	printf("region_ns: %.1f\nbarrier_ns: %.1f\n", region, barrier);
	return 0;
}
#endif
#endif
