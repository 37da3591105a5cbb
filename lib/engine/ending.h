/* What is found, and reported, when a rank ends. */
#ifndef SP_ENDING_H
#define SP_ENDING_H

#include "engine/state.h"

/* SPLITPIN_REPORT=memory: on which NUMA nodes the rank's memory is. */
void sp_ending_check_memory(struct sp_state *self);

/* Report how the rank used its CPUs and what its node has to say, and leave the board. */
void sp_ending_report(struct sp_state *self);

#endif
