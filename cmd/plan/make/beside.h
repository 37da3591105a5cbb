/* Jobs that are on the node before the one that is planned. */
#ifndef PLAN_BESIDE_H
#define PLAN_BESIDE_H

#include "cmd/plan/make/planned.h"

/*
 * Jobs that are there already: add one, as --beside names it.  Returns
 * 0, or CMD_USAGE after a message.
 */
int plan_add_beside(struct plan *plan, const char *text);

/* Find what they claim on this machine, one after the other; others: what that leaves to the next. */
void plan_find_others(struct plan *plan, struct sp_other_jobs *others);

/* What one of them claims, in words; the caller's, to free(). */
char *plan_beside_claim(const struct plan *plan, const struct plan_beside *job);

#endif
