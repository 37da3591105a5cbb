#include "pinned.h"

#include "process/pinned.h"

int __real_sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned);
int __wrap_sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned);

bool pinned_is_looked_for;

int
__wrap_sp_pinned_by_others(const struct sp_pinned_search *search, struct sp_pinned *pinned)
{
	static const struct sp_pinned nothing;

	if (pinned_is_looked_for)
		return __real_sp_pinned_by_others(search, pinned);
	*pinned = nothing;
	return 0;
}
