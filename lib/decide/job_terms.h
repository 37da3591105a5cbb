/*
 * The terms on which a job uses the node: what it leaves to other jobs, what it
 * takes, and what its ranks need.  The share of a rank depends on the terms,
 * the machine and the settings alone.  Values only; the functions are in
 * board.h.
 */
#ifndef SP_JOB_TERMS_H
#define SP_JOB_TERMS_H

#include <stdint.h>

#include "cpus.h"

enum sp_terms_how {
	SP_TERMS_ALONE,		/* there is no other job, or none counts: shares are as wide as possible */
	SP_TERMS_BESIDE,	/* there are other jobs: shares are only as wide as the threads need */
	SP_TERMS_SHARED,	/* not enough free cores for all threads: nothing is divided, nothing pinned */
};

/*
 * Need of a rank that keeps its present share, from which its runtime has made
 * places.
 */
#define SP_NEED_FIXED UINT32_MAX

struct sp_terms {
	uint32_t generation;	/* of the job's terms, from 1 */
	uint32_t how;		/* enum sp_terms_how; of several groups of ranks: SHARED only if all are, else BESIDE if any is */
	uint32_t threads;	/* of all ranks, at least one for each rank; a rank of unknown need counts with its number of cores */
	uint32_t is_last;	/* 1: they stay: computed once all ranks had come, from the threads that each announces; or shared for good */
	int32_t starter;	/* a process of another job that is starting, because of which they are shared; 0: for lack of cores */
	uint32_t is_crowded;	/* 1: not SHARED, although too few cores are free, and it claims some that other jobs have: its runtimes bind their threads */
	struct sp_cpus taken;	/* whole cores of other jobs that are left to them */
	struct sp_cpus claim;	/* cores on which the threads of this job run, or will run; empty: not known yet, or any core */
	struct sp_cpus undivided;	/* CPUs that ranks share undivided: all of SP_TERMS_SHARED, else those of some groups of ranks */
};

#endif
