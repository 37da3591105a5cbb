#include "report/two_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "launcher/job.h"
#include "launcher/launchers.h"
#include "process/process.h"

struct search {
	const char *job;		/* the own one */
	char launch[SP_JOB_NAME];
	pid_t found;
};

static void
look_at_board(const struct sp_board_found *found, struct sp_board *board, void *data)
{
	struct search *search = data;
	char launch[SP_JOB_NAME];
	struct sp_seat seat;

	if (found->error || !found->is_alive || strcmp(found->job, search->job) == 0)
		return;
	for (uint32_t rank = 0; !search->found && rank < found->local_size; rank++) {
		pid_t pid = sp_board_read(board, rank, &seat) == 0 && seat.state > SP_SEAT_LEFT ? sp_process_here(&seat.process) : 0;

		if (!pid)
			continue;
		if (sp_job_launch_of(pid, launch) != 0 || strcmp(launch, search->launch) != 0)
			return;
		search->found = pid;
	}
}

pid_t
sp_names_find(const struct sp_node *node)
{
	struct search search = { .job = node->job };
	const uid_t self = geteuid();

	if (sp_job_launch_of(getpid(), search.launch) == 0)
		sp_board_each(&self, look_at_board, &search);
	return search.found;
}

void
sp_names_warn(const struct sp_node *node, pid_t other)
{
	enum sp_launcher launcher = sp_launcher_find(node->from);
	const char *variable = launcher < SP_LAUNCHERS ? sp_launcher_details[launcher].world : NULL;
	char **own = sp_process_environment(getpid()), **its = sp_process_environment(other);
	const char *one = variable ? sp_environment_value(its, variable) : NULL;
	const char *two = variable ? sp_environment_value(own, variable) : NULL;
	char launch[SP_JOB_NAME];

	if (one && two && strcmp(one, two) != 0 && sp_job_launch_of(getpid(), launch) == 0 && sp_board_speaks_first(launch, variable))
		sp_warn_rank(node->who, "the launcher counts this node as two, so ranks %s and %s of the job (%s) have the same CPUs: use one name for the node in the list of hosts",
			     one, two, variable);
	free(own);
	free(its);
}
