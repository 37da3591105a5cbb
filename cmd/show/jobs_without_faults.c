/* What collides among jobs without splitpin, and what helps. */
#include <stdlib.h>

#include "base/pin.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/show/jobs_without.h"
#include "report/remedy.h"

/* All busy threads that can be seen, those of ranks with a share among them; group: the job. */
static struct sp_busy *
busy_threads(const struct show *show, size_t *n)
{
	struct sp_busy *busy = NULL;

	*n = 0;
	for (size_t i = 0; i < show->nothers; i++)
		for (size_t k = 0; k < show->other[i].n; k++)
			busy = threads_add_busy(busy, n, show->other[i].process[k].thread, show->other[i].process[k].nthreads, (uint32_t)i);
	for (size_t i = 0; i < show->njobs; i++)
		for (uint32_t k = 0; k < show->job[i].nranks; k++)
			busy = threads_add_busy(busy, n, show->job[i].rank[k].thread, show->job[i].rank[k].nthreads, (uint32_t)(show->nothers + i));
	return busy;
}

/* A launcher binds no two ranks to one CPU where others are idle, so what has is the runtime in each. */
static bool
is_by_runtime(const struct show_other *other, const struct sp_crowding *crowd)
{
	size_t processes = 0;

	for (size_t i = 0; i < other->n; i++) {
		bool is_in = false;

		for (size_t k = 0; k < other->process[i].nthreads; k++)
			is_in |= other->process[i].thread[k].is_busy && sp_cpus_within(&other->process[i].thread[k].cpus, &crowd->cpus);
		processes += is_in;
	}
	return other->is_bound_by_runtime && processes > 1;
}

/* What starts the job with splitpin is a remedy only where there are CPUs that the threads do not use yet, and alone only where these are enough. */
static void
set_remedy(struct show_other *other, const struct sp_crowding *crowd)
{
	struct sp_cpus allowed;
	bool is_known = sp_pin_allowed(&allowed) == 0, is_full = is_known && sp_cpus_within(&allowed, &crowd->cpus);
	uint32_t busy = jobs_without_busy(other), cpus = is_known ? sp_cpus_count(&allowed) : UINT32_MAX;

	if (other->unbound_line && !is_full && !is_by_runtime(other, crowd)) {
		free(other->line);
		other->line = other->unbound_line;
		other->unbound_line = NULL;
	}
	if (is_full)
		other->remedy = cmd_format("the node has no other CPUs: %s", sp_problem_remedy(SP_PROBLEM_FULL_NODE));
	else if (busy > cpus)
		other->remedy = cmd_format("the job has %u busy threads, and the node %u CPUs: %s; then start it with: %s", busy, cpus,
					   sp_problem_remedy(SP_PROBLEM_FULL_NODE), other->line);
	else
		other->remedy = cmd_format("start it with: %s", other->line);
	if (!is_full)
		return;
	free(other->line);
	other->line = NULL;
}

static void
tell_crowd(struct show_other *other, const struct sp_crowding *crowd)
{
	uint32_t cpus = sp_cpus_count(&crowd->cpus);
	char *list = cmd_list(&crowd->cpus);

	other->problem = crowd->own == crowd->threads ?
		cmd_format("%u busy threads may run only on %u CPU%s (%s)", crowd->own, cpus, sp_plural(cpus), list) :
		cmd_format("%u busy threads may run only on %u CPU%s (%s): %u of this job, %u of others",
			   crowd->threads, cpus, sp_plural(cpus), list, crowd->own, crowd->threads - crowd->own);
	free(list);
	set_remedy(other, crowd);
}

void
jobs_without_find_faults(struct show *show)
{
	struct sp_crowding crowd;
	size_t n;
	struct sp_busy *busy = busy_threads(show, &n);

	for (size_t i = 0; i < show->nothers; i++) {
		if (!show->other[i].is_wanted || !sp_crowding_find(busy, n, 1, (uint32_t)i, &crowd))
			continue;
		tell_crowd(&show->other[i], &crowd);
		show->ncrowded++;
	}
	free(busy);
}
