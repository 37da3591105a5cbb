/*
 * The options of a command, in one table that the parser, --help, the completion
 * of shells and the check of the manual page read.
 *
 * Every command has --help, and --json where it has --format; one with settings also has an option for
 * each setting, so that these are not in its table.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>

#include "cmd/setting_options.h"

/* Takes the value of an option, NULL if it has none, into a field of the request.  Returns 0, or CMD_USAGE after a message. */
typedef int cmd_take(void *field, const char *value);

/* Into a bool: true; whether it is json. */
cmd_take cmd_take_flag, cmd_take_is_json;
/* Into a const char *. */
cmd_take cmd_take_text;

struct cmd_option {
	const char *name;	/* long, without "--" */
	char letter;		/* the same in short; 0: none */
	const char *argument;	/* as help has it: "FILE"; "[off]": may be missing; "[=FORMAT]": and stands behind "=" alone; NULL: takes none */
	const char *words;	/* all that it takes, with a blank in between; "<file>", "<program>": any, which shells complete; "<...>", or NULL: any */
	const char *help;
	cmd_take *take;
	size_t field;		/* offset in the request of what it fills in; 0: the request itself, or its first field */
};

/* A row of those that print colours. */
#define CMD_COLOR { "color", 0, "WHEN", "auto always never", \
	"auto, always or never (default: auto: on a terminal, unless NO_COLOR is set)", cmd_take_color, 0 }
cmd_take cmd_take_color;

struct cmd_usage {
	const char *name;	/* of the command */
	const char *synopsis;	/* what follows the name; several lines: of several ways to use it */
	const char *about;	/* what help says in front of the options */
	const struct cmd_option *options;	/* the last one has no name */
	const struct cmd_usage *const *parts;	/* its own commands, whose names begin with its name and a blank; the last one is NULL; NULL: none */
	bool has_settings;
	const char *operand;	/* what follows the options, as in words: "<program>"; "<command>": a line of its own; NULL: words of the command's own */
	void (*print_more)(void);	/* what help says behind the options; NULL: nothing */
	bool (*explain)(const char *name, const char *word);	/* of the command with this name: says what an unknown option means, or false; NULL: nothing is known */
};

/*
 * Read options from argv[optind], the command's name being argv[0]: up to the
 * first other word, or, of a command without an operand of others, all, so that
 * the other words are last.  settings is NULL if it has none.
 *
 * Returns 0, CMD_USAGE after a message, or -1: help was asked for, and nothing printed.
 */
int cmd_options_read(const struct cmd_usage *usage, int argc, char *argv[], struct cmd_settings *settings, void *request);

/* Whether a value is one of words with a blank in between. */
bool cmd_is_among(const char *words, const char *value);

/* Words with a blank in between as "text, table or json"; the caller's, to free(). */
char *cmd_list_words(const char *words);

/* Of the name of a command's own command the part behind the blank. */
const char *cmd_part_name(const struct cmd_usage *part);

/* Print the help of a command.  Returns a status. */
int cmd_print_help(const struct cmd_usage *usage);

#endif
