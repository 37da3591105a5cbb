/*
 * The slots of a share as places of OpenMP, for a runtime that binds its
 * threads itself.
 *
 * Pure but for memory.
 */
#ifndef SP_OMP_PLACES_H
#define SP_OMP_PLACES_H

#include "slots/slots.h"

/* What the runtime is to be told. */
struct sp_omp_places {
	char *places;		/* the value of OMP_PLACES: "{0,4},{2,6}"; to be freed */
	const char *proc_bind;	/* the value of OMP_PROC_BIND, a constant */
};

/* For which teams. */
struct sp_omp_teams {
	uint32_t team;		/* threads of an outermost team; 0: one for each CPU of the share */
	uint32_t nested;	/* threads of the teams inside it, for each of its threads; 1: it is not nested */
};

/*
 * Write the places so that thread i of such a team is bound to the CPUs of slot
 * i.  Larger teams use cores that it leaves free; where it has more threads than
 * cores, a smaller team is spread over the cores, as far as its threads divide
 * the places.
 *
 * Returns 0, -EINVAL (no CPU of the share is in the machine, bind is
 * SP_NO_BIND, or slots would not pin a team of that size), or -ENOMEM; *places is untouched on error.
 */
int sp_omp_places(const struct sp_machine *machine, const struct sp_cpus *share, enum sp_bind bind,
		  enum sp_granularity granularity, struct sp_omp_teams teams, struct sp_omp_places *places);

#endif
