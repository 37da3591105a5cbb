/* Ranks that are alike, folded into one line: a plan of thousands of ranks is a page. */
#ifndef PLAN_FOLD_H
#define PLAN_FOLD_H

#include "cmd/plan/make/planned.h"

/* From this rank on. */
void plan_print_folded(const struct plan *plan, uint32_t rank);

#endif
