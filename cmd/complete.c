#include "cmd/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

/* A line, and what has been offered for its last word. */
struct line {
	const struct cmd_usage *usage;
	char *const *word;
	size_t n;		/* the last of them is completed */
	size_t offered;
};

/* The word to complete; "=" is the end of what bash has made of "--format=". */
static const char *
last_of(const struct line *line)
{
	const char *last = line->word[line->n - 1];

	return strcmp(last, "=") == 0 ? "" : last;
}

/* Print it if it begins as the last word does; front: what of that stands in front of it, such as "--format=". */
static void
offer(struct line *line, const char *front, const char *word, size_t length, const char *help)
{
	const char *last = last_of(line);
	size_t n = strlen(front);

	if (strlen(last) > n + length || strncmp(last + n, word, strlen(last + n)) != 0)
		return;
	printf("%s%.*s\t%.*s\n", front, (int)length, word, (int)strcspn(help, ";:(\n"), help);
	line->offered++;
}

static void
offer_words(struct line *line, const char *front, const char *words)
{
	for (size_t n; *words; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		if (strncmp(words, "<file>", n) == 0 || strncmp(words, "<program>", n) == 0)
			printf("%.*s\t\n", (int)n, words);
		else if (*words != '<')
			offer(line, front, words, n, "");
	}
}

/* Of "auto, l3 or core, or one CPU list per rank" the single words. */
static void
offer_values(struct line *line, const char *front, const char *values)
{
	while (*values) {
		const char *or = strstr(values, " or ");
		size_t n = strcspn(values, ","), word = strspn(values, "abcdefghijklmnopqrstuvwxyz0123456789:");

		n = or && (size_t)(or - values) < n ? (size_t)(or - values) : n;
		if (word && word == n)
			offer(line, front, values, n, "");
		values += n;
		values += strspn(values, ", ");
		values += strncmp(values, "or ", 3) == 0 ? 3 : 0;
	}
}

/* The setting of an option's name without dashes; NULL: there is none. */
static const struct sp_setting *
setting_of(const char *name, size_t length)
{
	const struct sp_setting *row;

	for (unsigned i = 1; (row = sp_config_setting(i)); i++) {
		char *option = cmd_settings_option(row);
		bool is = strlen(option) == length && strncmp(option, name, length) == 0;

		free(option);
		if (is)
			return row;
	}
	return NULL;
}

static const struct cmd_option *
option_of(const struct cmd_usage *usage, const char *word)
{
	size_t length = strcspn(word, "=");

	for (const struct cmd_option *row = usage->options; row->name; row++)
		if (word[1] == '-' ? strlen(row->name) == length - 2 && strncmp(row->name, word + 2, length - 2) == 0 :
		    row->letter && word[1] == row->letter)
			return row;
	return NULL;
}

/* What an option takes, and whether its value may be missing. */
static bool
find_value(const struct cmd_usage *usage, const char *word, const struct cmd_option **option, const struct sp_setting **setting)
{
	bool is_long = word[1] == '-';

	*option = option_of(usage, word);
	*setting = !*option && usage->has_settings && is_long ? setting_of(word + 2, strcspn(word + 2, "=")) : NULL;
	if (*option)
		return (*option)->argument != NULL && (*option)->argument[1] != '=';
	return *setting;
}

/* The values of the option in front of the last word, or in it: "--format=". */
static void
offer_value(struct line *line, const char *word, const char *front)
{
	const struct cmd_option *option;
	const struct sp_setting *setting;

	find_value(line->usage, word, &option, &setting);
	if (option)
		offer_words(line, front, option->words ? option->words : "");
	else if (setting)
		offer_values(line, front, setting->values);
}

