/*
 * Memory policy, in a shared object of its own, libsplitpin-numa.so: the only
 * functions that call libnuma.  The object is opened only where a policy is
 * asked for or shown; libnuma reads /proc and /sys when it is loaded, and sets
 * the calling thread's policy to try what the kernel has.
 *
 * Nodes are NUMA nodes by OS number.  All return 0 or a negative errno;
 * -ENOSYS: the kernel, or the container, has no NUMA policies.
 */
#ifndef SP_MEMORY_H
#define SP_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "cpus.h"

enum sp_memory {
	SP_MEMORY_DEFAULT,	/* leave the policy as it is */
	SP_MEMORY_LOCAL,	/* on the node of the thread that touches a page first */
	SP_MEMORY_INTERLEAVE,	/* round the NUMA nodes of the share */
	SP_MEMORY_INTERLEAVE_ALL,	/* round all allowed NUMA nodes */
	SP_MEMORY_BIND,		/* only on the NUMA nodes of the share */
	SP_MEMORY_PREFERRED,	/* on the NUMA nodes of the share as long as they have room */
	SP_MEMORY_HBM,		/* in the high-bandwidth memory beside the share, as long as it has room */
	SP_MEMORY_HBM_BIND,	/* only in that high-bandwidth memory */
	/* Not a setting: chosen for SP_MEMORY_INTERLEAVE where the share lies in one package. */
	SP_MEMORY_INTERLEAVE_WEIGHTED,	/* by the kernel's weights, if these differ */
};

/* The NUMA nodes that have memory and that this process may use. */
int sp_memory_allowed(struct sp_cpus *nodes);

/*
 * The memory policy that the calling thread has inherited, from numactl for
 * instance, as "kept:bind:0-1"; text is untouched where the policy is Linux's
 * default.
 */
int sp_memory_inherited(char *text, size_t size);

/*
 * Set the policy of the calling thread, which threads and children made later
 * inherit.  Kernels before 5.15 can prefer one node only: the first is used.
 * SP_MEMORY_DEFAULT changes nothing.  On error the policy is as it was.
 *
 * Returns SP_MEMORY_BY_WEIGHTS instead of 0 where the nodes are interleaved by
 * the kernel's weights.
 */
#define SP_MEMORY_BY_WEIGHTS 1
int sp_memory_set(enum sp_memory policy, const struct sp_cpus *nodes);

/*
 * Move the memory that only this process has mapped for writing to the nodes on
 * which the policy of the calling thread would put it now.  Mappings that were
 * given a policy of their own are not moved, nor, silently, pages that the
 * kernel cannot move.
 */
int sp_memory_move(void);

#define SP_NUMA_VERSION 1
#define SP_NUMA_SYMBOL "sp_numa"

/* The one symbol that the object exports has this type. */
struct sp_numa {
	uint32_t version;	/* SP_NUMA_VERSION */
	uint32_t size;		/* sizeof(struct sp_numa) */
	int (*allowed)(struct sp_cpus *nodes);
	int (*inherited)(char *text, size_t size);
	int (*set)(enum sp_memory policy, const struct sp_cpus *nodes);
	int (*move)(void);
};

/*
 * The object's table; the first call opens the object.  NULL if it cannot be
 * opened: *problem is then a text that lives until the next call.
 */
const struct sp_numa *sp_numa_open(const char **problem);

#endif
