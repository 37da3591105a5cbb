/*
 * splitpin: shows on any machine what a run would do, and starts programs
 * with the library loaded.
 */
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/cmd.h"
#include "cmd/complete.h"
#include "cmd/run.h"
#include "cmd/setting_options.h"
#include "cmd/terminal.h"

static const char usage[] = "usage: splitpin COMMAND [OPTION]... [ARGUMENT]...\n";

static int help(int argc, char *argv[]);
static int version(int argc, char *argv[]);
static int complete(int argc, char *argv[]);

static const struct cmd_command commands[] = {
	{ "run", cmd_run, &run_usage, "start a launcher with splitpin: splitpin run -- mpirun -n 4 ./program" },
	{ "check", cmd_check, &check_usage, "say whether splitpin will be active in a job, and list its problems" },
	{ "show", cmd_show, &show_usage, "show the ranks and threads of running jobs, and their problems" },
	{ "plan", cmd_plan, &plan_usage, "show which cores each rank would get, and where threads would be pinned" },
	{ "compare", cmd_compare, &compare_usage, "run a job without and with splitpin, and say whether it is faster" },
	{ "config", cmd_config, &config_usage, "show which settings are in effect, and where each comes from" },
	{ "probe", cmd_probe, &probe_usage, "in place of a program: say which CPUs each rank would have" },
	{ "survey", cmd_survey, &survey_usage, "say what the jobs of a cluster lose to threads that share cores" },
	{ "help", help, NULL, "show this; help COMMAND; help settings: all of them; help smt: one" },
	{ "--help", help, NULL, NULL }, { "-h", help, NULL, NULL }, { "--version", version, NULL, NULL }, { "-V", version, NULL, NULL },
	{ "complete", complete, NULL, NULL },
};

#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

/* The one that a misspelt word may have meant, or NULL. */
static const char *
nearest_command(const char *word)
{
	const char *best = NULL;
	unsigned least = UINT_MAX;

	for (size_t i = 0; i < NCOMMANDS; i++)
		if (cmd_is_nearer(word, strlen(word), commands[i].name, &least))
			best = commands[i].name;
	return best;
}

/* What other tools that list or watch processes and jobs are called. */
static bool
is_for_show(const char *word)
{
	static const char *const words[] = { "watch", "top", "htop", "status", "ps", "stat", "monitor", "list", "ls" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* help: what stands in front of the word, "help " or "". */
static int
unknown_command(const char *word, const char *help)
{
	const char *meant = *word != '-' || strlen(word) > 2 ? nearest_command(word) : NULL;
	char *program = meant || *help || is_for_show(word) ? NULL : cmd_look_up(word);

	if (meant || is_for_show(word))
		cmd_complain("%s: unknown command: did you mean splitpin %s%s?", word, help, meant ? meant : "show");
	else if (program)
		cmd_complain("%s: unknown command: did you mean splitpin run -- %s?", word, word);
	else
		cmd_complain("%s: unknown command; splitpin has run, check, show, plan, compare, config, probe, survey and help", word);
	free(program);
	return CMD_USAGE;
}

/* Run the command that argv names; -1: unknown. */
static int
run_command(int argc, char *argv[])
{
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (strcmp(argv[0], commands[i].name) != 0)
			continue;
		if (argc > 1 && strcmp(argv[1], "--version") == 0)
			return version(argc, argv);
		optind = 1;
		return commands[i].run(argc, argv);
	}
	return -1;
}

/* "splitpin help run" is "splitpin run --help". */
static int
help_on(char *name)
{
	char option[] = "--help";
	int status = run_command(2, (char *[]){ name, option, NULL });

	return status >= 0 ? status : unknown_command(name, "help ");
}

static int
help(int argc, char *argv[])
{
	if (argc > 1 && cmd_print_settings(strcmp(argv[1], "settings") == 0 ? NULL : argv[1]))
		return cmd_close_output();
	if (argc > 1 && argv[1][0] != '-')
		return help_on(argv[1]);
	terminal_print_help(usage);
	putchar('\n');
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (commands[i].summary)
			terminal_print_row(commands[i].name, 9, commands[i].summary);
	terminal_print_help("\nSettings are environment variables, and options of run and plan (--smt 1):\n");
	cmd_print_common_settings();
	terminal_print_help("\n"
	      "To turn splitpin off for a job: export SPLITPIN=off\n");
	return cmd_close_output();
}

static int
version(int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	puts("splitpin " SP_VERSION);
	return cmd_close_output();
}

/* Words of a line behind "splitpin", the last of which a shell completes. */
static int
complete(int argc, char *argv[])
{
	complete_print(commands, NCOMMANDS, argv + 1, (size_t)argc - 1);
	return cmd_close_output();
}

int
main(int argc, char *argv[])
{
	if (argc < 2) {
		fprintf(stderr, "%sTry splitpin help.\n", usage);
		return CMD_USAGE;
	}
	int status = run_command(argc - 1, argv + 1);
	return status >= 0 ? status : unknown_command(argv[1], "");
}
