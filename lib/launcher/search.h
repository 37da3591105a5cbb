/*
 * Where a launcher's file (known/) looks for what the user asked of it: in the
 * rank's environment, in those of its launchers, and on their command lines.
 */
#ifndef SP_SEARCH_H
#define SP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/environment.h"
#include "launcher/ancestors.h"
#include "rank.h"

struct sp_search {
	char *const *environment;
	const struct sp_ancestor *ancestor;
	size_t n;		/* SP_ANCESTORS_MAX at most */
	const char *title[SP_ANCESTORS_MAX];	/* of each, as sp_ancestors_name; "" instead of NULL */
	bool has_other_nodes;	/* what is visible on one node alone does not decide: sp_job_has_other_nodes */
	struct sp_binding *binding;	/* to be filled in, if bindings are what is searched for */
};

/* rank->from is not NULL; the search has no binding. */
struct sp_search sp_search_begin(const struct sp_rank *rank, char *const environment[], const struct sp_ancestor ancestor[], size_t n);

/* Whether a variable is there, and not empty. */
static inline bool
sp_search_has(char *const environment[], const char *name)
{
	const char *value = sp_environment_value(environment, name);

	return value && *value != '\0';
}

/* words end with NULL. */
static inline bool
sp_search_is_one_of(const char *const words[], const char *word)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

#endif
