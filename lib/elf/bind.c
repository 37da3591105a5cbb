/* Where the functions of late.h lead. */
#include <errno.h>
#include <stddef.h>

#include "elf/objects.h"

void *sp_bind(const char *name, void *_Atomic *found);

/* For a function of pthreads in a process of glibc before 2.34 that has not loaded it: its callers take this for an error. */
static int
absent(void)
{
	return ENOSYS;
}

/* Any thread may come here, with the same outcome. */
void *
sp_bind(const char *name, void *_Atomic *found)
{
	void *function = sp_objects_bound_export(name);

	if (!function)
		function = (void *)absent;
	*found = function;
	return function;
}
