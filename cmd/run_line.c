/* A line of "splitpin run": its options, and the command behind them. */
#include "cmd/commands.h"
#include "cmd/run_line.h"

#include <getopt.h>
#include <string.h>

#include "base/environment.h"
#include "cmd/cmd.h"
#include "base/text.h"

int
run_take_alone(void *field, const char *value)
{
	struct run_request *request = field;

	request->alone = !value;
	request->not_alone = value;
	return 0;
}

static int
take_check(void *field, const char *value)
{
	struct run_request *request = field;

	request->check = true;
	request->check_as_json = value && strcmp(value, "json") == 0;
	return 0;
}

static bool
is_of_launchers(const char *word)
{
	static const char *const names[] = { "--np", "--ntasks", "--bind-to", "--map-by", "--host", "--cpu-bind", "--cpus-per-task" };

	if (optopt)
		return strchr("nNxc", optopt) != NULL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(word, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

bool
run_explain_launchers(const char *command, const char *word)
{
	const char name[] = { '-', (char)optopt, '\0' };

	if (!is_of_launchers(word))
		return false;
	cmd_complain("%s is an option of launchers, and no launcher stands in front of it: splitpin %s -- mpirun -n 4 ./program",
		     optopt ? name : word, command);
	return true;
}

static const struct cmd_option options[] = {
	{ "alone", 0, "[off]", "off", "COMMAND has no launcher: bind it and everything it starts to cores of its own; programs with MPI or OpenMP "
	  "get these without this option (off: they do not)", run_take_alone, 0 },
	{ "check", 0, "[=FORMAT]", "text json", "run nothing: say whether splitpin will be active, see splitpin check --help", take_check, 0 },
	{ .name = NULL }
};

const struct cmd_usage run_usage = {
	.name = "run", .synopsis = "[OPTION]... [--] COMMAND [ARGUMENT]...", .options = options, .has_settings = true, .operand = "<command>",
	.explain = run_explain_launchers,
	.about = "Run a program with splitpin loaded: a launcher and everything it starts,\n"
		"    splitpin run --smt 1 -- mpirun --bind-to none -n 4 ./program\n"
		"or each rank, as the command that a launcher starts:\n"
		"    mpirun --bind-to none -n 4 splitpin run --smt 1 -- ./program\n",
};

int
run_parse(int argc, char *argv[], struct run_request *request)
{
	int status = cmd_options_read(&run_usage, argc, argv, &request->settings, request);

	if (!status && optind == argc) {
		cmd_complain("no program given: use splitpin run [options] -- COMMAND");
		return CMD_USAGE;
	}
	return status;
}

bool
run_is_begun(char *const words[])
{
	return words && words[0] && words[1] && strcmp(sp_last_part(words[0]), "splitpin") == 0 && strcmp(words[1], "run") == 0;
}

char *const *
run_command_of(char *const words[], struct cmd_settings *settings)
{
	struct run_request request = { .alone = false };

	if (!run_is_begun(words))
		return NULL;
	optind = 1;
	int status = run_parse((int)sp_strings_count(words) - 1, (char **)words + 1, &request);
	if (status == 0 && request.alone)
		cmd_settings_add(&request.settings, RUN_LOCAL_RANK, RUN_ALONE);
	*settings = request.settings;
	return status == 0 ? words + 1 + optind : NULL;
}
