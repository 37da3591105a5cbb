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
#include "board/board.h"
#include "cmd/check/collect.h"
#include "cmd/check/line.h"
#include "cmd/check/torchrun.h"
#include "cmd/cmd.h"

#define LOOK_MS 200		/* between two looks whether the launcher has ended */
#define INPUT_MS 3000		/* until the launcher's input, which is empty, ends */
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

/* Of launchers of Python that are known, but whose options are not read, those that have them start another program. */
static const char *
options_of(const char *word)
{
	static const char *const launchers[][2] = { { "accelerate", " launch --no_python" }, { "deepspeed", " --no_python --no_local_rank" } };

	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		if (strcmp(sp_last_part(word), launchers[i][0]) == 0)
			return launchers[i][1];
	return NULL;
}

char *
check_why_not_started(const struct target *target, char *const command[])
{
	size_t torchrun = check_torchrun_words(target, command);
	const char *python = target->word && target->launcher == TARGET_NO_LAUNCHER ? options_of(target->word) : NULL;

	if (target->word && target->launcher == TARGET_NO_LAUNCHER && is_queued(target->word))
		return cmd_format("%s would queue a job: put splitpin check in front of the launcher in the job's script", target->word);
	if (torchrun && check_torchrun_waits(command, torchrun))
		return cmd_format("torchrun would wait for the other nodes (--nnodes)");
	if (python)
		return cmd_format("splitpin does not read the options of %s: type its line with \"splitpin probe\" in front of Python, such as %s%s ... splitpin probe python3 train.py",
				  target->word, target->word, python);
	if (target->launcher == TARGET_NO_LAUNCHER && !target_is_parallel(target) && !torchrun)
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

/* As the launcher has them, with a pipe each: its end 0 is here, end 1 there. */
enum { INPUT = STDIN_FILENO, OUTPUT = STDOUT_FILENO, ERRORS = STDERR_FILENO, STREAMS };

static volatile sig_atomic_t ended_by;	/* the signal that is to end this process; 0: none */

static void
note_end(int signal)
{
	ended_by = signal;
}

/* The launcher has a process group of its own, which a terminal and timeout(1) do not reach.  What is ignored, as in the background of a script, stays so. */
static void
on_end(void (*handler)(int))
{
	static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = handler };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (sigaction(endings[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(endings[i], &action, NULL);
}

/* A process group of its own, so that all of it can be ended; what it reads is empty. */
static void
become(char *const line[], int pipes[STREAMS][2])
{
	setpgid(0, 0);
	for (int i = 0; i < STREAMS; i++)
		dup2(pipes[i][1], i);
	/* What stands in front of a program may be a rank for splitpin, too. */
	setenv("SPLITPIN_DRYRUN", "1", 0);
	execvp(line[0], line);
	dprintf(STDERR_FILENO, "%s: %s\n", line[0], strerror(errno));
	_exit(127);
}

/* One stream may be written in pieces while the other is: each is read by itself.  False: it has ended. */
static bool
read_some(const struct pollfd *from, struct collector *collector)
{
	char text[4096];
	ssize_t n = from->revents ? read(from->fd, text, sizeof(text)) : -1;

	if (n > 0)
		collect(collector, text, (size_t)n);
	return n != 0;
}

static void
end_input(int pipes[STREAMS][2])
{
	if (pipes[INPUT][0] >= 0)
		close(pipes[INPUT][0]);
	pipes[INPUT][0] = -1;
}

/*
 * Read up to the end of what the launcher and all that it has started write.  A
 * daemon may keep the pipes open: what the launcher's end leaves is read for a moment.
 * Hydra passes the end of its input on, and SIGPIPE ends it if its ranks have ended by
 * then, as probes do at once: so the input ends only after a while, for what waits for that.
 */
static void
read_output(pid_t group, int pipes[STREAMS][2], struct measured *measured)
{
	struct collector collectors[STREAMS] = { [OUTPUT] = { .measured = measured }, [ERRORS] = { .measured = measured } };
	struct pollfd from[STREAMS] = { [INPUT] = { .fd = -1 }, [OUTPUT] = { .fd = pipes[OUTPUT][0], .events = POLLIN },
					[ERRORS] = { .fd = pipes[ERRORS][0], .events = POLLIN } };
	uint64_t start = now_ms(), end = start + CHECK_SECONDS * 1000;
	siginfo_t info = { .si_pid = 0 };

	while (from[OUTPUT].fd >= 0 || from[ERRORS].fd >= 0) {
		uint64_t now = now_ms();

		if (now >= end && (measured->is_late || info.si_pid))
			break;
		if (now >= start + INPUT_MS)
			end_input(pipes);
		if (now >= end || (ended_by && !measured->is_late)) {
			measured->is_late = true;
			kill(-group, SIGTERM);
			end = now + GRACE_MS;
		}
		if (!info.si_pid && waitid(P_PID, (id_t)group, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
			end = now + GRACE_MS;
		if (poll(from, STREAMS, end - now < LOOK_MS ? (int)(end - now) : LOOK_MS) < 0 && errno != EINTR)
			break;
		for (int i = 0; i < STREAMS; i++)
			if (from[i].fd >= 0 && !read_some(&from[i], &collectors[i]))
				from[i].fd = -1;
	}
	for (int i = OUTPUT; i < STREAMS; i++)
		collect_end(&collectors[i]);
}

/* Probes that were killed could not remove their board themselves. */
static void
remove_left(const struct sp_board_found *found, struct sp_board *looked_at, void *data)
{
	struct sp_board *board = NULL;
	const char *problem;

	(void)looked_at;
	(void)data;
	if (found->error || strncmp(found->job, SP_DRY_RUN, strlen(SP_DRY_RUN)) != 0 || sp_board_is_alive(looked_at) ||
	    sp_board_open(found->job, found->local_size, &board, &problem) != 0)
		return;
	sp_board_remove_dead(board);
	sp_board_release(board);
}

static bool
open_pipes(int pipes[STREAMS][2])
{
	for (int i = 0; i < STREAMS; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC) != 0) {
			while (i-- > 0) {
				close(pipes[i][0]);
				close(pipes[i][1]);
			}
			return false;
		}
		pipes[i][0] = ends[i == INPUT];
		pipes[i][1] = ends[i != INPUT];
	}
	return true;
}

void
check_launch(const struct target *target, char *const command[], struct measured *measured)
{
	char **line = check_line_with_probes(target, command);
	int status = 0, pipes[STREAMS][2];

	*measured = (struct measured){ .status = 127 };
	if (!open_pipes(pipes)) {
		measured->said = cmd_format("%s", strerror(errno));
		target_release_list(line);
		return;
	}
	on_end(note_end);
	pid_t child = fork();
	if (child == 0)
		become(line, pipes);
	for (int i = 0; i < STREAMS; i++)
		close(pipes[i][1]);
	if (child > 0) {
		setpgid(child, child);
		read_output(child, pipes, measured);
		if (measured->is_late)
			kill(-child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		measured->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	end_input(pipes);
	for (int i = OUTPUT; i < STREAMS; i++)
		close(pipes[i][0]);
	const uid_t self = geteuid();
	sp_board_each(&self, remove_left, NULL);
	target_release_list(line);
	on_end(SIG_DFL);
	if (ended_by)
		raise(ended_by);
}
