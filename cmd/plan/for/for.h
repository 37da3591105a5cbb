/*
 * The placement of a plan by a launcher's own options, without splitpin: shell
 * commands, one of which starts the program.
 */
#ifndef PLAN_FOR_H
#define PLAN_FOR_H

#include "cmd/plan/print/print.h"

/*
 * The same placement without splitpin, as commands of a launcher: print becomes
 * what prints them, and plan->run is set where the launcher's command was named.
 * mpirun and mpiexec are asked whose they are; openmpi is the version installed.
 * Returns 0, or CMD_USAGE after a message.
 */
int plan_for(const char *launcher, struct plan *plan, plan_printer **print);

#endif
