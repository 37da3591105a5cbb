/*
 * Tells how the shares of a node's ranks meet: the table of SPLITPIN_REPORT,
 * the verdict, and which ranks lack the memory policy that was asked for.  One
 * process of the node tells, once.
 */
#ifndef SP_JUDGE_H
#define SP_JUDGE_H

#include "board/board.h"
#include "settings/config.h"
#include "machine.h"
#include "report/report.h"

/* What a rank knows; nothing of it is changed or kept. */
struct sp_node {
	const struct sp_who *who;	/* of whom it is local_rank of local_size */
	const struct sp_config *config;
	const struct sp_machine *machine;
	const struct sp_cpus *allowed;
	struct sp_board *board;
	bool memory_failed;		/* this rank has said already that the policy cannot be had */
};

/* All ranks are on their way: waits for them as long as SPLITPIN_WAIT says, then tells. */
void sp_judge_when_settled(const struct sp_node *node);

/*
 * A program without MPI has no moment when all ranks are there: the first that
 * ends tells what it sees, if there is anything to tell.
 */
void sp_judge_at_end(const struct sp_node *node);

#endif
