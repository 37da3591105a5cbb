#include "report/crowding.h"

#include "base/order.h"

/* Count the threads that may run on no other CPUs; own: the group whose threads are counted separately. */
static struct sp_crowding
crowd_on(const struct sp_busy busy[], size_t n, const struct sp_cpus *cpus, uint32_t own)
{
	struct sp_crowding crowd = { .cpus = *cpus, .first = UINT32_MAX };

	for (size_t i = 0; i < n; i++) {
		if (!busy[i].need || !sp_cpus_within(busy[i].cpus, cpus))
			continue;
		crowd.threads++;
		crowd.own += busy[i].group == own;
		crowd.need += busy[i].need;
		crowd.first = (uint32_t)sp_smaller(crowd.first, busy[i].group);
		crowd.last = (uint32_t)sp_larger(crowd.last, busy[i].group);
	}
	return crowd;
}

bool
sp_crowding_on(const struct sp_busy busy[], size_t n, uint64_t each, const struct sp_cpus *cpus, uint32_t group, struct sp_crowding *crowd)
{
	const struct sp_crowding found = crowd_on(busy, n, cpus, group);
	uint32_t ncpus = sp_cpus_count(cpus);

	if (found.threads <= ncpus || found.need <= each * ncpus || (group != SP_ANY_GROUP && !found.own))
		return false;
	*crowd = found;
	return true;
}

/* Neighbours in the list nearly always have the same rank, often the same mask. */
static bool
is_seen(const struct sp_busy busy[], size_t i)
{
	for (size_t k = i; k-- > 0; )
		if (busy[k].need && sp_cpus_equal(busy[k].cpus, busy[i].cpus))
			return true;
	return false;
}

bool
sp_crowding_find(const struct sp_busy busy[], size_t n, uint64_t each, uint32_t group, struct sp_crowding *crowd)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		uint32_t cpus = sp_cpus_count(busy[i].cpus);

		if (!busy[i].need || cpus == 0 || cpus >= least || is_seen(busy, i))
			continue;
		if (sp_crowding_on(busy, n, each, busy[i].cpus, group, crowd))
			least = cpus;
	}
	return least != UINT32_MAX;
}
