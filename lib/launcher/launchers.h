/*
 * The table of launchers: what each calls the variables that it sets.
 *
 * It has two parts, both indexed by enum sp_launcher.  The row lies in the shim,
 * so in every process of a site, and its texts are arrays: pointers would have
 * to be relocated.  The details are for the engine and the command.
 */
#ifndef SP_LAUNCHERS_H
#define SP_LAUNCHERS_H

#include <stdint.h>

#include "rank.h"

/* In the order in which they are asked for the rank. */
enum sp_launcher {
	SP_LAUNCHER_USER,	/* SPLITPIN_LOCAL_RANK and SPLITPIN_LOCAL_SIZE */
	SP_LAUNCHER_TORCHRUN,	/* PyTorch's, inside of whatever started it */
	SP_LAUNCHER_DEEPSPEED,
	SP_LAUNCHER_OPENMPI,
	SP_LAUNCHER_INTEL,
	SP_LAUNCHER_HYDRA,
	SP_LAUNCHER_MVAPICH2,
	SP_LAUNCHER_PALS,
	SP_LAUNCHER_FLUX,
	SP_LAUNCHER_SLURM,
	SP_LAUNCHER_GFORKER,
	SP_LAUNCHER_PMIX,	/* whichever left PMIX_RANK alone: its library is asked */
	SP_LAUNCHER_ALONE,	/* none: SPLITPIN_LOCAL_RANK=alone */
	SP_LAUNCHERS
};

enum sp_launcher_kind {
	SP_NO_LAUNCHER,		/* asked apart from the others, if at all */
	SP_LIBRARY_LAUNCHER,	/* of an MPI library: mpirun, mpiexec */
	SP_MANAGER_LAUNCHER,	/* of a resource manager: srun, flux run */
};

/* No node runs more processes: the kernel's PID_MAX_LIMIT. */
#define SP_RANKS_MAX (1u << 22)

struct sp_launcher_row {
	char name[10];		/* what sp_rank.from points to */
	uint8_t kind;
	uint8_t rank, size;	/* variables: index of sp_launcher_variable */
};

extern const struct sp_launcher_row sp_launcher_row[SP_LAUNCHERS];

/* Slurm gives the batch script, the extern and the interactive step numbers from here: they are no ranks. */
#define SP_SLURM_FIRST_SPECIAL_STEP 0xfffffff0u

/* Names of variables; one that ends in '*' stands for all that begin so. */
#define SP_LAUNCHER_VARIABLE 28
extern const char sp_launcher_variable[][SP_LAUNCHER_VARIABLE];

struct sp_launcher_details {
	/*
	 * What those of its variables begin with that suffice for the local rank and
	 * size, and are always set together; NULL: there are no such.
	 */
	const char *prefix;
	/*
	 * Variables that name the job where one daemon may be the parent of the
	 * ranks of several jobs; the second names the step in the job, or is NULL.
	 */
	const char *job[2];
	/* Variable with the rank's number among all of such a job, on whatever nodes; NULL: there is none. */
	const char *world;
	/* Variable with how many ranks the job has on all nodes; NULL: there is none. */
	const char *ranks;
	/* Variable with the launcher's name of the node; NULL: there is none. */
	const char *node;
	/* Variable that is set, and not "0", in ranks that MPI_Comm_spawn started. */
	const char *spawned;
	/* What to do so that a rank gets more cores: a format for a number of threads; NULL: it binds nobody. */
	const char *remedy;
};

extern const struct sp_launcher_details sp_launcher_details[SP_LAUNCHERS];

/* The launcher of a name (sp_rank.from), or SP_LAUNCHERS. */
enum sp_launcher sp_launcher_find(const char *name);

/*
 * The launcher that started this rank, one behind a shell that sets
 * SPLITPIN_LOCAL_RANK included.  rank->from is not NULL.
 */
enum sp_launcher sp_launcher_of_rank(const struct sp_rank *rank, char *const environment[]);

/* What people call it ("Open MPI"); of no launcher, the name itself. */
const char *sp_launcher_title(const char *name);

#endif
