/* The result for a rank: its share, and what is to be reported about it. */
#ifndef SP_SHARED_H
#define SP_SHARED_H

#include <stdbool.h>

#include "board/board.h"
#include "cpus.h"

struct sp_shared {
	struct sp_cpus share;
	char why[SP_WHY];	/* one sentence */
	struct sp_cpus open;	/* CPUs into which it may grow where no rank or job has them; empty: it stays in its share */
	struct sp_process child_of;	/* another process that is this rank already; pid 0: none */
	bool is_kept;		/* stays as it is when all ranks have come: of a spawned rank, or of an earlier program */
	bool was_cut_anew;	/* the launcher's default binding was replaced */
	bool may_be_others;	/* other ranks may have the same CPUs: threads are better left unpinned */
	bool is_node_shared;	/* all ranks have the same CPUs, since not enough free cores for all threads */
	bool is_refused;	/* on -ENOSPC: found by this process, not by another process of this rank */
	bool is_reporter;	/* on -ENOSPC: this is the first of the ranks concerned */
	bool is_expected;	/* on -ENOSPC: no warning, since somebody asked for so many ranks, or the node of the job's first rank has as many and warns */
	bool waited_for_gpus;	/* not all ranks announced which GPUs they see, and this rank is the first to give up */
	char domain_fault[128];	/* of the first rank: what is wrong with the lists of SPLITPIN_DOMAIN, which hold nevertheless; or empty */
	bool waited_in_vain;	/* not all ranks of the node came, and this rank is the first to give up */
};

#endif
