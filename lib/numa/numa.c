/* The table of libsplitpin-numa.so. */
#include "memory.h"

__attribute__((visibility("default"))) extern const struct sp_numa sp_numa;

const struct sp_numa sp_numa = {
	.version = SP_NUMA_VERSION,
	.size = sizeof(struct sp_numa),
	.allowed = sp_memory_allowed,
	.inherited = sp_memory_inherited,
	.set = sp_memory_set,
	.move = sp_memory_move,
};
