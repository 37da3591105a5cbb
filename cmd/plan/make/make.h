/* Makes a plan: machine, cut and slots. */
#ifndef PLAN_MAKE_H
#define PLAN_MAKE_H

#include "cmd/plan/make/planned.h"

/*
 * Make the plan whose source, config, nranks and threads are given, on the
 * CPUs in allowed (NULL: all that the machine has).
 * Returns 0, or a negative errno of sp_topology_read, sp_topology_devices or
 * sp_cut, or -EDOM: gpus is not a list for these ranks and GPUs; plan_release releases what there is in any case.
 */
int plan_make(struct plan *plan, const struct sp_cpus *allowed);

/* The CPUs of a rank: all, where the node is shared. */
void plan_share(const struct plan *plan, uint32_t rank, struct sp_cpus *share);

/* The threads that a rank announces; 0: it announces none. */
uint32_t plan_threads(const struct plan *plan, uint32_t rank);

/* The sentence on the cut, or on why there is none; text has room for SP_TEXT_MAX.  Returns text. */
char *plan_explain(const struct plan *plan, char *text);

/* Why no thread has a place by this plan, after their number; the caller's, to free().  NULL: each has one. */
char *plan_why_unplaced(const struct plan *plan);

/* Fill in one rank; plan_rank_release releases it.  0 or -ENOMEM. */
int plan_rank(const struct plan *plan, uint32_t number, struct plan_rank *rank);
void plan_rank_release(struct plan_rank *rank);

/*
 * Whether the memory policy asks for high-bandwidth memory; nodes: those beside
 * the shares, each rank's being among them, by OS number.
 */
bool plan_hbm(const struct plan *plan, struct sp_cpus *nodes);
void plan_release(struct plan *plan);

/*
 * Packages, NUMA nodes, ... of the CPUs that have an owner (owner NULL: of
 * all): how often the field of struct sp_pu at this offset changes.
 */
uint32_t plan_count_groups(const struct sp_machine *machine, const uint32_t owner[], size_t field);

#endif
