#include "numa/weights.h"

#include <stdio.h>

#include "base/sysfs_file.h"

/* 0: the kernel has none. */
static long
weight_of(const char *root, uint32_t node)
{
	char path[128];
	long weight = 0;

	snprintf(path, sizeof(path), "/sys/kernel/mm/mempolicy/weighted_interleave/node%u", node);
	sp_sysfs_number(root, path, &weight);
	return weight;
}

bool
sp_weights_differ(const char *root, const struct sp_cpus *nodes)
{
	long first = 0;
	bool differ = false;

	for (uint32_t node = sp_cpus_next(nodes, 0); node != SP_NO_CPU; node = sp_cpus_next(nodes, node + 1)) {
		long weight = weight_of(root, node);

		if (!weight)
			return false;
		differ |= first && weight != first;
		first = weight;
	}
	return differ;
}
