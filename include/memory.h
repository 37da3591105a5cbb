/*
 * Memory policy; the functions are the only ones that call libnuma.
 *
 * Nodes are NUMA nodes by OS number.  All return 0 or a negative errno;
 * -ENOSYS: the kernel, or the container, has no NUMA policies.
 */
#ifndef SP_MEMORY_H
#define SP_MEMORY_H

#include <stddef.h>

#include "cpus.h"

enum sp_memory {
	SP_MEMORY_DEFAULT,	/* leave the policy as it is */
	SP_MEMORY_LOCAL,	/* on the node of the thread that touches first */
	SP_MEMORY_INTERLEAVE,	/* round the NUMA nodes of the share */
	SP_MEMORY_INTERLEAVE_ALL,	/* round all allowed NUMA nodes */
	SP_MEMORY_BIND,		/* only on the NUMA nodes of the share */
	SP_MEMORY_PREFERRED,	/* there as long as there is room */
	SP_MEMORY_HBM,		/* in the high-bandwidth memory beside the share, as long as there is room */
	SP_MEMORY_HBM_BIND,	/* only there */
	/* No setting: SP_MEMORY_INTERLEAVE where the share lies in one package. */
	SP_MEMORY_INTERLEAVE_WEIGHTED,	/* by the kernel's weights, if it has any that differ */
};

/* The nodes that have memory and that this process may use. */
int sp_memory_allowed(struct sp_cpus *nodes);

/*
 * What the calling thread has inherited, from numactl for instance:
 * "kept:bind:0-1"; text is untouched where that is Linux's default.
 */
int sp_memory_inherited(char *text, size_t size);

/*
 * Set the policy of the calling thread, which threads and children made later
 * inherit.  Kernels before 5.15 prefer one node alone: the first.
 * SP_MEMORY_DEFAULT changes nothing.  On error the policy is as it was.
 *
 * Returns SP_MEMORY_BY_WEIGHTS instead of 0 where the nodes are interleaved by
 * the kernel's weights.
 */
#define SP_MEMORY_BY_WEIGHTS 1
int sp_memory_set(enum sp_memory policy, const struct sp_cpus *nodes);

/*
 * Move the memory that this process alone has mapped for writing to where the
 * policy of the calling thread would put it now.  Mappings that were given a
 * policy of their own stay.  What cannot be moved stays, silently.
 */
int sp_memory_move(void);

#endif
