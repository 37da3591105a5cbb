#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hardware/private_env.h"

#define PREFIX "HWLOC_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

/* What hwloc is told; the last of each is for when devices are looked for, or not. */
static char no_libxml[] = "HWLOC_LIBXML=0", no_errors[] = "HWLOC_HIDE_ERRORS=2",
	no_plugins[] = "HWLOC_PLUGINS_PATH=/nonexistent",
	no_drivers[] = "HWLOC_PLUGINS_BLACKLIST=hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so,hwloc_gl.so";

#define ADDED 3

static size_t
count(char **environment)
{
	size_t n = 0;

	while (environment && environment[n])
		n++;
	return n;
}

static char **
copy_without(char **environment, bool devices)
{
	char **own = malloc((count(environment) + ADDED + 1) * sizeof(*own));
	size_t n = 0;

	if (!own)
		return NULL;
	for (; environment && *environment; environment++)
		if (strncmp(*environment, PREFIX, PREFIX_LENGTH) != 0)
			own[n++] = *environment;
	own[n++] = no_libxml;
	own[n++] = no_errors;
	own[n++] = devices ? no_drivers : no_plugins;
	own[n] = NULL;
	return own;
}

void
sp_private_env_begin(struct sp_private_env *env, bool devices)
{
	env->before = environ;
	env->own = copy_without(environ, devices);
	if (env->own)
		environ = env->own;
}

void
sp_private_env_end(struct sp_private_env *env)
{
	if (!env->own)
		return;
	if (environ == env->own) {
		environ = env->before;
		free(env->own);
		return;
	}
	/* Another thread's setenv has copied the array: own may still be read. */
	unsetenv("HWLOC_LIBXML");
	unsetenv("HWLOC_HIDE_ERRORS");
	unsetenv("HWLOC_PLUGINS_PATH");
	unsetenv("HWLOC_PLUGINS_BLACKLIST");
	for (char **entry = env->before; entry && *entry; entry++)
		if (strncmp(*entry, PREFIX, PREFIX_LENGTH) == 0)
			putenv(*entry);
}
