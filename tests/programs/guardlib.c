/*
 * A library that changes masks behind the program's back.
 *
 * How: libc (sched_setaffinity), pthread (pthread_setaffinity_np) or raw (the
 * system call itself).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int guardlib_self(const char *how, int cpu);
int guardlib_all(const char *how, int cpu);
void guardlib_moment(int cpu);

static int
move(const char *how, pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!strcmp(how, "pthread"))
		return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
	if (!strcmp(how, "raw"))
		return (int)syscall(SYS_sched_setaffinity, tid, sizeof set, &set);
	return sched_setaffinity(tid, sizeof set, &set);
}

/* The calling thread. */
int
guardlib_self(const char *how, int cpu)
{
	return move(how, 0, cpu);
}

/* Every thread of the process. */
int
guardlib_all(const char *how, int cpu)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	int error = tasks ? 0 : -1;

	while (!error && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			error = move(how, atoi(entry->d_name), cpu);
	if (tasks)
		closedir(tasks);
	return error;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The calling thread for a moment, as one that measures a CPU does; says so if it was not short, on a busy machine. */
void
guardlib_moment(int cpu)
{
	cpu_set_t before;
	double begin = seconds();

	sched_getaffinity(0, sizeof before, &before);
	move("libc", 0, cpu);
	usleep(20000);
	sched_setaffinity(0, sizeof before, &before);
	if (seconds() - begin > 0.3)
		fputs("guardlib: a long moment\n", stderr);
}
