#ifndef PLAN_GPUS_H
#define PLAN_GPUS_H

#include "cmd/plan/make/planned.h"

/*
 * Find the GPUs that each rank sees, where they are asked for: by the
 * option, the settings, or, on this machine, what the job was given.
 */
int plan_find_gpus(struct plan *plan);
/* Fill in what a rank has of them. */
void plan_fill_gpus(const struct plan *plan, uint32_t number, struct plan_rank *rank);

#endif
