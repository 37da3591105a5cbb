/* The processes that started a rank. */
#include "launcher/ancestors.h"

int
sp_ancestors_read(pid_t pid, struct sp_ancestor ancestor[], size_t max)
{
	(void)pid;
	(void)ancestor;
	(void)max;
	return 0;
}

void
sp_ancestors_release(struct sp_ancestor ancestor[], size_t n)
{
	(void)ancestor;
	(void)n;
}

const struct sp_ancestor *
sp_ancestors_launcher(const struct sp_ancestor ancestor[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ancestor[i].is_launcher)
			return &ancestor[i];
	return NULL;
}
