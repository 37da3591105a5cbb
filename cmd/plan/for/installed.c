#include "cmd/plan/for/launchers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "cmd/cmd.h"

#define ANSWER 1024		/* room for the first lines, which name the library */

/*
 * What libraries call themselves.  Open MPI 4 is OpenRTE where it was called as
 * mpirun.openmpi; PRRTE's own prterun has the options of Open MPI 5.
 */
static const struct {
	const char *text;
	enum launcher_library library;
} signs[] = {
	{ "(Open MPI) ", LIBRARY_OPENMPI }, { "(OpenRTE) ", LIBRARY_OPENMPI }, { "(PRRTE) ", LIBRARY_OPENMPI5 },
	{ "Intel(R) MPI Library", LIBRARY_INTEL }, { "HYDRA build details", LIBRARY_MPICH },
};

static enum launcher_library
library_of(const char *answer)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *at = strstr(answer, signs[i].text);
		uint64_t version;

		if (!at)
			continue;
		if (signs[i].library != LIBRARY_OPENMPI)
			return signs[i].library;
		if (!sp_ascii_digits(at + strlen(signs[i].text), &version) || version < 4)
			return LIBRARY_UNKNOWN;
		return version == 4 ? LIBRARY_OPENMPI4 : LIBRARY_OPENMPI5;
	}
	return LIBRARY_UNKNOWN;
}

static void
ask(const char *path, char answer[ANSWER])
{
	char *quoted = cmd_quote(path), *line = cmd_format("%s --version 2>/dev/null </dev/null", quoted);
	FILE *pipe = popen(line, "r");
	size_t n = pipe ? fread(answer, 1, ANSWER - 1, pipe) : 0;

	answer[n] = '\0';
	if (pipe)
		pclose(pipe);
	free(line);
	free(quoted);
}

enum launcher_library
launcher_installed(const char *command)
{
	char *path = cmd_look_up(command), answer[ANSWER];

	if (path && !cmd_is_program(path)) {
		free(path);
		path = NULL;
	}
	if (!path)
		return LIBRARY_ABSENT;
	ask(path, answer);
	free(path);
	return library_of(answer);
}
