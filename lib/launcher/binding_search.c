#include "launcher/binding_search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"

/* Values are the user's and may hold anything. */
__attribute__((format(printf, 3, 4))) void
sp_binding_answer(const struct sp_binding_search *search, enum sp_asked asked, const char *format, ...)
{
	struct sp_binding *binding = search->binding;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(binding->evidence, sizeof(binding->evidence), format, arguments);
	va_end(arguments);
	for (char *c = binding->evidence; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	binding->asked = asked;
}

void
sp_binding_answer_below(const struct sp_binding_search *search, const char *launcher)
{
	sp_binding_answer(search, SP_ASKED_YES, "not bound by %s, but by something it started", launcher);
	search->binding->is_below = true;
}

bool
sp_binding_is_set(char *const environment[], const char *name)
{
	const char *value = sp_environment_value(environment, name);

	return value && *value != '\0';
}

const char *
sp_binding_title(const struct sp_ancestor *ancestor)
{
	const char *name = sp_ancestors_name(ancestor->arguments, ancestor->length);

	return name ? name : "";
}

bool
sp_binding_is_one_of(const char *const words[], const char *word)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

/* "mpirun has --bind-to core" */
static void
answer_option(const struct sp_binding_search *search, const struct sp_ancestor *ancestor, const struct sp_option *option)
{
	bool is_apart = option->value && (option->value < option->word || option->value > option->word + strlen(option->word));

	sp_binding_answer(search, SP_ASKED_YES, "%s has %s%s%s%s%s", sp_binding_title(ancestor), option->word,
			  is_apart ? " " : "", is_apart ? option->value : "",
			  option->second ? " " : "", option->second ? option->second : "");
}

bool
sp_binding_look_at_options(const struct sp_binding_search *search, const struct sp_ancestor *ancestor, enum sp_syntax syntax,
		bool (*asks)(const struct sp_option *option), bool *is_whole)
{
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, syntax, ancestor->arguments, ancestor->length);
	while (sp_options_next(&options, &option)) {
		if (asks(&option)) {
			answer_option(search, ancestor, &option);
			return true;
		}
	}
	*is_whole = !options.is_incomplete;
	return false;
}
