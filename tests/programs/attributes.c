/*
 * Threads with attributes of every kind, made by what splitpin takes for libgomp:
 * what each thread finds of them, and whether its creator is moved meanwhile.
 * Where the environment has TEAM, the size of the teams, also on how many CPUs
 * each thread starts.  With an argument only a thread of the program's own.
 * With -DLIBRARY the runtime, which is to be preloaded after splitpin, since it
 * sees pthread_create behind it; else the program.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int GOMP_parallel(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int omp_get_num_threads(void);
int omp_get_level(void);
extern int creators_moved;

#ifdef LIBRARY
#include <dlfcn.h>

int creators_moved;
static __thread cpu_set_t before;

static cpu_set_t
own_mask(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	syscall(SYS_sched_getaffinity, 0, sizeof(set), &set);
	return set;
}

/* As libgomp: the first sign. */
__attribute__((constructor)) static void
begin(void)
{
	cpu_set_t set;

	pthread_getaffinity_np(pthread_self(), sizeof(set), &set);
}

/* CPUs in the attributes; 0: they have no mask. */
static int
count_given(const pthread_attr_t *attr)
{
	cpu_set_t set;
	int n = attr && pthread_attr_getaffinity_np(attr, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;

	return n < CPU_SETSIZE ? n : 0;
}

int
omp_get_num_threads(void)
{
	const char *team = getenv("TEAM");

	return team ? atoi(team) : 2;
}

int omp_get_level(void) { return 1; }

int
GOMP_parallel(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	before = own_mask();
	return pthread_create(thread, attr, start, arg);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
	cpu_set_t now = own_mask();

	creators_moved += !CPU_EQUAL(&before, &now);
	if (getenv("TEAM"))
		dprintf(2, "CPUs given %d, of its creator %d\n", count_given(attr), CPU_COUNT(&now));
	return next(thread, attr, start, arg);
}
#else

#define STACK ((size_t)1 << 20)

static void *given_stack;
static pthread_barrier_t told;

static void *
tell(void *name)
{
	pthread_attr_t attr;
	void *address;
	size_t size, guard;
	int detached, inherits, policy;
	sigset_t mask;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstack(&attr, &address, &size);
	pthread_attr_getguardsize(&attr, &guard);
	pthread_attr_getdetachstate(&attr, &detached);
	pthread_attr_getinheritsched(&attr, &inherits);
	pthread_attr_getschedpolicy(&attr, &policy);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	printf("%s: %s stack of %zu, guard %zu, detached %d, inherits %d, policy %d, USR1 blocked %d\n", (char *)name,
	       address == given_stack ? "given" : "own", size, guard, detached == PTHREAD_CREATE_DETACHED,
	       inherits == PTHREAD_INHERIT_SCHED, policy, sigismember(&mask, SIGUSR1));
	fflush(stdout);
	pthread_barrier_wait(&told);
	return NULL;
}

static void
make(const char *name, const pthread_attr_t *attr)
{
	pthread_t thread;
	int error = GOMP_parallel(&thread, attr, tell, (void *)name);

	if (error)
		printf("%s: %s\n", name, strerror(error));
	else
		pthread_barrier_wait(&told);
}

static void *
do_nothing(void *nothing)
{
	return nothing;
}

int
main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t own;

	(void)argv;
	if (argc > 1)
		return pthread_create(&own, NULL, do_nothing, NULL) != 0 || pthread_join(own, NULL) != 0;
	pthread_barrier_init(&told, NULL, 2);
	/* The first of them pins its creator. */
	make("none", NULL);
	creators_moved = 0;

	pthread_attr_init(&attr);
	make("defaults", &attr);
	pthread_attr_setstacksize(&attr, 3 * STACK);
	pthread_attr_setguardsize(&attr, (size_t)5 << 12);
	make("stack size and guard", &attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	make("detached", &attr);
	if (posix_memalign(&given_stack, STACK, STACK) == 0) {
		pthread_attr_setstack(&attr, given_stack, STACK);
		make("stack given", &attr);
	}
	pthread_attr_destroy(&attr);
#if __GLIBC_PREREQ(2, 32)
	sigset_t mask;

	pthread_attr_init(&attr);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	pthread_attr_setsigmask_np(&attr, &mask);
	make("signal mask", &attr);
	pthread_attr_destroy(&attr);
#endif
	printf("creators moved: %d\n", creators_moved);

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
	make("policy", &attr);
	pthread_attr_destroy(&attr);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 60);
	make("no memory", &attr);
	pthread_attr_destroy(&attr);
	return 0;
}
#endif
