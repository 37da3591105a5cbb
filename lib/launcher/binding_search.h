/* How a launcher's file (known/) answers who asked for a binding. */
#ifndef SP_BINDING_SEARCH_H
#define SP_BINDING_SEARCH_H

#include <stdbool.h>

#include "launcher/binding.h"
#include "launcher/options.h"
#include "launcher/search.h"

/* Fill in the binding; the evidence is cut where it is too long, and its control characters are replaced. */
void sp_binding_answer(const struct sp_search *search, enum sp_asked asked, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Answer that not this launcher, but a program that it started, has bound the rank. */
void sp_binding_answer_below(const struct sp_search *search, const char *launcher);

/* Whether an option on the command line of ancestor i asks for a binding; if so, fill in the answer.  *is_whole: no option can have been missed. */
bool sp_binding_look_at_options(const struct sp_search *search, size_t i, const struct sp_syntax *syntax,
				bool (*asks)(const struct sp_option *option), bool *is_whole);

/* Whether an option of mpiexec asks for a binding; if so, the answer is filled in. */
bool sp_hydra_launchers_ask(const struct sp_search *search);

#endif
