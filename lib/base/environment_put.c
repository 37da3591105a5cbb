#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"

int
sp_environment_put(char *entry)
{
	static char **volatile kept;	/* reachable, for leak checkers: no store that a compiler may leave out */
	size_t length = strcspn(entry, "=") + 1, n = 0, to = 0;

	while (environ && environ[n])
		n++;
	char **array = malloc((n + 3) * sizeof(*array));

	if (!array)
		return -ENOMEM;
	for (size_t i = 0; i < n && environ[i]; i++)
		if (strncmp(environ[i], entry, length) != 0)
			array[to++] = environ[i];
	array[to++] = entry;
	array[to++] = NULL;
	array[to] = (char *)kept;	/* so is the one before */
	kept = array;
	environ = array;
	return 0;
}
