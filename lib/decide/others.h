/* What others have on the node: the user's other jobs, and threads of other users.  Values only. */
#ifndef SP_OTHERS_H
#define SP_OTHERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

#define SP_AGAIN_MAX 3

struct sp_other_jobs {
	struct sp_cpus taken;	/* the cores that they claim */
	struct sp_cpus again[SP_AGAIN_MAX];	/* those that two of them claim; three; four */
	uint32_t jobs;		/* the number of these jobs, from 0; dry runs do not count */
	uint64_t threads;	/* of all their ranks that have not ended: those that are certain (sp_seat_threads), one of a rank that has not come yet */
	uint64_t loose;		/* those of them that have no core that their job alone claims, so that the kernel puts them anywhere */
	struct sp_cpus usable;	/* where the threads of their ranks may run that are not pinned, or that are released */
	struct sp_cpus starting;	/* to any of these a job whose board cannot be read may be about to pin threads (struct sp_pinned) */
	pid_t starter;		/* the first process of such a job */
	bool has_more;		/* there are more processes or threads of others than are examined */
};

/* Add what one more job claims. */
static inline void
sp_others_claim(struct sp_other_jobs *others, const struct sp_cpus *claim)
{
	for (int i = SP_AGAIN_MAX; i-- > 0;) {
		struct sp_cpus more = *claim;

		sp_cpus_and(&more, i ? &others->again[i - 1] : &others->taken);
		sp_cpus_or(&others->again[i], &more);
	}
	sp_cpus_or(&others->taken, claim);
}

#endif
