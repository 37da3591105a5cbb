/*
 * The occupancy of a share: which slot is on which core and CPU, and in which
 * pool.  For the files of this folder alone; others include slots.h.
 *
 *   core, place, table  see table.h
 *   number              of a slot: a handle, the thread's own number if that
 *                       is free
 *   pool                see slots.h
 *
 * occupancy.c changes it, loose.c whether its threads are pinned; choose.c and
 * move.c only read it.
 */
#ifndef SP_SLOTS_OCCUPANCY_H
#define SP_SLOTS_OCCUPANCY_H

#include "slots/slots.h"
#include "slots/table.h"

#define ARRANGEMENTS_MAX 16	/* of a pool; beyond, its threads stay where they are */
#define THREADS_MAX (1u << 20)	/* a thread number from here on is an error */

struct core {
	uint32_t first;		/* its first CPU among those of the share */
	uint32_t threads;	/* CPUs of it, in the share or not */
	uint32_t taken;		/* slots */
};

struct cpu {
	uint32_t number;	/* of the operating system */
	uint32_t taken;		/* slots on this CPU alone */
};

struct slot {
	bool taken;
	bool makeshift;		/* on a core with more threads of its pool than its table has */
	bool guess;		/* the team for which it was taken was one */
	bool inner;		/* of a nested team */
	bool has_inner;		/* has opened one, of which threads are there */
	bool is_loose;		/* its team was (sp_slots_are_loose) when it came, or was moved for one of another size */
	uint32_t thread;	/* its number in the teams of its pool */
	uint32_t team;		/* for which its table is made */
	int near;		/* of an inner thread: the slot that the outer one had */
	struct pool *pool;
	struct place place;
};

/* Lives as long as it has threads. */
struct pool {
	struct sp_pool name;
	uint32_t team;		/* the largest that was announced, guesses apart */
	bool is_crowded;	/* with inner threads they were more than CPUs: nested teams are loose while there are any */
	bool stays_loose;	/* placed anew too often, and loose since */
	uint32_t latest;	/* threads of the team that came last, guesses included */
	uint32_t arranged;	/* times, anew for a team of another size */
	uint32_t nslots;
	uint32_t nthreads;	/* room of the next */
	uint32_t *slot_of;	/* by thread number, plus 1; 0: not there */
	uint32_t *outer_on;	/* by core: its threads but for inner ones, which may be idle, its root thread included */
	uint32_t on_core[];	/* all its threads */
};

struct sp_slots {
	struct sp_table table;
	struct sp_cpus share;
	bool in_turn;		/* smaller teams come too: neighbours no longer share cores */
	int moved;		/* by the last that was taken, or -1 */
	bool others_moved;	/* for the last that was taken or given back: its team is loose, or no longer */
	uint32_t npools;
	struct pool **pool;
	uint32_t nslots;
	struct slot *slot;
	struct cpu *cpu;
	struct core core[];
};

/* The CPU of a place that is not a core as a whole. */
struct cpu *sp_slots_cpu_at(struct sp_slots *slots, struct place place);

/* Threads of its pool that count against a slot's thread, by core. */
const uint32_t *sp_slots_rivals(const struct slot *slot);

/* Whether a slot is that of a root thread, which works alone between its teams. */
bool sp_slots_is_root(const struct slot *slot);

/* Whether a slot's thread is in a pool: its own, or, of a root thread, another one of that root. */
bool sp_slots_counts_in(const struct slot *slot, const struct pool *pool);

/* NULL: there is none of that name, or no memory for it. */
struct pool *sp_slots_find_pool(const struct sp_slots *slots, struct sp_pool name);
struct pool *sp_slots_add_pool(struct sp_slots *slots, struct sp_pool name);

/* One in which no thread is left. */
void sp_slots_remove_pool(struct sp_slots *slots, struct pool *pool);

/* Room for a slot of this number.  0, or -ENOMEM and nothing has changed. */
int sp_slots_make_room(struct sp_slots *slots, uint32_t number);

/* Put a slot's thread on a place; take it away from there. */
void sp_slots_occupy(struct sp_slots *slots, struct slot *slot, struct place place);
void sp_slots_leave(struct sp_slots *slots, struct slot *slot);

/* Whether a slot's thread has the whole share, by the teams that are there now. */
bool sp_slots_is_loose(const struct sp_slots *slots, const struct slot *slot);

/* Release the threads of a pool, or place them again, as that is.  Returns whether any was not so before. */
bool sp_slots_loosen(struct sp_slots *slots, struct pool *pool);

#endif
