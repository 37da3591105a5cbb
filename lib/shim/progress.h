/*
 * Progress threads that Intel MPI pins unasked (I_MPI_ASYNC_PROGRESS): to the
 * last CPUs of the node, whoever has these.  It checks that they are there, so
 * they are released when MPI_Init has returned.
 */
#ifndef SP_PROGRESS_H
#define SP_PROGRESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine.h"

/* The mask of a thread (0: the calling one) was changed by a call that returns to caller.  Whether that was such a pin. */
bool sp_progress_pinned(pid_t tid, const void *caller);

/* MPI_Init has returned: put them where other threads of the rank may run that are not OpenMP workers. */
void sp_progress_release(const struct sp_engine *engine);

#endif
