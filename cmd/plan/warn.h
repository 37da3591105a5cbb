#ifndef PLAN_WARN_H
#define PLAN_WARN_H

#include "cmd/plan/make/planned.h"

/* Complain of what a run would warn of, or what the plan had to leave out. */
void plan_warn(const struct plan *plan);

/* Complain that there are more ranks than have room, and why. */
void plan_tell_ranks(const struct plan *plan);

#endif
