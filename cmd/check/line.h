/* Puts "splitpin probe" into a command. */
#ifndef CHECK_LINE_H
#define CHECK_LINE_H

#include "cmd/target/target.h"

/*
 * The command with "splitpin probe --" in front of each program that its launcher
 * would start, or of the program if it has none: behind what executes a command
 * (taskset, env, "splitpin run"), and behind a script that is given a program
 * with MPI or OpenMP.  target_release_list frees it.
 */
char **check_line_with_probes(const struct target *target, char *const command[]);

#endif
