/* What splitpin would do for a job that was seen, and what its user can type. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cmd/cmd.h"
#include "cmd/plan/make/make.h"
#include "cmd/survey/judge.h"
#include "settings/config.h"

/* Whether each thread of this job, and of the others on its CPUs, would have a place of its own. */
static bool
is_room(const struct survey_job *job)
{
	uint32_t nranks = job->ranks + job->others_ranks;
	uint32_t threads = job->announced ? job->announced : (uint32_t)sp_larger(1, (job->busy + job->ranks - 1) / job->ranks);
	uint32_t others = job->others_ranks ? (job->others_busy + job->others_ranks - 1) / job->others_ranks : 0;
	struct plan plan = { .name = "this machine", .nranks = nranks, .threads = threads, .need = cmd_allocate(nranks, sizeof(uint32_t)) };
	char *none[] = { NULL };

	sp_config_read(&plan.config, none, NULL, NULL);
	for (uint32_t i = 0; i < nranks; i++)
		plan.need[i] = i < job->ranks ? threads : (uint32_t)sp_larger(1, others);
	bool is = plan_make(&plan, &job->allocated) == 0 && plan.terms.how != SP_TERMS_SHARED;
	uint32_t cpus = sp_cpus_count(&job->allocated), needed = job->ranks * threads + job->others_ranks * (uint32_t)sp_larger(1, others);
	plan_release(&plan);
	return is && needed <= cpus;
}

static char *
remedy(const struct survey_job *job, enum survey_cause cause)
{
	const char *alone = job->launcher ? "" : "--alone ";

	if (cause == CAUSE_LIST)
		return cmd_format("env -u %s splitpin run %s--", job->list, alone);
	return cmd_format("splitpin run %s%s--", alone, cause == CAUSE_REQUEST && job->is_asked ? "--inherited ignore " : "");
}

void
judge_job(const struct survey_job *job, struct judged *judged)
{
	enum survey_cause cause = judge_cause(job);
	bool room = cause != CAUSE_THREADS && is_room(job), is_users = cause == CAUSE_REQUEST || cause == CAUSE_LIST || cause == CAUSE_PROGRAM;
	const char *rest = strstr(job->line, "-- ");

	*judged = (struct judged){ .would = !room ? "none" : is_users ? "user" : "mend" };
	if (!room || cause == CAUSE_PROGRAM)
		return;
	judged->remedy = remedy(job, cause);
	if (rest)
		judged->line = cmd_format("%s %s", judged->remedy, rest + strlen("-- "));
}

void
judged_release(struct judged *judged)
{
	free(judged->remedy);
	free(judged->line);
}
