/*
 * A tracer: wraps GOMP_parallel and pthread_create, and has threads start in a
 * function of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

struct start {
	void *(*function)(void *);
	void *data;
};

static void *
run(void *data)
{
	struct start start = *(struct start *)data;

	free(data);
	return start.function(start.data);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*function)(void *), void *data)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
	struct start *start = malloc(sizeof(*start));

	*start = (struct start){ function, data };
	return next(thread, attr, run, start);
}

void
GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
	void (*next)(void (*)(void *), void *, unsigned, unsigned) =
		(void (*)(void (*)(void *), void *, unsigned, unsigned))dlsym(RTLD_NEXT, "GOMP_parallel");

	next(function, data, threads, flags);
}
