#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>
#include <stdlib.h>

#include "numa/weights.h"
#include "memory.h"

#ifndef MPOL_LOCAL
#define MPOL_LOCAL 4		/* libnuma 2.0.12 lacks it */
#endif
#ifndef MPOL_PREFERRED_MANY
#define MPOL_PREFERRED_MANY 5	/* Linux 5.15 */
#endif
#ifndef MPOL_WEIGHTED_INTERLEAVE
#define MPOL_WEIGHTED_INTERLEAVE 6	/* Linux 6.9 */
#endif

static struct bitmask *
mask_of(const struct sp_cpus *nodes)
{
	struct bitmask *mask = numa_allocate_nodemask();

	for (unsigned i = 0; i < mask->size; i++)
		if (sp_cpus_has(nodes, i))
			numa_bitmask_setbit(mask, i);
	return mask;
}

static struct sp_cpus
nodes_of(const struct bitmask *mask)
{
	struct sp_cpus nodes = { 0 };

	for (unsigned i = 0; i < mask->size; i++)
		if (numa_bitmask_isbitset(mask, i))
			sp_cpus_add(&nodes, i);
	return nodes;
}

static int
set(int mode, const struct sp_cpus *nodes)
{
	struct bitmask *mask = mask_of(nodes);
	int error = set_mempolicy(mode, mask->maskp, mask->size + 1) ? -errno : 0;

	numa_bitmask_free(mask);
	return error;
}

/* Prefer these nodes, or the first of them on kernels that can prefer only one. */
static int
prefer(const struct sp_cpus *nodes)
{
	struct sp_cpus first = { 0 };
	int error = set(MPOL_PREFERRED_MANY, nodes);

	if (error != -EINVAL)
		return error;
	sp_cpus_add(&first, sp_cpus_next(nodes, 0));
	return set(MPOL_PREFERRED, &first);
}

/* By weights only if they differ: the kernel knows the nodes' bandwidths, or an administrator has set weights. */
static int
interleave_by_weights(const struct sp_cpus *nodes)
{
	if (sp_weights_differ("", nodes) && set(MPOL_WEIGHTED_INTERLEAVE, nodes) == 0)
		return SP_MEMORY_BY_WEIGHTS;
	return set(MPOL_INTERLEAVE, nodes);
}

/* Set the local policy; on kernels before 3.8 by preferring no node, which means the same. */
static int
set_local(void)
{
	if (set_mempolicy(MPOL_LOCAL, NULL, 0) == 0 || set_mempolicy(MPOL_PREFERRED, NULL, 0) == 0)
		return 0;
	return -errno;
}

int
sp_memory_set(enum sp_memory policy, const struct sp_cpus *nodes)
{
	if (policy == SP_MEMORY_DEFAULT)
		return 0;
	if (numa_available() < 0)
		return -ENOSYS;
	switch (policy) {
	case SP_MEMORY_DEFAULT:
		break;
	case SP_MEMORY_LOCAL:
		return set_local();
	case SP_MEMORY_INTERLEAVE:
	case SP_MEMORY_INTERLEAVE_ALL:
		return set(MPOL_INTERLEAVE, nodes);
	case SP_MEMORY_INTERLEAVE_WEIGHTED:
		return interleave_by_weights(nodes);
	case SP_MEMORY_BIND:
	case SP_MEMORY_HBM_BIND:
		return set(MPOL_BIND, nodes);
	case SP_MEMORY_PREFERRED:
	case SP_MEMORY_HBM:
		return prefer(nodes);
	}
	return 0;
}

int
sp_memory_allowed(struct sp_cpus *nodes)
{
	if (numa_available() < 0)
		return -ENOSYS;
	struct bitmask *allowed = numa_get_mems_allowed();

	*nodes = nodes_of(allowed);
	numa_bitmask_free(allowed);
	return 0;
}

int
sp_memory_inherited(char *text, size_t size)
{
	static const char *const names[] = {
		[MPOL_PREFERRED] = "preferred", [MPOL_BIND] = "bind", [MPOL_INTERLEAVE] = "interleave",
		[MPOL_LOCAL] = "local", [MPOL_PREFERRED_MANY] = "preferred",
		[MPOL_WEIGHTED_INTERLEAVE] = "weighted",
	};
	int mode;

	if (numa_available() < 0)
		return -ENOSYS;
	struct bitmask *mask = numa_allocate_nodemask();
	int error = get_mempolicy(&mode, mask->maskp, mask->size + 1, NULL, 0) ? -errno : 0;
	struct sp_cpus nodes = nodes_of(mask);

	numa_bitmask_free(mask);
	if (error || mode == MPOL_DEFAULT)
		return error;
	bool known = mode > 0 && (size_t)mode < sizeof(names) / sizeof(names[0]);

	int n = snprintf(text, size, "kept:%s%s", known ? names[mode] : "other", sp_cpus_empty(&nodes) ? "" : ":");
	if (n > 0 && (size_t)n < size)
		sp_cpus_format(&nodes, text + n, size - (size_t)n);
	return 0;
}

/*
 * Move the pages of a mapping that has the default policy, and so follows the
 * thread's: setting the same policy again with MPOL_MF_MOVE moves the pages and
 * changes nothing else.
 */
static void
move(unsigned long start, unsigned long end)
{
	int mode;

	if (get_mempolicy(&mode, NULL, 0, (void *)start, MPOL_F_ADDR) == 0 && mode == MPOL_DEFAULT)
		mbind((void *)start, end - start, MPOL_DEFAULT, NULL, 0, MPOL_MF_MOVE);
}

int
sp_memory_move(void)
{
	unsigned long start, end;
	char *line = NULL, mode[5];
	size_t size = 0;
	FILE *maps = numa_available() < 0 ? NULL : fopen("/proc/self/maps", "re");

	if (!maps)
		return -ENOSYS;
	while (getline(&line, &size, maps) > 0)
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 && mode[1] == 'w' && mode[3] == 'p')
			move(start, end);
	free(line);
	fclose(maps);
	return 0;
}
