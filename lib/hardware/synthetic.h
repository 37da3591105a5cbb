/* Reads descriptions in hwloc's synthetic syntax, without hwloc. */
#ifndef SP_SYNTHETIC_H
#define SP_SYNTHETIC_H

#include <stdint.h>

#define SP_SYNTHETIC_FAR (UINT64_C(1) << 32)

/*
 * The number of CPUs in a description: the product of the counts of its levels.
 * Attributes (in parentheses) and attached memory (in brackets) do not count.
 * Returns SP_SYNTHETIC_FAR if it is more than UINT32_MAX.  The result is
 * undefined if hwloc does not understand the text.
 */
uint64_t sp_synthetic_cpus(const char *text);

/*
 * The first wrong name in an order of numbers, "pu:2(indexes=pack:core)", or
 * NULL; it points into text.  Such names have to be those of levels above,
 * spelled as they are there.  For others hwloc reads uninitialised memory, and
 * ends the process (2.9: "Assertion `step' failed").
 */
const char *sp_synthetic_strange_order(const char *text);

#endif
