/*
 * The slots of a share as places of OpenMP, for a runtime that binds its
 * threads itself.
 *
 * Pure but for memory.
 */
#ifndef SP_OMP_PLACES_H
#define SP_OMP_PLACES_H

#include "slots/slots.h"

/* The values that the runtime is given. */
struct sp_omp_places {
	char *places;		/* the value of OMP_PLACES: "{0,4},{2,6}"; to be freed */
	const char *proc_bind;	/* the value of OMP_PROC_BIND, a constant */
};

/* The teams for which the places are made. */
struct sp_omp_teams {
	uint32_t team;		/* threads of an outermost team; 0: one for each CPU of the share */
	uint32_t nested;	/* threads of each inner team, one for each of its threads; 0 or 1: no nested teams */
};

/*
 * Write the places so that thread i of such a team is bound to the CPUs of slot
 * i.  A larger team also uses the cores that this one leaves free.  If the team
 * has more threads than cores, a smaller one is spread over the cores, as evenly
 * as its size divides the number of places.
 *
 * Returns 0, -EINVAL (no CPU of the share is in the machine, bind is
 * SP_NO_BIND, or slots would not pin a team of that size), or -ENOMEM; *places is untouched on error.
 */
int sp_omp_places(const struct sp_machine *machine, const struct sp_cpus *share, enum sp_bind bind,
		  enum sp_granularity granularity, struct sp_omp_teams teams, struct sp_omp_places *places);

#endif
