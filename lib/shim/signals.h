/* The signals of the program while a thread of it settles. */
#ifndef SP_SIGNALS_H
#define SP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * Block signals that have handlers until this thread has settled, which takes a
 * bounded time: a handler that leaves by siglongjmp would leave settling half
 * done for good, and locks taken.  Signals without a handler end or stop the
 * program at once, as always, except that real-time ones, which nobody sends
 * without, are blocked unseen: to look at each is a system call.
 *
 * Threads that a library starts meanwhile (a plugin of hwloc) inherit the mask
 * and keep it: handlers then run in the program's other threads.
 *
 * Returns whether *before is the mask to set again.
 */
bool sp_signals_hold(sigset_t *before);

#endif
