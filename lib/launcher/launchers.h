/*
 * The launchers by number, and what the shim has of them: it lies in every process
 * of a site, so its texts are arrays: pointers would have to be relocated.  All
 * else is known/known.h's.
 */
#ifndef SP_LAUNCHERS_H
#define SP_LAUNCHERS_H

#include <stdint.h>

#include "launcher/known/list.h"
#include "rank.h"

#define SP_NUMBER(number, ...) number,
enum sp_launcher {
	SP_EACH_LAUNCHER(SP_NUMBER)
	SP_LAUNCHERS
};
#undef SP_NUMBER

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

/* Names of variables, as known/list.h has them. */
#define SP_LAUNCHER_VARIABLE 28
extern const char sp_launcher_variable[][SP_LAUNCHER_VARIABLE];

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
