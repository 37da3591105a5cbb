/*
 * The ranks of a job on this node as /proc shows them: also those that have
 * not come to the board, and may never do so.
 */
#ifndef SP_SIBLINGS_H
#define SP_SIBLINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpus.h"

/* Valid during the visit. */
struct sp_sibling {
	pid_t pid;			/* of the rank's topmost process: maybe a shell that will start the rank */
	uint32_t local_rank;
	const struct sp_cpus *mask;	/* of its first thread, now: the inherited one until it changes it */
	char *const *environment;	/* at its start, as environ */
};

/* True: it need not be visited again. */
typedef bool sp_sibling_visitor(const struct sp_sibling *sibling, void *data);

/* Those that need not be; empty at first, with room for local_size of them, in the order of pids. */
struct sp_siblings_seen {
	uint32_t n;
	struct sp_sibling_seen {
		pid_t pid;
		uint32_t local_rank;
	} *sibling;
};

bool sp_siblings_has(const struct sp_siblings_seen *seen, pid_t pid);

/*
 * Visit the topmost process of each of the job's ranks once, in no order, the
 * caller's own among them.
 *
 *   launcher    nearest launcher of the caller (sp_ancestors_launcher); its
 *               descendants are looked at down to the third generation
 *   job         name of the caller's job, from sp_job_name
 *   local_size  as the caller knows it; ranks that have another are not of the job
 *   known       what the visitor need not see again, for who looks more than once; else NULL
 *
 * Reads what is there and never waits; a rank that starts meanwhile may be
 * missed.  Ranks that PMIx alone can tell (PMIX_RANK) are not seen.
 *
 * Returns how many ranks are there, or a negative errno where the launcher's
 * children cannot be read (-ESRCH: it has ended).  Keeps errno.
 */
int sp_siblings_visit(pid_t launcher, const char *job, uint32_t local_size, struct sp_siblings_seen *known,
		      sp_sibling_visitor *visit, void *data);

#endif
