/*
 * The placement of a plan by a launcher's own options, without splitpin: shell
 * commands, one of which starts the program.
 */
#ifndef PLAN_FOR_H
#define PLAN_FOR_H

#include "cmd/plan/plan.h"

/* MPI libraries whose launchers are called alike. */
enum launcher_library {
	LIBRARY_ABSENT,		/* no such command */
	LIBRARY_UNKNOWN,
	LIBRARY_OPENMPI,	/* any version */
	LIBRARY_OPENMPI4,
	LIBRARY_OPENMPI5,	/* and later */
	LIBRARY_MPICH,
	LIBRARY_INTEL,
};

/* Whose a command such as mpirun is: it is looked up in PATH and asked for its version, never LIBRARY_OPENMPI. */
enum launcher_library launcher_installed(const char *command);

/* Each prints the commands for one launcher, to standard output. */
plan_printer launcher_openmpi4, launcher_openmpi5, launcher_mpich, launcher_intel, launcher_slurm,
	launcher_pals, launcher_torchrun, launcher_openmp;

#endif
