/*
 * Memory that runs short: the link of the unit tests passes each allocation of
 * the library through memory.c.
 */
#ifndef SP_TEST_MEMORY_H
#define SP_TEST_MEMORY_H

#include <stdbool.h>

/* The nth allocation from now on fails, counted from 0, and none after it. */
void memory_short_at(int nth);

/* Whether it has; no more fail. */
bool memory_was_short(void);

/* This happens before the next allocation, as if another thread did it. */
void memory_before(void (*what)(void));

/* The body runs once for each allocation in it, which fails, and then with none that does; was_short says which. */
#define SHORT_OF_MEMORY(call) \
	for (int nth = 0, was_short = 1; was_short && (memory_short_at(nth), (call), was_short = memory_was_short(), 1); nth++)

#endif
