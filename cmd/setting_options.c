#include "cmd/setting_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "cmd/cmd.h"
#include "cmd/terminal.h"
#include "settings/settings.h"

#define NAME 256
#define COMMON 10		/* settings that most users need are the first of the table */
#define FIRST_OPTION 0x1000	/* the value of the first setting's option */

/* A rank ignores a wrong value with a warning, and says at the end what it uses instead; here it is an error. */
static void
refuse(void *data, const char *sentence)
{
	const char *end = strrchr(sentence, ';');
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
	more[settings->n] = cmd_format("%s=%s", name, value);
	sp_config_read(&config, (char *[]){ more[settings->n++], NULL }, refuse, &faulty);
	return faulty ? CMD_USAGE : 0;
}

static bool
is_taken(const struct option *options, const char *name)
{
	for (; options->name; options++)
		if (strcmp(options->name, name) == 0)
			return true;
	return false;
}

char *
cmd_settings_option(const struct sp_setting *row)
{
	char *name = cmd_format("%s", row->name + strlen("SPLITPIN_"));

	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : sp_ascii_lower(*c);
	return name;
}

bool
cmd_settings_is_switch(const struct sp_setting *row)
{
	return strncmp(row->values, "0 or 1", strlen("0 or 1")) == 0 || strncmp(row->values, "0, 1", strlen("0, 1")) == 0;
}

/* The first row is SPLITPIN itself. */
void
cmd_settings_options(struct option options[CMD_OPTIONS], size_t n)
{
	const struct sp_setting *row;

	for (unsigned i = 1; (row = sp_config_setting(i)) && n + 1 < CMD_OPTIONS; i++) {
		char *name = cmd_settings_option(row);

		options[n] = (struct option){ .name = NULL };
		if (is_taken(options, name)) {
			free(name);
			continue;
		}
		options[n++] = (struct option){
			.name = name, .val = FIRST_OPTION + (int)i,
			.has_arg = cmd_settings_is_switch(row) ? optional_argument : required_argument };
	}
	options[n] = (struct option){ .name = NULL };
}

void
cmd_settings_release_options(struct option options[CMD_OPTIONS])
{
	for (; options->name; options++)
		if (options->val >= FIRST_OPTION)
			free((char *)options->name);
}

/* A machine for --dryrun, which no program is called: "pack:2 core:4", or a file in hwloc's XML. */
static bool
is_machine(const char *word)
{
	const char *dot = strrchr(word, '.');

	return (strchr(word, ':') || (dot && strcmp(dot, ".xml") == 0)) && !cmd_is_program(word);
}

static bool
is_digit(const char *word)
{
	return strcmp(word, "0") == 0 || strcmp(word, "1") == 0;
}

bool
cmd_settings_may_take(const struct sp_setting *row, const char *word)
{
	static const char *const names[] = { "on", "off", "yes", "no", "true", "false", "memory" };
	bool is = is_digit(word) || is_machine(word);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= strcmp(word, names[i]) == 0;
	return is && !sp_config_expects(row, word);
}

/* Whether the word behind an option such as --debug is its value; a word that may be a program is one only if another word follows. */
static bool
is_value(const struct sp_setting *row, char *const words[])
{
	return words[0] && (is_digit(words[0]) || (words[1] && cmd_settings_may_take(row, words[0])));
}

int
cmd_settings_take(struct cmd_settings *settings, int option, char *const argv[])
{
	const struct sp_setting *row = option > FIRST_OPTION ? sp_config_setting((unsigned)(option - FIRST_OPTION)) : NULL;
	const char *value = optarg;

	if (!row)
		return -1;
	if (!value && is_value(row, argv + optind))
		value = argv[optind++];
	return cmd_settings_add(settings, row->name, value ? value : "1");
}

/*
 * Without a program sections do not count; a plan is made even if the site has
 * switched splitpin off.
 */
static void
read_over_site(char *const environment[], struct sp_config *config)
{
	struct sp_settings settings;
	char why[SP_SITE_WHY];

	sp_settings_read(&settings, environment, NULL, warn, NULL);
	sp_site_summarise(&settings.site, warn, NULL);
	*config = sp_settings_keep(&settings);
	if (sp_settings_line(&settings, 0) || sp_site_forbids(&settings.site, why))
		config->on = true;
	sp_settings_release(&settings);
}

/* The first of two entries for a setting counts, so the last option is put first. */
void
cmd_settings_read(const struct cmd_settings *settings, struct sp_config *config)
{
	size_t others = sp_strings_count(environ);
	char **all = cmd_allocate(settings->n + others + 1, sizeof(*all));

	for (size_t i = 0; i < settings->n; i++)
		all[i] = settings->entry[settings->n - 1 - i];
	if (others)
		memcpy(all + settings->n, environ, others * sizeof(*all));
	read_over_site(all, config);
	free(all);
}

void
cmd_settings_tell_team(const struct sp_omp_env *omp_env)
{
	if (omp_env->team_announced && omp_env->team == 0)
		cmd_complain("warning: OMP_NUM_THREADS=%s is wrong: use a number from 1 up, or one for each nested level, such as 4,2",
			     getenv("OMP_NUM_THREADS"));
}

void
cmd_settings_export(const struct cmd_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		cmd_export(settings->entry[i]);
}

void
cmd_settings_release(struct cmd_settings *settings)
{
	for (size_t i = 0; i < settings->n; i++)
		free(settings->entry[i]);
	free(settings->entry);
	*settings = (struct cmd_settings){ 0 };
}

bool
cmd_print_settings(const char *name)
{
	const struct sp_setting *row;
	char variable[NAME] = "";
	bool is_any = false;

	if (name)
		sp_config_name(name, strlen(name), variable, sizeof(variable));
	for (unsigned i = 0; (row = sp_config_setting(i)); i++) {
		if (name && strcmp(row->name, variable) != 0)
			continue;
		is_any = true;
		char *text = cmd_format("\n  %s\n      %s\n      takes %s; default: %s\n", row->name, row->help, row->values,
					row->initial);

		terminal_print_help(text);
		free(text);
	}
	return is_any;
}

/* The first rows; of their help what stands before an explanation. */
void
cmd_print_common_settings(void)
{
	for (unsigned i = 0; i < COMMON; i++) {
		const struct sp_setting *row = sp_config_setting(i);

		printf("  %-20s  %.*s\n", row->name, (int)strcspn(row->help, ";:("), row->help);
	}
}

/* Where it is switched off, or to observe: the environment, or the site's files. */
char *
cmd_why_off(const struct sp_settings *settings)
{
	const struct sp_site_setting *line = sp_settings_line(settings, 0);
	char why[SP_SITE_WHY], origin[SP_SITE_ORIGIN];

	if (settings->config.on && !settings->config.observe)
		return NULL;
	if (sp_site_forbids(&settings->site, why))
		return cmd_format("switched off by %s", why);
	const char *what = settings->config.observe ? "made to observe alone by" : "switched off by";
	if (!line)
		return cmd_format("%s SPLITPIN=%s in the environment", what, settings->config.observe ? "observe" : "off");
	return cmd_format("%s %s", what, sp_site_origin(&settings->site, line, ", ", origin));
}
