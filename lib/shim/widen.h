/*
 * What a pinned thread makes, threads and processes, inherits its mask.  So
 * the mask is widened to the share while it makes one, and restored after; nor
 * are the variables of native binding there.
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
	bool done;		/* the mask is the share's, and is to be restored */
	struct sp_widened widened;	/* not read unless done */
};

void sp_widen_begin(struct sp_widening *widening);
void sp_widen_end(const struct sp_widening *widening);

#endif
