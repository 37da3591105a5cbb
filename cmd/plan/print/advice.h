/* Advice for people and as JSON. */
#ifndef PLAN_ADVICE_H
#define PLAN_ADVICE_H

#include "cmd/plan/make/advise.h"

/* To standard output; nodes: how many the job has, 0 or 1: nothing is said of them. */
void advise_print_text(const struct plan *plan, const struct advice *advice, uint32_t nodes);
void advise_print_json(const struct plan *plan, const struct advice *advice, uint32_t nodes);

#endif