static void
offer_options(struct line *line)
{
	const struct sp_setting *row;

	for (const struct cmd_option *option = line->usage->options; option->name; option++) {
		char *name = cmd_format("--%s", option->name);

		offer(line, "", name, strlen(name), option->help);
		free(name);
	}
	offer(line, "", "--help", 6, "list the options");
	if (!line->usage->has_settings)
		return;
	for (unsigned i = 1; (row = sp_config_setting(i)); i++) {
		char *name = cmd_settings_option(row), *option = cmd_format("--%s", name);

		if (!option_of(line->usage, option))
			offer(line, "", option, strlen(option), row->help);
		free(option);
		free(name);
	}
}

/* Whether an option's value may be missing: then it is the next word only if it may be one. */
static bool
may_be_missing(const struct cmd_option *option, const struct sp_setting *setting)
{
	return option ? option->argument && option->argument[0] == '[' : setting && cmd_settings_is_switch(setting);
}

static bool
may_take(const struct cmd_option *option, const struct sp_setting *setting, const char *word)
{
	return option ? cmd_is_among(option->words, word) : cmd_settings_may_take(setting, word);
}

/*
 * Pass the options in front of the last word.  Returns the index of the first other
 * word, n - 1 if that is the last one, or n: its value was offered.
 */
static size_t
pass_options(struct line *line)
{
	const struct cmd_option *option;
	const struct sp_setting *setting;

	for (size_t i = 1; i + 1 < line->n; i++) {
		const char *word = line->word[i];

		if (strcmp(word, "--") == 0)
			return i + 1;
		if (word[0] != '-' && strcmp(word, ":") != 0)
			return i;
		if (word[0] != '-' || strchr(word, '=') || (word[1] != '-' && word[2]) || !find_value(line->usage, word, &option, &setting))
			continue;
		bool is_optional = may_be_missing(option, setting);
		/* bash makes three words of "--format=json". */
		if (i + 2 < line->n && strcmp(line->word[i + 1], "=") == 0)
			i++;
		if (i + 2 < line->n) {
			i += !is_optional || may_take(option, setting, line->word[i + 1]);
			continue;
		}
		offer_value(line, word, "");
		return is_optional && !line->offered ? line->n - 1 : line->n;
	}
	return line->n - 1;
}

static void
complete_options(struct line *line)
{
	const char *last = line->word[line->n - 1], *equals = strchr(last, '=');
	size_t first = pass_options(line);
	const char *operand = line->usage->operand;

	if (first == line->n)
		return;
	if (operand && first + 1 < line->n) {
		printf("%s %zu\n", operand, first);
	} else if (last[0] == '-' && last[1] == '-' && equals) {
		char *front = cmd_format("%.*s", (int)(equals + 1 - last), last);

		offer_value(line, front, front);
		free(front);
	} else if (last[0] == '-' || !operand) {
		offer_options(line);
	} else {
		printf("%s %zu\n", operand, first);
	}
}

void
complete_print(const struct cmd_command commands[], size_t ncommands, char *const word[], size_t n)
{
	struct line line = { .word = word, .n = n };
	bool is_help = n == 2 && strcmp(word[0], "help") == 0;

	for (size_t i = 0; i < ncommands; i++) {
		if (commands[i].summary && (n == 1 || (is_help && commands[i].usage)))
			offer(&line, "", commands[i].name, strlen(commands[i].name), commands[i].summary);
		if (n > 1 && strcmp(word[0], commands[i].name) == 0)
			line.usage = commands[i].usage;
	}
	if (is_help)
		offer(&line, "", "settings", strlen("settings"), "all settings");
	/* "splitpin survey report" has the options of that. */
	for (const struct cmd_usage *const *part = line.usage ? line.usage->parts : NULL; part && *part; part++) {
		const char *name = cmd_part_name(*part);

		if (n == 2)
			offer(&line, "", name, strlen(name), (*part)->about);
		else if (strcmp(word[1], name) == 0)
			line = (struct line){ .usage = *part, .word = word + 1, .n = n - 1 };
	}
	if (line.usage)
		complete_options(&line);
}
