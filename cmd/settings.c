/* Settings given as options: checked by the parser of the environment. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ascii.h"
#include "cmd.h"

#define PREFIX "SPLITPIN"

/* Set by tell_fault for the one setting that is being checked. */
static bool faulty;

/* A run would go on with the initial value; here it ends. */
static void
tell_fault(const char *sentence)
{
	const char *end = strstr(sentence, "; using ");

	cmd_complain("%.*s", end ? (int)(end - sentence) : (int)strlen(sentence), sentence);
	faulty = true;
}

static void
warn(const char *sentence)
{
	cmd_complain("warning: %s", sentence);
}

static char
as_in_a_name(char c)
{
	if (c >= 'a' && c <= 'z')
		return (char)(c - 'a' + 'A');
	return c == '-' ? '_' : c;
}

static bool
has_prefix(const char *name)
{
	const char *rest;

	return sp_ascii_begins(name, "splitpin", &rest) && (*rest == '\0' || *rest == '_' || *rest == '-');
}

static char *
entry_of(const char *name, const char *value)
{
	char *entry = cmd_format("%s%s=%s", has_prefix(name) ? "" : PREFIX "_", name, value);

	for (char *c = entry; *c != '='; c++)
		*c = as_in_a_name(*c);
	return entry;
}

int
cmd_settings_add(struct cmd_settings *settings, const char *name, const char *value)
{
	char **more = cmd_allocate(settings->n + 1, sizeof(*more));
	struct sp_config config;

	for (size_t i = 0; i < settings->n; i++)
		more[i] = settings->entry[i];
	free(settings->entry);
	settings->entry = more;
	more[settings->n] = entry_of(name, value);
	faulty = false;
	sp_config_read(&config, (char *[]){ more[settings->n++], NULL }, tell_fault);
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
	sp_config_read(config, all, warn);
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
		printf("\n  %s\n      %s\n      takes %s; initially %s\n",
		       row->name, row->help, row->values, row->initial);
}
