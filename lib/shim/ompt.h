/*
 * What ompt.c offers to the shim beside the function that it interposes.
 */
#ifndef SP_OMPT_H
#define SP_OMPT_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread is in a parallel region of an OMPT runtime, of one thread too. */
bool sp_tool_in_region(void);

/*
 * Set this default team size in every OMPT runtime that has started: they
 * counted CPUs before the process had its share.
 */
void sp_tool_set_team(uint32_t team);

#endif
