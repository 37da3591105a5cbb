/*
 * The job of a rank that the user has numbered.
 *
 * It has the name of the process that started the rank, since mostly that has
 * started the others, too.  But a script may start each in a shell of its own,
 * "(cd run1; SPLITPIN_LOCAL_RANK=1 ... ./program) &", or by another script: then
 * the first of them that has come makes the board, and the others look for one
 * with a free seat of their number, made in their session.
 */
#ifndef SP_NUMBERED_H
#define SP_NUMBERED_H

#include "launcher/job.h"
#include "rank.h"

/*
 * Find such a board of a running job, or one on which another process of this
 * rank has the seat (is_own).  own: the rank's own name for its job, under which
 * there is no board.  False: there is none; sure only as long as the caller
 * holds the lock under which boards are made.
 */
bool sp_numbered_find(const struct sp_rank *rank, const char *own, char job[SP_JOB_NAME], bool *is_own);

#endif
