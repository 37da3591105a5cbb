/* Which rank of its node a process is. */
#ifndef SP_RANK_H
#define SP_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct sp_rank {
	uint32_t local_rank;	/* number among the job's ranks on this node, from 0 */
	uint32_t local_size;	/* the job's ranks on this node, from 1 */
	uint32_t job_size;	/* the job's ranks on all nodes, where PMIx gave it; 0: not known */
	const char *from;	/* name of the launcher whose variables were read: "openmpi", "hydra", "slurm", ... */
	const char *bad_name;	/* the user's variable that is wrong, else NULL: see sp_launcher_rank */
	const char *bad_value;	/* value of bad_name, "" where it is missing; points into the environment */
	bool from_start;	/* the user numbered the ranks or typed "splitpin run": whatever the program is, it is a rank from its start */
	bool may_be_asked;	/* SPLITPIN_DEBUG or SPLITPIN_REPORT is set, to any value; also filled in where it is not a rank */
};

#endif
