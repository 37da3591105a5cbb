#include "launcher/overcommit.h"

#include "launcher/known/known.h"
#include "launcher/search.h"

bool
sp_overcommit_needs_ancestors(const struct sp_rank *rank, char *const environment[])
{
	return sp_launcher_details_of(sp_launcher_of_rank(rank, environment))->has_overcommit_option &&
	       !sp_overcommit_asked(rank, environment, NULL, 0);
}

const char *
sp_overcommit_asked(const struct sp_rank *rank, char *const environment[], const struct sp_ancestor ancestor[], size_t n)
{
	const struct sp_launcher_details *details = sp_launcher_details_of(sp_launcher_of_rank(rank, environment));
	const struct sp_search search = sp_search_begin(rank, environment, ancestor, n);

	return details->find_overcommit ? details->find_overcommit(&search) : NULL;
}
