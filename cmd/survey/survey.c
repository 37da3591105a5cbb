/* splitpin survey: samples a node, or has what was sampled reported. */
#include "cmd/survey/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/library.h"

#define REPORT "survey-report"	/* a program of its own beside the parts of the library: docs/design.md says why */

/* Become the program that reports, with the same arguments. */
static int
report(char *argv[])
{
	char *library = cmd_find_library(), *path = library ? cmd_library_part(library, REPORT) : NULL;

	if (!path || access(path, R_OK) != 0) {
		cmd_complain(REPORT " is not beside the library of splitpin");
	} else {
		char python[] = "python3";
		size_t given = 0;

		while (argv[given])
			given++;
		char **command = cmd_allocate(given + 3, sizeof(*command));
		command[0] = python;
		command[1] = path;
		memcpy(command + 2, argv, given * sizeof(*command));
		execvp(python, command);
		cmd_complain("python3, which reads the files of a survey, cannot be started: %s", strerror(errno));
		free(command);
	}
	free(path);
	free(library);
	return EXIT_FAILURE;
}

int
cmd_survey(int argc, char *argv[])
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "run") == 0)
		return survey_run(argc - 1, argv + 1);
	if (strcmp(word, "report") == 0 || strcmp(word, "letter") == 0)
		return report(argv + 1);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return cmd_print_help(&survey_usage);
	cmd_complain("splitpin survey has run, report and letter%s%s", *word ? ", not " : "", word);
	return CMD_USAGE;
}
