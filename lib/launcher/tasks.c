#include "launcher/tasks.h"

#include <stdlib.h>
#include <sys/types.h>

#include "base/environment.h"
#include "launcher/ancestors.h"
#include "launcher/known/variables.h"
#include "launcher/launchers.h"
#include "process/patience.h"
#include "process/process.h"

#define IDLE_MS 200

bool
sp_tasks_are_told(const struct sp_rank *rank, char *const environment[])
{
	const char *text = sp_environment_value(environment, "FLUX_JOB_NNODES");
	uint32_t nodes;

	return !rank->from || sp_launcher_find(rank->from) != SP_LAUNCHER_FLUX || (sp_variable_number(text, &nodes) && nodes == 1);
}

/* 0: it has none, or they cannot be read. */
static uint32_t
count(pid_t launcher, pid_t *youngest)
{
	pid_t *children;
	ssize_t n = sp_process_children(launcher, &children);

	if (n <= 0)
		return 0;
	*youngest = children[n - 1];
	free(children);
	return (uint32_t)n;
}

static bool
is_task(pid_t pid)
{
	char **environment = sp_process_environment(pid);
	bool is = environment && sp_environment_value(environment, "FLUX_TASK_LOCAL_ID");

	free(environment);
	return is;
}

/*
 * Flux starts one task after the other, and sleeps meanwhile until the task has
 * executed its program.  So it has started all where it sleeps though the youngest
 * has: it did when that was looked at, and there is no younger one after it.
 */
static bool
are_all(pid_t launcher, uint32_t n, pid_t youngest)
{
	struct sp_activity activity;
	pid_t now = 0;

	return is_task(youngest) && sp_process_activity(launcher, &activity) == 0 && activity.state == 'S' &&
	       count(launcher, &now) == n && now == youngest;
}

bool
sp_tasks_are(uint32_t local_size)
{
	const pid_t launcher = sp_ancestors_own_launcher();
	struct sp_patience patience = sp_patience_begin(launcher, IDLE_MS);
	pid_t youngest = 0;
	uint32_t n;

	patience.is_launcher = true;
	do {
		n = launcher > 0 ? count(launcher, &youngest) : 0;
		sp_patience_count(&patience, n);
	} while (n && n <= local_size && !are_all(launcher, n, youngest) && sp_patience_nap(&patience));
	return n == local_size;
}
