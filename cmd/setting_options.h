/*
 * Settings given as options, checked by the parser of the environment.
 */
#ifndef CMD_SETTING_OPTIONS_H
#define CMD_SETTING_OPTIONS_H

#include <getopt.h>
#include <stddef.h>

#include "settings/omp_env.h"
#include "settings/settings.h"

/* The table of settings, for people, or the one of this name ("smt", "--smt", "SPLITPIN_SMT"; false: there is none); of the common ones a line each. */
bool cmd_print_settings(const char *name);
void cmd_print_common_settings(void);

/* The option of a setting: "local-rank" of SPLITPIN_LOCAL_RANK; the caller's, to free(). */
char *cmd_settings_option(const struct sp_setting *row);

/* Whether it takes 0 or 1, so that its option needs no value. */
bool cmd_settings_is_switch(const struct sp_setting *row);

/* Whether a word may be the value of such an option, and not the program behind it. */
bool cmd_settings_may_take(const struct sp_setting *row, const char *word);

/* Settings given as options, in the order given. */
struct cmd_settings {
	char **entry;		/* "SPLITPIN_SMT=1" */
	size_t n;
};

/* Add a setting, "SPLITPIN_SMT".  Returns 0, or CMD_USAGE: the value is wrong and the user has been told. */
int cmd_settings_add(struct cmd_settings *settings, const char *name, const char *value);

/*
 * An option for each setting, such as --local-rank: those that are 0 or 1
 * need no value.  Filled in behind the first n of options, which have room for
 * CMD_OPTIONS and of whose names none is taken; ends with a name of NULL.
 */
#define CMD_OPTIONS (SP_SETTINGS_MAX + 16)
void cmd_settings_options(struct option options[CMD_OPTIONS], size_t n);
void cmd_settings_release_options(struct option options[CMD_OPTIONS]);

/*
 * Take what getopt_long has returned, if it is such an option.
 * A 0 or 1 in the next word is the value of one that needs none.  Returns 0,
 * CMD_USAGE after a message, or -1: it is another option.
 */
int cmd_settings_take(struct cmd_settings *settings, int option, char *const argv[]);

/*
 * Read them over those of the environment, and these over the site's for every
 * program; what is wrong there is told as a warning.
 */
void cmd_settings_read(const struct cmd_settings *settings, struct sp_config *config);

/* A warning if OMP_NUM_THREADS is set and no number. */
void cmd_settings_tell_team(const struct sp_omp_env *omp_env);

/* Put them into the environment. */
void cmd_settings_export(const struct cmd_settings *settings);

void cmd_settings_release(struct cmd_settings *settings);

/* Why splitpin is off by the settings, as the end of a sentence and the caller's; NULL: it is on. */
char *cmd_why_off(const struct sp_settings *settings);

#endif
