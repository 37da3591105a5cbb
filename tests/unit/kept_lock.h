/* The lock of a table of workers, kept by another thread. */
#ifndef SP_TEST_KEPT_LOCK_H
#define SP_TEST_KEPT_LOCK_H

#include "threads/workers.h"

/* From here on a thread has the lock, while it visits that slot, whose thread is pinned.  One at a time. */
void kept_lock_begin(struct sp_workers *workers, int slot);
void kept_lock_end(void);

#endif
