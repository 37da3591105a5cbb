#include "cmd/show/nodes.h"

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

#include "cmd/cmd.h"
#include "cmd/terminal.h"
#include "settings/site.h"

#define NODES_MAX 1024
#define WORDS 32		/* of a command, at most */

struct child {
	pid_t pid;
	int fd;			/* -1: all has been read */
	size_t length;
};

/* Start a command whose output can be read from *fd. */
static pid_t
start(char *const command[], int *fd)
{
	int pipes[2];
	sigset_t none;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return -1;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		dup2(pipes[1], STDOUT_FILENO);
		close(STDIN_FILENO);
		open("/dev/null", O_RDONLY);
		unsetenv("LD_PRELOAD");	/* neither srun nor ssh is a rank */
		execvp(command[0], command);
		dprintf(STDERR_FILENO, "splitpin: %s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	close(pipes[1]);
	*fd = pid < 0 ? close(pipes[0]), -1 : pipes[0];
	return pid;
}

static int
status_of(pid_t pid)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return pid <= 0 ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void
read_more(struct node *node, struct child *child)
{
	char block[16384];
	ssize_t n = read(child->fd, block, sizeof(block));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(child->fd);
		child->fd = -1;
		return;
	}
	node->output = cmd_enlarge(node->output, child->length + (size_t)n + 1, 1);
	memcpy(node->output + child->length, block, (size_t)n);
	child->length += (size_t)n;
	node->output[child->length] = '\0';
}

/* What a command prints; the caller's.  NULL: it failed. */
static char *
output_of(char *const command[])
{
	struct node node = { .output = cmd_format("%s", "") };
	struct child child = { .fd = -1 };

	child.pid = start(command, &child.fd);
	while (child.fd >= 0)
		read_more(&node, &child);
	if (status_of(child.pid) == 0)
		return node.output;
	free(node.output);
	return NULL;
}

/* Returns 0, or CMD_USAGE after a message. */
static int
add_names(struct nodes *nodes, char *list)
{
	char *rest = NULL;

	for (char *name = strtok_r(list, ", \n", &rest); name; name = strtok_r(NULL, ", \n", &rest)) {
		if (*name == '-') {
			cmd_complain("--nodes: %s is not the name of a node", name);
			return CMD_USAGE;
		}
		if (nodes->n == NODES_MAX) {
			cmd_complain("--nodes: more than %d nodes", NODES_MAX);
			return CMD_USAGE;
		}
		nodes->node = cmd_enlarge(nodes->node, nodes->n + 1, sizeof(*nodes->node));
		nodes->node[nodes->n++] = (struct node){ .name = cmd_format("%s", name), .output = cmd_format("%s", "") };
	}
	return 0;
}

/* "n[1-3,7]" of a Slurm job, as Slurm itself writes it out. */
static char *
names_of_slurm(const char *job)
{
	char *of_job = cmd_format("--jobs=%s", job);
	char *list = output_of((char *[]){ "squeue", "--noheader", of_job, "--format=%N", NULL });

	free(of_job);
	if (list)
		list[strcspn(list, "\n")] = '\0';
	char *names = list && *list ? output_of((char *[]){ "scontrol", "show", "hostnames", list, NULL }) : NULL;
	free(list);
	return names;
}

int
nodes_find(const char *list, const char *job, struct nodes *nodes)
{
	*nodes = (struct nodes){ .n = 0 };
	if (*list) {
		char *copy = cmd_format("%s", list);
		int status = add_names(nodes, copy);

		free(copy);
		return status;
	}
	if (!job)
		job = getenv("SLURM_JOB_ID");
	if (!job) {
		cmd_complain("--nodes: no Slurm job in this environment; name the job (splitpin show 4711 --nodes) or the nodes (--nodes n1,n2)");
		return CMD_USAGE;
	}
	if (strncmp(job, "slurm-", strlen("slurm-")) == 0)
		job += strlen("slurm-");
	nodes->slurm_job = cmd_format("%.*s", (int)strcspn(job, "."), job);
	char *names = names_of_slurm(nodes->slurm_job);
	if (!names) {
		cmd_complain("--nodes: Slurm names no node of job %s", nodes->slurm_job);
		return CMD_USAGE;
	}
	int status = add_names(nodes, names);
	free(names);
	return status;
}

