/* A plan as options and variables of each launcher, in shell commands. */
#ifndef PLAN_LAUNCHERS_H
#define PLAN_LAUNCHERS_H

#include <stdbool.h>

#include "cmd/plan/print/print.h"

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

struct launcher_row {
	const char *name;
	plan_printer *print;	/* prints the commands to standard output; NULL: that of the library that is installed */
	enum launcher_library library;	/* that mpirun may turn out to be */
	const char *lack;	/* why it cannot start several programs; NULL: it can */
	const char *file;	/* what takes several programs with their words, none of which may need quotes; NULL: its line does */
};

/* The last one has no name. */
extern const struct launcher_row launcher_rows[];

/* Their names, as the words of a struct cmd_option. */
extern const char launcher_words[];

/* Whose a command such as mpirun is: it is looked up in PATH and asked for its version, never LIBRARY_OPENMPI. */
enum launcher_library launcher_installed(const char *command);

#endif
