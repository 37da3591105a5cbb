/* The same placement without splitpin: which launcher, and what its commands have in common. */
#include "cmd/plan/for.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"

static const struct {
	const char *name;
	plan_printer *print;
	enum launcher_library library;	/* that mpirun may turn out to be */
} launchers[] = {
	{ "slurm", launcher_slurm, LIBRARY_UNKNOWN },
	{ "srun", launcher_slurm, LIBRARY_UNKNOWN },
	{ "openmpi4", launcher_openmpi4, LIBRARY_OPENMPI4 },
	{ "openmpi5", launcher_openmpi5, LIBRARY_OPENMPI5 },
	{ "mpich", launcher_mpich, LIBRARY_MPICH },
	{ "intel", launcher_intel, LIBRARY_INTEL },
	{ "pals", launcher_pals, LIBRARY_UNKNOWN },
	{ "torchrun", launcher_torchrun, LIBRARY_UNKNOWN },
	{ "openmp", launcher_openmp, LIBRARY_UNKNOWN },
};

#define NLAUNCHERS (sizeof(launchers) / sizeof(launchers[0]))

static plan_printer *
printer_of(enum launcher_library library)
{
	for (size_t i = 0; i < NLAUNCHERS; i++)
		if (library > LIBRARY_OPENMPI && launchers[i].library == library)
			return launchers[i].print;
	return NULL;
}

static int
for_installed(const char *command, struct plan *plan, plan_printer **print)
{
	enum launcher_library library = launcher_installed(command);

	plan->run = command;
	*print = printer_of(library);
	if (*print)
		return 0;
	if (library == LIBRARY_ABSENT)
		cmd_complain("--for %s: there is no such program%s; use one of openmpi4, openmpi5, mpich or intel",
			     command, strchr(command, '/') ? "" : " in PATH");
	else
		cmd_complain("--for %s: its --version names no known MPI library; use one of openmpi4, openmpi5, mpich or intel",
			     command);
	return CMD_USAGE;
}

/* Its two versions take different options. */
static int
for_openmpi(plan_printer **print)
{
	enum launcher_library library = launcher_installed("mpirun");

	if (library != LIBRARY_OPENMPI4 && library != LIBRARY_OPENMPI5) {
		cmd_complain("--for openmpi: %s; use openmpi4 or openmpi5",
			     library == LIBRARY_ABSENT ? "there is no mpirun in PATH" : "mpirun is not Open MPI's");
		return CMD_USAGE;
	}
	*print = printer_of(library);
	return 0;
}

/* mpirun, /usr/bin/mpiexec.hydra. */
static bool
is_command(const char *launcher)
{
	const char *name = sp_last_part(launcher);

	return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0;
}

int
plan_for(const char *launcher, struct plan *plan, plan_printer **print)
{
	for (size_t i = 0; i < NLAUNCHERS; i++) {
		if (strcmp(launcher, launchers[i].name) == 0) {
			*print = launchers[i].print;
			return 0;
		}
	}
	if (strcmp(launcher, "openmpi") == 0)
		return for_openmpi(print);
	if (is_command(launcher))
		return for_installed(launcher, plan, print);
	cmd_complain("--for %s: it takes " PLAN_FOR, launcher);
	return CMD_USAGE;
}
