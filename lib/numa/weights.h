/* How the kernel weighs NUMA nodes (Linux 6.9 and newer), from /sys. */
#ifndef SP_WEIGHTS_H
#define SP_WEIGHTS_H

#include <stdbool.h>

#include "cpus.h"

/*
 * Whether the kernel has a weight for each of these nodes, and the weights
 * differ.
 *
 *   root  prefix of /sys: "", or the folder of a copy
 */
bool sp_weights_differ(const char *root, const struct sp_cpus *nodes);

#endif
