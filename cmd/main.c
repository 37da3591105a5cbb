/*
 * splitpin: shows on any machine what a run would do, and starts programs
 * with the library loaded.
 */
#include <limits.h>
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

static const char usage[] =
	"usage: splitpin plan -n RANKS [-t THREADS] [--topology SOURCE] [options]\n"
	"       splitpin plan [options] LAUNCHER [ARGUMENT]... PROGRAM [ARGUMENT]...\n"
	"       splitpin plan --advise [--nodes NODES] [--topology SOURCE] [options]\n"
	"       splitpin run [--check] [--alone] [--SETTING VALUE]... [--] COMMAND [ARGUMENT]...\n"
	"       splitpin config [--for PROGRAM] [--all] [--format text|json]\n"
	"       splitpin show [JOB|PID] [--all] [--picture FILE] [options]\n"
	"       splitpin check [--no-start] [--format text|json] [--] [COMMAND [ARGUMENT]...]\n"
	"       splitpin probe [--] PROGRAM [ARGUMENT]...\n"
	"       splitpin compare [--rounds N] [options] [--] COMMAND [ARGUMENT]...\n"
	"       splitpin help [COMMAND]\n"
	"       splitpin --version\n";

static int help(int argc, char *argv[]);
static int version(int argc, char *argv[]);

static const struct {
	const char *name;
	int (*run)(int argc, char *argv[]);
} commands[] = {
	{ "plan", cmd_plan }, { "run", cmd_run }, { "config", cmd_config }, { "show", cmd_show }, { "check", cmd_check },
	{ "compare", cmd_compare }, { "probe", cmd_probe },
	{ "help", help }, { "--help", help }, { "-h", help },
	{ "--version", version }, { "-V", version },
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

/* help: what stands in front of the word, "help " or "". */
static int
unknown_command(const char *word, const char *help)
{
	const char *meant = nearest_command(word);
	char *program = meant || *help ? NULL : cmd_look_up(word);

	if (meant)
		cmd_complain("%s: unknown command: did you mean splitpin %s%s?", word, help, meant);
	else if (program)
		cmd_complain("%s: unknown command: did you mean splitpin run -- %s?", word, word);
	else
		cmd_complain("%s: unknown command; splitpin has plan, run, config, show, check, probe, compare and help", word);
	free(program);
	return CMD_USAGE;
}

/* Run the command that argv names; -1: unknown. */
static int
run_command(int argc, char *argv[])
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(argc, argv);
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
	if (argc > 1 && argv[1][0] != '-')
		return help_on(argv[1]);
	terminal_print_help(usage);
	terminal_print_help("\n"
	      "splitpin gives every MPI rank on a node its own cores and pins its OpenMP threads.\n"
	      "\n"
	      "  Use it:         splitpin run -- mpirun -n 4 ./program\n"
	      "  Will it be on?  splitpin run --check -- mpirun -n 4 ./program\n"
	      "  See it start:   splitpin run --report -- mpirun -n 4 ./program\n"
	      "  See it run:     splitpin show\n"
	      "  Turn it off:    export SPLITPIN=off before the job starts\n"
	      "\n"
	      "plan    show which cores each rank would get and where each thread would be\n"
	      "        pinned\n"
	      "run     start a program, or a launcher, with splitpin; --check starts nothing\n"
	      "config  show which settings are in effect, where each comes from, and any problems\n"
	      "        with them\n"
	      "show    show the ranks and threads of the jobs that run on this node, and their\n"
	      "        problems\n"
	      "check   say whether splitpin will be active in a job that is started without\n"
	      "        splitpin run, where a module or the site loads it, and list the problems\n"
	      "        of this node and this environment\n"
	      "compare run a job alternately with and without splitpin, and say whether it is\n"
	      "        faster\n"
	      "\n"
	      "\"splitpin COMMAND --help\" lists the options of a command.\n"
	      "\n"
	      "Settings are environment variables; SPLITPIN_SMT=1 is also --smt 1 of run and plan:\n");
	cmd_print_settings();
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
		fputs(usage, stderr);
		return CMD_USAGE;
	}
	int status = run_command(argc - 1, argv + 1);
	return status >= 0 ? status : unknown_command(argv[1], "");
}
