/*
 * What each rank of a job needs, as far as it can be known before it comes: in
 * how many threads it will have a core's use.
 */
#ifndef SP_GUESS_NEEDS_H
#define SP_GUESS_NEEDS_H

#include "launcher/ancestors.h"
#include "rank.h"

/*
 * Fill need[], which has an entry for each rank of the node, for the rank that
 * makes the board.
 *
 * Where the launch line starts one program, or only one rank is there, all ranks
 * announce what the calling one does (threads; 0: nothing).  Else it is what the
 * parts of the line say, if all of their ranks are on this node, and what the
 * ranks have in /proc: their environment as they were executed.  What a wrapper
 * sets for single ranks is known when these come.
 *
 *   environment  the rank's
 *   ancestor     the launchers of the calling process, the nearest first
 *   job          its name, from sp_job_name
 */
void sp_needs_guess(const struct sp_rank *rank, char *const environment[], uint32_t threads,
		    const struct sp_ancestor ancestor[], size_t n, const char *job, uint32_t need[]);

#endif
