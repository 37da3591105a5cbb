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

#endif
