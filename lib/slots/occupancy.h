/*
 * The occupancy of a share: which slot is on which core and CPU, and in which
 * pool.  For the files of this folder alone; others include slots.h.
 *
 *   core, place, table  see table.h
 *   number              of a slot: a handle, the thread's own number if that
 *                       is free
 *   pool                see slots.h
 *
 * occupancy.c changes it, arrange.c changes whether threads are pinned; choose.c,
 * fit.c and move.c only read it.
 */
#ifndef SP_SLOTS_OCCUPANCY_H
#define SP_SLOTS_OCCUPANCY_H

#include "slots/slots.h"
#include "slots/table.h"

#define ARRANGEMENTS_MAX 16	/* a pool is not placed again more often */
#define THREADS_MAX (1u << 20)	/* a thread number from here on is an error */

struct core {
	uint32_t first;		/* its first CPU among those of the share */
	uint32_t threads;	/* all its CPUs, in the share or not */
	uint32_t taken;		/* slots on it */
};

struct cpu {
	uint32_t number;	/* of the operating system */
	uint32_t taken;		/* slots on this CPU alone */
};

struct slot {
	bool taken;
	bool provisional;		/* on a core with more threads of its pool than its table puts there */
	bool guess;		/* the size of its team was a guess */
	bool inner;		/* of a nested team */
	uint32_t thread;	/* its number in the teams of its pool */
	uint32_t team;		/* size of the team by whose table it is placed */
	int near;		/* of an inner thread: the outer thread's slot when it came */
	struct pool *pool;
	struct place place;
};

/* Exists as long as it has threads. */
struct pool {
	struct sp_pool name;
	uint32_t team;		/* the largest that was announced, guesses apart */
	uint32_t latest;	/* threads of the outermost team that came last, guesses included */
	uint32_t nested;	/* threads of that and the largest team in each of its threads; 0: no thread of such a team is there */
	uint32_t arranged;	/* times, anew for a team of another size */
	uint32_t nslots;	/* without the root thread where that came with another runtime */
	uint32_t nthreads;	/* length of slot_of */
	uint32_t *slot_of;	/* by thread number: its slot's number plus 1; 0: none */
	uint32_t *outer_on;	/* by core: its threads, root thread included, but for inner ones, which may be idle */
	uint32_t on_core[];	/* by core: all its threads */
};

struct sp_slots {
	struct sp_table table;
	struct sp_cpus share;
	struct sp_cpus unpinned;	/* where threads may run that are not pinned */
	bool is_strict;		/* sp_slots_release was called */
	uint32_t full;		/* see there */
	bool is_unpinned;	/* the threads are too many, */
	bool is_stopped;	/* or another job's are (sp_slots_stop) */
	uint32_t changes;	/* how often that has changed */
	uint32_t claimed;	/* the team whose cores are (sp_slots_claim); 0: all of the share */
	bool in_turn;		/* smaller teams come too: neighbouring numbers no longer share cores */
	int moved;		/* see sp_slots_moved */
	bool others_moved;	/* see sp_slots_others_moved */
	uint32_t npools;
	struct pool **pool;
	uint32_t nslots;
	struct slot *slot;
	struct cpu *cpu;
	struct core core[];
};

/* The CPU of a place that is not a core as a whole. */
struct cpu *sp_slots_cpu_at(struct sp_slots *slots, struct place place);

/* By core, the threads of its pool with which a slot's thread competes. */
const uint32_t *sp_slots_rivals(const struct slot *slot);

/* Whether a slot is that of a root thread, which works alone between its teams. */
bool sp_slots_is_root(const struct slot *slot);

/* Whether a slot's thread belongs to a pool: its own, or, if it is a root thread, another pool of that root. */
bool sp_slots_counts_in(const struct slot *slot, const struct pool *pool);

/* The sum of a pool's threads by core (on_core, outer_on). */
uint32_t sp_slots_threads(const struct sp_slots *slots, const uint32_t by_core[]);

/* Find a pool, or NULL: there is none.  Add one, or NULL: memory is short. */
struct pool *sp_slots_find_pool(const struct sp_slots *slots, struct sp_pool name);
struct pool *sp_slots_add_pool(struct sp_slots *slots, struct sp_pool name);

/* Remove a pool, and free it. */
void sp_slots_remove_pool(struct sp_slots *slots, struct pool *pool);

/* Make room for a slot of this number.  Returns 0; or -ENOMEM, and nothing has changed. */
int sp_slots_make_room(struct sp_slots *slots, uint32_t number);

/* Put a slot's thread in a place; remove it from its place. */
void sp_slots_occupy(struct sp_slots *slots, struct slot *slot, struct place place);
void sp_slots_leave(struct sp_slots *slots, struct slot *slot);

/* The number of cores of the share that the rank has claimed. */
uint32_t sp_slots_claimed_cores(const struct sp_slots *slots);

/* Whether the threads that are there are to be pinned. */
bool sp_slots_are_to_be_pinned(const struct sp_slots *slots);

/*
 * Collect the taken slots of a pool, or of all (NULL), in the order in which they are placed.
 * order: has room for all of them.  Returns their number.
 */
uint32_t sp_slots_order(struct sp_slots *slots, const struct pool *pool, struct slot *order[]);

/* Decide again whether the threads are pinned.  Returns whether that has changed. */
bool sp_slots_refit(struct sp_slots *slots);

#endif
