#include "hardware/weights.h"

#include <stdio.h>

static unsigned
weight_of(const char *root, uint32_t node)
{
	char path[512];
	unsigned weight = 0;
	FILE *file = NULL;

	if (snprintf(path, sizeof(path), "%s/sys/kernel/mm/mempolicy/weighted_interleave/node%u", root, node) < (int)sizeof(path))
		file = fopen(path, "re");
	if (file && fscanf(file, "%u", &weight) != 1)
		weight = 0;
	if (file)
		fclose(file);
	return weight;
}

bool
sp_weights_differ(const char *root, const struct sp_cpus *nodes)
{
	unsigned first = 0;
	bool differ = false;

	for (uint32_t node = sp_cpus_next(nodes, 0); node != SP_NO_CPU; node = sp_cpus_next(nodes, node + 1)) {
		unsigned weight = weight_of(root, node);

		if (!weight)
			return false;
		differ |= first && weight != first;
		first = weight;
	}
	return differ;
}
