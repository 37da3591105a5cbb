/* Asks PMIx for the rank, where the launcher's variables do not give it. */
#ifndef PROBE_ASK_PMIX_H
#define PROBE_ASK_PMIX_H

#include "cmd/target/target.h"
#include "rank.h"

/*
 * Ask the libpmix that the program is linked with, in a child process: a library
 * that does not fit the server may end it, or may never answer.
 *
 * Returns 0 and fills in rank; -ENOENT: the program has no libpmix, or it does not answer.
 */
int probe_ask_pmix(const struct target *target, struct sp_rank *rank);

#endif
