#include <string.h>

#include "launcher/options.h"
#include "launcher/search.h"
#include "launcher/syntax.h"

bool
sp_option_is(const struct sp_option *option, const char *name)
{
	return strlen(name) == option->length && strncmp(name, option->name, option->length) == 0;
}

/* Go behind the ':' that ends a program's arguments. */
static void
skip_program(struct sp_options *options)
{
	for (const char *word; (word = sp_words_next(&options->words)); )
		if (strcmp(word, ":") == 0)
			return;
}

void
sp_options_begin(struct sp_options *options, const struct sp_syntax *syntax, const char *arguments, size_t length)
{
	bool is_whole = length > 0 && arguments[length - 1] == '\0';

	*options = (struct sp_options){
		.syntax = syntax,
		.words = { arguments, is_whole ? arguments + length : arguments },
		.is_incomplete = !is_whole,
	};
	sp_words_next(&options->words);
}

/* Find the option's row: what it says, and how many values it takes. */
static int
look_up(const struct sp_syntax *syntax, struct sp_option *option)
{
	const struct sp_takes *takes = syntax->takes;

	while (takes->name[0] && !sp_option_is(option, takes->name))
		takes++;
	option->says = takes->says;
	return takes->name[0] ? takes->values : syntax->others_take_one ? 1 : SP_UNKNOWN;
}

static void
take_values(struct sp_options *options, struct sp_option *option, int values)
{
	for (int i = 0; i < values; i++) {
		const char *value = sp_words_next(&options->words);

		if (i == 0)
			option->value = value;
		else if (i == 1)
			option->second = value;
		if (values == 2 && options->syntax->may_pair && value && strchr(value, '='))
			return;
	}
}

/* The word behind an unknown option may be its value or the program. */
static void
doubt(struct sp_options *options)
{
	if (options->words.at < options->words.end && *options->words.at != '-')
		options->is_incomplete = true;
}

static void
read_long(struct sp_options *options, struct sp_option *option)
{
	const char *equals = strchr(option->name, '=');

	option->length = equals ? (size_t)(equals - option->name) : strlen(option->name);
	int values = look_up(options->syntax, option);
	if (option->says & SP_SAYS_OPTIONS)
		options->is_incomplete = true;
	if (equals)
		option->value = equals + 1;
	else if (values == SP_UNKNOWN)
		doubt(options);
	if (equals && values == 2)
		option->second = sp_words_next(&options->words);
	else if (!equals)
		take_values(options, option, values);
}

/* "-n4", "-n 4", "-lun 4": letters before the one with a value are skipped. */
static void
read_letters(struct sp_options *options, struct sp_option *option)
{
	const char *without = options->syntax->letters, *attached = options->syntax->attached;

	while (option->name[1] != '\0' && strchr(without, option->name[0]))
		option->name++;
	option->length = 1;
	look_up(options->syntax, option);
	if (option->name[1] != '\0')
		option->value = option->name + 1;
	else if (!strchr(without, option->name[0]) && !strchr(attached, option->name[0]))
		option->value = sp_words_next(&options->words);
}

/* Behind "--" the next word is the program. */
static void
note_program(struct sp_options *options, const char *word)
{
	if (strcmp(word, "--") == 0)
		word = options->words.at < options->words.end ? options->words.at : NULL;
	if (!options->program)
		options->program = word;
}

bool
sp_options_next(struct sp_options *options, struct sp_option *option)
{
	const char *word;

	while ((word = sp_words_next(&options->words))) {
		if (strcmp(word, ":") == 0)	/* options without a program */
			continue;
		if (word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0) {
			note_program(options, word);
			skip_program(options);
			continue;
		}
		bool is_long = word[1] == '-';

		*option = (struct sp_option){ .word = word, .name = word + 1 + is_long };
		if (options->syntax->letters && !is_long)
			read_letters(options, option);
		else
			read_long(options, option);
		return true;
	}
	return false;
}
