/*
 * The terms on which a job uses the node: what it leaves to other jobs, what it
 * takes, and what its ranks need.  With the machine and the settings they are
 * all that the share of a rank depends on.  Values; board.h has the functions.
 */
#ifndef SP_JOB_TERMS_H
#define SP_JOB_TERMS_H

#include <stdint.h>

#include "cpus.h"

enum sp_terms_how {
	SP_TERMS_ALONE,		/* no other job is there: shares are as wide as they can be */
	SP_TERMS_BESIDE,	/* others are: shares are as wide as they need to be */
	SP_TERMS_SHARED,	/* there are too few cores for all threads: nothing is divided, nothing pinned */
};

/*
 * Of the need of a rank: it keeps the share that it has, since its runtime has
 * made places of that.
 */
#define SP_NEED_FIXED UINT32_MAX

struct sp_terms {
	uint32_t generation;	/* of the job's terms, from 1 */
	uint32_t how;		/* enum sp_terms_how */
	uint32_t threads;	/* of all ranks, one a rank at least; a rank of unknown need counts as its cores */
	uint32_t is_last;	/* 1: found when all ranks had come, so that it counts what each announces */
	struct sp_cpus taken;	/* whole cores of other jobs that are left to them */
	struct sp_cpus claim;	/* cores on which the threads of this job are, or will be; empty: not known yet, or anywhere */
};

#endif
