/* The look-up to which the definitions of late.h jump at their first call. */
#include <errno.h>
#include <stddef.h>

#include "elf/objects.h"

void *sp_bind(const struct sp_late *late);

/*
 * Called instead of a function of pthreads if libpthread, separate before glibc
 * 2.34, is not loaded: callers see an error.
 */
static int
absent(void)
{
	return ENOSYS;
}

void *
sp_bind(const struct sp_late *late)
{
	return sp_objects_bind_one(late, (void *)absent);
}
