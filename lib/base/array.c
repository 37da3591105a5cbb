#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

void *
sp_array_grow(void *array, uint32_t *n, uint32_t index, size_t size)
{
	if (index < *n)
		return array;
	uint64_t more = sp_smaller(sp_larger(2 * (uint64_t)*n, (uint64_t)index + 1), UINT32_MAX);
	char *larger = index < more && more <= SIZE_MAX / size ? realloc(array, (size_t)more * size) : NULL;

	if (!larger)
		return NULL;
	memset(larger + *n * size, 0, (size_t)(more - *n) * size);
	*n = (uint32_t)more;
	return larger;
}
