/*
 * Masks of programs linked before glibc 2.3.4, whose functions took no size.
 * The loader binds these calls to the same interposed names, with the address
 * of the set where the size is expected.  No set of such a program has a size
 * as large as the lowest address; a set of a later program may have.
 */
#ifndef SP_OLD_SET_H
#define SP_OLD_SET_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "elf/objects.h"

#define SP_OLD_SET_SIZE 128		/* of every set then */
#define SP_OLD_SET_FROM ((size_t)1 << 22)	/* a size from here on may be an address */

struct sp_old_set {
	size_t size;
	cpu_set_t *cpus;
};

/* Whether the object that calls was linked to the function without a size. */
static __attribute__((noinline)) bool
sp_old_set_is_from(const void *caller, const char *function)
{
	struct sp_object object;

	return sp_object_of(caller, &object) && sp_object_refers(&object, function, "GLIBC_2.3.3");
}

/* The set that is passed by a call of this function; it is the caller's own, const or not. */
static inline struct sp_old_set
sp_old_set_of(size_t size, const cpu_set_t *cpus, const void *caller, const char *function)
{
	if (__builtin_expect(size >= SP_OLD_SET_FROM, 0) && sp_old_set_is_from(caller, function))
		return (struct sp_old_set){ SP_OLD_SET_SIZE, (cpu_set_t *)size };
	return (struct sp_old_set){ size, (cpu_set_t *)(uintptr_t)cpus };
}

#endif
