/*
 * The command splitpin: what its files share.
 *
 * Wrong usage is told in one line on standard error, names what would be
 * right, and ends in CMD_USAGE with nothing on standard output.
 */
#ifndef CMD_H
#define CMD_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "settings/config.h"
#include "cmd/plan/plan.h"

#define CMD_USAGE 2

/* "splitpin: " and the text, on standard error. */
void cmd_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* 0, or EXIT_FAILURE where standard output could not be written. */
int cmd_close_output(void);

/* What getopt_long found wrong; options is a text such as "-n, -t, --set". */
int cmd_wrong_option(char *const argv[], int option, const char *command);

/* The subcommands: argv[0] is the subcommand's name.  They return the exit status. */
int cmd_plan(int argc, char *argv[]);
int cmd_run(int argc, char *argv[]);
int cmd_show(int argc, char *argv[]);
int cmd_check(int argc, char *argv[]);
int cmd_config(int argc, char *argv[]);

/* The table of settings, for people. */
void cmd_print_settings(void);

/* Settings given as options, in the order given. */
struct cmd_settings {
	char **entry;		/* "SPLITPIN_SMT=1" */
	size_t n;
};

/*
 * Add a setting; its name may lack the prefix and be in small letters, with
 * '-' for '_'.  Returns 0, or CMD_USAGE: the name or the value is wrong and
 * the user has been told.
 */
int cmd_settings_add(struct cmd_settings *settings, const char *name, const char *value);
/* The same from "NAME=VALUE". */
int cmd_settings_parse(struct cmd_settings *settings, const char *text);

/*
 * Read them over those of the environment, and these over the site's for every
 * program; what is wrong there is told as a warning.
 */
void cmd_settings_read(const struct cmd_settings *settings, struct sp_config *config);

/* Put them into the environment. */
void cmd_settings_export(const struct cmd_settings *settings);

void cmd_settings_release(struct cmd_settings *settings);

/* The formats, each to standard output. */
void cmd_print_text(const struct plan *plan);
void cmd_print_json(const struct plan *plan);
void cmd_print_masks(const struct plan *plan);
void cmd_print_lists(const struct plan *plan);
void cmd_print_svg(const struct plan *plan);

/* The same placement without splitpin; NULL where there is no such launcher. */
typedef void cmd_printer(const struct plan *plan);
cmd_printer *cmd_foreign(const char *launcher);
#define CMD_FOREIGN "slurm, openmpi, mpich, intel or openmp"

/* Whether it is a file that may be run. */
bool cmd_is_program(const char *path);

/* The path of a program in the folders of PATH; the caller's, to free().  NULL: it is in none. */
char *cmd_look_up(const char *name);

/* The whole list of a set, however long; the caller's, to free(). */
char *cmd_list(const struct sp_cpus *cpus);

/* The set as a number, "0x1f"; the caller's, to free(). */
char *cmd_mask(const struct sp_cpus *cpus);

/* Parts of JSON, to standard output: a text in quotation marks, and an array of numbers. */
void cmd_json_string(const char *text);
void cmd_json_cpus(const struct sp_cpus *set);

/* Put '?' for what is not printable ASCII in a text that others have written. */
void cmd_make_plain(char *text);

/* The value of --format where that is text or json.  Returns 0, or a status: the user has been told. */
int cmd_text_or_json(const char *text, bool *as_json);

/* malloc and others that end the program with a message where memory is short. */
void *cmd_allocate(size_t count, size_t size);
void *cmd_enlarge(void *array, size_t count, size_t size);
char *cmd_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cmd_vformat(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

#endif
