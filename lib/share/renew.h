/*
 * When MPI_Init has returned all ranks have come, and what each announces is on
 * the board.  Where that is not what the shares were found by, as with a wrapper
 * that sets OMP_NUM_THREADS for single ranks, they are found anew.
 */
#ifndef SP_RENEW_H
#define SP_RENEW_H

#include "node/situation.h"

/*
 * Renew the terms and needs in the situation, from all seats: done by the first
 * rank that comes here, under the lock under which boards are made, and taken
 * from the board by the others.
 *
 * Returns 0; 1: each rank announced what was known of it, so that nothing
 * changes; or a negative errno: the terms are as they were.
 */
int sp_terms_renew(const struct sp_situation *situation);

#endif
