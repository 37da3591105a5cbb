#include "launcher/known/sruns.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "process/process.h"

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
	if (!sp_ancestor_read(pid, ancestor))
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

size_t
sp_sruns_read(pid_t rank, struct sp_ancestor ancestor[], size_t max)
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
