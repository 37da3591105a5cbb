#include "cmd/check/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/check/collect.h"
#include "cmd/check/line.h"
#include "cmd/cmd.h"

#define LOOK_MS 200		/* between two looks whether the launcher has ended */
#define GRACE_MS 3000		/* between SIGTERM, at which launchers end their ranks, and SIGKILL */

/* Programs that hand a job to a queue. */
static bool
is_queued(const char *word)
{
	static const char *const names[] = { "sbatch", "salloc", "qsub", "bsub", "msub", "condor_submit" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(sp_last_part(word), names[i]) == 0)
			return true;
	return false;
}

char *
check_why_not_started(const struct target *target)
{
	if (target->word && target->launcher == TARGET_NO_LAUNCHER && is_queued(target->word))
		return cmd_format("%s would queue a job: put splitpin check in front of the launcher in the job's script", target->word);
	if (target->word && target->launcher == TARGET_NO_LAUNCHER && strcmp(sp_last_part(target->word), "torchrun") == 0)
		return cmd_format("splitpin does not read the options of torchrun: type its line so: torchrun --no-python ... splitpin probe python3 train.py");
	if (target->launcher == TARGET_NO_LAUNCHER && !target_is_parallel(target))
		return cmd_format("%s is neither a known launcher nor linked with MPI or OpenMP, and what it starts or loads is not known before it runs: use splitpin run --report",
				  target->word);
	if (target->is_in_shell)
		return cmd_format("the command is in a shell's line: type it without the shell");
	if (target->launcher == TARGET_OTHER)
		return cmd_format("splitpin does not read the options of %s: type its line with \"splitpin probe\" in front of the program, such as %s ... splitpin probe ./program",
				  target->launcher_name, target->launcher_name);
	if (target->launcher == TARGET_SRUN && !getenv("SLURM_JOB_ID"))
		return cmd_format("srun would wait for an allocation: type this inside of one (salloc, sbatch)");
	return NULL;
}

static uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A process group of its own, so that all of it can be ended; what it reads is empty. */
static void
become(char *const line[], int output)
{
	int nothing = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	execvp(line[0], line);
	dprintf(STDERR_FILENO, "%s: %s\n", line[0], strerror(errno));
	_exit(127);
}

/*
 * Read up to the end of what the launcher and all that it has started write.  A
 * daemon may keep the pipe open: what the launcher's end leaves is read for a moment.
 */
static void
read_output(pid_t group, int fd, struct measured *measured)
{
	struct collector collector = { .measured = measured };
	uint64_t end = now_ms() + CHECK_SECONDS * 1000;
	siginfo_t info = { .si_pid = 0 };
	char text[4096];

	for (;;) {
		uint64_t now = now_ms();
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

		if (now >= end && (measured->is_late || info.si_pid))
			break;
		if (now >= end) {
			measured->is_late = true;
			kill(-group, SIGTERM);
			end = now + GRACE_MS;
		}
		if (!info.si_pid && waitid(P_PID, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
			end = now + GRACE_MS;
		int ready = poll(&poll_fd, 1, end - now < LOOK_MS ? (int)(end - now) : LOOK_MS);
		ssize_t n = ready > 0 ? read(fd, text, sizeof(text)) : -1;
		if (n == 0 || (ready < 0 && errno != EINTR))
			break;
		if (n > 0)
			collect(&collector, text, (size_t)n);
	}
	collect_end(&collector);
}

void
check_launch(const struct target *target, char *const command[], struct measured *measured)
{
	char **line = check_line_with_probes(target, command);
	int status = 0, ends[2];

	*measured = (struct measured){ .status = 127 };
	if (pipe2(ends, O_CLOEXEC) != 0) {
		measured->said = cmd_format("%s", strerror(errno));
		target_release_list(line);
		return;
	}
	pid_t child = fork();
	if (child == 0)
		become(line, ends[1]);
	close(ends[1]);
	if (child > 0) {
		setpgid(child, child);
		read_output(child, ends[0], measured);
		if (measured->is_late)
			kill(-child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		measured->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	close(ends[0]);
	target_release_list(line);
}
