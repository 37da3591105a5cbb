/*
 * Native binding: libomp and libiomp5 read OMP_PLACES and OMP_PROC_BIND from
 * the process's environment after they asked for a tool and before they bind
 * threads.  There the slots are put, from the moment at which the runtime may
 * read them to the first after that; children never see them.
 */
#ifndef SP_NATIVE_H
#define SP_NATIVE_H

#include "engine.h"

/*
 * Whether a runtime that looks for a tool is loaded and will not call ours:
 * another object's ompt_start_tool comes before, or OMP_TOOL=disabled.
 */
bool sp_native_is_passed_over(void);

/*
 * Whether a runtime will start without a call of ours: as above, or it is to be
 * loaded yet, or it looks for no tool (libiomp5 before 2019).
 */
bool sp_native_is_needed(void);

/*
 * Put the engine's entries into the environment, if it has any.  is_taken as in
 * the engine's native.  Returns whether they are there.
 */
bool sp_native_begin(const struct sp_engine *engine, bool is_taken);

/* Take them out: the runtime has read them, or this process is a forked child. */
void sp_native_end(void);

/* A thread is being made.  Where a runtime does it, the entries have been read. */
void sp_native_thread(const void *caller, const void *start);

/*
 * While a child is made: take them out, and put them back.  show is to be
 * called where hide returned true; in a child of vfork that becomes another
 * program it is not, and threads of the parent's runtime then stay unbound.
 */
bool sp_native_hide(void);
void sp_native_show(void);

#endif
