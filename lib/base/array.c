#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

void *
sp_array_reach(void *array, uint32_t *n, uint32_t index, size_t size)
{
	if (index < *n)
		return array;
	uint32_t more = (uint32_t)sp_larger(2 * *n, index + 1);
	char *larger = realloc(array, more * size);

	if (!larger)
		return NULL;
	memset(larger + *n * size, 0, (more - *n) * size);
	*n = more;
	return larger;
}
