/*
 * The record of a rank: what it says of itself on the board.  A value; the
 * board reads and writes it, reports are made of it.
 */
#ifndef SP_SEAT_H
#define SP_SEAT_H

#include <stdint.h>

#include "cpus.h"
#include "gpus.h"
#include "process/process.h"

#define SP_SEAT_MEMORY 24	/* room for a policy and its nodes */
#define SP_WHY 232		/* room for a sentence */

enum sp_seat_state {
	SP_SEAT_EMPTY,
	SP_SEAT_LEFT,		/* its process has ended; the rest is as that left it */
	SP_SEAT_COMING,		/* its process is there; the rest may be of an earlier one of the same rank */
	SP_SEAT_HERE,		/* its mask as inherited is known */
	SP_SEAT_REFUSED,	/* there are fewer CPUs than ranks: it runs as if splitpin were absent */
	SP_SEAT_SETTLED,	/* its share is known */
	SP_SEAT_READY,		/* MPI_Init has returned */
};

/* Whether its CPUs are those of others, too; but for the last its threads are not pinned then. */
enum sp_loose {
	SP_NOT_LOOSE,
	SP_MAY_BE_OTHERS,	/* other ranks may have the same CPUs */
	SP_NODE_SHARED,		/* all ranks have, and other jobs if there are: too few cores are free for all threads */
	SP_HAS_GROWN,		/* its threads are pinned, to cores that others have in their shares and do not need */
};

struct sp_seat {
	uint32_t state;
	uint32_t threads;	/* largest team that it announced; 0 is not known */
	struct sp_process process;	/* filled in by sp_board_write */
	struct sp_cpus inherited, share;
	struct sp_cpus listed;		/* CPUs that the user's own setting of the runtime names (GOMP_CPU_AFFINITY=0-3); none: there is no such list */
	uint32_t loose;		/* enum sp_loose */
	uint32_t had;		/* threads of its process when that ended; 0: not known */
	uint32_t counted;	/* cores of its share, if its runtime has counted CPUs already; else 0 */
	uint32_t fixed;		/* 1: its runtime has made places of its share, by the user's settings */
	struct sp_gpu_list gpus;	/* that it sees; of no use where the board has no GPUs */
	char memory[SP_SEAT_MEMORY];	/* policy */
	char why[SP_WHY];		/* one sentence */
};

#endif
