/*
 * Single-threaded with glibc before 2.34, where it is not linked to libpthread:
 * what of threads it finds all the same is to return an error.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <threads.h>

#pragma weak pthread_create
#pragma weak pthread_getaffinity_np
#pragma weak pthread_setaffinity_np
#pragma weak thrd_create

static void *
nothing(void *data)
{
	return data;
}

static int
no_thing(void *data)
{
	return data != NULL;
}

static void
tell(const char *name, int works)
{
	printf("%s %s\n", name, works ? "works" : "does not work");
}

int
main(void)
{
	pthread_t thread;
	thrd_t thrd;
	cpu_set_t set;

	CPU_ZERO(&set);
	tell("pthread_create", pthread_create && pthread_create(&thread, NULL, nothing, NULL) == 0);
	tell("pthread_getaffinity_np", pthread_getaffinity_np && pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	tell("pthread_setaffinity_np", pthread_setaffinity_np && pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	tell("thrd_create", thrd_create && thrd_create(&thrd, no_thing, NULL) == thrd_success);
	return 6;
}
