/*
 * What the subcommands of splitpin share: messages, options, memory and texts.
 *
 * Wrong usage is one line on standard error that names what would be right;
 * the status is then CMD_USAGE, and nothing is on standard output.
 */
#ifndef CMD_H
#define CMD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"

#define CMD_USAGE 2

/* "splitpin: " and the text, on standard error; one line, folded on a terminal, without control characters, whatever the arguments are. */
void cmd_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flush standard output; 0, or EXIT_FAILURE after a message. */
int cmd_close_output(void);

/* Complain of what getopt_long, called with opterr 0 and these options, found wrong; returns CMD_USAGE. */
struct option;
int cmd_wrong_option(char *const argv[], int option, const struct option *options, const char *command);

/*
 * Whether a name of `length` bytes resembles a known one, of which at most
 * every third letter differs, more than all before: *least is UINT_MAX before the first.
 */
bool cmd_is_nearer(const char *name, size_t length, const char *known, unsigned *least);

/* Whether path is an executable file. */
bool cmd_is_program(const char *path);

/* The path of a program as a shell finds it: a name without a slash in PATH; the caller's, to free().  NULL: not found. */
char *cmd_look_up(const char *name);
/* The same where PATH is another; empty: it is not set. */
char *cmd_look_up_in(const char *name, const char *path);

/* A word as a shell takes it; the caller's, to free(). */
char *cmd_quote(const char *word);

/* A command with others inserted before the word at this place; both end with NULL.  The array is the caller's, to free(), the texts are not copied. */
char **cmd_insert_words(char *const words[], size_t at, char *const inserted[]);

/* Put "NAME=VALUE" into the environment of this process. */
void cmd_export(const char *entry);

/* A set as a list such as "0-3,8", of any length; the caller's, to free(). */
char *cmd_list(const struct sp_cpus *cpus);

/*
 * In a text from elsewhere, replace by '?' what would control a terminal or
 * mislead its reader: control characters, line separators, marks that turn the
 * direction of writing, invalid UTF-8.
 */
void cmd_make_plain(char *text);

/* Parse the value of an option that is a number from 1 to most.  Returns 0, or CMD_USAGE after a message. */
int cmd_parse_count(const char *option, const char *text, uint32_t most, uint32_t *count);

/* What is wrong with a rank's variables, of which sp_launcher_rank has returned -EINVAL: "NAME=VALUE is wrong"; the caller's, to free(). */
struct sp_rank;
char *cmd_wrong_rank(const struct sp_rank *rank);

/* "alone", "beside" or "shared": how a job uses the node, an enum sp_terms_how of decide/job_terms.h. */
const char *cmd_terms_name(uint32_t how);

/* Allocation that never fails: without memory the program ends with a message. */
void *cmd_allocate(size_t count, size_t size);
void *cmd_enlarge(void *array, size_t count, size_t size);
char *cmd_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cmd_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* Append to text, which may be NULL and is released; `between` separates the two unless one is empty. */
char *cmd_append(char *text, const char *between, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
