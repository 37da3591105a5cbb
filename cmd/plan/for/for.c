/* The same placement without splitpin: which launcher, and what its commands have in common. */
#include "cmd/plan/for/for.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/plan/for/launchers.h"

static plan_printer *
printer_of(enum launcher_library library)
{
	for (const struct launcher_row *row = launcher_rows; row->name; row++)
		if (library > LIBRARY_OPENMPI && row->library == library)
			return row->print;
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
		cmd_complain("--for %s: no such program%s; use one of openmpi4, openmpi5, mpich or intel",
			     command, strchr(command, '/') ? "" : " in PATH");
	else
		cmd_complain("--for %s: its --version names no known MPI library; use one of openmpi4, openmpi5, mpich or intel",
			     command);
	return CMD_USAGE;
}

/* Open MPI 4 and 5 take different options. */
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

/* Whether it is the path or name of a command, such as mpirun or /usr/bin/mpiexec.hydra. */
static bool
is_command(const char *launcher)
{
	const char *name = sp_last_part(launcher);

	return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0;
}

/* Whether the words are taken from a file unchanged. */
static bool
is_plain(char *const *word)
{
	for (; word && *word; word++)
		if (!**word || strpbrk(*word, " \t\n'\"\\%#"))
			return false;
	return true;
}

static int
check_parts(const struct launcher_row *launcher, const struct plan *plan)
{
	bool has_programs = plan_parts_have_programs(&plan->parts);

	if (has_programs && launcher->lack) {
		cmd_complain("--for %s: %s: name a program in the last part alone", launcher->name, launcher->lack);
		return CMD_USAGE;
	}
	for (uint32_t i = 0; has_programs && launcher->file && i < plan->parts.n; i++) {
		if (is_plain(plan->parts.part[i].command))
			continue;
		cmd_complain("--for %s: the file of %s takes no words with blanks, quotes, # or %%: start a script in part %u",
			     launcher->name, launcher->file, i + 1);
		return CMD_USAGE;
	}
	return 0;
}

int
plan_for(const char *launcher, struct plan *plan, plan_printer **print)
{
	plan->is_for = true;
	for (const struct launcher_row *row = launcher_rows; row->name; row++) {
		if (row->print && strcmp(launcher, row->name) == 0) {
			*print = row->print;
			return check_parts(row, plan);
		}
	}
	if (strcmp(launcher, "openmpi") == 0)
		return for_openmpi(print);
	if (is_command(launcher))
		return for_installed(launcher, plan, print);
	char *list = cmd_list_words(launcher_words);
	cmd_complain("--for %s: use %s", launcher, list);
	free(list);
	return CMD_USAGE;
}
