/*
 * Did somebody ask for more ranks on a node than it has CPUs?
 *
 * Pure: decides from the rank's environment and from what is known of the
 * processes that started it.
 */
#ifndef SP_OVERCOMMIT_H
#define SP_OVERCOMMIT_H

#include <stddef.h>

#include "launcher/ancestors.h"
#include "launcher/launcher.h"

/*
 * What told these ranks' launcher that a node may have more ranks than CPUs, for
 * people: "--oversubscribe", "rmaps_base_oversubscribe", "SLURM_OVERCOMMIT".
 * All nodes of a job find the same.  NULL: nothing.  Open MPI and PRRTE have an option, a modifier of a mapping and
 * parameters for that, Slurm has --overcommit, which it hands on as a variable.
 * Hydra (MPICH, Intel MPI) starts as many as it is told to, unasked.
 *
 *   rank         as sp_launcher_rank has filled it in; from is not NULL
 *   environment  the rank's, NULL-terminated
 *   ancestor     as sp_ancestors_read has filled it in; n may be 0
 */
const char *sp_overcommit_asked(const struct sp_rank *rank, char *const environment[],
				const struct sp_ancestor ancestor[], size_t n);

/* Whether the answer depends on ancestors at all; they are slow to read. */
bool sp_overcommit_needs_ancestors(const struct sp_rank *rank, char *const environment[]);

#endif
