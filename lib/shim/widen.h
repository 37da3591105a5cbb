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

void sp_widen_begin(struct sp_widening *widening);
void sp_widen_end(const struct sp_widening *widening);

#endif
