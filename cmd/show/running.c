#include "cmd/show/running.h"

#include <string.h>

size_t
jobs_name_length(const struct show_job *job)
{
	const char *end = strrchr(job->name, ',');

	return end ? (size_t)(end - job->name) : strlen(job->name);
}

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
