#include "cmd/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "settings/settings.h"

#define NAME 256

/* A run would go on with the default; here it ends. */
static void
refuse(void *data, const char *sentence)
{
	const char *end = strstr(sentence, "; using ");
	bool *faulty = data;

	cmd_complain("%.*s", end ? (int)(end - sentence) : (int)strlen(sentence), sentence);
	*faulty = true;
}

static void
warn(void *data, const char *sentence)
{
	(void)data;
	cmd_complain("warning: %s", sentence);
}

static char *
entry_of(const char *name, const char *value)
{
	char variable[NAME];

	sp_config_name(name, strlen(name), variable, sizeof(variable));
	return cmd_format("%s=%s", variable, value);
}

int
cmd_settings_add(struct cmd_settings *settings, const char *name, const char *value)
{
	char **more = cmd_allocate(settings->n + 1, sizeof(*more));
	struct sp_config config;
	bool faulty = false;

	for (size_t i = 0; i < settings->n; i++)
		more[i] = settings->entry[i];
	free(settings->entry);
	settings->entry = more;
	more[settings->n] = entry_of(name, value);
	sp_config_read(&config, (char *[]){ more[settings->n++], NULL }, refuse, &faulty);
	return faulty ? CMD_USAGE : 0;
}

int
cmd_settings_parse(struct cmd_settings *settings, const char *text)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text) {
		cmd_complain("--set %s: it takes NAME=VALUE, such as smt=1", text);
		return CMD_USAGE;
	}

	char *name = cmd_format("%.*s", (int)(equals - text), text);
	int status = cmd_settings_add(settings, name, equals + 1);

	free(name);
	return status;
}

/*
 * For no program in particular, so sections do not count; and a plan is made
 * even where the site has splitpin off.
 */
static void
read_over_site(char *const environment[], struct sp_config *config)
{
	struct sp_settings settings;

	sp_settings_read(&settings, environment, NULL, warn, NULL);
	*config = settings.config;
	if (sp_settings_line(&settings, 0))
		config->on = true;
	sp_settings_release(&settings);
}

/* Of a setting that is there twice the first counts: the last option comes first. */
void
cmd_settings_read(const struct cmd_settings *settings, struct sp_config *config)
{
	size_t others = 0;

	while (environ && environ[others])
		others++;

	char **all = cmd_allocate(settings->n + others + 1, sizeof(*all));

	for (size_t i = 0; i < settings->n; i++)
		all[i] = settings->entry[settings->n - 1 - i];
	if (others)
		memcpy(all + settings->n, environ, others * sizeof(*all));
	read_over_site(all, config);
	free(all);
}

void
cmd_settings_export(const struct cmd_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++) {
		char *equals = strchr(settings->entry[i], '=');

		*equals = '\0';
		setenv(settings->entry[i], equals + 1, 1);
		*equals = '=';
	}
}

void
cmd_settings_release(struct cmd_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		free(settings->entry[i]);
	free(settings->entry);
	*settings = (struct cmd_settings){ 0 };
}

void
cmd_print_settings(void)
{
	const struct sp_setting *row;

	for (unsigned i = 0; (row = sp_config_setting(i)); i++)
		printf("\n  %s\n      %s\n      takes %s; default: %s\n",
		       row->name, row->help, row->values, row->initial);
}
