/*
 * Which OpenMP teams the loaded code can open, judged by the functions to which
 * it refers: other sizes than the default, nested teams and further root threads
 * each require a call.
 */
#ifndef SP_ELF_TEAMS_H
#define SP_ELF_TEAMS_H

#include <stdbool.h>

/*
 * Whether all teams of libomp and libiomp5 are opened by one thread and have the
 * default size: no loaded object refers to functions that change sizes or nest
 * teams; and neither the executable nor an object with parallel regions creates
 * threads, loads code or looks functions up by name.  Not recognised, except for
 * MKL: a library without parallel regions that loads one with them, or whose
 * threads call one.
 */
bool sp_teams_are_even(void);

#endif
