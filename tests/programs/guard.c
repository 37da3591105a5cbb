/*
 * A rank whose masks are changed between two parallel regions.
 *
 *   guard WAY CPU [keep]
 *
 *   none            nobody changes anything
 *   libc, raw       $GUARDLIB moves all threads to CPU
 *   pthread         $GUARDLIB moves each thread from inside a region
 *   unloaded        libc, and the library is closed then
 *   main            $GUARDLIB moves the main thread, and there are no regions
 *   own, jump       this program moves the threads of its team
 *   outside         another process does (taskset)
 *   moment          $GUARDLIB moves each thread, and back
 *   child           a forked child moves itself, and ends well
 *   foreign         a thread that is not OpenMP's moves itself by $GUARDLIB
 *   shrink          teams of fewer threads follow, nested ones too
 *   ended           another thread's team is moved by $GUARDLIB and ends
 *   quiet           another thread's team ends
 *
 * With keep it waits then until its threads that were moved are elsewhere again, or the
 * thread that restores masks has looked three times.  Masks in the regions are told
 * as placement.h says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "looks.h"
#include "placement.h"

typedef int move_fn(const char *, int);

static void *library;
static const char *way;
static int cpu;

enum { TEAM = 256 };
static pid_t team[TEAM];	/* of the first region; before that the main thread alone */
static int team_size = 1;

static void *
symbol(const char *name)
{
	void *found;

	if (!library)
		library = dlopen(getenv("GUARDLIB"), RTLD_NOW);
	found = library ? dlsym(library, name) : NULL;
	if (!found) {
		fprintf(stderr, "guard: no %s in GUARDLIB\n", name);
		exit(1);
	}
	return found;
}

static void
library_moves_all(const char *how)
{
	if (((move_fn *)symbol("guardlib_all"))(how, cpu))
		perror("guardlib_all");
}

static void
region(int number)
{
#pragma omp parallel
	{
#pragma omp barrier
		placement_thread(number, omp_get_thread_num());
		if (number == 0 && omp_get_thread_num() < TEAM) {
			team[omp_get_thread_num()] = gettid();
#pragma omp master
			team_size = omp_get_num_threads() < TEAM ? omp_get_num_threads() : TEAM;
		}
	}
}

static void
library_moves_team(const char *how)
{
	move_fn *self = (move_fn *)symbol("guardlib_self");

#pragma omp parallel
	self(how, cpu);
}

static void
own(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
#pragma omp parallel
	if (sched_setaffinity(0, sizeof set, &set))
		perror("sched_setaffinity");
}

/* The compiler makes a jump of the call, so that it returns to the OpenMP runtime. */
static void
jump(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
#pragma omp parallel
	sched_setaffinity(0, sizeof set, &set);
}

static void
outside(void)
{
	char command[100];

	snprintf(command, sizeof command, "taskset -acp %d %d >/dev/null", cpu, (int)getpid());
	if (system(command))
		perror(command);
}

static void
moment(void)
{
	void (*for_a_moment)(int) = (void (*)(int))symbol("guardlib_moment");

#pragma omp parallel
	for_a_moment(cpu);
}

static void
child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		((move_fn *)symbol("guardlib_self"))("libc", cpu);
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *
foreign(void *data)
{
	(void)data;
	((move_fn *)symbol("guardlib_self"))("libc", cpu);
	return NULL;
}

static void *
another_team(void *data)
{
	region(2);
	if (data)
		library_moves_team(data);
	return NULL;
}

static void
in_thread(void *(*start)(void *), void *data)
{
	pthread_t thread;

	pthread_create(&thread, NULL, start, data);
	pthread_join(thread, NULL);
}

static void
shrink(void)
{
	int most = omp_get_max_threads();

	omp_set_max_active_levels(2);
	for (int n = most; n > 0; n--) {
		omp_set_num_threads(n);
#pragma omp parallel
#pragma omp parallel num_threads(2)
		sched_yield();
	}
	omp_set_num_threads(most);
}

static void
change(void)
{
	if (!strcmp(way, "libc") || !strcmp(way, "raw") || !strcmp(way, "unloaded"))
		library_moves_all(way);
	else if (!strcmp(way, "pthread"))
		library_moves_team(way);
	else if (!strcmp(way, "main"))
		((move_fn *)symbol("guardlib_self"))("libc", cpu);
	else if (!strcmp(way, "own"))
		own();
	else if (!strcmp(way, "jump"))
		jump();
	else if (!strcmp(way, "outside"))
		outside();
	else if (!strcmp(way, "moment"))
		moment();
	else if (!strcmp(way, "child"))
		child();
	else if (!strcmp(way, "foreign"))
		in_thread(foreign, NULL);
	else if (!strcmp(way, "shrink"))
		shrink();
	else if (!strcmp(way, "ended"))
		in_thread(another_team, "libc");
	else if (!strcmp(way, "quiet"))
		in_thread(another_team, NULL);
	if (!strcmp(way, "unloaded"))
		dlclose(library);
}

/* Whether a thread has just the CPU to which it may be moved, as the kernel has it. */
static int
is_there(pid_t tid)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return syscall(SYS_sched_getaffinity, tid, sizeof(set), &set) > 0 && CPU_COUNT(&set) == 1 && CPU_ISSET(cpu, &set);
}

static void
change_and_wait(void)
{
	int before[TEAM], moved = 0, back;

	for (int i = 0; i < team_size; i++)
		before[i] = is_there(team[i]);
	change();
	for (int i = 0; i < team_size; i++)
		moved += !before[i] && is_there(team[i]);
	long first;
	while ((first = looks()) < 0)
		usleep(10000);
	do {
		usleep(10000);
		back = moved > 0;
		for (int i = 0; i < team_size; i++)
			back = back && (before[i] || !is_there(team[i]));
	} while (!back && looks() - first < 3);
}

int
main(int argc, char **argv)
{
	int rank, size;

	if (argc < 3) {
		fprintf(stderr, "usage: guard WAY CPU [keep]\n");
		return 2;
	}
	way = argv[1];
	cpu = atoi(argv[2]);
	team[0] = getpid();
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	placement_start(rank, size, 0);
	if (strcmp(way, "main"))
		region(0);
	if (argc > 3)
		change_and_wait();
	else
		change();
	if (strcmp(way, "main"))
		region(1);
	placement_end();
	MPI_Finalize();
	return 0;
}
