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

#include "cpus.h"

#define CMD_USAGE 2

/* "splitpin: " and the text, on standard error. */
void cmd_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0, or EXIT_FAILURE where standard output could not be written. */
int cmd_close_output(void);

/* Complain of what getopt_long, called with opterr 0, found wrong; returns CMD_USAGE. */
int cmd_wrong_option(char *const argv[], int option, const char *command);

/* Whether it is a file that may be run. */
bool cmd_is_program(const char *path);

/* The path of a program in the folders of PATH; the caller's, to free().  NULL: it is in none. */
char *cmd_look_up(const char *name);

/* The whole list of a set, however long; the caller's, to free(). */
char *cmd_list(const struct sp_cpus *cpus);

/* Put '?' for what is not printable ASCII in a text that others have written. */
void cmd_make_plain(char *text);

/* The value of --format where that is text or json.  Returns 0, or a status: the user has been told. */
int cmd_text_or_json(const char *text, bool *as_json);

/* malloc and others that end the program with a message where there is no memory. */
void *cmd_allocate(size_t count, size_t size);
void *cmd_enlarge(void *array, size_t count, size_t size);
char *cmd_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cmd_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
