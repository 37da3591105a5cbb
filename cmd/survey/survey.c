/* splitpin survey: samples a node, or has what was sampled reported. */
#include "cmd/commands.h"
#include "cmd/survey/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/library.h"

#define REPORT "survey-report"	/* a program of its own beside the parts of the library: docs/design.md says why */

static const struct cmd_option none[] = { { .name = NULL } };

/* That program reads these itself; here they are for help and completion. */
static const struct cmd_option report_options[] = {
	{ "format", 0, "FORMAT", "text json csv prometheus svg", "text, json, csv, prometheus or svg (default: text)", NULL, 0 },
	{ "anonymous", 0, NULL, NULL, "letters instead of users", NULL, 0 },
	{ "sacct", 0, "FILE", "<file>", "output of sacct -a -X -P -o JobID,Account,Partition", NULL, 0 },
	{ "top", 0, "TOP", NULL, "how many users and programs (default: 10)", NULL, 0 },
	{ "before", 0, "FILE...", "<file>", "compare the durations of jobs in these files", NULL, 0 },
	{ "after", 0, "FILE...", "<file>", "with those in these", NULL, 0 },
	{ .name = NULL }
};

static const struct cmd_usage report_usage = {
	.name = "survey report", .synopsis = "[OPTION]... FILE...\n[OPTION]... --before FILE... --after FILE...", .options = report_options, .operand = "<file>",
	.about = "Say what files of splitpin survey run, of many nodes and days, show: jobs, causes,\n"
		"programs, users.\n",
};

static const struct cmd_usage letter_usage = {
	.name = "survey letter", .synopsis = "JOB FILE...", .options = none, .operand = "<file>",
	.about = "Write the text of a ticket to the user of one job: its number in the batch system, or\n"
		"its name, such as mpirun-4711.\n",
};

static const struct cmd_usage *const parts[] = { &survey_run_usage, &report_usage, &letter_usage, NULL };

const struct cmd_usage survey_usage = {
	.name = "survey", .synopsis = "run [OPTION]...\nreport [OPTION]... FILE...\nletter JOB FILE...", .options = none, .parts = parts,
	.about = "What jobs lose to threads that share a core, with nothing preloaded: run samples a\n"
		"node, report says what was found, letter tells the user of one job.\n"
		"Each has its own --help.\n",
};

/* Become the program that reports, with the same arguments. */
static int
report(char *argv[])
{
	char *library = cmd_find_library(), *path = library ? cmd_library_part(library, REPORT) : NULL;

	if (!path || access(path, R_OK) != 0) {
		cmd_complain(REPORT " is not beside the library of splitpin");
	} else {
		char *const python[] = { "python3", path, NULL };
		char **command = cmd_insert_words(argv, 0, python);

		execvp(command[0], command);
		cmd_complain("python3, which reads the files of a survey, cannot be started: %s", strerror(errno));
		free(command);
	}
	free(path);
	free(library);
	return EXIT_FAILURE;
}

static bool
is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

int
cmd_survey(int argc, char *argv[])
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "run") == 0)
		return survey_run(argc - 1, argv + 1);
	if (is_help(word))
		return cmd_print_help(&survey_usage);
	for (size_t i = 1; parts[i]; i++)
		if (strcmp(word, cmd_part_name(parts[i])) == 0)
			return argc > 2 && is_help(argv[2]) ? cmd_print_help(parts[i]) : report(argv + 1);
	cmd_complain("splitpin survey has run, report and letter%s%s", *word ? ", not " : "", word);
	return CMD_USAGE;
}
