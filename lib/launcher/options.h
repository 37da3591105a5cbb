/*
 * The options on a launcher's command line, without those of the programs
 * behind them.
 *
 * Read as the launchers do: an option may take values, the first word that is
 * neither is a program, and a ':' ends its arguments (mpirun -n 1 a : -n 2 b).
 * Pure, no allocation.
 */
#ifndef SP_OPTIONS_H
#define SP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "launcher/launchers.h"

/* A kind of command lines: syntax.h. */
struct sp_syntax;
extern const struct sp_syntax sp_syntax_openmpi;	/* mpirun of Open MPI 4 and 5, prterun, and their daemons */
extern const struct sp_syntax sp_syntax_hydra;	/* mpiexec of MPICH and Intel MPI */
extern const struct sp_syntax sp_syntax_srun;

struct sp_option {
	const char *word;	/* as it was written, with its dashes and maybe "=value" */
	const char *name;	/* in it, without dashes: ends at NUL or '=', or is one letter of srun's */
	size_t length;		/* of the name */
	const char *value;	/* NULL: takes none */
	const char *second;	/* of those that take two (--mca NAME VALUE), else NULL */
	uint16_t says;		/* enum sp_says of syntax.h */
};

struct sp_options {
	const struct sp_syntax *syntax;
	struct sp_words words;	/* that have not been passed */
	const char *program;	/* the first that has been passed; NULL: none yet */
	bool is_incomplete;	/* more may have been said: an unknown option may have ended the search, or one names a file of options */
};

/* arguments: each with its NUL, the launcher's name first. */
void sp_options_begin(struct sp_options *options, const struct sp_syntax *syntax, const char *arguments, size_t length);

/* The next one; false behind the last. */
bool sp_options_next(struct sp_options *options, struct sp_option *option);

bool sp_option_is(const struct sp_option *option, const char *name);

#endif
