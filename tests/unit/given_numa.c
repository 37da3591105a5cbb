#include "given_numa.h"

#include <stddef.h>

const struct sp_numa *numa_given;
unsigned numa_opened;

const struct sp_numa *
sp_numa_open(const char **problem)
{
	numa_opened++;
	if (!numa_given)
		*problem = "there is none";
	return numa_given;
}
