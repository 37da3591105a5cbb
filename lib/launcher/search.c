#include "launcher/search.h"

#include "base/order.h"
#include "launcher/job.h"

struct sp_search
sp_search_begin(const struct sp_rank *rank, char *const environment[], const struct sp_ancestor ancestor[], size_t n)
{
	struct sp_search search = {
		.environment = environment,
		.ancestor = ancestor,
		.n = sp_smaller(n, SP_ANCESTORS_MAX),
		.has_other_nodes = sp_job_has_other_nodes(rank, environment),
	};

	for (size_t i = 0; i < search.n; i++) {
		const char *name = sp_ancestors_name(ancestor[i].arguments, ancestor[i].length);

		search.title[i] = name ? name : "";
	}
	return search;
}
