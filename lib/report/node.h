/* A node, as its ranks report on it. */
#ifndef SP_REPORT_NODE_H
#define SP_REPORT_NODE_H

#include "board/board.h"
#include "machine.h"
#include "report/record.h"
#include "report/report.h"
#include "settings/config.h"

/* What a rank has to hand; nothing of it is changed or kept. */
struct sp_node {
	const struct sp_who *who;	/* of whom it is local_rank of local_size */
	const struct sp_config *config;
	const struct sp_machine *machine;
	struct sp_cpus domain;		/* what the job may use: allowed, and not outside of the launcher's own mask */
	bool is_confined;		/* which is less than what is allowed */
	const char *from;		/* the launcher (struct sp_rank) */
	const char *list;		/* the user's own list of CPUs ("GOMP_CPU_AFFINITY=0-3"), or NULL */
	struct sp_board *board;
	const char *job;		/* its name on the board */
	const struct sp_record *record;	/* for the site's staff */
	bool is_bound;			/* the user's settings have the OpenMP runtime bind the threads */
};

#endif
