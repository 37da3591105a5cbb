/*
 * Joining: a rank opens the job's board, or creates it.  The rank that creates
 * the board finds the machine for all ranks of the node: from another job of the
 * user, or by hwloc.
 */
#ifndef SP_JOIN_H
#define SP_JOIN_H

#include "node/situation.h"

/* What joining found.  machine, need and board are the caller's; each may be NULL after an error. */
struct sp_joined {
	struct sp_machine *machine;	/* the whole node */
	struct sp_board *board;		/* NULL: decide without one */
	char job[SP_JOB_NAME];		/* the job's name; "" where it is not known */
	struct sp_cpus launcher;	/* the launcher's own mask; empty: it cannot be seen */
	struct sp_cpus allowed;		/* the CPUs that the kernel allows this process; empty after an error */
	struct sp_terms terms;		/* the terms on which the job uses the node */
	uint32_t *need;			/* of each rank, as in struct sp_demand or SP_NEED_FIXED; NULL after an error */
	const char *note;		/* a remark for those who ask why a rank has its share, or NULL */
	bool overlooks;			/* too many files in /dev/shm to find all other jobs; set only in the board's creator */
	struct sp_machine_source source;	/* of the machine, where this rank has discovered it */
	bool discovered;		/* this rank read the topology, or took it over from another job */
	const char *problem;		/* why there is no board; NULL: there is no error, or another rank reports it */
};

/*
 * Join the other ranks.  Of the situation the rank, config, environment, mask
 * (NULL: all CPUs of the machine, in a dry run for another one), threads,
 * places, comer and spawned are read.  Returns 0, or a negative errno: the machine cannot be
 * read (joined->problem says why, as a static text or a text of dlerror).
 */
int sp_join(const struct sp_situation *situation, struct sp_joined *joined);

#endif
