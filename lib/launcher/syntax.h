/*
 * How a kind of launchers' command lines is read: the row that options.c and
 * launch_line.c follow, in the launcher's own file (known/).
 */
#ifndef SP_SYNTAX_H
#define SP_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "launcher/options.h"
#include "launcher/launch_line.h"

struct sp_takes {
	char name[30];		/* without dashes */
	signed char values;	/* how many words behind it are its */
};

/* While the line is read; what read_own and read_shared have to fill in. */
struct sp_reading {
	struct sp_part_of_launch *part;	/* NULL: only options that count for all programs are read */
	bool is_x_shared;		/* of struct sp_launch */
	sp_variable_visitor *visit;
	void *data;
};

struct sp_syntax {
	/* The only command that is read so, whoever started the ranks; NULL: such as the ranks' launcher has. */
	const char *command;
	/* All options that are known, behind them one without a name; of another it is not known whether it takes a value. */
	const struct sp_takes *takes;
	/* Or, NULL-terminated, those without a value, or with one behind '=' alone; each other takes one. */
	const char *const *flags;
	/* Options of one letter behind one dash: without a value, and with one in the same word alone; NULL: there are no such. */
	const char *letters, *attached;
	/* Variable in the ranks of those that give an -x of one program to all without their own (struct sp_launch); NULL: none do. */
	const char *shared_x;
	/* An option with two values takes NAME=VALUE, too. */
	bool may_pair;
	/* Options that name files: with more options; with what is started.  NULL-terminated. */
	const char *const *files, *const *elsewhere;
	/* Take what an option says for the program in whose part it stands; for all programs, wherever it stands, or NULL. */
	void (*read_own)(const struct sp_reading *reading, const struct sp_option *option);
	void (*read_shared)(const struct sp_reading *reading, const struct sp_option *option);
};

/* "2" of "2-4", "2:1"; text may be NULL, and number stays without one. */
void sp_reading_take_number(const char *text, uint32_t *number);

/* "NAME=VALUE"; the value of a bare NAME is in the launcher's environment, if anywhere. */
void sp_reading_take_variable(const struct sp_reading *reading, const char *entry, size_t length);

/* Several, with any of the characters of between between them. */
void sp_reading_take_variables(const struct sp_reading *reading, const char *list, const char *between);

/* "-env NAME VALUE", "-env NAME=VALUE", if the option is of this name. */
void sp_reading_take_pair(const struct sp_reading *reading, const struct sp_option *option, const char *name);

#endif
