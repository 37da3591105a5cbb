/* A plan as options and variables of each launcher, in shell commands. */
#ifndef PLAN_LAUNCHERS_H
#define PLAN_LAUNCHERS_H

#include "cmd/plan/print/print.h"

/* Each prints the commands for one launcher, to standard output. */
plan_printer launcher_openmpi4, launcher_openmpi5, launcher_mpich, launcher_intel, launcher_slurm,
	launcher_pals, launcher_torchrun, launcher_openmp;

#endif
