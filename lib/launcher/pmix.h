/*
 * Local rank and size from PMIx, for jobs whose launcher leaves PMIX_RANK alone
 * in the environment: the only functions that call PMIx.
 *
 * They ask the library that the process itself has loaded and initialised.
 * Another libpmix in the process would crash it, and a call before the
 * program's own PMIx_Init makes MPI_Init fail.
 */
#ifndef SP_PMIX_RANK_H
#define SP_PMIX_RANK_H

#include <stddef.h>

#include "rank.h"

/* What PMIx_Init is, without its header: opaque arguments. */
typedef int sp_pmix_init_fn(void *process, void *info, size_t ninfo);

/*
 * Ask for the local rank and size of the process that PMIx_Init has named.
 *
 *   process  what PMIx_Init was given and has filled in; NULL: not known
 *   after    an address in the shim, behind which the library is looked for
 *
 * Returns 0, or -ENOENT: PMIx has no such values, or they make no sense.
 */
int sp_pmix_rank(const void *process, const void *after, struct sp_rank *rank);

#endif
