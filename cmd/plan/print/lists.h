#ifndef PLAN_LISTS_H
#define PLAN_LISTS_H

#include "cmd/plan/make/planned.h"

/* The set as a number, "0x1f"; the caller's, to free(). */
char *plan_mask(const struct sp_cpus *cpus);

/* The masks of all ranks with commas between them, to standard output without a line feed. */
void plan_put_masks(const struct plan *plan);

#endif
