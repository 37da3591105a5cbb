/* A line of "splitpin run": its options, and the command behind them. */
#include "cmd/run_line.h"

#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Numbers that no other subcommand has for its options. */
enum { OPTION_ALONE = 512, OPTION_SET, OPTION_CHECK };

/* Options of "splitpin run" itself. */
static const struct option own_options[] = { { "help", no_argument, NULL, 'h' }, { "check", optional_argument, NULL, OPTION_CHECK } };

void
run_options(struct option options[CMD_OPTIONS], size_t n)
{
	options[n] = (struct option){ "set", required_argument, NULL, OPTION_SET };
	options[n + 1] = (struct option){ "alone", optional_argument, NULL, OPTION_ALONE };
	options[n + 2] = (struct option){ .name = NULL };
	cmd_settings_options(options, n + 2);
}

void
run_all_options(struct option options[CMD_OPTIONS])
{
	memcpy(options, own_options, sizeof(own_options));
	run_options(options, COUNT(own_options));
}

/* "--alone off" as "--alone=off".  Returns 0, or CMD_USAGE after a message. */
static int
take_alone(struct run_request *request, char *const argv[])
{
	const char *value = optarg;

	if (!value && argv[optind] && strcmp(argv[optind], "off") == 0)
		value = argv[optind++];
	if (value && strcmp(value, "off") != 0) {
		cmd_complain("--alone=%s is wrong: use off, or nothing", value);
		return CMD_USAGE;
	}
	request->alone = !value;
	request->not_alone = value;
	return 0;
}

/* "--check" or "--check=json".  Returns 0, or CMD_USAGE after a message. */
static int
take_check(struct run_request *request)
{
	request->check = true;
	return optarg ? cmd_text_or_json(optarg, &request->check_as_json) : 0;
}

int
run_take(struct run_request *request, int option, char *const argv[])
{
	if (option == OPTION_SET)
		return cmd_settings_parse(&request->settings, optarg);
	if (option == OPTION_ALONE)
		return take_alone(request, argv);
	return cmd_settings_take(&request->settings, option, argv);
}

/* "splitpin run -n 4 ./program": the launcher in front of its own options was forgotten.  The word counts where getopt found a long option. */
static bool
is_of_launchers(const char *word)
{
	return optopt == 'n' || optopt == 'N' || (optopt == 0 && (strncmp(word, "--np", 4) == 0 || strncmp(word, "--ntasks", 8) == 0));
}

static int
complain_of_no_launcher(const char *word)
{
	const char name[] = { '-', (char)optopt, '\0' };

	cmd_complain("%s is an option of launchers, and no launcher stands in front of it: splitpin run -- mpirun -n 4 ./program",
		     optopt ? name : word);
	return CMD_USAGE;
}

int
run_parse(int argc, char *argv[], const struct option *options, struct run_request *request)
{
	int option, status;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option == 'h')
			return -1;
		if (option == '?' || option == ':')
			return option == '?' && is_of_launchers(argv[optind - 1]) ? complain_of_no_launcher(argv[optind - 1]) :
			       cmd_wrong_option(argv, option, options, "run");
		status = option == OPTION_CHECK ? take_check(request) : run_take(request, option, argv);
		if (status)
			return status;
	}
	if (optind == argc) {
		cmd_complain("no program given: use splitpin run [options] -- COMMAND");
		return CMD_USAGE;
	}
	return 0;
}

bool
run_is_begun(char *const words[])
{
	return words && words[0] && words[1] && strcmp(sp_last_part(words[0]), "splitpin") == 0 && strcmp(words[1], "run") == 0;
}

char *const *
run_command_of(char *const words[], struct cmd_settings *settings)
{
	struct option options[CMD_OPTIONS];
	struct run_request request = { .alone = false };
	int argc = 0;

	if (!run_is_begun(words))
		return NULL;
	while (words[argc])
		argc++;
	run_all_options(options);
	int status = run_parse(argc - 1, (char **)words + 1, options, &request);
	if (status == 0 && request.alone)
		cmd_settings_add(&request.settings, RUN_LOCAL_RANK, RUN_ALONE);
	cmd_settings_release_options(options);
	*settings = request.settings;
	return status == 0 ? words + 1 + optind : NULL;
}
