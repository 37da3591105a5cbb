/* What launchers take for yes and no. */
#ifndef SP_TRUTH_H
#define SP_TRUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ascii.h"

static inline bool
sp_is_true(const char *value)
{
	static const char *const noes[] = { "", "0", "false", "no", "f", "n" };
	const char *end;

	for (size_t i = 0; i < sizeof(noes) / sizeof(noes[0]); i++)
		if (sp_ascii_begins(value, noes[i], &end) && *end == '\0')
			return false;
	return true;
}

#endif
