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
 *   -z MS      stop half of those that are not killed, each at some moment before
 *              that; half of these go on at some moment before five times that,
 *              the others when all that run have ended, and some are killed then
 *   -g         these signals go to all that a rank has started
 *   -s SEED    which ones, and when
 *   -p LIBRARY preload it into the ranks alone
 *   -w         end when all processes that the ranks have started have ended: the
 *              children of a killed rank outlive it, and are the init process's then
 *
 * Ranks are told their numbers by SPLITPIN_LOCAL_RANK, or, where NAMESPACE is
 * set, as Open MPI's are, and the name of the job is that.
 *
 * Prints on standard error, behind what the ranks print, "launch: 17 ms, 15 ms in
 * naps", and with -z "launch: 1 killed, 2 stopped, 12 ms": how long the others took.
 * The naps are those of a thread that does nothing else, of 5 ms each, as waits of
 * ranks are counted (lib/process/patience.h): a busy machine makes each of them longer,
 * and not their number larger.
 * Ends with the number of ranks that failed without being killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RANKS = 1024 };

struct rank {
	pid_t pid;
	long kill_us;		/* -1: never */
	long stop_us, go_on_us;
	int killed, stopped, is_still;
};

static struct rank ranks[RANKS];
static int nranks, bind_each, confine, left_out = -1, late = -1, late_ms, kill_ms, stop_ms, in_groups, wait_for_all;
static unsigned seed = 1;
static const char *library;
static atomic_long napped_ms;

static long
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

static void *
nap(void *unused)
{
	for (;;) {
		usleep(5000);
		napped_ms += 5;
	}
	return unused;
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
	if (in_groups)
		setpgid(ranks[rank].pid, 0);
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
send(struct rank *rank, int signal)
{
	kill(in_groups ? -rank->pid : rank->pid, signal);
	rank->killed |= signal == SIGKILL;
	rank->is_still = signal == SIGSTOP;
}

static int
is_due(long when, long begin)
{
	return when >= 0 && now_us() - begin >= when;
}

static void
signal_those_due(long begin)
{
	for (struct rank *rank = ranks; rank < ranks + nranks; rank++) {
		if (rank->pid <= 0 || rank->killed)
			continue;
		if (is_due(rank->kill_us, begin)) {
			send(rank, SIGKILL);
		} else if (!rank->stopped && is_due(rank->stop_us, begin)) {
			send(rank, SIGSTOP);
			rank->stopped = 1;
		} else if (rank->is_still && is_due(rank->go_on_us, begin)) {
			send(rank, SIGCONT);
		}
	}
}

/*
 * What a process forks while its group is being stopped may stand still after the
 * group's SIGCONT (Linux 6.18, the first process of a PID namespace).
 */
static void
wake_groups(void)
{
	for (struct rank *rank = ranks; rank < ranks + nranks; rank++)
		if (in_groups && rank->pid > 0 && rank->stopped && !rank->is_still)
			kill(-rank->pid, SIGCONT);
}

/* Those that stand still when nobody else is left. */
static void
end_stillness(void)
{
	for (struct rank *rank = ranks; rank < ranks + nranks; rank++)
		if (rank->pid > 0 && rank->is_still)
			send(rank, rand_r(&seed) % 3 ? SIGCONT : SIGKILL);
}

static void
draw_lot(struct rank *rank)
{
	rank->kill_us = kill_ms && rand_r(&seed) % 2 ? rand_r(&seed) % (1000L * kill_ms) : -1;
	rank->stop_us = rank->go_on_us = -1;
	if (!stop_ms || rank->kill_us >= 0 || rand_r(&seed) % 2)
		return;
	rank->stop_us = rand_r(&seed) % (1000L * stop_ms);
	if (rand_r(&seed) % 2)
		rank->go_on_us = rank->stop_us + rand_r(&seed) % (5000L * stop_ms);
}

/* How many are left, and how many of them run; counts those that failed by themselves. */
static int
reap(int *failed, int *running)
{
	int status, left = 0;

	*running = 0;

	for (int i = 0; i < nranks; i++) {
		if (ranks[i].pid > 0 && waitpid(ranks[i].pid, &status, WNOHANG) == ranks[i].pid) {
			ranks[i].pid = -1;
			*failed += status != 0 && !ranks[i].killed;
		}
		left += ranks[i].pid > 0;
		*running += ranks[i].pid > 0 && !ranks[i].is_still;
	}
	return left;
}

static void
read_options(int argc, char **argv)
{
	for (int option; (option = getopt(argc, argv, "+bcgwx:l:t:k:z:s:p:")) != -1; )
		switch (option) {
		case 'b': bind_each = 1; break;
		case 'c': confine = 1; break;
		case 'x': left_out = atoi(optarg); break;
		case 'l': late = atoi(optarg); break;
		case 't': late_ms = atoi(optarg); break;
		case 'k': kill_ms = atoi(optarg); break;
		case 'z': stop_ms = atoi(optarg); break;
		case 'g': in_groups = 1; break;
		case 'w': wait_for_all = 1; break;
		case 's': seed = atoi(optarg); break;
		case 'p': library = optarg; break;
		default: exit(2);
		}
	if (argc - optind < 2 || (nranks = atoi(argv[optind])) < 1 || nranks > RANKS)
		exit(2);
}

/*
 * A process above the launcher, which waits.  The launcher itself stays what it is
 * to the children of a killed rank: no longer there.
 */
static void
stay_until_all_have_ended(void)
{
	int status, its = 1;
	pid_t pid, launcher;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	launcher = fork();
	if (launcher == 0)
		return;
	while ((pid = wait(&status)) > 0 || (pid < 0 && errno == EINTR))
		if (pid == launcher)
			its = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	exit(its);
}

int
main(int argc, char **argv)
{
	int failed = 0, running, killed = 0, stopped = 0;
	long begin, others_end = -1, looks = 0;
	pthread_t napper;

	read_options(argc, argv);
	if (wait_for_all)
		stay_until_all_have_ended();
	if (pthread_create(&napper, NULL, nap, NULL) != 0)
		return 2;
	begin = now_us();
	for (int i = 0; i < nranks; i++) {
		draw_lot(&ranks[i]);
		if (i != left_out && i != late)
			start(i, argv + optind + 1);
	}
	while (reap(&failed, &running) || (late >= 0 && !ranks[late].pid)) {
		if (late >= 0 && !ranks[late].pid && now_us() - begin >= 1000L * late_ms)
			start(late, argv + optind + 1);
		if (!running && others_end < 0)
			others_end = now_us();
		if (!running)
			end_stillness();
		signal_those_due(begin);
		if (++looks % 1000 == 0)
			wake_groups();
		usleep(200);
	}
	if (others_end < 0)
		others_end = now_us();
	for (int i = 0; i < nranks; i++) {
		killed += ranks[i].killed;
		stopped += ranks[i].stopped;
	}
	if (stop_ms)
		fprintf(stderr, "launch: %d killed, %d stopped, %ld ms\n", killed, stopped, (others_end - begin) / 1000);
	fprintf(stderr, "launch: %ld ms, %ld ms in naps\n", (now_us() - begin) / 1000, napped_ms);
	return failed;
}
