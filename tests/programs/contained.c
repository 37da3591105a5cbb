/*
 * contained SECONDS CPU-SECONDS PROGRAM: a program that may do anything, of
 * which nothing stays.  Each of its processes has so much CPU time, all of them
 * so many seconds; what is left when the program has ended is killed, also when
 * it has left its session or its parents.  Prints the CPU seconds of all
 * together; the status is the program's own, 124 if it has not ended in time.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
start(char *const command[], rlim_t cpu_seconds, const sigset_t *signals)
{
	const struct rlimit cpu = { cpu_seconds, cpu_seconds }, none = { 0, 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	sigprocmask(SIG_UNBLOCK, signals, NULL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || setsid() < 0 ||
	    setrlimit(RLIMIT_CPU, &cpu) != 0 || setrlimit(RLIMIT_CORE, &none) != 0)
		_exit(126);
	execv(command[0], command);
	_exit(127);
}

/* What a killed process leaves behind becomes a child of this one, and is the next to be killed. */
static void
kill_all(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		FILE *children = fopen(path, "re");
		int pid;

		while (children && fscanf(children, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (children)
			fclose(children);
		if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
			return;
	}
}

/* The program's status; -1: it has not ended in time, or this process is to end. */
static int
wait_for(pid_t program, time_t seconds, const sigset_t *signals)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (time_t end = now.tv_sec + seconds;;) {
		int status;
		pid_t ended = waitpid(-1, &status, WNOHANG);

		if (ended == program)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		if (ended > 0)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		const struct timespec left = { .tv_sec = end - now.tv_sec };
		int signal = left.tv_sec > 0 ? sigtimedwait(signals, NULL, &left) : SIGTERM;
		if (signal == SIGTERM || signal == SIGINT)
			return -1;
	}
}

int
main(int argc, char **argv)
{
	sigset_t signals;

	if (argc < 4)
		return 2;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);

	pid_t program = fork();
	if (program == 0)
		start(argv + 3, strtoul(argv[2], NULL, 10), &signals);
	int status = program < 0 ? -1 : wait_for(program, atol(argv[1]), &signals);
	kill_all();

	struct rusage used;
	getrusage(RUSAGE_CHILDREN, &used);
	printf("%.3f\n", (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	return status < 0 ? 124 : status;
}
