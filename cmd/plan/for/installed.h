/* The launcher that is installed: a command such as mpirun is asked for its version. */
#ifndef PLAN_INSTALLED_H
#define PLAN_INSTALLED_H

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

#endif
