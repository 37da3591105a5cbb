/*
 * A rank without MPI and OpenMP: it does what an OpenMP runtime does first,
 * which is to look for a tool, so that splitpin gives it its share.  Then it
 * prints one line, "rank 0 cpus 0-3", with the mask that the kernel tells.
 *
 *   settle                  ends then
 *   settle stay MS          stays for so many milliseconds
 *   settle hold FILE        makes FILE.0 (its rank), and stays until that is gone
 *   settle meet FILE N      makes FILE.its-pid, and stays until there are N of them
 *   settle system COMMAND   has a shell run a command, and prints its line again
 *   settle exec COMMAND...  executes a command in its place
 *   settle fork FILE        a forked child ends by exit(), and it stays as with hold
 *   settle threads N        so many threads look for a tool at once
 *   settle close            closes all descriptors but the first three, before and after
 *   settle signals          is interrupted all the time
 *
 * Ends with 0 unless something else fails than splitpin.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *
look_for_tool(void *barrier)
{
	void *(*start_tool)(unsigned, const char *) =
		(void *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "ompt_start_tool");

	if (barrier)
		pthread_barrier_wait(barrier);
	if (start_tool)
		start_tool(201811, "settle");
	return NULL;
}

static const char *
rank_number(void)
{
	static const char *const names[] = { "SPLITPIN_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return "?";
}

static void
print_line(void)
{
	char line[8192];
	cpu_set_t set;
	int n;

	n = snprintf(line, sizeof line, "rank %s cpus ", rank_number());
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		for (int cpu = 0; cpu < CPU_SETSIZE && n < 8000; cpu++)
			if (CPU_ISSET(cpu, &set))
				n += snprintf(line + n, sizeof line - n, "%d,", cpu);
	line[n - 1] = '\n';
	if (write(STDOUT_FILENO, line, n) != n)
		exit(9);
}

static void
make_file(const char *name, const char *end)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s.%s", name, end);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		exit(9);
	close(fd);
}

/* Whoever releases it may be one of fifty processes of a CPU; if nobody does, it ends some time. */
enum { LONGEST_STAY_MS = 1800000 };

static void
hold(const char *name)
{
	char path[4096];

	make_file(name, rank_number());
	snprintf(path, sizeof path, "%s.%s", name, rank_number());
	for (int i = 0; i < LONGEST_STAY_MS && access(path, F_OK) == 0; i++)
		usleep(1000);
}

static void
meet(const char *name, size_t n)
{
	char text[4096];
	glob_t found;
	size_t there = 0;

	snprintf(text, sizeof text, "%d", (int)getpid());
	make_file(name, text);
	snprintf(text, sizeof text, "%s.*", name);
	for (int i = 0; i < LONGEST_STAY_MS && there < n; i++) {
		usleep(1000);
		there = glob(text, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
		globfree(&found);
	}
}

static void
stay(const char *ms)
{
	usleep(1000 * atoi(ms));
}

static void
fork_child(const char *name)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
	hold(name);
}

static void
start_threads(int n)
{
	pthread_barrier_t barrier;
	pthread_t threads[64];

	pthread_barrier_init(&barrier, NULL, n);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, look_for_tool, &barrier);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void
close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

static void
interrupted(int signal)
{
	(void)signal;
}

static void
rain(void)
{
	struct sigaction action = { .sa_handler = interrupted };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 200 }, { 0, 200 } }, NULL);
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "threads"))
		start_threads(atoi(argv[2]));
	if (!strcmp(what, "close"))
		close_all();
	if (!strcmp(what, "signals"))
		rain();
	look_for_tool(NULL);
	if (!strcmp(what, "signals"))
		setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL);
	print_line();
	if (!strcmp(what, "close"))
		close_all();
	if (!strcmp(what, "stay"))
		stay(argv[2]);
	if (!strcmp(what, "hold"))
		hold(argv[2]);
	if (!strcmp(what, "meet"))
		meet(argv[2], atoi(argv[3]));
	if (!strcmp(what, "fork"))
		fork_child(argv[2]);
	if (!strcmp(what, "system")) {
		int status = system(argv[2]);

		print_line();
		return WEXITSTATUS(status);
	}
	if (!strcmp(what, "exec")) {
		execv(argv[2], argv + 2);
		return 127;
	}
	return 0;
}
