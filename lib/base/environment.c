#include <stdlib.h>
#include <string.h>

#include "base/environment.h"

const char *
sp_environment_value(char *const environment[], const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (**environment == *name && strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

size_t
sp_strings_count(char *const strings[])
{
	size_t n = 0;

	while (strings && strings[n])
		n++;
	return n;
}

char **
sp_environment_copy(char *const environment[], size_t room)
{
	size_t n = sp_strings_count(environment), to = 0;
	char **copy = calloc(n + room + 1, sizeof(*copy));	/* initialised for MemorySanitizer, which does not see what is written here */

	if (!copy)
		return NULL;
	for (; to < n && environment[to]; to++)
		copy[to] = environment[to];
	copy[to] = NULL;
	return copy;
}
