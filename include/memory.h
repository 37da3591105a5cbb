/*
 * Memory policy: the only functions that know libnuma.
 *
 * Nodes are NUMA nodes by OS number.  All return 0 or a negative errno;
 * -ENOSYS: the kernel, or the container, has no NUMA policies.
 */
#ifndef SP_MEMORY_H
#define SP_MEMORY_H

#include "settings/config.h"
#include "cpus.h"

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
 */
int sp_memory_set(enum sp_memory policy, const struct sp_cpus *nodes);

/*
 * Move the memory that this process alone has mapped for writing to where the
 * policy of the calling thread would put it now.  Mappings that were given a
 * policy of their own stay.  What cannot be moved stays, silently.
 */
int sp_memory_move(void);

#endif
