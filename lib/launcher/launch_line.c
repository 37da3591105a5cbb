#include "launcher/launch_line.h"

#include <string.h>

#include "base/ascii.h"
#include "launcher/syntax.h"

void
sp_reading_take_variable(const struct sp_reading *reading, const char *entry, size_t length)
{
	const char *equals = memchr(entry, '=', length);

	if (equals)
		reading->visit(entry, (size_t)(equals - entry), equals + 1, (size_t)(entry + length - equals - 1), reading->data);
}

void
sp_reading_take_variables(const struct sp_reading *reading, const char *list, const char *between)
{
	for (const char *at = list; *at; at += strcspn(at, between), at += strspn(at, between))
		sp_reading_take_variable(reading, at, strcspn(at, between));
}

void
sp_reading_take_number(const char *text, uint32_t *number)
{
	uint64_t n;

	if (text && sp_ascii_digits(text, &n) && n <= UINT32_MAX)
		*number = (uint32_t)n;
}

void
sp_reading_take_pair(const struct sp_reading *reading, const struct sp_option *option, const char *name)
{
	if (!sp_option_is(option, name) || !option->value)
		return;
	if (option->second)
		reading->visit(option->value, strlen(option->value), option->second, strlen(option->second), reading->data);
	else
		sp_reading_take_variable(reading, option->value, strlen(option->value));
}

void
sp_launch_shared(const struct sp_launch *launch, sp_variable_visitor *visit, void *data)
{
	const struct sp_reading reading = { .is_x_shared = launch->is_x_shared, .visit = visit, .data = data };
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, launch->syntax, launch->arguments, launch->length);
	while (launch->syntax->read_shared && sp_options_next(&options, &option))
		launch->syntax->read_shared(&reading, &option);
}

/* The length of the part, up to the ':'.  The ':' precedes the next part as the launcher's name precedes the first. */
static size_t
length_of_part(const struct sp_launch *launch)
{
	struct sp_words words = { launch->arguments, launch->arguments + launch->length };
	const char *word = sp_words_next(&words);

	while (word && (word = sp_words_next(&words)) && strcmp(word, ":") != 0)
		continue;
	return word ? (size_t)(word - launch->arguments) : launch->length;
}

bool
sp_launch_next(struct sp_launch *launch, struct sp_part_of_launch *part, sp_variable_visitor *visit, void *data)
{
	const struct sp_reading reading = { .part = part, .visit = visit, .data = data };
	struct sp_options options;
	struct sp_option option;
	size_t length = length_of_part(launch);

	if (!length || launch->arguments[launch->length - 1] != '\0')
		return false;
	*part = (struct sp_part_of_launch){ .ranks = 0 };
	sp_options_begin(&options, launch->syntax, launch->arguments, length);
	while (sp_options_next(&options, &option)) {
		launch->syntax->read_own(&reading, &option);
		part->is_elsewhere |= sp_option_is_one_of(&option, launch->syntax->elsewhere);
	}
	launch->arguments += length;
	launch->length -= length;
	part->program = (struct sp_words){ options.program ? options.program : launch->arguments, launch->arguments };
	return true;
}
