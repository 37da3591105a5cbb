/*
 * What the threads of this process have had of the CPUs, measured when it ends:
 * by the kernel's account of how long each ran and how long it waited for a CPU.
 */
#ifndef SP_MEASURE_H
#define SP_MEASURE_H

#include <sys/resource.h>

#include "report/crowding.h"

struct sp_measured {
	uint32_t threads;	/* of the process; 0: it is younger than SP_MEASURE_SECONDS, the kernel keeps no such account, or there are too many */
	bool is_busy;		/* one of them wanted to run for a quarter of the process's life */
	bool took_turns;	/* sp_measure_took_turns */
	unsigned first_waited;	/* percent of the time that the first thread wanted to run; 0: it is not busy */
	bool is_crowded;	/* some had too few CPUs, which the other fields describe */
	struct sp_crowding crowding;
	unsigned waited;	/* percent of the time that these threads wanted to run */
	unsigned all_waited;	/* the same of all threads */
};

/*
 * Look at all threads of the calling process, which has this share.  A crowd on the
 * whole share takes precedence over one on a part of it.
 *
 * Idle threads need nothing, threads that take turns need no more than one
 * CPU, and what other processes take from a thread does not make two of it: so
 * only threads that wanted to run at the same time count.
 */
#define SP_MEASURE_SECONDS 2
void sp_measure(const struct sp_cpus *share, struct sp_measured *measured);

/*
 * Whether the children for which a process of this age has waited did more than
 * itself, for seconds, and were interrupted as often as processes that take turns
 * on a CPU: the kernel keeps no account of how long they waited for one.
 */
bool sp_measure_took_turns(const struct rusage *own, const struct rusage *children, uint64_t age_ns);

#endif
