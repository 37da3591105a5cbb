/* The threads of a rank for people: in ranges, and grouped by why they are where they are. */
#ifndef PLAN_THREAD_LINES_H
#define PLAN_THREAD_LINES_H

#include "cmd/plan/make/planned.h"

/* Lines of the text. */
void plan_print_threads(const struct plan *plan, const struct plan_rank *rank);

#endif
