/*
 * A process that is a rank from its start, because the user means each process
 * that is started to be one: a shell, a serial program, a virtual machine.  As
 * long as nothing shows that it is parallel itself, it keeps the rank's seat for
 * the programs that it starts.
 */
#ifndef SP_START_H
#define SP_START_H

#include "engine/state.h"

/*
 * Whether the calling process is a launcher, or another program whose only job
 * is to start one, such as env or taskset: it is no rank, and what it starts is
 * one from its start.
 */
bool sp_start_is_later(void);

/*
 * To be called when this process has arrived at its seat: if it, or the process
 * that started it, was the rank from its start, give the process the mask back
 * that the rank had before, so that it decides as if it were the first.
 */
void sp_start_undo(struct sp_state *self);

/* This process, unless it is a child that shares its memory, ends without destructors. */
void sp_start_leave(struct sp_state *self);

/* This process is parallel itself, as `by` shows. */
void sp_start_end(struct sp_state *self, enum sp_by by);

#endif
