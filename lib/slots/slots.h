/*
 * Slots: the places inside a share to which threads are pinned, one a thread.
 *
 * In a team of at most one thread a core each slot is a core (all its CPUs in
 * the share), in a larger one a single CPU.  Thread numbers are spread evenly
 * over the cores of the share, or fill them in order (SP_CLOSE); with more
 * threads than cores, neighbouring numbers share a core.  A thread keeps its slot until
 * it gives it back, and a slot keeps its place, except where two threads would
 * share a core while another core is free (sp_slots_give, sp_slots_resize).
 *
 * Either all threads of a table are pinned, or none is, because they are too
 * many (sp_slots_release).  These are the threads of the present team; with
 * nested teams, or several root threads, all that have slots.
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
	SP_NO_BIND,		/* no thread is pinned */
};

enum sp_granularity {
	SP_GRANULARITY_AUTO,	/* up to one thread a core the core, else one CPU */
	SP_GRANULARITY_CORE,	/* all CPUs of the core */
	SP_GRANULARITY_THREAD,	/* one CPU */
};

/*
 * A pool: the threads from which one runtime forms the teams of one root
 * thread.  Whether the threads of other pools are busy is not known, so each
 * pool is placed as if it were alone, preferring the cores on which others have
 * the fewest threads.  The root thread, number 0 of its teams, belongs to the
 * pools of all its runtimes.
 */
struct sp_pool {
	uint32_t root;		/* any number that identifies the root thread */
	uint32_t runtime, instance;	/* likewise the runtime, and which copy of it where several are loaded */
};

struct sp_slots;		/* the table of one share */

/*
 * Make an empty table.  The share need not consist of whole cores; CPUs that
 * are not in the machine are ignored.  Neither machine nor share is referred to
 * later.  Returns NULL if memory is short or no CPU is left.  Free with
 * sp_slots_destroy.
 */
struct sp_slots *sp_slots_create(const struct sp_machine *machine,
				 const struct sp_cpus *share, enum sp_bind bind);
void sp_slots_destroy(struct sp_slots *slots);

/* Call before the first slot is taken; the default is SP_GRANULARITY_AUTO. */
void sp_slots_granularity(struct sp_slots *slots, enum sp_granularity granularity);

/*
 * The rank has claimed the cores of a team of so many threads alone
 * (sp_slots_team_cores), or 0, as at first: all of the share.  A team up to that
 * is placed on these cores, since others may have the rest, unless they have
 * threads of other pools or of nested teams.  Call before the first slot is
 * taken; later calls apply to threads that come, and from sp_slots_on on to all,
 * but for whether they are pinned (sp_slots_release): sp_slots_cpus has the new places.
 */
void sp_slots_claim(struct sp_slots *slots, uint32_t team);

/*
 * Pin threads only as long as each has a core of its own, of those that are
 * claimed; or if they are a full team, of so many threads (0: as the share has CPUs;
 * SP_UNEVEN: none is), and as many on each core.  Otherwise all of them may use the CPUs `unpinned`.
 * Without this call, threads are pinned as long as each has a CPU, and may
 * otherwise use the share.  Always pinned are those for which "close" or a
 * granularity is set, and those on a single CPU that may use no other.
 *
 * Pinned, threads that have work wait for each other while CPUs of those that
 * have none are idle: 3 threads on 2 CPUs take as long as 4, and of 4 that share
 * a loop of 2 iterations both are on one CPU.
 *
 * After 16 changes threads are released no more than once, and not pinned any more.
 * Applies to the threads that are there, too, and to other shares (sp_slots_on), where `unpinned`
 * is the share until the next call.
 */
#define SP_UNEVEN UINT32_MAX	/* full cores would have more threads than others of the job */
void sp_slots_release(struct sp_slots *slots, uint32_t full, const struct sp_cpus *unpinned);

/* From now on pin no thread, except those that always are: there are too few cores for these and another job's threads.  Or pin them again. */
void sp_slots_stop(struct sp_slots *slots, bool is_stopped);

/* How often all threads have been pinned or released because of their number. */
uint32_t sp_slots_changes(const struct sp_slots *slots);

/*
 * The number of cores that it takes to pin each thread to one of its own, once
 * all outer threads have nested teams if one has; if that is more than CPUs, any such number.
 */
uint32_t sp_slots_wanted(const struct sp_slots *slots);

/* Whether a team of so many threads is pinned, if there are no others. */
bool sp_slots_fit(const struct sp_slots *slots, uint32_t team);

