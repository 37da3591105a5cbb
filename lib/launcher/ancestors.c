#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/pin.h"
#include "base/text.h"
#include "launcher/ancestors.h"
#include "launcher/known/known.h"
#include "process/process.h"

static const char shells[][8] = { "sh", "bash", "dash", "ksh", "zsh", "busybox" };

/* Without its folder, and without what follows a '.', a ':' or a blank: mpirun.openmpi, "slurmstepd: [1.0]". */
static bool
is_called(const char *argument, const char *name)
{
	size_t length = strlen(name);

	argument = sp_last_part(argument);
	return strncmp(argument, name, length) == 0 && strchr(".: ", argument[length]);
}

static const struct sp_launcher_process *
launcher_called(const char *argument)
{
	for (enum sp_launcher i = 0; i < SP_LAUNCHERS; i++)
		for (const struct sp_launcher_process *its = sp_launcher_details[i]->processes; its && its->name; its++)
			if (is_called(argument, its->name))
				return its;
	return NULL;
}

static bool
is_shell(const char *argument)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (is_called(argument, shells[i]))
			return true;
	return false;
}

static const struct sp_launcher_process *
find_process(const char *arguments, size_t length)
{
	if (length == 0 || arguments[length - 1] != '\0')
		return NULL;
	size_t first = strlen(arguments) + 1;

	if (is_shell(arguments) && first < length)
		return launcher_called(arguments + first);
	return launcher_called(arguments);
}

const char *
sp_ancestors_name(const char *arguments, size_t length)
{
	const struct sp_launcher_process *process = find_process(arguments, length);

	return process ? process->name : NULL;
}

bool
sp_ancestor_is_command(const struct sp_ancestor *ancestor)
{
	const struct sp_launcher_process *process = find_process(ancestor->arguments, ancestor->length);

	return process && process->is == SP_IS_COMMAND;
}

bool
sp_ancestor_is_daemon(const struct sp_ancestor *ancestor)
{
	const struct sp_launcher_process *process = find_process(ancestor->arguments, ancestor->length);

	return process && process->is == SP_IS_DAEMON;
}

const char *
sp_ancestors_line(const struct sp_ancestor *ancestor, size_t *length)
{
	size_t shell = is_shell(ancestor->arguments) ? strlen(ancestor->arguments) + 1 : 0;

	if (shell >= ancestor->length)
		shell = 0;
	*length = ancestor->length - shell;
	return ancestor->arguments + shell;
}

bool
sp_ancestors_is_launcher(pid_t pid)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool is = arguments && sp_ancestors_name(arguments, length);

	free(arguments);
	return is;
}

/* Whether the process is a launcher; then it is filled in. */
static bool
read_launcher(pid_t pid, struct sp_ancestor *ancestor)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);

	if (!arguments || !sp_ancestors_name(arguments, length)) {
		free(arguments);
		return false;
	}
	*ancestor = (struct sp_ancestor){
		.pid = pid,
		.arguments = arguments,
		.length = length,
		.environment = sp_process_environment(pid),
	};
	sp_pin_get(pid, &ancestor->mask);
	return true;
}

bool
sp_ancestor_is_like(const struct sp_ancestor *ancestor, pid_t pid)
{
	size_t length;
	char *arguments = sp_process_arguments(pid, &length);
	bool is_like = arguments && length == ancestor->length && memcmp(arguments, ancestor->arguments, length) == 0;

	free(arguments);
	return is_like;
}

static bool
is_child_of_its_like(const struct sp_ancestor *ancestor)
{
	struct sp_process process;

	return sp_process_read(ancestor->pid, &process) || sp_ancestor_is_like(ancestor, process.parent);
}

/*
 * An srun of this user that runs in this job, or in none: then it has asked
 * for an allocation of its own.  The child that every srun has is left out.
 */
static bool
read_srun(pid_t pid, const char *job, struct sp_ancestor *ancestor)
{
	if (!read_launcher(pid, ancestor))
		return false;
	const char *its = sp_environment_value(ancestor->environment, "SLURM_JOB_ID");
	if (strcmp(sp_ancestors_name(ancestor->arguments, ancestor->length), "srun") == 0 &&
	    ancestor->environment && (!its || (job && strcmp(its, job) == 0)) && !is_child_of_its_like(ancestor))
		return true;
	sp_ancestors_release(ancestor, 1);
	return false;
}

