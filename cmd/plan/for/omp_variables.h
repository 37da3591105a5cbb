/*
 * OpenMP's own variables for the threads of a plan.
 */
#ifndef PLAN_OMP_VARIABLES_H
#define PLAN_OMP_VARIABLES_H

#include "cmd/plan/make/planned.h"

/* The wrapper that places_print writes. */
#define PLACES_WRAPPER "./places.sh"

/*
 * Variables that place the threads of each of these ranks alike, such as
 * "OMP_NUM_THREADS=4 OMP_PLACES=cores OMP_PROC_BIND=close"; NULL where ranks
 * or threads need numbers or lists of their own.  The caller's, to free().
 */
char *places_variables(const struct plan *plan, uint32_t first, uint32_t n);

/*
 * Print shell commands that write a wrapper, which sets the variables of its
 * rank and runs its arguments; where masks, on the CPUs of the share.
 */
void places_print(const struct plan *plan, bool masks);

/*
 * The same for the workers of torchrun or another such launcher, on the CPUs of their shares.  They get
 * the number of their threads (that of the plan, or one a core) and no places:
 * a runtime that binds would leave a worker's children one core.
 */
void places_print_workers(const struct plan *plan, const char *launcher);

#endif
