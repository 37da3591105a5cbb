#include "cmd/survey/batch_job.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs_file.h"
#include "cmd/cmd.h"

#define TEXT 16384

/* The names of the folders in which batch systems have a job's processes: what stands before the number. */
static const struct {
	const char *before;	/* behind a slash */
	bool is_step;
} folders[] = {
	{ "job_", false }, { "step_", true },		/* Slurm: /slurm/uid_1000/job_17/step_0 */
	{ "jobid/", false },				/* PBS: /pbs_jobs.service/jobid/17.server */
	{ "job.", false },				/* LSF: /lsf/cluster/job.17.4711.1700000000 */
};

static void
copy_word(char to[BATCH_WORD], const char *from)
{
	size_t length = strcspn(from, "/\n");

	snprintf(to, BATCH_WORD, "%.*s", (int)length, from);
	cmd_make_plain(to);
}

bool
batch_job_parse(const char *text, struct batch_job *batch)
{
	*batch = (struct batch_job){ 0 };
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *to = folders[i].is_step ? batch->step : batch->job;

		for (const char *at = text; !*to && (at = strchr(at, '/')); ) {
			const char *rest = ++at + strlen(folders[i].before);

			if (strncmp(at, folders[i].before, strlen(folders[i].before)) == 0 &&
			    (folders[i].is_step ? *rest && !strchr("/\n", *rest) : isdigit((unsigned char)*rest)))
				copy_word(to, rest);
		}
	}
	if (!batch->job[0])
		batch->step[0] = '\0';
	return batch->job[0] != '\0';
}

/* Lines are "4:cpuset,cpu:/path", of the unified hierarchy "0::/path". */
char *
batch_job_group(const char *text, const char *controller)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		size_t length = strlen(controller);

		for (const char *word = list ? list + 1 : NULL; word && path && word <= path; word += strcspn(word, ",:") + 1)
			if (strcspn(word, ",:") == length && strncmp(word, controller, length) == 0)
				return cmd_format("%.*s", (int)strcspn(path + 1, "\n"), path + 1);
	}
	return NULL;
}

/* The nearest group from this one upwards that has a list of CPUs. */
static bool
read_list(const char *root, char *group, const char *name, struct sp_cpus *cpus)
{
	char text[TEXT];

	for (;;) {
		char *path = cmd_format("%s%s/%s", root, group, name);
		bool is_there = sp_sysfs_text("", path, text, sizeof(text));

		free(path);
		text[strcspn(text, "\n")] = '\0';
		if (is_there && sp_cpus_parse(text, cpus) == 0 && !sp_cpus_empty(cpus))
			return true;
		char *end = strrchr(group, '/');
		if (!end)
			return false;
		*end = '\0';
	}
}

void
batch_job_read(pid_t pid, const struct sp_cpus *all, struct batch_job *batch, struct sp_cpus *allocated)
{
	char path[64], text[TEXT] = "";

	*allocated = *all;
	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (!sp_sysfs_text("", path, text, sizeof(text))) {
		*batch = (struct batch_job){ 0 };
		return;
	}
	batch_job_parse(text, batch);
	char *first = batch_job_group(text, "cpuset"), *unified = batch_job_group(text, "");
	struct sp_cpus cpus;
	if ((first && read_list("/sys/fs/cgroup/cpuset", first, "cpuset.effective_cpus", &cpus)) ||
	    (unified && read_list("/sys/fs/cgroup", unified, "cpuset.cpus.effective", &cpus)))
		sp_cpus_and(allocated, &cpus);
	if (sp_cpus_empty(allocated))
		*allocated = *all;
	free(first);
	free(unified);
}
