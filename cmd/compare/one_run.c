#include "cmd/compare/one_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/pin.h"
#include "cmd/cmd.h"
#include "cmd/run.h"

#define GRACE 1.0		/* seconds for descendants to end after the first process */

struct run {
	const struct job *job;
	struct job_end *end;
	pid_t pid;
	double began;
	unsigned signals;	/* how many came to end it */
	bool has_ended, has_left;	/* its first process; all others too */
};

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* The signals that are waited for; one that the caller ignores, such as SIGINT in the background of a script, stays ignored. */
static sigset_t
awaited(void)
{
	static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (sigaction(endings[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, endings[i]);
	return set;
}

/* In the child; does not return. */
static void
become(const struct job *job, const sigset_t *mask)
{
	dup2(job->input, STDIN_FILENO);
	dup2(job->output, STDOUT_FILENO);
	dup2(job->output, STDERR_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (job->mask)
		sp_pin_set(0, job->mask);
	environ = (char **)job->environment;
	_exit(run_start(job->command));
}

static void
count(struct run *run, pid_t pid, int status, const struct rusage *usage)
{
	run->end->cpu += seconds(&usage->ru_utime) + seconds(&usage->ru_stime);
	if (pid != run->pid)
		return;
	run->end->wall = now() - run->began;
	run->end->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	run->has_ended = true;
}

/* Reap all that have ended; the usage of each includes that of the children for which it has waited. */
static void
reap(struct run *run)
{
	struct rusage usage;
	int status;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0)
		count(run, pid, status, &usage);
	run->has_left = pid < 0 && errno == ECHILD;
}

static void
hand_on(struct run *run, const siginfo_t *info)
{
	unsigned again = run->signals++;

	run->end->signal = info->si_signo;
	if (run->has_ended)
		return;
	/* The terminal sends its signals to the job as well. */
	if (again > 0)
		kill(run->pid, again > 1 ? SIGKILL : SIGTERM);
	else if (info->si_code != SI_KERNEL)
		kill(run->pid, info->si_signo);
}

static void
take(struct run *run, int signal, const siginfo_t *info)
{
	if (signal == SIGCHLD)
		reap(run);
	else if (signal > 0)
		hand_on(run, info);
}

static void
wait_for(struct run *run, const sigset_t *set)
{
	siginfo_t info;

	while (!run->has_ended)
		take(run, sigwaitinfo(set, &info), &info);
	/* Processes for which mpirun did not wait have a while to end. */
	for (double left, until = now() + GRACE; !run->has_left && (left = until - now()) > 0; ) {
		struct timespec pause = { .tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9) };

		take(run, sigtimedwait(set, &info, &pause), &info);
	}
	run->end->is_survived = !run->has_left;
}

int
job_run(const struct job *job, struct job_end *end)
{
	struct run run = { .job = job, .end = end };
	sigset_t set = awaited(), before;

	*end = (struct job_end){ .wall = 0 };
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigprocmask(SIG_BLOCK, &set, &before);
	run.began = now();
	run.pid = fork();
	int error = run.pid < 0 ? -errno : 0;
	if (run.pid == 0)
		become(job, &before);
	if (!error)
		wait_for(&run, &set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}
