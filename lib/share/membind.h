/*
 * The binding of a rank's memory: the NUMA nodes on which its pages are to lie.
 */
#ifndef SP_MEMBIND_H
#define SP_MEMBIND_H

#include "board/seat.h"
#include "settings/config.h"
#include "cpus.h"
#include "machine.h"
#include "process/numa_maps.h"

#define SP_MEMBIND_NAME SP_SEAT_MEMORY
#define SP_MEMBIND_WHY 200

struct sp_membind {
	struct sp_cpus nodes;		/* by OS number */
	char name[SP_MEMBIND_NAME];	/* policy and nodes: "bind:0"; "kept:bind:0": inherited */
	bool is_checked;		/* SPLITPIN_REPORT=memory: before is filled in */
	struct sp_numa_maps before;	/* where pages lay when the policy was set */
};

/*
 * Find the nodes of a policy.  Pure.
 *
 *   share    CPUs of the rank
 *   allowed  nodes that have memory and that this process may use
 *   nodes    untouched on error
 *   why      on error: what is wrong, for a message
 *
 * Returns 0; -ENODEV (the machine, or the share, lacks the nodes that the
 * policy is made for), or -EPERM (one of these nodes is not allowed).
 */
int sp_membind_choose(enum sp_memory policy, const struct sp_machine *machine, const struct sp_cpus *share,
		      const struct sp_cpus *allowed, struct sp_cpus *nodes, char why[SP_MEMBIND_WHY]);

/*
 * Set the memory policy of the settings, for the calling thread and all threads
 * and processes that it creates; move existing pages, if the settings say so.
 *
 * Returns 0, or a negative errno: the policy is as it was, and why says what
 * is wrong.  membind is filled in either way.
 */
int sp_membind_settle(const struct sp_config *config, const struct sp_machine *machine,
		      const struct sp_cpus *share, struct sp_membind *membind, char why[SP_MEMBIND_WHY]);

#endif
