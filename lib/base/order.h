/* Which of two numbers comes first, is smaller or larger, and by how much. */
#ifndef SP_ORDER_H
#define SP_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Negative, 0 or positive as a is less than, equal to or greater than b: for qsort. */
static inline int
sp_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The same of two uint64_t, as qsort passes them. */
static inline int
sp_order_keys(const void *a, const void *b)
{
	return sp_order(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* As sp_order, by the first of n numbers that differ. */
static inline int
sp_order_all(const uint64_t a[], const uint64_t b[], size_t n)
{
	size_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i < n ? sp_order(a[i], b[i]) : 0;
}

static inline uint64_t
sp_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t
sp_larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* How much larger a is than b: 0 where it is not. */
static inline uint64_t
sp_excess(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

#endif
