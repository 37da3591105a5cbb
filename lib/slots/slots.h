/*
 * Slots: the places inside a share to which threads are pinned, one a thread.
 *
 * Up to one thread a core a slot is the core (all its CPUs in the share),
 * beyond that it is one CPU.  Thread numbers are spread evenly over the cores
 * of the share (or taken one after the other: SP_CLOSE); with more threads
 * than cores, neighbouring numbers share a core.  The threads of a team that has
 * more of them than there are CPUs have the whole share, unless "close" or a
 * granularity is set.  A thread keeps its slot
 * until it gives it back, and the slot its place; but no two threads are left
 * on a core beside a free one (sp_slots_give, sp_slots_resize).
 *
 * Pure but for memory: no lock, no system call; the caller serialises.
 */
#ifndef SP_SLOTS_H
#define SP_SLOTS_H

#include "cpus.h"
#include "machine.h"

enum sp_bind {
	SP_SPREAD,
	SP_CLOSE,
	SP_NO_BIND,		/* threads are left on the share */
};

enum sp_granularity {
	SP_GRANULARITY_AUTO,	/* up to one thread a core the core, else one CPU */
	SP_GRANULARITY_CORE,	/* all CPUs of the core */
	SP_GRANULARITY_THREAD,	/* one CPU */
};

/*
 * A pool: the threads of which one runtime makes the teams of one root thread.
 * Whether those of other pools are idle or busy is not known: each pool is
 * placed as if it were alone, on the cores that the others have least.  A root
 * thread itself, number 0 of its teams, is in the pools of all its runtimes.
 */
struct sp_pool {
	uint32_t root;		/* any number that is the root thread's own */
	uint32_t runtime, instance;	/* likewise; of a runtime that is there several times */
};

struct sp_slots;		/* the table of one share */

/*
 * Make an empty table.  The share need not be sorted or whole cores; CPUs
 * that are not in the machine are ignored.  machine and share are copied.
 * Returns NULL where memory is short or no CPU is left.  Free with
 * sp_slots_destroy.
 */
struct sp_slots *sp_slots_create(const struct sp_machine *machine,
				 const struct sp_cpus *share, enum sp_bind bind);
void sp_slots_destroy(struct sp_slots *slots);

/* To be called before the first slot is taken; without it SP_GRANULARITY_AUTO. */
void sp_slots_granularity(struct sp_slots *slots, enum sp_granularity granularity);

/*
 * The same threads in slots of the same numbers, on another share: a new table,
 * in place of the old one, which is destroyed.  NULL where sp_slots_create
 * returns that, or memory is short: the old table is as it was.
 */
struct sp_slots *sp_slots_on(struct sp_slots *slots, const struct sp_machine *machine, const struct sp_cpus *share);

/* What a thread asks for. */
struct sp_request {
	int thread;		/* its number in the team, or -1: not known, the lowest that is free */
	uint32_t team;		/* threads in the team, from 1 */
	bool guess;		/* team is only the runtime's default, a smaller one may come: fill every core before a second thread on any */
	int near;		/* slot to stay near to (that of the outer thread of a nested team), or -1 */
	struct sp_pool pool;
};

/*
 * Take a slot.  The table of a pool grows with its largest team.  Where the
 * place that the table assigns is taken, it is another: on the core with the
 * fewest threads of the pool, then of all pools, then on its CPU, then the
 * nearest; makeshift if the table has fewer threads of the pool there.
 *
 *   cpus  the CPUs of the slot; untouched on error
 *
 * Returns the slot's number, from 0, or -EINVAL (team is 0), -ENOMEM.
 */
int sp_slots_take(struct sp_slots *slots, const struct sp_request *request, struct sp_cpus *cpus);

/*
 * The slot that the last sp_slots_take has moved, and its new place: an inner
 * thread of a nested team that came before its outer team was complete.
 * Returns its number, or -1 and cpus is untouched.
 */
int sp_slots_moved(const struct sp_slots *slots, struct sp_cpus *cpus);

/*
 * Whether the last sp_slots_take or sp_slots_give has given other threads of the
 * pool new places: its team is loose (sp_slots_are_loose), or no longer.  sp_slots_cpus has them.
 */
bool sp_slots_others_moved(const struct sp_slots *slots);

/*
 * Whether the threads of such a team have the whole share: there are more than
 * CPUs, and several of these.  Pinned, those that have work wait for each other while CPUs of those
 * that have none are idle: 3 threads on 2 CPUs take as long as 4, and of 4 that
 * share a loop of 2 iterations both are on one CPU.  The kernel, which moves
 * them, is as fast where all have the same work.  So have the threads of nested
 * teams where these and all outer ones together are more: an outer one that
 * sleeps has a CPU that they may use.  Those that opened them are pinned again
 * when all threads of their teams have been given back.
 */
bool sp_slots_are_loose(const struct sp_slots *slots, uint32_t team);

/* The CPUs of a taken slot.  Returns 0, or -EINVAL where it is not taken. */
int sp_slots_cpus(const struct sp_slots *slots, int slot, struct sp_cpus *cpus);

/*
 * Give a slot back.  If the place that fell free suits another thread better,
 * since it shares its core with more, or has only a makeshift place there, and is
 * not loose, that thread is to move: its slot's number is returned and cpus is its new place.
 * Otherwise -1, and cpus is untouched.  A number that is not taken is ignored.
 */
int sp_slots_give(struct sp_slots *slots, int slot, struct sp_cpus *cpus);

/*
 * A team of another size is there; the pool's other threads may still be kept by
 * the runtime.  Where a larger one has neighbours share cores, a small one would
 * have two on a core beside a free one: then the pool's threads get new places,
 * one a core before a second on any.  So they do where one of the teams is loose
 * (sp_slots_are_loose), and the other is not.  16 times at most; after that
 * they become loose with the first such team, and stay so.
 * Returns whether they have new places; sp_slots_cpus has them.
 */
bool sp_slots_resize(struct sp_slots *slots, struct sp_pool pool, uint32_t team);

/* Add to *cpus all CPUs, in the share, of the cores on which a team of so many threads, from 1, would lie in an empty table. */
void sp_slots_team_cores(const struct sp_slots *slots, uint32_t team, struct sp_cpus *cpus);

/* Why a slot is where it is. */
struct sp_slot_facts {
	enum sp_bind bind;
	enum sp_granularity granularity;
	uint32_t thread;	/* number in its team: that of the request, or the one found */
	uint32_t team;		/* threads for which its table was made; of nested teams that are loose, all threads */
	uint32_t ncores, ncpus;	/* of the share */
	uint32_t on_core;	/* threads on its core once the team is there, this one included */
	uint32_t core_cpus;	/* CPUs of its core that are in the share */
	uint32_t core_threads;	/* all CPUs of its core */
	bool is_loose;		/* it has the whole share (sp_slots_are_loose) */
	bool whole;		/* it has the core as a whole */
	bool makeshift;		/* its own place was taken */
	bool in_turn;		/* the team was a guess: numbers go round the cores */
};

/* Returns 0, or -EINVAL where the slot is not taken. */
int sp_slots_facts(const struct sp_slots *slots, int slot, struct sp_slot_facts *facts);

#endif
