#include "node/neighbours.h"

#include <errno.h>

#include "launcher/ancestors.h"
#include "launcher/job.h"
#include "process/pinned.h"

static bool
is_rank(pid_t pid)
{
	struct sp_ancestor launcher;

	if (sp_ancestors_read(pid, &launcher, 1) <= 0)
		return false;
	sp_ancestors_release(&launcher, 1);
	return true;
}

/* Add the cores of pinned threads, except cores that the user's other jobs claim: threads there are those jobs' own. */
static void
add_pinned(const struct sp_asker *asker, struct sp_other_jobs *others)
{
	pid_t launcher = asker->launcher ? asker->launcher : sp_ancestors_own_launcher();
	struct sp_pinned pinned;

	if (sp_pinned_by_others(asker->machine, asker->allowed, launcher ? launcher : sp_job_starter(asker->rank), is_rank, &pinned) < 0)
		return;
	others->starting = pinned.starting;
	sp_cpus_sub(&pinned.cores, &others->taken);
	if (!sp_machine_cores(asker->machine, &pinned.cores))
		return;
	sp_cpus_or(&others->taken, &pinned.cores);
	others->jobs++;
}

int
sp_others_find(const struct sp_asker *asker, struct sp_other_jobs *others)
{
	int error = sp_board_other_jobs(asker->job, others);

	if (sp_config_avoids_others(asker->config))
		add_pinned(asker, others);
	else
		*others = (struct sp_other_jobs){ .jobs = 0 };
	return error == -E2BIG ? error : 0;
}
