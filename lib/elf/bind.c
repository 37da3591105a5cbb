/* The look-up to which the definitions of late.h jump at their first call. */
#include <errno.h>
#include <stddef.h>

#include "elf/objects.h"

void *sp_bind(const char *name, void *_Atomic *found);

/*
 * Called instead of a function of pthreads if libpthread, separate before glibc
 * 2.34, is not loaded: callers see an error.
 */
static int
absent(void)
{
	return ENOSYS;
}

/* Threads may call this at the same time: all find, and store, the same address. */
void *
sp_bind(const char *name, void *_Atomic *found)
{
	void *function = sp_objects_bound_export(name);

	if (!function)
		function = (void *)absent;
	*found = function;
	return function;
}
