/*
 * A library that is preloaded before splitpin's and has functions of libc's that
 * runtimes call, as a checkpointer's: its calls go to libc itself.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

static void *
of_libc(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), *pthread = dlopen("libpthread.so.0", RTLD_LAZY | RTLD_NOLOAD);
	void *found = libc ? dlsym(libc, name) : NULL;

	return found || !pthread ? found : dlsym(pthread, name);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))of_libc("pthread_create");

	return next(thread, attributes, start, data);
}

int
pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus)
{
	int (*next)(pthread_t, size_t, cpu_set_t *) = (int (*)(pthread_t, size_t, cpu_set_t *))of_libc("pthread_getaffinity_np");

	return next(thread, size, cpus);
}
