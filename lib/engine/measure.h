/*
 * Whether the threads of this process have had too few CPUs, measured when it
 * ends: by the kernel's account of how long each ran and how long it waited
 * for a CPU.
 */
#ifndef SP_MEASURE_H
#define SP_MEASURE_H

#include "report/crowding.h"

struct sp_measured {
	struct sp_crowding crowding;
	unsigned waited;	/* percent of the time that these threads wanted to run */
};

/*
 * Look at all threads of the calling process.  False: none crowd, or it cannot
 * be told: the process is younger than SP_MEASURE_SECONDS, has one thread, or the
 * kernel keeps no such account.
 *
 * Idle threads need nothing, threads that take turns need no more than one
 * CPU, and what other processes take from a thread does not make two of it: so
 * only threads that wanted to run at the same time count.
 */
#define SP_MEASURE_SECONDS 2
bool sp_crowding_measure(struct sp_measured *crowd);

#endif
