/* Opens libsplitpin-numa.so when it is needed. */
#include "elf/open_part.h"
#include "memory.h"

const struct sp_numa *
sp_numa_open(const char **problem)
{
	static struct sp_part part = {
		.file = "libsplitpin-numa.so", .symbol = SP_NUMA_SYMBOL,
		.head = { SP_NUMA_VERSION, sizeof(struct sp_numa) } };

	return sp_part_open(&part, problem);
}
