#include "node/neighbours.h"

#include <errno.h>

#include "launcher/ancestors.h"
#include "launcher/job.h"
#include "process/pinned.h"

/* Add the cores of pinned threads, except cores that the user's other jobs claim: threads there are those jobs' own. */
static void
add_pinned(const struct sp_asker *asker, struct sp_other_jobs *others)
{
	pid_t launcher = asker->launcher ? asker->launcher : sp_ancestors_own_launcher();
	struct sp_cpus cores;

	if (sp_pinned_by_others(asker->machine, asker->allowed, launcher ? launcher : sp_job_starter(asker->rank), &cores) <= 0)
		return;
	sp_cpus_sub(&cores, &others->taken);
	if (!sp_machine_cores(asker->machine, &cores))
		return;
	sp_cpus_or(&others->taken, &cores);
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
