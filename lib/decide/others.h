/* What others have on the node: the user's other jobs, and threads of other users.  Values only. */
#ifndef SP_OTHERS_H
#define SP_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

struct sp_other_jobs {
	struct sp_cpus taken;	/* the cores that they claim */
	uint32_t jobs;		/* the number of these jobs, from 0; dry runs do not count */
	uint64_t threads;	/* threads of all their ranks, as in struct sp_terms */
	struct sp_cpus anywhere;	/* CPUs that jobs among these share undivided and have not claimed: their threads may run on any of them */
	struct sp_cpus starting;	/* to any of these a job whose board cannot be read may be about to pin threads (struct sp_pinned) */
	pid_t starter;		/* the first process of such a job */
	bool has_more;		/* there are more processes or threads of others than are examined */
};

#endif
