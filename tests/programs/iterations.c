/* How often reading the own mask goes through the loader's list under its lock, but for the first time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

/* volatile: glibc declares that its functions do not call back. */
static volatile int iterations;

int
dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *data)
{
	int (*next)(int (*)(struct dl_phdr_info *, size_t, void *), void *) =
		(int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");

	iterations++;
	return next(callback, data);
}

static int
iterations_of_a_look(void)
{
	cpu_set_t set;

	iterations = 0;
	pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
	sched_getaffinity(0, sizeof(set), &set);
	return iterations;
}

int
main(void)
{
	iterations_of_a_look();
	printf("%d\n", iterations_of_a_look());
	return 0;
}
