/*
 * What teams of OpenMP the loaded code can open, by the functions to which it
 * refers: a size of its own, nested teams and further root threads each take a
 * call.
 */
#ifndef SP_ELF_TEAMS_H
#define SP_ELF_TEAMS_H

#include <stdbool.h>

/*
 * Whether all teams of libomp and libiomp5 are opened by one thread and have the
 * default size: nothing that is loaded refers to what changes sizes or nests
 * teams; and neither the executable nor code with parallel regions makes threads,
 * loads more code or looks functions up by name.  Teams that come otherwise (a
 * library without parallel regions makes threads that call one that has them, or
 * loads one) are not foreseen, but for MKL's.
 */
bool sp_teams_are_even(void);

#endif
