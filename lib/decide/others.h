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
	uint64_t threads;	/* of all their ranks that have not ended: those that are certain (sp_seat_threads), one of a rank that has not come yet */
	struct sp_cpus usable;	/* where the threads of their ranks may run that are not pinned, or that are released */
	struct sp_cpus starting;	/* to any of these a job whose board cannot be read may be about to pin threads (struct sp_pinned) */
	pid_t starter;		/* the first process of such a job */
	bool has_more;		/* there are more processes or threads of others than are examined */
};

#endif
