/*
 * What the shares of a node's ranks come to.  Pure.
 */
#ifndef SP_VERDICT_H
#define SP_VERDICT_H

#include <stdbool.h>

#include "board/seat.h"
#include "machine.h"

struct sp_verdict {
	uint32_t ranks;		/* that have a share */
	uint32_t refused;	/* that run as if splitpin were absent, since there are fewer CPUs than ranks */
	uint32_t unreported;	/* those of them whose first rank with the same mask has a share, and so has not reported why they have none */
	uint32_t untold;	/* one of these */
	bool all_came;		/* what follows about the whole node is known */
	uint32_t sharing;	/* ranks that share the node, since not enough free cores for all threads; they count for nothing else */
	uint64_t threads;	/* of these, as they announce them; cpus: that they share */
	uint32_t cpus;
	uint32_t overlapping;	/* ranks that share a CPU with another */
	uint32_t first, second;	/* two of these, by local rank */
	struct sp_cpus common;	/* the CPUs that those two share */
	uint32_t starving;	/* ranks of sp_verdict_is_starving */
	uint32_t starved;	/* one of these: the first; with no gain, of those with the fewest CPUs, for which all can set their threads */
	uint32_t idle;		/* cores that the job may use and no rank has; 0 unless all came */
	uint32_t foreign;	/* ranks with CPUs that are not beside their GPUs */
	uint32_t stranger;	/* one of these */
	uint32_t listed;	/* ranks whose own list of CPUs (struct sp_seat) leaves their share */
	uint32_t crowded;	/* ranks whose list has a CPU that another rank's has, too, inside their shares or not */
	uint32_t one, other;	/* two of these; if there are none, the first is one of those that leave their share */
	struct sp_cpus claimed;	/* the CPUs in the lists of both, or outside the share of one */
	bool is_gain;		/* enough cores are idle for each rank to have more, or for the threads that have none */
	struct sp_cpus allowed;	/* what the job may use */
	uint32_t part;		/* cores of an even part of that for each rank */
	bool is_confined;	/* the caller's: the launcher itself may not use all that is allowed */
	bool is_crowded;	/* ... the ranks divide cores that other jobs claim, too */
	bool is_below;		/* ... what the launcher started has bound the ranks (taskset), and not the launcher */
};

/*
 * allowed: what the job may use, without the cores of other jobs.  seats has nranks,
 * at least one, entries by local rank; SP_SEAT_EMPTY: the rank was not seen.
 */
void sp_verdict(const struct sp_machine *machine, const struct sp_cpus *allowed,
		const struct sp_seat seats[], uint32_t nranks, struct sp_verdict *verdict);

/*
 * Whether a rank with a share keeps a mask that something has given to it: more
 * cores are not for splitpin to give.  allowed: what the job may use.
 */
bool sp_verdict_is_bound(const struct sp_cpus *allowed, const struct sp_seat *seat);

/*
 * Whether one of these ranks has more threads than CPUs; or, if it is bound, than
 * cores while enough others are idle.  What splitpin leaves idle by itself, it
 * does by a setting, or gives to the threads when they come.
 */
bool sp_verdict_is_starving(const struct sp_verdict *verdict, const struct sp_machine *machine, const struct sp_seat *seat);

#endif
