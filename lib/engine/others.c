#include "engine/others.h"

#include <errno.h>
#include <unistd.h>

#include "base/pinned.h"
#include "launcher/ancestors.h"

static pid_t
find_launcher(void)
{
	size_t n;
	struct sp_ancestor *ancestor = sp_ancestors_of_self(&n);
	const struct sp_ancestor *launcher = sp_ancestors_launcher(ancestor, n);
	pid_t pid = launcher ? launcher->pid : 0;

	sp_ancestors_free(ancestor, n);
	return pid;
}

/* Cores that a job of the user's claims have its threads on them already. */
static void
add_pinned(const struct sp_asker *asker, struct sp_other_jobs *others)
{
	pid_t launcher = asker->launcher ? asker->launcher : find_launcher();
	struct sp_cpus cores;

	if (sp_pinned_by_others(asker->machine, asker->allowed, launcher ? launcher : getppid(), &cores) <= 0)
		return;
	sp_cpus_sub(&cores, &others->taken);
	uint32_t n = sp_machine_cores(asker->machine, &cores);

	if (!n)
		return;
	sp_cpus_or(&others->taken, &cores);
	others->threads += n;
	others->jobs++;
}

int
sp_others_find(const struct sp_asker *asker, struct sp_other_jobs *others)
{
	int error = sp_board_other_jobs(asker->job, others);

	if (asker->config->neighbours != SP_NEIGHBOURS_AVOID || asker->config->dry_run)
		*others = (struct sp_other_jobs){ .jobs = 0 };
	else if (!asker->is_invented)
		add_pinned(asker, others);
	return error == -E2BIG ? error : 0;
}
