/*
 * Threads of libomp and libiomp5 without OMPT: where splitpin declines to be
 * the runtime's tool, its workers are pinned when they are made, as libgomp's
 * are.  A tool costs time in each parallel region; this way does not.
 *
 * The runtime sets masks itself: that of a worker when it has started, and that
 * of the thread that opens a team before it makes the workers and after that.
 * So the runtime's calls of syscall are redirected to splitpin, which pins such
 * a thread again right after each call.
 *
 * In the same way, where a setting decides where the threads are, workers of a
 * team that has more threads than places leave these.
 */
#ifndef SP_LIBOMP_H
#define SP_LIBOMP_H

#include "elf/objects.h"
#include "engine.h"

/*
 * The runtime that holds this code starts.  If its calls are known, its threads
 * that are not pinned will not be put on the share by it, nor bound to places
 * of which its team has too few.  Returns whether they
 * will be pinned this way: the settings allow it, all teams have one size and one root
 * thread, and the runtime is one whose calls are known.
 */
bool sp_libomp_begin(const struct sp_engine *engine, const void *code);

/* Whether this object is a runtime for which sp_libomp_begin returned true, or whose workers may leave their places. */
bool sp_libomp_is(const struct sp_object *object);

/*
 * Whether the thread that such a runtime is creating, in the calling thread, is
 * a worker and not one of the runtime's own helpers.
 */
bool sp_libomp_makes_worker(const struct sp_object *runtime);

/* Describes that worker before it is created. */
struct sp_worker sp_libomp_worker(const struct sp_object *runtime);

/* Called in the new worker before its start routine: pin it to this slot (below 0: to none) once the runtime has set its mask, or let it leave its place. */
void sp_libomp_await(int slot, const struct sp_worker *worker);

#endif
