/* The functions to which the definitions of late.h jump. */
#include <errno.h>
#include <stddef.h>

#include "elf/objects.h"

void *sp_bind(const char *name, void *_Atomic *found);

/*
 * Stands for a function of pthreads in a process with glibc before 2.34 that
 * has not loaded libpthread: callers take its result for an error.
 */
static int
absent(void)
{
	return ENOSYS;
}

/* Any thread may call this, with the same result. */
void *
sp_bind(const char *name, void *_Atomic *found)
{
	void *function = sp_objects_bound_export(name);

	if (!function)
		function = (void *)absent;
	*found = function;
	return function;
}
