/*
 * splitpin: shows on any machine what a run would do, and starts programs
 * with the library loaded.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/check/check.h"
#include "cmd/cmd.h"
#include "cmd/compare/compare.h"
#include "cmd/config.h"
#include "cmd/plan/plan.h"
#include "cmd/probe/probe.h"
#include "cmd/run.h"
#include "cmd/setting_options.h"
#include "cmd/show/show.h"
#include "cmd/terminal.h"

static const char usage[] = "usage: splitpin COMMAND [OPTION]... [ARGUMENT]...\n";

static int help(int argc, char *argv[]);
static int version(int argc, char *argv[]);

/* Where --json stands for --format json: among all words, in front of the command that is given, or nowhere. */
enum json { NO_JSON, JSON_IN_FRONT, JSON_ANYWHERE };

static const struct {
	const char *name;
	int (*run)(int argc, char *argv[]);
	enum json json;
} commands[] = {
	{ "run", cmd_run, NO_JSON }, { "check", cmd_check, JSON_IN_FRONT }, { "show", cmd_show, JSON_ANYWHERE },
	{ "plan", cmd_plan, JSON_ANYWHERE }, { "compare", cmd_compare, JSON_IN_FRONT }, { "config", cmd_config, JSON_ANYWHERE },
	{ "probe", cmd_probe, NO_JSON },
	{ "help", help, NO_JSON }, { "--help", help, NO_JSON }, { "-h", help, NO_JSON },
	{ "--version", version, NO_JSON }, { "-V", version, NO_JSON },
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
	const char *meant = nearest_command(word);
	char *program = meant || *help || is_for_show(word) ? NULL : cmd_look_up(word);

	if (meant || is_for_show(word))
		cmd_complain("%s: unknown command: did you mean splitpin %s%s?", word, help, meant ? meant : "show");
	else if (program)
		cmd_complain("%s: unknown command: did you mean splitpin run -- %s?", word, word);
	else
		cmd_complain("%s: unknown command; splitpin has run, check, show, plan, compare, config, probe and help", word);
	free(program);
	return CMD_USAGE;
}

/* "--json" becomes "--format=json". */
static void
spell_out_json(char *argv[], enum json where)
{
	static char format[] = "--format=json";

	for (size_t i = 1; where != NO_JSON && argv[i] && strcmp(argv[i], "--") != 0; i++) {
		if (where == JSON_IN_FRONT && argv[i][0] != '-')
			return;
		if (strcmp(argv[i], "--json") == 0)
			argv[i] = format;
	}
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
		spell_out_json(argv, commands[i].json);
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
	if (argc > 1 && strcmp(argv[1], "settings") == 0) {
		cmd_print_settings();
		return cmd_close_output();
	}
	if (argc > 1 && argv[1][0] != '-')
		return help_on(argv[1]);
	terminal_print_help(usage);
	terminal_print_help("\n"
	      "run      start a launcher with splitpin: splitpin run -- mpirun -n 4 ./program\n"
	      "check    say whether splitpin will be active in a job, and list its problems\n"
	      "show     show the ranks and threads of running jobs, and their problems\n"
	      "plan     show which cores each rank would get, and where threads would be pinned\n"
	      "compare  say whether a job is faster with splitpin, by running it by turns\n"
	      "config   show which settings are in effect, and where each comes from\n"
	      "probe    as a rank: what this place in a job would give to a program\n"
	      "help     show this; help COMMAND: its options; help settings: all settings\n"
	      "\n"
	      "Settings are environment variables, and options of run and plan (--smt 1):\n");
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
