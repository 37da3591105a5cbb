/*
 * The mask of the calling thread: whose it is, and what becomes of it where the
 * thread makes a process.  That one is to have the CPUs that it would have without
 * splitpin, and not those to which the thread is pinned; but a mask that the
 * program has chosen is inherited.
 *
 * slot: the thread's; below 0: it has none.  These functions need little stack,
 * as long as the kernel's masks are small (sp_pin_words).
 */
#ifndef SP_MASK_H
#define SP_MASK_H

#include "engine/state.h"

/* Whether the thread has this mask. */
bool sp_mask_is(const struct sp_cpus *cpus);

/* Whether it still has the mask that splitpin gave it. */
bool sp_mask_is_given(const struct sp_state *self, int slot);

/*
 * Whether the program, or a library of it, has set this mask (its hash) of the
 * thread through libc.  A mask that a runtime has set, by a call through libc or
 * directly in the kernel, follows from the user's settings.
 */
bool sp_mask_is_by_program(const struct sp_state *self, pid_t tid, uint64_t mask);

/* As keeps_mask in include/engine.h.  is_bound: a runtime binds its threads. */
bool sp_mask_is_kept(const struct sp_state *self, bool is_bound);

/* As set_back in include/engine.h. */
bool sp_mask_set_back(const struct sp_state *self, int slot, const void *mask, size_t size);

/* Note who changed the mask of a thread (0: the calling one), and to what.  Keeps errno. */
void sp_mask_note(struct sp_state *self, pid_t tid, const void *caller);

/*
 * Before a fork.  Returns the hash of the mask that splitpin has given the thread,
 * which has a slot.  Where the table's lock is kept for more than 100 ms, by another
 * thread or by this one, which a signal has interrupted, it is taken for the mask
 * that the thread has.  0: nor can that be read, or this is a dry run.
 */
uint64_t sp_mask_given(const struct sp_state *self, int slot);

/*
 * In the forked child: let the thread use all these CPUs, unless the program has
 * chosen its mask.  slot: below 0: it had none.  Does not wait for the lock: if another thread had it at the fork,
 * nobody releases it; that thread may have moved this one after given was noted, so a mask with another hash than
 * given (0: none) then counts as chosen only if the program was seen to set it, in the child or as thread forker.
 */
void sp_mask_leave(const struct sp_state *self, int slot, uint64_t given, pid_t forker);

/*
 * Before a spawn or an exec: let the thread use all these CPUs, and read what it
 * has then: less, if the cpuset has shrunk since this rank settled.  Returns 0; a
 * negative errno; or -ECANCELED, and the mask is as it was: the program has chosen
 * it, or this is a dry run.
 */
int sp_mask_widen(const struct sp_state *self, int slot, struct sp_widened *widened);

/*
 * After sp_mask_widen has returned 0: put the thread on the CPUs of its slot, or
 * on those that it had.  If its mask has been changed meanwhile, by another thread
 * of the program or by splitpin, which moves threads to free cores, it stays.
 */
void sp_mask_restore(const struct sp_state *self, int slot, const struct sp_widened *widened);

#endif
