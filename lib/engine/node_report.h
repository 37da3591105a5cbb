/*
 * The report on a node: the table of SPLITPIN_REPORT, the verdict on the
 * ranks' shares, and which ranks lack the memory policy that was asked for.
 * One process of the node, the reporter, writes it, once.
 */
#ifndef SP_NODE_REPORT_H
#define SP_NODE_REPORT_H

#include "board/board.h"
#include "settings/config.h"
#include "machine.h"
#include "report/report.h"

/* What a rank has to hand; nothing of it is changed or kept. */
struct sp_node {
	const struct sp_who *who;	/* of whom it is local_rank of local_size */
	const struct sp_config *config;
	const struct sp_machine *machine;
	const struct sp_cpus *allowed;
	struct sp_board *board;
	bool memory_failed;		/* this rank has warned already that the policy cannot be had */
};

/* All ranks are on their way: waits for them for SPLITPIN_WAIT at most, then reports. */
void sp_node_report_when_settled(const struct sp_node *node);

/*
 * A program without MPI has no moment when all ranks are there: the first that
 * ends reports what it sees, if there is anything to report.
 */
void sp_node_report_at_end(const struct sp_node *node);

#endif
