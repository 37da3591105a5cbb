/*
 * What splitpin does to the ranks of a node, for the site's record: how they were
 * when they started, what is done, and how they are then.  Pure.
 */
#ifndef SP_OUTCOME_H
#define SP_OUTCOME_H

#include <stdbool.h>

#include "board/seat.h"
#include "machine.h"
#include "report/verdict.h"

struct sp_outcome {
	uint32_t before_crowded, after_crowded;	/* ranks with fewer CPUs than threads, those of other ranks on the same CPUs counted */
	uint32_t before_idle;	/* cores of the domain on which no rank might run */
	const char *action;	/* "none", "divided", "replaced", "kept", "shared", "refused" */
	const char *why;	/* the sentence of the first rank that has one; points into seats; "" where there is none */
};

/*
 *   domain    what the job may use
 *   is_bound  the OpenMP runtime of each rank binds its threads, to the first CPUs of the rank's mask
 *
 * seats has nranks entries by local rank, as sp_verdict takes them.
 */
void sp_outcome_find(const struct sp_machine *machine, const struct sp_cpus *domain, bool is_bound,
		     const struct sp_seat seats[], uint32_t nranks, const struct sp_verdict *verdict, struct sp_outcome *outcome);

#endif
