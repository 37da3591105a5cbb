/*
 * Threads and processes that a pinned thread creates inherit its mask.  So its
 * mask is widened to the share while it creates one, and restored afterwards;
 * the variables of native binding are hidden meanwhile.
 *
 * In a process that is not a rank both functions do nothing, and in a thread that
 * is not pinned they do nothing to the mask.  Both keep errno.
 */
#ifndef SP_WIDEN_H
#define SP_WIDEN_H

#include <stdbool.h>

#include "engine.h"

struct sp_widening {
	bool hidden;		/* see native.h */
	bool done;		/* the mask was widened, and is to be restored */
	struct sp_widened widened;	/* not read unless done */
};

/* The words of the array that sp_widen_begin needs until sp_widen_end, from 1: on the stack, where a child of vfork may have nothing else. */
size_t sp_widen_words(void);

void sp_widen_begin(struct sp_widening *widening, uint64_t *before, size_t n);
void sp_widen_end(const struct sp_widening *widening);

#endif
