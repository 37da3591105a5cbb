/* Reads descriptions in hwloc's synthetic syntax, without hwloc. */
#ifndef SP_SYNTHETIC_H
#define SP_SYNTHETIC_H

#include <stdint.h>

#define SP_SYNTHETIC_FAR (UINT64_C(1) << 32)

/*
 * How many CPUs a description has: the product of the numbers of its levels.
 * Attributes (in parentheses) and attached memory (in brackets) do not count.
 * Returns SP_SYNTHETIC_FAR where there are more than UINT32_MAX, and any
 * number where hwloc would not understand the text.
 */
uint64_t sp_synthetic_cpus(const char *text);

/*
 * The order of numbers in "pu:2(indexes=pack:core)" names levels above its own,
 * written as they are there.  Of others hwloc reads memory that nobody has
 * written, and ends the process (2.9: "Assertion `step' failed").  Returns the
 * first name that is not one, which lies in text, or NULL.
 */
const char *sp_synthetic_strange_order(const char *text);

#endif
