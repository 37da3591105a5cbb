#ifndef CMD_RUN_LINE_H
#define CMD_RUN_LINE_H

#include <stdbool.h>

#include "cmd/options.h"
#include "cmd/setting_options.h"

/* The setting of a lone rank. */
#define RUN_LOCAL_RANK "SPLITPIN_LOCAL_RANK"
#define RUN_ALONE "alone"

/* What splitpin run gives to a command besides the library. */
struct run_request {
	struct cmd_settings settings;
	bool alone;		/* it has no launcher, and is put on the cores of a lone rank */
	bool not_alone;		/* even where it is parallel */
	bool check, check_as_json;	/* it is looked at, not started */
};

/* "--alone" or "--alone off", into a struct run_request. */
cmd_take run_take_alone;

/*
 * "splitpin run -n 4 ./program", without a launcher: for struct cmd_usage, of commands with
 * a launcher's line.  The word counts where getopt has found a long option.
 */
bool run_explain_launchers(const char *command, const char *word);

/*
 * Read the options of "splitpin run", up to the command, which begins at
 * argv[optind]; argv[0] is "run".  Returns what cmd_options_read does.
 */
int run_parse(int argc, char *argv[], struct run_request *request);

/* Whether words, which may be NULL, begin with "splitpin run". */
bool run_is_begun(char *const words[]);

/*
 * The command behind "splitpin run [options] [--]", and what the options say.
 * Release the settings, which are empty at first, with cmd_settings_release.
 * Returns a part of words, or NULL: words are not such a line, or, after a message,
 * a wrong one.
 */
char *const *run_command_of(char *const words[], struct cmd_settings *settings);

#endif
