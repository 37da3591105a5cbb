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

/* What an option says that matters here; most say nothing of that. */
enum sp_says {
	SP_SAYS_RANKS = 1, SP_SAYS_NODES = 2, SP_SAYS_A_NODE = 4,	/* a number: of ranks, nodes, ranks of a node */
	SP_SAYS_ONE_A_NODE = 8,
	SP_SAYS_MAPPING = 0x10,		/* Open MPI's "ppr:4:node"; it may bind, too */
	SP_SAYS_HOSTS = 0x20,		/* nodes are named */
	SP_SAYS_VARIABLE = 0x40,	/* NAME=VALUE; see struct sp_launch, is_x_shared */
	SP_SAYS_VARIABLES = 0x80,	/* several, with ',' between them */
	SP_SAYS_PAIR = 0x100, SP_SAYS_PAIR_FOR_ALL = 0x200,	/* NAME VALUE, or NAME=VALUE: for the program; for all */
	SP_SAYS_BINDING = 0x400,	/* it asks for a binding */
	SP_SAYS_PARAMETER = 0x2000,	/* NAME VALUE, of Open MPI */
	SP_SAYS_FOLDER = 0x4000,	/* where the program is started */
	SP_SAYS_OPTIONS = 0x800, SP_SAYS_PROGRAMS = 0x1000,	/* a file has more options; what is started */
};

struct sp_takes {
	char name[29];		/* without dashes */
	signed char values;	/* how many words behind it are its */
	uint16_t says;		/* enum sp_says */
};

#define SP_UNKNOWN (-1)		/* as values: an option of another launcher's */

/* While the line is read. */
struct sp_reading {
	struct sp_part_of_launch *part;	/* NULL: only options that count for all programs are read */
	bool is_x_shared;		/* of struct sp_launch */
	sp_variable_visitor *visit;	/* NULL: variables are not wanted */
	void *data;
};

struct sp_syntax {
	/* The only command that is read so, whoever started the ranks; NULL: such as the ranks' launcher has. */
	const char *command;
	/* All options that are known, behind them one without a name; of another it is not known whether it takes a value. */
	const struct sp_takes *takes;
	bool others_take_one;	/* except here: it does */
	/* Options of one letter behind one dash: without a value, and with one in the same word alone; NULL: there are no such. */
	const char *letters, *attached;
	/* Variable in the ranks of those that give an -x of one program to all without their own (struct sp_launch); NULL: none do. */
	const char *shared_x;
	/* An option with two values takes NAME=VALUE, too. */
	bool may_pair;
};

/* Take what an option says for the program in whose part it stands; for all programs, wherever it stands. */
void sp_reading_take_own(const struct sp_reading *reading, const struct sp_option *option);
void sp_reading_take_shared(const struct sp_reading *reading, const struct sp_option *option);

#endif
