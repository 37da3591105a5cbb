/*
 * Threads that others have pinned on this machine: tests of jobs do not see
 * them, or what somebody else runs would decide what these find.
 */
#ifndef SP_TEST_PINNED_H
#define SP_TEST_PINNED_H

#include <stdbool.h>

/* Whether sp_pinned_by_others looks; from the start it finds none. */
extern bool pinned_is_looked_for;

#endif
