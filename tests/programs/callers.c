/*
 * Who calls: with -DLIBRARY a library to be preloaded that tells in which object
 * the caller of each function lies and calls nothing, else the program that calls
 * them.  What tells of callers (sanitizers, profilers) is to name the program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

#ifdef LIBRARY
static void
tell(const char *name, const void *caller)
{
	Dl_info info;
	const char *path = dladdr(caller, &info) ? info.dli_fname : "nobody", *slash = strrchr(path, '/');

	printf("%s from %s\n", name, slash ? slash + 1 : path);
}

#define CALLED(type, name, arguments) type name arguments { tell(#name, __builtin_return_address(0)); return (type)0; }
#define ATTRIBUTES const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b

#pragma GCC diagnostic ignored "-Wunused-parameter"
CALLED(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*s)(void *), void *d))
CALLED(int, thrd_create, (thrd_t *t, thrd_start_t s, void *d))
CALLED(int, pthread_getaffinity_np, (pthread_t t, size_t n, cpu_set_t *s))
CALLED(int, pthread_setaffinity_np, (pthread_t t, size_t n, const cpu_set_t *s))
CALLED(int, sched_getaffinity, (pid_t t, size_t n, cpu_set_t *s))
CALLED(int, sched_setaffinity, (pid_t t, size_t n, const cpu_set_t *s))
CALLED(int, execve, (const char *p, char *const v[], char *const e[]))
CALLED(int, execv, (const char *p, char *const v[]))
CALLED(int, execvp, (const char *p, char *const v[]))
CALLED(int, execvpe, (const char *p, char *const v[], char *const e[]))
CALLED(int, fexecve, (int f, char *const v[], char *const e[]))
#if __GLIBC_PREREQ(2, 34)
CALLED(int, execveat, (int f, const char *p, char *const v[], char *const e[], int o))
#endif
CALLED(int, execl, (const char *p, const char *a, ...))
CALLED(int, execlp, (const char *p, const char *a, ...))
CALLED(int, execle, (const char *p, const char *a, ...))
CALLED(int, posix_spawn, (pid_t *t, const char *p, ATTRIBUTES, char *const v[], char *const e[]))
CALLED(int, posix_spawnp, (pid_t *t, const char *p, ATTRIBUTES, char *const v[], char *const e[]))
CALLED(int, system, (const char *c))
CALLED(FILE *, popen, (const char *c, const char *m))
#else
extern char **environ;

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

int
main(void)
{
	char *words[] = { NULL };
	pthread_t thread;
	thrd_t thrd;
	cpu_set_t set;
	pid_t pid;
	int sum = 0;

	CPU_ZERO(&set);
	sum += pthread_create(&thread, NULL, nothing, NULL) + thrd_create(&thrd, no_thing, NULL);
	sum += pthread_getaffinity_np(pthread_self(), sizeof(set), &set) + pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	sum += sched_getaffinity(0, sizeof(set), &set) + sched_setaffinity(0, sizeof(set), &set);
	sum += execve("", words, environ) + execv("", words) + execvp("", words) + execvpe("", words, environ);
#if __GLIBC_PREREQ(2, 34)
	sum += execveat(-1, "", words, environ, 0);
#endif
	sum += fexecve(-1, words, environ) + execl("", "", NULL) + execlp("", "", NULL) + execle("", "", NULL, environ);
	sum += posix_spawn(&pid, "", NULL, NULL, words, environ) + posix_spawnp(&pid, "", NULL, NULL, words, environ);
	sum += system("") + (popen("", "r") != NULL);
	return sum;
}
#endif
