#include "cmd/show/running.h"

bool
jobs_has_share(const struct show_rank *rank)
{
	return rank->seat.state == SP_SEAT_SETTLED || rank->seat.state == SP_SEAT_READY;
}

bool
jobs_has_process(const struct show_rank *rank)
{
	return rank->seat.state > SP_SEAT_LEFT && !rank->is_hidden;
}

const struct show_rank *
jobs_first_seen(const struct show_job *job)
{
	for (uint32_t i = 0; i < job->nranks; i++)
		if (jobs_has_process(&job->rank[i]))
			return &job->rank[i];
	return NULL;
}

struct sp_cpus
jobs_claim(const struct show_job *job, uint32_t rank)
{
	struct sp_cpus claim = job->claim;

	sp_cpus_and(&claim, &job->rank[rank].seat.share);
	return claim;
}

uint32_t
jobs_need(const struct show_job *job, uint32_t rank)
{
	return job->need && job->need[rank] != SP_NEED_FIXED ? job->need[rank] : 0;
}
