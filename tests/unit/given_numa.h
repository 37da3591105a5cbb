/* In place of lib/share/open_numa.c: an object of the test's own. */
#ifndef SP_TEST_GIVEN_NUMA_H
#define SP_TEST_GIVEN_NUMA_H

#include "memory.h"

extern const struct sp_numa *numa_given;	/* NULL: there is none */
extern unsigned numa_opened;	/* times */

#endif
