/*
 * The seat: the record that a rank writes about itself on the board.  A value;
 * lib/board reads and writes it, reports are made from it.
 */
#ifndef SP_SEAT_H
#define SP_SEAT_H

#include <stdint.h>

#include "cpus.h"
#include "gpus.h"
#include "decide/portion.h"
#include "process/process.h"

#define SP_SEAT_MEMORY 24	/* room for a policy and its nodes */

enum sp_seat_state {
	SP_SEAT_EMPTY,
	SP_SEAT_LEFT,		/* its process has ended; the other fields are as the process left them */
	SP_SEAT_COMING,		/* its process has arrived; the other fields may be of an earlier process of the same rank */
	SP_SEAT_HERE,		/* its inherited mask is known */
	SP_SEAT_REFUSED,	/* there are fewer CPUs than ranks: the rank runs as if splitpin were absent */
	SP_SEAT_SETTLED,	/* its share is known */
	SP_SEAT_READY,		/* MPI_Init has returned */
};

/* Whether other ranks may have the same CPUs.  In the first two such cases the rank's threads are not pinned. */
enum sp_ownership {
	SP_OWNED,
	SP_MAY_BE_OTHERS,	/* other ranks may have the same CPUs */
	SP_NODE_SHARED,		/* all ranks, and other jobs if any, have the same CPUs: not enough free cores for all threads */
	SP_HAS_GROWN,		/* its threads are pinned, also to cores in the shares of other ranks, which do not need them */
};

struct sp_seat {
	uint32_t state;
	uint32_t threads;	/* size of the largest team that the rank announced; 0: not known */
	struct sp_process process;	/* filled in by sp_board_write */
	struct sp_cpus inherited, share;
	struct sp_cpus unpinned;	/* where its threads may run that are not pinned; empty: not known yet */
	struct sp_cpus listed;		/* CPUs that the user's own setting names (GOMP_CPU_AFFINITY=0-3); empty: there is none */
	uint32_t ownership;	/* enum sp_ownership */
	uint16_t had;		/* number of threads that its process had when it ended; 0: not known */
	uint16_t bound;		/* 1 more than the CPU on which alone its first thread might run then; 0: on several, or not known */
	uint32_t counted;	/* number of cores of its share, if its runtime has counted CPUs already; else 0 */
	uint32_t fixed;		/* 1: its share stays: its runtime has made places of it by the user's settings, or it is the rank's own list */
	uint32_t is_bound;	/* 1: the user's settings say where its threads are, and nobody else moves them */
	uint32_t no_gap;	/* fills a gap, on whose content the checksum would depend */
	uint64_t list;		/* sum of the text of that setting, to tell lists apart (struct sp_omp_env); 0: none */
	struct sp_gpu_list gpus;	/* the GPUs that it sees; meaningless where the board has no GPUs */
	/*
	 * The process that is the rank from its start, such as a shell, and the
	 * mask that it has set itself: the seat is free for the programs that it
	 * starts, one at a time, and its own again when they have ended.  pid 0:
	 * there is none.
	 */
	struct sp_process keeper;
	struct sp_cpus kept;
	char memory[SP_SEAT_MEMORY];	/* policy */
	char why[SP_WHY];		/* one sentence */
};

/*
 * The threads of a rank that are certain: announced; or as many as its process has
 * now, or had when it ended, up to the cores that its runtime has counted; or one.
 */
uint32_t sp_seat_threads(const struct sp_seat *seat);

/*
 * Where threads of a rank may run, or might until it ended, once they leave the
 * cores to which splitpin pins them; of a rank that the user's settings bind, its
 * share, and of one without a share its mask.  Not for SP_SEAT_EMPTY and SP_SEAT_COMING.
 */
static inline const struct sp_cpus *
sp_seat_usable(const struct sp_seat *seat)
{
	if ((seat->state < SP_SEAT_SETTLED && seat->state != SP_SEAT_LEFT) || sp_cpus_empty(&seat->unpinned))
		return &seat->inherited;
	return seat->is_bound ? &seat->share : &seat->unpinned;
}

#endif
