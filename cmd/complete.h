/*
 * What a shell may complete a command line of splitpin by: the completions of bash,
 * zsh and fish ask "splitpin complete WORD...".
 */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include <stddef.h>

#include "cmd/options.h"

struct cmd_command {
	const char *name;
	int (*run)(int argc, char *argv[]);
	const struct cmd_usage *usage;	/* NULL: it has no options */
	const char *summary;	/* for the list of commands; NULL: it is not in it */
};

/*
 * Print what the last of n words may become, one a line: a word, a tab and what it
 * means; or what the shell itself completes: "<file>", "<program>", or "<command>
 * N", the line of another command, whose first word is word N, from 0.
 */
void complete_print(const struct cmd_command commands[], size_t ncommands, char *const word[], size_t n);

#endif
