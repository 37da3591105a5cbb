/*
 * A launcher of one node, for jobs of which there are to be many.
 *
 *   launch [OPTION]... N COMMAND...
 *
 *   -b         bind rank i to the i-th CPU of the own mask
 *   -c         confine all to the first CPU of it
 *   -x RANK    do not start this one
 *   -l RANK    start this one late, ...
 *   -t MS      ... after so many milliseconds
 *   -k MS      kill half of the ranks, each at some moment before that
 *   -s SEED    which ones, and when
 *   -p LIBRARY preload it into the ranks alone
 *
 * Ranks are told their numbers by SPLITPIN_LOCAL_RANK, or, where NAMESPACE is
 * set, as Open MPI's are, and the name of the job is that.
 *
 * Prints on standard error, behind what the ranks print, "launch: 17 ms".
 * Ends with the number of ranks that failed without being killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 1024 };

struct rank {
	pid_t pid;
	long kill_us;		/* -1: never */
	int killed;
};

static struct rank ranks[RANKS];
static int nranks, bind_each, confine, left_out = -1, late = -1, late_ms, kill_ms;
static unsigned seed = 1;
static const char *library;

static long
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void
set_number(const char *name, int number)
{
	char text[16];

	snprintf(text, sizeof text, "%d", number);
	setenv(name, text, 1);
}

static void
name_rank(int rank)
{
	const char *space = getenv("NAMESPACE");

	set_number(space ? "OMPI_COMM_WORLD_LOCAL_RANK" : "SPLITPIN_LOCAL_RANK", rank);
	set_number(space ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "SPLITPIN_LOCAL_SIZE", nranks);
	if (space)
		setenv("PMIX_NAMESPACE", space, 1);
	if (library)
		setenv("LD_PRELOAD", library, 1);
}

static void
bind_to(int which)
{
	cpu_set_t set, one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof set, &set);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && which-- == 0)
			CPU_SET(cpu, &one);
	if (CPU_COUNT(&one))
		sched_setaffinity(0, sizeof one, &one);
}

static void
start(int rank, char **command)
{
	ranks[rank].pid = fork();
	if (ranks[rank].pid)
		return;
	name_rank(rank);
	if (bind_each)
		bind_to(rank);
	if (confine)
		bind_to(0);
	execvp(command[0], command);
	_exit(127);
}

static void
kill_those_due(long begin)
{
	for (int i = 0; i < nranks; i++) {
		if (ranks[i].pid <= 0 || ranks[i].killed || ranks[i].kill_us < 0 || now_us() - begin < ranks[i].kill_us)
			continue;
		kill(ranks[i].pid, SIGKILL);
		ranks[i].killed = 1;
	}
}

/* How many are left; counts those that failed by themselves. */
static int
reap(int *failed)
{
	int status, left = 0;

	for (int i = 0; i < nranks; i++) {
		if (ranks[i].pid > 0 && waitpid(ranks[i].pid, &status, WNOHANG) == ranks[i].pid) {
			ranks[i].pid = -1;
			*failed += status != 0 && !ranks[i].killed;
		}
		left += ranks[i].pid > 0;
	}
	return left;
}

static void
read_options(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "+bcx:l:t:k:s:p:")) != -1; )
		switch (option) {
		case 'b': bind_each = 1; break;
		case 'c': confine = 1; break;
		case 'x': left_out = atoi(optarg); break;
		case 'l': late = atoi(optarg); break;
		case 't': late_ms = atoi(optarg); break;
		case 'k': kill_ms = atoi(optarg); break;
		case 's': seed = atoi(optarg); break;
		case 'p': library = optarg; break;
		default: exit(2);
		}
	if (argc - optind < 2 || (nranks = atoi(argv[optind])) < 1 || nranks > RANKS)
		exit(2);
}

int
main(int argc, char **argv)
{
	int failed = 0;
	long begin;

	read_options(argc, argv);
	begin = now_us();
	for (int i = 0; i < nranks; i++) {
		ranks[i].kill_us = kill_ms && rand_r(&seed) % 2 ? rand_r(&seed) % (1000L * kill_ms) : -1;
		if (i != left_out && i != late)
			start(i, argv + optind + 1);
	}
	while (reap(&failed) || (late >= 0 && !ranks[late].pid)) {
		if (late >= 0 && !ranks[late].pid && now_us() - begin >= 1000L * late_ms)
			start(late, argv + optind + 1);
		kill_those_due(begin);
		usleep(200);
	}
	fprintf(stderr, "launch: %ld ms\n", (now_us() - begin) / 1000);
	return failed;
}
