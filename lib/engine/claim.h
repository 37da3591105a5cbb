/*
 * What a job takes of the node, and what it leaves to other jobs of the user.
 * Pure.
 *
 * Cores of others are left to them as long as the rest is a fair part for this
 * job: half of an even part of the node (allowed cores / jobs), or a core for
 * each thread where fewer are announced, and a core for each rank at least.
 * With less than that the node is shared.
 */
#ifndef SP_CLAIM_H
#define SP_CLAIM_H

#include "cpus.h"
#include "cut/cut.h"
#include "machine.h"

struct sp_claiming {
	const struct sp_machine *machine;
	const struct sp_policy *policy;
	const struct sp_near *near;	/* of a rank: beside its GPUs; NULL: no rank is to be beside any */
	const struct sp_cpus *allowed;
	uint32_t nranks;
	uint32_t threads;	/* that each rank announces; 0: none */
	uint32_t jobs;		/* others on the node */
};

/*
 * claim: what all ranks together take if none is bound.  taken: what others
 * have; on return whole cores of what is allowed, or empty: the node is shared.
 * Both are empty where the cut fails.
 */
void sp_claim(const struct sp_claiming *claiming, struct sp_cpus *taken, struct sp_cpus *claim);

/*
 * Make cpus smaller: the first of as many equal parts as it has with so many
 * cores each.  Stays as it is where there is one such part, or memory is short.
 */
void sp_claim_part(const struct sp_machine *machine, uint32_t cores, struct sp_cpus *cpus);

#endif
