#ifndef CMD_RUN_LINE_H
#define CMD_RUN_LINE_H

#include <stdbool.h>

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

/*
 * The options of such a request, --set and --alone, behind the first n, and
 * those of the settings behind these; release with cmd_settings_release_options.
 */
void run_options(struct option options[CMD_OPTIONS], size_t n);

/* Take one of them.  Returns 0, CMD_USAGE after a message, or -1: it is another option. */
int run_take(struct run_request *request, int option, char *const argv[]);

/* All options of "splitpin run"; release with cmd_settings_release_options. */
void run_all_options(struct option options[CMD_OPTIONS]);

/*
 * Read them, up to the command at argv[optind]; argv[0] is "run".  Returns 0, a
 * status after a message, or -1: help was asked for.
 */
int run_parse(int argc, char *argv[], const struct option *options, struct run_request *request);

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
