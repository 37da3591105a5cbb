/*
 * Masks of a rank that is pinned, one scene a run; each prints lists of CPUs.
 *
 *   masks own CPU    gives itself that CPU, and starts a thread and a child
 *   masks shrink     its cpuset shrinks (fakeset.c), and it starts children
 *   masks ask        what it is told before, in and after a region, and where it is
 *   masks plain      two threads of its own, beside a team
 *   masks forks N    forks N times while others make threads; the child opens a library
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

/* From the kernel, past whoever answers for it; by the function of this name, which fakeset.c may be. */
static void
show(const char *what)
{
	unsigned long set[1024 / 8 / sizeof(long)] = { 0 };

	syscall(SYS_sched_getaffinity, 0, sizeof(set), set);
	printf("%s %#lx\n", what, set[0]);
	fflush(stdout);
}

static void *
show_thread(void *what)
{
	show(what);
	return NULL;
}

static void
open_team(void)
{
#pragma omp parallel
	(void)omp_get_thread_num();
}

static int
own(int cpu)
{
	cpu_set_t set;
	pthread_t thread;

	open_team();
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	show("itself");
	pthread_create(&thread, NULL, show_thread, "thread");
	pthread_join(thread, NULL);
	return system("awk '/Cpus_allowed_list/ { print \"child\", $2 }' /proc/self/status");
}

static int
shrink(void)
{
	int *cpus = dlsym(RTLD_DEFAULT, "fakeset_cpus");

	open_team();
	show("pinned");
	*cpus = 6;
	for (int i = 0; i < 2; i++) {
		if (system("true") != 0)
			return 1;
		show("after a child");
	}
	return 0;
}

/* As a program sees it, by libc. */
static void
ask(const char *what)
{
	cpu_set_t own, same;

	sched_getaffinity(0, sizeof(own), &own);
	pthread_getaffinity_np(pthread_self(), sizeof(same), &same);
	printf("%s %#lx%s\n", what, own.__bits[0], CPU_EQUAL(&own, &same) ? "" : " or another");
	fflush(stdout);
}

static int
ask_everywhere(void)
{
	cpu_set_t set, one;

	ask("before");
#pragma omp parallel
#pragma omp critical
	ask("inside");
	ask("after");
	show("truth");
	sched_getaffinity(getpid(), sizeof(set), &set);
	CPU_ZERO(&one);
	CPU_SET(CPU_COUNT(&set) - 1, &one);
	sched_setaffinity(0, sizeof(one), &one);
	sched_setaffinity(0, sizeof(set), &set);
	show("set-back");
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	show("set-back");
#pragma omp parallel
#pragma omp critical
	ask("inside");
	return 0;
}

static int
plain(void)
{
	pthread_t thread[2];

	omp_get_max_threads();	/* libgomp is needed: it has settled the rank */
	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, show_thread, "thread");
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	show("itself");
	return 0;
}

static void *
nothing(void *data)
{
	return data;
}

static void *
make_threads(void *data)
{
	pthread_t thread;

	while (!stop)
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	return data;
}

/* A child that hangs is ended by its own alarm. */
static int
forks(int n)
{
	pthread_t maker[3];
	int status = 0;

	open_team();
	for (int i = 0; i < 3; i++)
		pthread_create(&maker[i], NULL, make_threads, NULL);
	for (int i = 0; i < n && status == 0; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			alarm(10);
			_exit(dlopen("libutil.so.1", RTLD_NOW) ? 0 : 1);
		}
		if (pid > 0 && waitpid(pid, &status, 0) != pid)
			status = -1;
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(maker[i], NULL);
	puts(status == 0 ? "all children ended" : "a child hung or failed");
	return status != 0;
}

int
main(int argc, char *argv[])
{
	const char *scene = argc > 1 ? argv[1] : "";

	if (strcmp(scene, "own") == 0)
		return own(argc > 2 ? atoi(argv[2]) : 0);
	if (strcmp(scene, "shrink") == 0)
		return shrink();
	if (strcmp(scene, "ask") == 0)
		return ask_everywhere();
	if (strcmp(scene, "plain") == 0)
		return plain();
	if (strcmp(scene, "forks") == 0)
		return forks(argc > 2 ? atoi(argv[2]) : 1000);
	return 2;
}
