#include "launcher/binding_search.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Values are the user's and may hold anything. */
__attribute__((format(printf, 3, 4))) void
sp_binding_answer(const struct sp_search *search, enum sp_asked asked, const char *format, ...)
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
sp_binding_answer_below(const struct sp_search *search, const char *launcher)
{
	sp_binding_answer(search, SP_ASKED_YES, "not bound by %s, but by something it started", launcher);
	search->binding->is_below = true;
}

/* "mpirun has --bind-to core" */
static void
answer_option(const struct sp_search *search, size_t i, const struct sp_option *option)
{
	bool is_apart = option->value && (option->value < option->word || option->value > option->word + strlen(option->word));

	sp_binding_answer(search, SP_ASKED_YES, "%s has %s%s%s%s%s", search->title[i], option->word,
			  is_apart ? " " : "", is_apart ? option->value : "",
			  option->second ? " " : "", option->second ? option->second : "");
}

bool
sp_binding_look_at_options(const struct sp_search *search, size_t i, const struct sp_syntax *syntax,
			   bool (*asks)(const struct sp_option *option), bool *is_whole)
{
	const struct sp_ancestor *ancestor = &search->ancestor[i];
	struct sp_options options;
	struct sp_option option;

	sp_options_begin(&options, syntax, ancestor->arguments, ancestor->length);
	while (sp_options_next(&options, &option)) {
		if (asks(&option)) {
			answer_option(search, i, &option);
			return true;
		}
	}
	*is_whole = !options.is_incomplete;
	return false;
}
