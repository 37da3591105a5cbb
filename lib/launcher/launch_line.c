#include "launcher/launch_line.h"

#include <string.h>

#include "base/ascii.h"
#include "launcher/syntax.h"

/* "NAME=VALUE"; the value of a bare NAME is in the launcher's environment, if anywhere. */
static void
take_variable(const struct sp_reading *reading, const char *entry, size_t length)
{
	const char *equals = memchr(entry, '=', length);

	if (equals && reading->visit)
		reading->visit(entry, (size_t)(equals - entry), equals + 1, (size_t)(entry + length - equals - 1), reading->data);
}

/* Several, with any of the characters of between between them. */
static void
take_variables(const struct sp_reading *reading, const char *list, const char *between)
{
	for (const char *at = list; *at; at += strcspn(at, between), at += strspn(at, between))
		take_variable(reading, at, strcspn(at, between));
}

/* "2" of "2-4", "2:1"; text may be NULL, and number stays without one. */
static void
take_number(const char *text, uint32_t *number)
{
	uint64_t n;

	if (text && sp_ascii_digits(text, &n) && n <= UINT32_MAX)
		*number = (uint32_t)n;
}

/* "-env NAME VALUE", "-env NAME=VALUE". */
static void
take_pair(const struct sp_reading *reading, const struct sp_option *option)
{
	if (!reading->visit)
		return;
	if (option->value && option->second)
		reading->visit(option->value, strlen(option->value), option->second, strlen(option->second), reading->data);
	else if (option->value)
		take_variable(reading, option->value, strlen(option->value));
}

void
sp_reading_take_own(const struct sp_reading *reading, const struct sp_option *option)
{
	struct sp_part_of_launch *part = reading->part;

	if (option->says & SP_SAYS_RANKS)
		take_number(option->value, &part->ranks);
	if (option->says & SP_SAYS_NODES)
		take_number(option->value, &part->nodes);
	if (option->says & SP_SAYS_A_NODE)
		take_number(option->value, &part->a_node);
	if (option->says & SP_SAYS_ONE_A_NODE)
		part->a_node = 1;
	if ((option->says & SP_SAYS_MAPPING) && option->value && strncmp(option->value, "ppr:", 4) == 0 && strstr(option->value, ":node"))
		take_number(option->value + 4, &part->a_node);
	if ((option->says & SP_SAYS_VARIABLE) && option->value)
		take_variable(reading, option->value, strlen(option->value));
	if ((option->says & SP_SAYS_VARIABLES) && option->value)
		take_variables(reading, option->value, ",");
	if (option->says & SP_SAYS_FOLDER)
		part->folder = option->value;
	if (option->says & SP_SAYS_PAIR)
		take_pair(reading, option);
	part->has_hosts |= (option->says & SP_SAYS_HOSTS) != 0;
}

/* Open MPI's parameter has a list of variables for all. */
void
sp_reading_take_shared(const struct sp_reading *reading, const struct sp_option *option)
{
	if (option->says & SP_SAYS_PAIR_FOR_ALL)
		take_pair(reading, option);
	else if ((option->says & SP_SAYS_PARAMETER) && option->second && strcmp(option->value, "mca_base_env_list") == 0)
		take_variables(reading, option->second, ";");
	else if (reading->is_x_shared && (option->says & SP_SAYS_VARIABLE) && option->value)
		take_variable(reading, option->value, strlen(option->value));
}

void
sp_launch_shared(const struct sp_launch *launch, sp_variable_visitor *visit, void *data)
{
	const struct sp_reading reading = { .is_x_shared = launch->is_x_shared, .visit = visit, .data = data };
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, launch->syntax, launch->arguments, launch->length);
	while (sp_options_next(&options, &option))
		sp_reading_take_shared(&reading, &option);
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
		sp_reading_take_own(&reading, &option);
		part->is_elsewhere |= (option.says & SP_SAYS_PROGRAMS) != 0;
	}
	launch->arguments += length;
	launch->length -= length;
	part->program = (struct sp_words){ options.program ? options.program : launch->arguments, launch->arguments };
	return true;
}
