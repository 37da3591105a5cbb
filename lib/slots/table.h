/*
 * The table of a team: where each of its threads belongs in a share.
 *
 *   core   one core of the share, numbered in the order of the machine
 *   place  a core as a whole, or one CPU of it
 *   table  for a team of a given size, the place of each thread number;
 *          computed when asked for, kept nowhere
 *   team   its size, from 1
 *
 * Pure arithmetic; what is occupied is not considered.  For this folder alone;
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

/* Where a table puts one thread. */
struct assignment {
	struct place place;
	uint32_t core_threads;	/* threads that the table puts on that core */
	uint32_t cpu_threads;	/* and, at most, on one CPU of it */
};

/* Whether a thread of a team of this size has a core as a whole. */
bool sp_table_whole_cores(const struct sp_table *table, uint32_t team);

/* Place a thread, numbered from 0 to team - 1, of a team that will be as large as announced. */
struct assignment sp_table_assign(const struct sp_table *table, uint32_t thread, uint32_t team);

/*
 * Place a thread, of any number, whose team may turn out smaller: each core gets
 * one thread, then each a second, ...; core_threads is as from sp_table_most_on.
 */
struct assignment sp_table_assign_in_turn(const struct sp_table *table, uint32_t thread, uint32_t team);

/* Threads that the table puts on a core. */
uint32_t sp_table_threads_on(const struct sp_table *table, uint32_t core, uint32_t team);

/* The most threads that it puts on any core with as many CPUs as this one. */
uint32_t sp_table_most_on(const struct sp_table *table, uint32_t core, uint32_t team);

#endif
