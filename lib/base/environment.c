#include <stddef.h>
#include <string.h>

#include "base/environment.h"

const char *
sp_environment_value(char *const environment[], const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}