/*
 * Place the same threads, under the same slot numbers, on another share.
 * Returns a new table and destroys the old one; or NULL, if sp_slots_create
 * fails or memory is short, and the old table is unchanged.
 */
struct sp_slots *sp_slots_on(struct sp_slots *slots, const struct sp_machine *machine, const struct sp_cpus *share);

/* What a thread asks for. */
struct sp_request {
	int thread;		/* number in its team; -1: not known, the lowest free one is taken */
	uint32_t team;		/* threads in the team, from 1 */
	bool guess;		/* team is only the runtime's default and may turn out smaller: each core gets a thread before any gets a second */
	int near;		/* of a nested team: the outer thread's slot, to stay close to; or -1 */
	struct sp_pool pool;
};

/*
 * Take a slot.  A pool is placed by the table of its largest team so far.  If a
 * thread of an earlier team has the place that the table assigns, its own is
 * taken instead.  If that is occupied, too, another one is chosen: on the core
 * with the fewest threads of the pool, then of all pools, then for each of its
 * CPUs, then the nearest.  The slot is provisional if that core then has more
 * threads of the pool than the table puts there.
 *
 *   cpus  the CPUs of the slot; untouched on error
 *
 * Returns the slot's number, from 0, or -EINVAL (team is 0), -ENOMEM.
 */
int sp_slots_take(struct sp_slots *slots, const struct sp_request *request, struct sp_cpus *cpus);

/*
 * The slot that the last sp_slots_take moved, and its new place: an inner
 * thread of a nested team that came before its outer team was complete, and
 * occupied the core of an outer thread.  Returns its number; or -1, and cpus is
 * untouched, if none was moved.
 */
int sp_slots_moved(const struct sp_slots *slots, struct sp_cpus *cpus);

/*
 * Whether the last sp_slots_take or sp_slots_give changed the places of other
 * threads, because all are now pinned, or no longer.  sp_slots_cpus has the new
 * places.
 */
bool sp_slots_others_moved(const struct sp_slots *slots);

/* The CPUs of a taken slot.  Returns 0, or -EINVAL where it is not taken. */
int sp_slots_cpus(const struct sp_slots *slots, int slot, struct sp_cpus *cpus);

/*
 * Give a slot back.  A pinned thread that gains by the freed place, because it
 * shares its core with more threads or has only a provisional place on the freed
 * core, moves there: returns its slot's number, and its new place in cpus.
 * Otherwise returns -1, and cpus is untouched.  A number that is not taken is
 * ignored.
 */
int sp_slots_give(struct sp_slots *slots, int slot, struct sp_cpus *cpus);

/*
 * A team of another size has started, while the runtime may still keep the
 * pool's other threads.  Where neighbouring threads of a larger team share
 * cores, a smaller team may have two threads on a core while another is free:
 * then the pool is placed again, one thread on each core before a second on any,
 * 16 times at most.  Places also change where one of the two teams is pinned and
 * the other is not.
 * Returns whether places have changed; sp_slots_cpus has the new ones.
 */
bool sp_slots_resize(struct sp_slots *slots, struct sp_pool pool, uint32_t team);

/* Add to *cpus those CPUs of the share whose cores a team of so many threads, from 1, would use in an empty table. */
void sp_slots_team_cores(const struct sp_slots *slots, uint32_t team, struct sp_cpus *cpus);

/* Why a slot is where it is. */
struct sp_slot_facts {
	enum sp_bind bind;
	enum sp_granularity granularity;
	uint32_t thread;	/* number in its team, as requested or as found */
	uint32_t team;		/* size of the team by whose table it is placed */
	uint32_t ncores, ncpus;	/* of the share */
	uint32_t on_core;	/* threads on its core once the team is there, this one included */
	uint32_t core_cpus;	/* CPUs of its core that are in the share */
	uint32_t core_threads;	/* all CPUs of its core */
	uint32_t claimed;	/* cores of the share that the rank has claimed */
	bool is_unpinned;	/* the threads are too many, */
	bool is_uneven;		/* no team is full: SP_UNEVEN */
	bool is_stopped;	/* or another job's are (sp_slots_stop) */
	bool whole;		/* it has the core as a whole */
	bool provisional;		/* the place that the table assigns was occupied */
	bool in_turn;		/* the team was a guess: numbers go round the cores */
};

/* Returns 0, or -EINVAL where the slot is not taken. */
int sp_slots_facts(const struct sp_slots *slots, int slot, struct sp_slot_facts *facts);

#endif
