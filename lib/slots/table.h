/*
 * The table of a team: where each of its threads belongs in a share.
 *
 *   core   one core of the share, numbered in the order of the machine
 *   place  a core as a whole, or one CPU of it
 *   table  for a team of a given size, the place of each thread number;
 *          computed when asked for, kept nowhere
 *   team   its size, from 1
 *
 * Pure arithmetic, whatever is taken.  For the files of this folder alone;
 * others include slots.h.
 */
#ifndef SP_TABLE_H
#define SP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "slots/slots.h"

#define WHOLE UINT32_MAX	/* for a CPU: all those of the core */

/* What the tables of a share depend on; its owner fills it in before the first call. */
struct sp_table {
	enum sp_bind bind;
	enum sp_granularity granularity;
	uint32_t ncores, ncpus;	/* of the share, from 1 */
	uint32_t *cpus;		/* of each core, from 1; the owner's */
};

struct place {
	uint32_t core;
	uint32_t cpu;		/* from 0 in its core, or WHOLE */
};

/* What a table says of one thread. */
struct assignment {
	struct place place;
	uint32_t core_threads;	/* threads that the table has on that core */
	uint32_t cpu_threads;	/* and, at most, on one CPU of it */
};

/* Whether a thread of a team of this size has a core as a whole. */
bool sp_table_whole_cores(const struct sp_table *table, uint32_t team);

/* Of a thread, its number below team, in the table of a team that will be as large as announced. */
struct assignment sp_table_assign(const struct sp_table *table, uint32_t thread, uint32_t team);

/*
 * Of a thread whose team may turn out smaller: one a core, then a second, ...
 * Its core_threads is sp_table_most_on.
 */
struct assignment sp_table_assign_in_turn(const struct sp_table *table, uint32_t thread, uint32_t team);

/* Threads that the table has on a core. */
uint32_t sp_table_threads_on(const struct sp_table *table, uint32_t core, uint32_t team);

/* Most threads that it has on any core with as many CPUs as this one. */
uint32_t sp_table_most_on(const struct sp_table *table, uint32_t core, uint32_t team);

#endif