static bool
has_job(const struct sp_ancestor *ancestor)
{
	return sp_environment_value(ancestor->environment, "SLURM_JOB_ID") != NULL;
}

/* If the array is full, an srun of this job replaces one without a job.  Returns how many there are. */
static size_t
keep_srun(struct sp_ancestor ancestor[], size_t n, size_t max, struct sp_ancestor *another)
{
	size_t i = n;

	if (n == max)
		for (i = 0; i < n && (!has_job(another) || has_job(&ancestor[i])); i++)
			continue;
	if (i == max) {
		sp_ancestors_release(another, 1);
		return n;
	}
	if (i < n)
		sp_ancestors_release(&ancestor[i], 1);
	ancestor[i] = *another;
	return i < n ? n : n + 1;
}

static bool
has_any_job(const struct sp_ancestor ancestor[], size_t n)
{
	while (n > 0 && !has_job(&ancestor[n - 1]))
		n--;
	return n > 0;
}

/* Drop sruns without a job if one of them belongs to this job. */
static size_t
drop_others(struct sp_ancestor ancestor[], size_t n)
{
	size_t kept = 0;

	if (!has_any_job(ancestor, n))
		return n;
	for (size_t i = 0; i < n; i++) {
		if (has_job(&ancestor[i]))
			ancestor[kept++] = ancestor[i];
		else
			sp_ancestors_release(&ancestor[i], 1);
	}
	return kept;
}

/* Compares the name that the kernel keeps ("srun\n"), since every process of the node is checked. */
static bool
is_srun(const char *pid)
{
	char path[300], name[8];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = read(fd, name, sizeof(name));
	close(fd);
	return length == 5 && memcmp(name, "srun\n", 5) == 0;
}

static size_t
read_sruns(pid_t rank, struct sp_ancestor ancestor[], size_t max)
{
	char **environment = sp_process_environment(rank);
	const char *job = sp_environment_value(environment, "SLURM_JOB_ID");
	DIR *processes = opendir("/proc");
	struct sp_ancestor another;
	size_t n = 0;

	for (struct dirent *entry; processes && (entry = readdir(processes)); ) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && is_srun(entry->d_name) && read_srun(pid, job, &another))
			n = keep_srun(ancestor, n, max, &another);
	}
	if (processes)
		closedir(processes);
	free(environment);
	return drop_others(ancestor, n);
}

/* A parent outside of this PID name space has the pid 0. */
static int
read_chain(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	pid_t parent = sp_process_parent(pid);
	size_t n = 0;

	if (parent < 0)
		return parent;
	for (int i = 0; i < SP_GENERATIONS_MAX && n < max && parent > 0; i++) {
		if (read_launcher(parent, &ancestor[n]))
			n++;
		else if (n > 0)
			break;
		parent = sp_process_parent(parent);
	}
	return (int)n;
}

int
sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	int keep = errno;
	int n = read_chain(pid, ancestor, max);
	const char *nearest = n > 0 ? sp_ancestors_name(ancestor[0].arguments, ancestor[0].length) : NULL;

	if (nearest && strcmp(nearest, "slurmstepd") == 0)
		n += (int)read_sruns(pid, ancestor + n, max - (size_t)n);
	errno = keep;
	return n;
}

void
sp_ancestors_release(struct sp_ancestor ancestor[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free((void *)ancestor[i].arguments);
		free((void *)ancestor[i].environment);
		ancestor[i].arguments = NULL;
		ancestor[i].environment = NULL;
	}
}

struct sp_ancestor *
sp_ancestors_of(pid_t pid, size_t *n)
{
	struct sp_ancestor *ancestor = calloc(SP_ANCESTORS_MAX, sizeof(*ancestor));
	int read = ancestor ? sp_ancestors_read(pid, ancestor, SP_ANCESTORS_MAX) : 0;

	*n = read > 0 ? (size_t)read : 0;
	return ancestor;
}

void
sp_ancestors_free(struct sp_ancestor *ancestor, size_t n)
{
	sp_ancestors_release(ancestor, n);
	free(ancestor);
}

const struct sp_ancestor *
sp_ancestors_launcher(const struct sp_ancestor ancestor[], size_t n)
{
	return n > 0 ? &ancestor[0] : NULL;
}

pid_t
sp_ancestors_own_launcher(void)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of(getpid(), &n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	pid_t pid = launcher ? launcher->pid : 0;

	sp_ancestors_free(ancestor, n);
	return pid;
}