/* For the shell that sshd starts. */
static char *
add_word(char *line, const char *word)
{
	char *quoted = cmd_quote(word);

	line = cmd_append(line, " ", "%s", quoted);
	free(quoted);
	return line;
}

/* The whole path: on a node the command may not be in PATH. */
static char *
own_path(void)
{
	char path[4096];
	const char *found = sp_site_program(path, sizeof(path));

	return cmd_format("%s", found ? found : "splitpin");
}

static pid_t
start_by_ssh(const struct node *node, const char *self, const char *columns, char *const arguments[], int *fd)
{
	char *line = cmd_format("env %s", columns);

	line = add_word(line, self);
	for (; *arguments; arguments++)
		line = add_word(line, *arguments);
	pid_t pid = start((char *[]){ "ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", node->name, line, NULL }, fd);
	free(line);
	return pid;
}

static pid_t
start_by_srun(const struct nodes *nodes, const struct node *node, const char *self, const char *columns,
	      char *const arguments[], int *fd)
{
	char *job = cmd_format("--jobid=%s", nodes->slurm_job), *where = cmd_format("--nodelist=%s", node->name);
	char *command[WORDS] = { "srun", "--overlap", job, where, "--nodes=1", "--ntasks=1", "--cpu-bind=none", "--mpi=none",
				 "--quiet", "env", (char *)columns, (char *)self };
	size_t n = 0;

	while (command[n])
		n++;
	for (; *arguments && n + 1 < WORDS; arguments++)
		command[n++] = *arguments;
	pid_t pid = start(command, fd);
	free(where);
	free(job);
	return pid;
}

static long
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void
read_all(struct nodes *nodes, struct child child[])
{
	struct pollfd *fd = cmd_allocate(nodes->n + 1, sizeof(*fd));
	long end = now_ms() + 1000L * NODE_SECONDS, left;
	size_t open;

	do {
		open = 0;
		for (size_t i = 0; i < nodes->n; i++) {
			fd[i] = (struct pollfd){ .fd = child[i].fd, .events = POLLIN };
			open += child[i].fd >= 0;
		}
		left = end - now_ms();
		if (open && left > 0 && poll(fd, nodes->n, (int)left) > 0)
			for (size_t i = 0; i < nodes->n; i++)
				if (fd[i].revents)
					read_more(&nodes->node[i], &child[i]);
	} while (open && left > 0);
	free(fd);
}

void
nodes_run(struct nodes *nodes, char *const arguments[])
{
	struct child *child = cmd_allocate(nodes->n + 1, sizeof(*child));
	char *self = own_path(), *columns = cmd_format("COLUMNS=%zu", terminal_width());

	for (size_t i = 0; i < nodes->n; i++) {
		struct node *node = &nodes->node[i];

		node->output[0] = '\0';
		child[i].fd = -1;
		child[i].pid = nodes->slurm_job ? start_by_srun(nodes, node, self, columns, arguments, &child[i].fd) :
			       start_by_ssh(node, self, columns, arguments, &child[i].fd);
	}
	read_all(nodes, child);
	for (size_t i = 0; i < nodes->n; i++) {
		bool is_late = child[i].fd >= 0;

		if (is_late) {
			close(child[i].fd);
			kill(child[i].pid, SIGKILL);
		}
		int status = status_of(child[i].pid);
		nodes->node[i].status = is_late ? NODE_LATE : status;
	}
	free(columns);
	free(self);
	free(child);
}

void
nodes_release(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->n; i++) {
		free(nodes->node[i].name);
		free(nodes->node[i].output);
	}
	free(nodes->node);
	free(nodes->slurm_job);
}
