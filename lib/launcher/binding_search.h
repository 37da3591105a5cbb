/*
 * What binding.c and binding_openmpi.c have in common: a launcher's finder looks at the rank's
 * environment, at those of its launchers and at their command lines, and answers.
 */
#ifndef SP_BINDING_SEARCH_H
#define SP_BINDING_SEARCH_H

#include "launcher/binding.h"
#include "launcher/options.h"

struct sp_binding_search {
	char *const *environment;
	const struct sp_ancestor *ancestor;
	size_t n;
	bool has_other_nodes;	/* what is visible on one node alone does not decide: sp_job_has_other_nodes */
	struct sp_binding *binding;
};

/* Fill in the binding; the evidence is cut where it is too long, and its control characters are replaced. */
void sp_binding_answer(const struct sp_binding_search *search, enum sp_asked asked, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Answer that not this launcher, but a program that it started, has bound the rank. */
void sp_binding_answer_below(const struct sp_binding_search *search, const char *launcher);

/* Whether an option on this command line asks for a binding; if so, fill in the answer.  *is_whole: no option can have been missed. */
bool sp_binding_look_at_options(const struct sp_binding_search *search, const struct sp_ancestor *ancestor, enum sp_syntax syntax,
				bool (*asks)(const struct sp_option *option), bool *is_whole);

/* As sp_ancestors_name, "" instead of NULL. */
const char *sp_binding_title(const struct sp_ancestor *ancestor);

/* Whether a variable is there, and not empty. */
bool sp_binding_is_set(char *const environment[], const char *name);

bool sp_binding_is_one_of(const char *const words[], const char *word);

/* Of Open MPI, and of prterun alone (binding_openmpi.c). */
void sp_binding_find_openmpi(const struct sp_binding_search *search);
void sp_binding_find_prrte(const struct sp_binding_search *search);

#endif
