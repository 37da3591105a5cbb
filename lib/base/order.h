/* What comes first, for qsort. */
#ifndef SP_ORDER_H
#define SP_ORDER_H

#include <stdint.h>

/* Negative, 0 or positive as a is less than, equal to or greater than b. */
static inline int
sp_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
