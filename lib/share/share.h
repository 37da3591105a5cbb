/*
 * Whose CPUs: from masks, machine and the other ranks to the share of this one.
 *
 *   the mask is as wide as allowed,   the launcher did not bind: all ranks of
 *   and as the launcher's             the node cut the allowed set
 *   it is narrower                    the ranks agree (agree.h)
 */
#ifndef SP_SHARE_H
#define SP_SHARE_H

#include "node/situation.h"

struct sp_shared {
	struct sp_cpus share;
	char why[SP_WHY];	/* one sentence */
	struct sp_cpus open;	/* of which it may have more than its share where nobody has them; empty: it stays in its share */
	struct sp_process child_of;	/* another process that is this rank already; pid 0: none */
	bool is_kept;		/* it is not divided anew when all ranks have come: it was given by hand, or to an earlier program */
	bool was_cut_anew;	/* the binding that the launcher had made by default is not kept */
	bool may_be_others;	/* other ranks may have the same CPUs: threads are better left unpinned */
	bool is_node_shared;	/* all ranks have, since too few cores are free for all threads */
	bool is_refused;	/* on -ENOSPC: found now, and not by another process of this rank */
	bool is_reporter;		/* on -ENOSPC: of the ranks to which it happens this is the first */
	bool is_expected;	/* on -ENOSPC: no warning, since somebody asked for so many ranks, or the node of the job's first rank has as many and warns */
	bool waited_for_gpus;	/* not all ranks came to tell which GPUs they see, and this is the first to give up */
	char domain_fault[128];	/* of the first rank: what is wrong with the lists of SPLITPIN_DOMAIN, which hold nevertheless; or empty */
	bool waited_in_vain;	/* not all ranks of the node came, and this is the first to give up */
};

/*
 * Find the share of this rank.  Where the mask is narrower than allowed the
 * own record is written, and ranks that are about to come are waited for.
 *
 * A process that a rank has started, or that runs beside it under the same
 * number, finds that one's seat taken: it gets that one's share, unless it was
 * given a mask that leaves out a part of it, which it keeps.  A rank that had
 * a share before it started or executed another program has it still.
 *
 * Returns 0; -ENOSPC: fewer CPUs than ranks, nothing is to be changed (why
 * says it for the user); or another negative errno of the cut.
 */
int sp_share_find(const struct sp_situation *situation, struct sp_shared *shared);

/* The CPUs that all ranks of the node divide, filled in; false: each has some of its own. */
bool sp_share_domain(const struct sp_situation *situation, struct sp_cpus *cpus);

/*
 * The same once all ranks have come, on the terms in the situation.  1: it stays
 * what it is, and shared is untouched.
 */
int sp_share_again(const struct sp_situation *situation, struct sp_shared *shared);


#endif
