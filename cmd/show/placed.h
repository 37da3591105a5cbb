/*
 * What is said of a rank's thread: it is pinned, or it is left to the kernel, and
 * why.  Pure.
 */
#ifndef SHOW_PLACED_H
#define SHOW_PLACED_H

#include <stdbool.h>

#include "board/seat.h"
#include "machine.h"

/* Whether a mask lies within one core, while its rank may use more CPUs than these. */
bool placed_is_pinned(const struct sp_machine *machine, const struct sp_seat *seat, const struct sp_cpus *mask);

/* Whether a mask is one that a thread of a rank has by splitpin, or inside of the share by its runtime. */
bool placed_is_right(const struct sp_seat *seat, const struct sp_cpus *mask);

/*
 * Why threads of a rank are left to the kernel: a clause, "more threads than cores".
 *
 *   mask     of one of them
 *   threads  that the rank has
 *   cores    that it has claimed
 */
const char *placed_why(const struct sp_seat *seat, const struct sp_cpus *mask, uint32_t threads, uint32_t cores);

#endif
