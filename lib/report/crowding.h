/*
 * Whether threads have fewer CPUs than they need, by their masks and not by the
 * shares of ranks: shares are disjoint even if two runtimes have pinned their
 * teams to the same cores, or if something has bound threads of several ranks
 * to the same CPUs.  Pure.
 */
#ifndef SP_CROWDING_H
#define SP_CROWDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"

/* A runnable thread. */
struct sp_busy {
	const struct sp_cpus *cpus;	/* where it may */
	uint64_t need;		/* how much of a CPU, in any unit: time that it ran or waited for a CPU */
	uint32_t group;		/* the caller's: its rank */
};

struct sp_crowding {
	struct sp_cpus cpus;	/* of these there are too few */
	uint32_t threads;	/* that may run nowhere else and need something */
	uint32_t own;		/* those of the group */
	uint64_t need;		/* of all of these */
	uint32_t first, last;	/* the lowest and the highest group of these */
};

/*
 * Find the smallest set of CPUs, among the masks, on which threads that may
 * run nowhere else need more than it has.  Masks that neither contain each
 * other nor are disjoint are not combined, so some crowd may not be found; what
 * is found is one.
 *
 *   each    what one CPU has, in the unit of need
 *   group   one that has a thread in the crowd, or SP_ANY_GROUP
 *   crowd   untouched where there is none
 */
#define SP_ANY_GROUP UINT32_MAX
bool sp_crowding_find(const struct sp_busy busy[], size_t n, uint64_t each, uint32_t group, struct sp_crowding *crowd);

/* Whether there is one on this set. */
bool sp_crowding_on(const struct sp_busy busy[], size_t n, uint64_t each, const struct sp_cpus *cpus, uint32_t group, struct sp_crowding *crowd);

#endif
