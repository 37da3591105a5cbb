#include "report/two_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "launcher/job.h"
#include "launcher/known/known.h"
#include "process/process.h"

struct search {
	char launch[SP_JOB_NAME];	/* the own one */
	pid_t found;
};

/* The first process of each job that can be seen. */
static enum sp_visit
look_at_rank(const struct sp_seat *seat, void *data)
{
	struct search *search = data;
	char launch[SP_JOB_NAME];
	pid_t pid = sp_process_here(&seat->process);

	if (pid && sp_job_launch_of(pid, launch) == 0 && strcmp(launch, search->launch) == 0)
		search->found = pid;
	return search->found ? SP_VISIT_END : pid ? SP_VISIT_NEXT_JOB : SP_VISIT_ON;
}

pid_t
sp_names_find(const struct sp_node *node)
{
	struct search search = { .found = 0 };

	if (sp_job_launch_of(getpid(), search.launch) == 0)
		sp_board_other_ranks(node->job, look_at_rank, &search);
	return search.found;
}

/* A process of the job, and what the launcher calls its node and its number. */
struct named {
	char **environment;
	const char *number, *slurmd;	/* NULL: unknown */
};

static struct named
named_of(pid_t pid, const char *variable)
{
	struct named named = { .environment = sp_process_environment(pid) };

	named.number = variable ? sp_environment_value(named.environment, variable) : NULL;
	named.slurmd = sp_environment_value(named.environment, "SLURMD_NODENAME");
	return named;
}

void
sp_names_warn(const struct sp_node *node, pid_t other)
{
	enum sp_launcher launcher = sp_launcher_find(node->from);
	const char *variable = sp_launcher_details_of(launcher)->world;
	struct named own = named_of(getpid(), variable), its = named_of(other, variable);
	char launch[SP_JOB_NAME];

	if (!own.number || !its.number || strcmp(own.number, its.number) == 0 ||
	    sp_job_launch_of(getpid(), launch) != 0 || !sp_board_is_first_to_say(launch, variable))
		goto out;
	if (own.slurmd && its.slurmd && strcmp(own.slurmd, its.slurmd) != 0)
		sp_warn_rank(node->who, "Slurm counts this node as two (%s and %s), so ranks %s and %s of the job (%s) have the same CPUs: use one of the two, such as by --exclude=%s",
			     its.slurmd, own.slurmd, its.number, own.number, variable, own.slurmd);
	else
		sp_warn_rank(node->who, "the launcher counts this node as two, so ranks %s and %s of the job (%s) have the same CPUs: use one name for the node in the list of hosts",
			     its.number, own.number, variable);
out:
	free(own.environment);
	free(its.environment);
}
