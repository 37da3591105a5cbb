#include "launcher/known/sruns.h"

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

/* Compares the name that the kernel keeps ("srun\n"), since every process of this user is checked. */
static bool
is_srun(pid_t pid)
{
	char path[32], name[8];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	int fd = sp_process_is_readable(pid) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t length = read(fd, name, sizeof(name));
	close(fd);
	return length == 5 && memcmp(name, "srun\n", 5) == 0;
}

struct search {
	const char *job;
	struct sp_ancestor *ancestor;
	size_t n, max;
};

static bool
add_srun(pid_t pid, void *data)
{
	struct search *search = data;
	struct sp_ancestor another;

	if (is_srun(pid) && read_srun(pid, search->job, &another))
		search->n = keep_srun(search->ancestor, search->n, search->max, &another);
	return false;
}

size_t
sp_sruns_read(pid_t rank, struct sp_ancestor ancestor[], size_t max)
{
	char **environment = sp_process_environment(rank);
	struct search search = { .job = sp_environment_value(environment, "SLURM_JOB_ID"), .ancestor = ancestor, .max = max };

	sp_process_each(add_srun, &search);
	free(environment);
	return drop_others(ancestor, search.n);
}
