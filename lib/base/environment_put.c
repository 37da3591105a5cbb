#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"

int
sp_environment_put(char *entry)
{
	static char **volatile kept;	/* reachable, for leak checkers: no store that a compiler may leave out */
	size_t length = strcspn(entry, "=") + 1;
	char **array = sp_environment_copy(__environ, 2), **to = array;

	if (!array)
		return -ENOMEM;
	for (char **from = array; *from; from++)
		if (strncmp(*from, entry, length) != 0)
			*to++ = *from;
	*to++ = entry;
	*to++ = NULL;
	*to = (char *)kept;	/* so is the one before */
	kept = array;
	__environ = array;
	return 0;
}
