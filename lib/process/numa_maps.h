/*
 * On which NUMA nodes the memory of this process lies, as Linux has it in
 * /proc/self/numa_maps.
 *
 * Anonymous memory alone is counted: heap, stacks, arrays.  What is mapped
 * from files (programs, libraries, shared memory) may be anybody's.
 */
#ifndef SP_NUMA_MAPS_H
#define SP_NUMA_MAPS_H

#include "cpus.h"

/* Highest number of NUMA nodes: Linux is built for 1024 at most. */
#define SP_NODES_MAX 1024

struct sp_numa_maps {
	uint64_t on[SP_NODES_MAX];	/* by OS number of the node; huge pages count as many small ones */
};

/*
 * Count the pages of all mappings.  Reads the page tables: takes about a
 * second for each 100 GB that are in use.  Allocates nothing.
 *
 * Returns 0 or a negative errno (-ENOENT: this kernel knows no NUMA).
 */
int sp_numa_maps_read(struct sp_numa_maps *pages);

/* Add what one line of numa_maps counts; small_kb: size of a small page. */
void sp_numa_maps_add(struct sp_numa_maps *pages, const char *line, unsigned small_kb);

/* The number of pages on these nodes; and, the next function, on all other nodes. */
uint64_t sp_numa_maps_on(const struct sp_numa_maps *pages, const struct sp_cpus *nodes);
uint64_t sp_numa_maps_elsewhere(const struct sp_numa_maps *pages, const struct sp_cpus *nodes);

/*
 * "0:5248,1:48", nodes without pages left out.  Where size does not suffice
 * the text ends in "...".  Returns text.
 */
char *sp_numa_maps_format(const struct sp_numa_maps *pages, char *text, size_t size);

#endif
