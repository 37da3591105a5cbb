/*
 * Once MPI_Init has returned, all ranks have come, and what each announces is on
 * the board.  If that differs from the needs by which the shares were found,
 * for example because a wrapper sets OMP_NUM_THREADS for single ranks, the
 * shares are found again.
 */
#ifndef SP_RENEW_H
#define SP_RENEW_H

#include "node/situation.h"

/*
 * Renew the terms and needs in the situation, from all seats: the first rank
 * that calls this does it, under the lock of all jobs, and the other ranks take
 * the result from the board.
 *
 * Returns 0; 1: each rank announced the need that was known, so that nothing
 * changes; or a negative errno: the terms are as they were.
 */
int sp_terms_renew(const struct sp_situation *situation);

/*
 * Let all ranks of this node share its CPUs, for good: another job is about to
 * pin threads to the same cores, and what is seen of it later may be a part of
 * these.  Ranks that have divided the cores find out once all have come.
 * Takes the lock of all jobs.
 *
 *   divided   the CPUs that the ranks have divided (sp_share_domain)
 *   starter   a process of the other job
 *
 * Returns 0; 1: there is no board; or a negative errno.
 */
int sp_terms_leave(const struct sp_situation *situation, const struct sp_cpus *divided, pid_t starter);

#endif
