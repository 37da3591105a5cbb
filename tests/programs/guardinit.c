/*
 * An MPI_Init that binds the thread that calls it to $GUARDCPU for a moment, in
 * which the thread that restores masks looks three times, and calls MPI's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include "looks.h"

int MPI_Init(int *argc, char ***argv);

int
MPI_Init(int *argc, char ***argv)
{
	int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
	cpu_set_t before, one;
	long first;

	while ((first = looks()) < 0)
		usleep(10000);
	CPU_ZERO(&one);
	CPU_SET(atoi(getenv("GUARDCPU")), &one);
	if (sched_getaffinity(0, sizeof(before), &before) || sched_setaffinity(0, sizeof(one), &one))
		perror("guardinit");
	while (looks() - first < 3)
		usleep(10000);
	sched_setaffinity(0, sizeof(before), &before);
	return next(argc, argv);
}
