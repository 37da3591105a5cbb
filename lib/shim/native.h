/*
 * Native binding: libomp and libiomp5 read OMP_PLACES and OMP_PROC_BIND from
 * the process's environment after they asked for a tool and before they bind
 * threads.  The slots are put into these variables from the moment at which the
 * runtime may read them until the first moment after it has; children never see
 * them.
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
 * Whether a runtime will start without calling splitpin's ompt_start_tool:
 * because it is passed over, as above; or because the runtime is not loaded
 * yet, or looks for no tool (libiomp5 before 2019).
 */
bool sp_native_is_needed(void);

/*
 * Put the engine's entries into the environment, if the engine has any.
 * is_taken as in the engine's native.  Returns whether the entries are there.
 */
bool sp_native_begin(const struct sp_engine *engine, bool is_taken);

/* Remove the entries: the runtime has read them, or this process is a forked child. */
void sp_native_end(void);

/* To be called when a thread is created: if a runtime creates it, the entries have been read and are removed. */
void sp_native_thread(const void *caller, const void *start);

/*
 * Remove the entries while a child is created, and put them back.  show is to
 * be called if hide returned true.  If a child of vfork becomes another
 * program, show is not called, and threads of the parent's runtime then stay
 * unbound.
 */
bool sp_native_hide(void);
void sp_native_show(void);

#endif
