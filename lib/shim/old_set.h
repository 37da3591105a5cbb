/*
 * Masks of programs linked before glibc 2.3.4, whose functions took no size.
 * The loader binds these calls to the same interposed names, with the address of
 * the set where the size is expected; no set is as large as the lowest address.
 */
#ifndef SP_OLD_SET_H
#define SP_OLD_SET_H

#include <sched.h>
#include <stdint.h>

#define SP_OLD_SET_SIZE 128		/* of every set then */
#define SP_OLD_SET_FROM ((size_t)1 << 22)	/* a size from here on is an address */

struct sp_old_set {
	size_t size;
	cpu_set_t *cpus;
};

/* The set that a call means; the caller's own, const or not. */
static inline struct sp_old_set
sp_old_set_of(size_t size, const cpu_set_t *cpus)
{
	return size < SP_OLD_SET_FROM ? (struct sp_old_set){ size, (cpu_set_t *)(uintptr_t)cpus } :
		(struct sp_old_set){ SP_OLD_SET_SIZE, (cpu_set_t *)size };
}

#endif
