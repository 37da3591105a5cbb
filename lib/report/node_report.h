/*
 * The report on a node: the table of SPLITPIN_REPORT, the verdict on the
 * ranks' shares, which ranks lack the memory policy that was asked for, and the
 * site's record.
 * One process of the node, the reporter, writes it, once.
 */
#ifndef SP_NODE_REPORT_H
#define SP_NODE_REPORT_H

#include "report/measure.h"
#include "report/node.h"

/*
 * To be called by each rank once when MPI_Init has returned: the last one
 * reports, and the first says which ranks are without the library.  Nobody waits.
 */
void sp_node_report_when_ready(const struct sp_node *node);

/* The same for a rank that has been refused a share, before MPI_Init. */
void sp_node_report_when_refused(const struct sp_node *node);

/*
 * Each rank calls it when it ends.  The first one reports if no rank has: in a
 * program without MPI, or if some rank never came.  While a rank that has not
 * come is alive, the report is left to later ranks.
 */
void sp_node_report_at_end(const struct sp_node *node);

/* What a rank has used until its end. */
struct sp_used {
	const struct sp_cpus *share;
	const struct sp_measured *measured;
	uint32_t threads;	/* that it announced; 0: none */
	const char *setting;	/* the user's that decides their places, or NULL */
};

/*
 * To be called by a rank that ends whose threads have had too few CPUs: one of
 * the node says so, and what the others have left idle.  Where the rank
 * announced more threads than it has CPUs that was said when all had come, and
 * only what was not known then is said.
 */
void sp_node_report_crowd(const struct sp_node *node, const struct sp_used *used);

/*
 * To be called by each rank that ends: the first one writes what came of it into the
 * site's record.  waited: percent of the time in which its threads wanted to run;
 * threads: that it announced.
 */
void sp_node_report_end(const struct sp_node *node, uint32_t duration_s, uint32_t waited, uint32_t threads);

/*
 * To be called by a rank that ends and that used only one core, because its
 * launcher bound it there by default and no setting gives the number of threads:
 * its children took turns on it, or it ran as many threads as the core has.  If
 * cores were idle, one rank of the node warns.
 */
void sp_node_report_few_cores(const struct sp_node *node, bool for_children);

#endif
