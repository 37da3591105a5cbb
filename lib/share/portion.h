/*
 * The portion of one rank where several ranks divide a set of CPUs, on the
 * terms of their job.
 */
#ifndef SP_PORTION_H
#define SP_PORTION_H

#include "node/situation.h"
#include "share/shared.h"

/* The set of CPUs, the number of ranks that divide it, and the place of this rank among them.  Nothing is owned. */
struct sp_portion {
	const struct sp_cpus *cpus;
	uint32_t rank, size;
	const uint32_t *need;	/* of each of them, as in struct sp_demand, or SP_NEED_FIXED */
};

/*
 * Find the share of that rank, and the reason for it, a sentence that begins
 * with the cause.  Returns as sp_share_find; on -ENOSPC the reason is written
 * for the user.
 */
int sp_portion_cut(const struct sp_situation *situation, const struct sp_portion *portion, const char *cause,
		   struct sp_shared *shared);

#endif
