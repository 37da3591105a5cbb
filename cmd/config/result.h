/*
 * The settings in effect and where each comes from, as both printers have them.
 */
#ifndef CONFIG_RESULT_H
#define CONFIG_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "settings/settings.h"

struct config_result {
	bool all;		/* defaults too */
	bool as_json;
	const char *candidate;	/* to be looked at alone in place of the site's file and the environment; NULL: none */
	char *program;		/* whole path; NULL: none in particular */
	bool is_script;
	bool is_launcher;	/* which is no rank; its ranks are other programs */
	struct sp_settings settings;
	char *library;		/* that is loaded into what is started here; NULL: none */
	char **wrong;		/* sentences; in the environment and in the file */
	size_t nwrong;
};

void config_print_text(const struct config_result *result);
void config_print_json(const struct config_result *result);

#endif
