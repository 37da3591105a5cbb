/*
 * The need of each rank of a job, as far as it can be known before the rank
 * starts: how many of its threads will want a core each.
 */
#ifndef SP_GUESS_NEEDS_H
#define SP_GUESS_NEEDS_H

#include "launcher/ancestors.h"
#include "rank.h"

/*
 * Fill need[], which has an entry for each rank of the node, for the rank that
 * makes the board.
 *
 * If the launch line starts one program, or the node has one rank only, all
 * ranks announce the same number as the calling rank (threads; 0: none).
 * Otherwise needs come from the parts of the launch line, if all of their ranks
 * are on this node, and from the ranks' initial environments in /proc.  What a
 * wrapper sets for single ranks is known only when these ranks come.
 *
 *   environment  of the calling rank
 *   ancestor     the launchers of the calling process, the nearest first
 *   job          name of the job, from sp_job_name
 */
void sp_needs_guess(const struct sp_rank *rank, char *const environment[], uint32_t threads,
		    const struct sp_ancestor ancestor[], size_t n, const char *job, uint32_t need[]);

#endif
