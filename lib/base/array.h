/* Arrays that grow as they are written. */
#ifndef SP_ARRAY_H
#define SP_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Room for the entry at an index: array, of *n entries of so many bytes, may
 * move and has *n of them then; new ones are zero.  NULL where memory is short:
 * all is as it was.
 */
void *sp_array_grow(void *array, uint32_t *n, uint32_t index, size_t size);

#endif
