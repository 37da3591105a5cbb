#include "launcher/binding.h"

#include <string.h>

#include "launcher/binding_search.h"
#include "launcher/known/known.h"

/* "--bind-to none" cannot be why a mask is narrow. */
static bool
is_none(const struct sp_launcher_details *details, const char *evidence)
{
	const char *none = strstr(evidence, "none");

	if (details->unbound && strcmp(evidence, details->unbound) == 0)
		return true;
	if (!none || none == evidence)
		return false;
	return strchr(" =\"", none[-1]) && strchr(",\"", none[4]);
}

void
sp_binding_find(const struct sp_rank *rank, char *const environment[],
		const struct sp_ancestor ancestor[], size_t n, struct sp_binding *binding)
{
	*binding = (struct sp_binding){ .asked = SP_ASKED_UNKNOWN };
	if (!rank->from)
		return;
	const struct sp_launcher_details *details = sp_launcher_details_of(sp_launcher_of_rank(rank, environment));
	struct sp_search search = sp_search_begin(rank, environment, ancestor, n);

	search.binding = binding;
	if (details->find_binding)
		details->find_binding(&search);
	else
		sp_binding_answer(&search, SP_ASKED_UNKNOWN, "the launcher does not say");
	if (details->binder && binding->asked == SP_ASKED_YES && is_none(details, binding->evidence))
		sp_binding_answer_below(&search, details->binder);
}
