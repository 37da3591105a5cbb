#include "cmd/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/fold.h"
#include "cmd/terminal.h"

#define OWN 256			/* the value of the first option of a table */
#define WIDEST 24		/* columns of an option in front of its help; what is wider stands above it */

enum { HELP = 1, JSON };	/* options that no table has */

/* What getopt_long reads, of all options of a command. */
struct parser {
	struct option option[CMD_OPTIONS];
	char letters[2 * CMD_OPTIONS];
};

static int
kind_of(const struct cmd_option *row)
{
	return !row->argument ? no_argument : row->argument[0] == '[' ? optional_argument : required_argument;
}

static const struct cmd_option *
row_named(const struct cmd_usage *usage, const char *name)
{
	for (const struct cmd_option *row = usage->options; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static void
add(struct parser *parser, size_t *n, const char *name, int kind, int value)
{
	if (*n + 1 < CMD_OPTIONS)
		parser->option[(*n)++] = (struct option){ name, kind, NULL, value };
}

static void
make_parser(const struct cmd_usage *usage, struct parser *parser)
{
	size_t n = 0;
	char *letter = parser->letters;

	/* A "+" has getopt stop at the first other word. */
	if (usage->operand)
		*letter++ = '+';
	letter = stpcpy(letter, ":h");
	for (const struct cmd_option *row = usage->options; row->name; row++) {
		add(parser, &n, row->name, kind_of(row), OWN + (int)(row - usage->options));
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->argument)
			*letter++ = ':';
	}
	*letter = '\0';
	add(parser, &n, "help", no_argument, HELP);
	if (row_named(usage, "format"))
		add(parser, &n, "json", no_argument, JSON);
	parser->option[n] = (struct option){ .name = NULL };
	if (usage->has_settings)
		cmd_settings_options(parser->option, n);
}

bool
cmd_is_among(const char *words, const char *value)
{
	size_t n = strlen(value);

	for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
		if (strcspn(words, " ") == n && strncmp(words, value, n) == 0)
			return true;
	return false;
}

char *
cmd_list_words(const char *words)
{
	char *list = cmd_format("%s", "");

	for (const char *next; *words && *words != '<'; words = next) {
		size_t n = strcspn(words, " ");

		next = words + n + strspn(words + n, " ");
		list = cmd_append(list, *next && *next != '<' ? ", " : " or ", "%.*s", (int)n, words);
	}
	return list;
}

static int
complain_of_value(const struct cmd_option *row, const char *value)
{
	char *list = cmd_list_words(row->words);

	cmd_complain("--%s %s: use %s%s", row->name, value, list, kind_of(row) == optional_argument ? ", or nothing" : "");
	free(list);
	return CMD_USAGE;
}

int
cmd_take_flag(void *field, const char *value)
{
	(void)value;
	*(bool *)field = true;
	return 0;
}

int
cmd_take_is_json(void *field, const char *value)
{
	*(bool *)field = strcmp(value, "json") == 0;
	return 0;
}

int
cmd_take_text(void *field, const char *value)
{
	*(const char **)field = value;
	return 0;
}

int
cmd_take_color(void *field, const char *value)
{
	(void)field;
	terminal_take_color(value);
	return 0;
}

/* "--alone off" is "--alone=off". */
static const char *
next_word(const struct cmd_option *row, char *const argv[])
{
	const char *next = argv[optind];

	return kind_of(row) == optional_argument && row->argument[1] != '=' && next && cmd_is_among(row->words, next) ? argv[optind++] : NULL;
}

static int
take(const struct cmd_option *row, char *const argv[], void *request)
{
	const char *value = optarg ? optarg : next_word(row, argv);

	if (value && row->words && !strchr(row->words, '<') && !cmd_is_among(row->words, value))
		return complain_of_value(row, value);
	return row->take((char *)request + row->field, value);
}

static const struct cmd_option *
row_of(const struct cmd_usage *usage, int option)
{
	if (option >= OWN && option < OWN + CMD_OPTIONS)
		return &usage->options[option - OWN];
	for (const struct cmd_option *row = usage->options; row->name; row++)
		if (row->letter == option)
			return row;
	return NULL;
}

static int
take_option(const struct cmd_usage *usage, int option, char *const argv[], struct cmd_settings *settings, void *request)
{
	int status = usage->has_settings ? cmd_settings_take(settings, option, argv) : -1;
	const struct cmd_option *row = option == JSON ? row_named(usage, "format") : row_of(usage, option);

	if (option == JSON)
		optarg = "json";
	return status >= 0 || !row ? status : take(row, argv, request);
}

/* "--smt -- ./program": what ends the options is no value. */
static bool
is_value_missing(int option, char *const argv[])
{
	if (!optarg || optarg != argv[optind - 1] || strcmp(optarg, "--") != 0)
		return false;
	optind--;
	optopt = option;
	return true;
}

static int
complain(const struct cmd_usage *usage, const struct parser *parser, int option, char *const argv[])
{
	if (option == '?' && usage->explain && usage->explain(usage->name, argv[optind - 1]))
		return CMD_USAGE;
	return cmd_wrong_option(argv, option, parser->option, usage->name);
}

int
cmd_options_read(const struct cmd_usage *usage, int argc, char *argv[], struct cmd_settings *settings, void *request)
{
	struct parser parser = { .letters = "" };
	int option, status = 0;

	make_parser(usage, &parser);
	opterr = 0;
	while (!status && (option = getopt_long(argc, argv, parser.letters, parser.option, NULL)) != -1) {
		if (option == 'h' || option == HELP)
			status = -1;
		else if (option == '?' || option == ':')
			status = complain(usage, &parser, option, argv);
		else if (is_value_missing(option, argv))
			status = cmd_wrong_option(argv, ':', parser.option, usage->name);
		else
			status = take_option(usage, option, argv, settings, request);
	}
	cmd_settings_release_options(parser.option);
	return status;
}

const char *
cmd_part_name(const struct cmd_usage *part)
{
	return strchr(part->name, ' ') + 1;
}

/* "  -n, --ranks RANKS"; the caller's. */
static char *
title_of(const struct cmd_option *row)
{
	const char letter[] = { '-', row->letter, ',', '\0' };
	const char *argument = row->argument ? row->argument : "";

	return cmd_format("  %-3s --%s%s%s", row->letter ? letter : "", row->name, *argument && argument[1] != '=' ? " " : "", argument);
}

static const struct cmd_option settings_rows[] = {
	{ .name = "SETTING", .argument = "VALUE", .help = "a setting: --smt 1; one that takes 0 or 1 needs no value: --debug" },
	{ .name = NULL }
};
static const struct cmd_option help_row[] = { { .name = "help", .letter = 'h', .help = "this text" }, { .name = NULL } };

/* Columns of the options in front of their help. */
static size_t
width_of(const struct cmd_option *row, size_t width)
{
	for (; row->name; row++) {
		char *title = title_of(row);
		size_t n = strlen(title);

		width = n > width && n <= WIDEST ? n : width;
		free(title);
	}
	return width;
}

static void
print_rows(const struct cmd_option *row, size_t width)
{
	for (; row->name; row++) {
		char *title = title_of(row);

		terminal_print_row(title, width + 2, row->help);
		free(title);
	}
}

static void
print_synopsis(const struct cmd_usage *usage)
{
	const char *line = usage->synopsis;

	for (size_t n; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		char *text = cmd_format("%s splitpin %s %.*s", line == usage->synopsis ? "usage:" : "      ", usage->name, (int)n, line);
		char *folded = fold_text(text, 0, 11, terminal_help_width());

		puts(folded);
		free(folded);
		free(text);
	}
}

int
cmd_print_help(const struct cmd_usage *usage)
{
	size_t width = width_of(usage->options, width_of(help_row, usage->has_settings ? width_of(settings_rows, 0) : 0));

	print_synopsis(usage);
	putchar('\n');
	terminal_print_help(usage->about);
	putchar('\n');
	print_rows(usage->options, width);
	if (usage->has_settings)
		print_rows(settings_rows, width);
	print_rows(help_row, width);
	if (usage->has_settings)
		terminal_print_help("\n\"splitpin help settings\" lists the settings.\n");
	if (usage->print_more)
		usage->print_more();
	return cmd_close_output();
}
