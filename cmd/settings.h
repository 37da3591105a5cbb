/*
 * Settings given as options, checked by the parser of the environment.
 */
#ifndef CMD_SETTINGS_H
#define CMD_SETTINGS_H

#include <stddef.h>

#include "settings/config.h"

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

#endif
