#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "hardware/private_env.h"
#include "hardware/said.h"

#define PREFIX "HWLOC_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)

/* The private variables; of the last two, no_drivers is used where devices are searched for, else no_plugins. */
static char no_libxml[] = "HWLOC_LIBXML=0", no_errors[] = "HWLOC_HIDE_ERRORS=2", errors[] = "HWLOC_HIDE_ERRORS=0",
	xml_errors[] = "HWLOC_XML_VERBOSE=1", description_errors[] = "HWLOC_SYNTHETIC_VERBOSE=1",
	gpu_nodes[] = "HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES=1",
	no_plugins[] = "HWLOC_PLUGINS_PATH=/nonexistent",
	no_drivers[] = "HWLOC_PLUGINS_BLACKLIST=hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so,hwloc_gl.so";

#define ADDED 6

/* Copies no more entries than it has counted, since another thread's setenv may lengthen the array meanwhile. */
static char **
copy_without(char **environment, bool devices, char ***kept)
{
	static char **last;		/* reachable, for leak checkers */
	size_t all = sp_strings_count(environment), n = 0;
	char **own = malloc((all + ADDED + 3) * sizeof(*own));

	if (!own)
		return NULL;
	char **put_back = own + all + ADDED + 2;	/* filled from the end */
	*own = (char *)last;
	last = own++;
	*put_back = NULL;
	for (size_t i = 0; i < all && environment[i]; i++)
		if (strncmp(environment[i], PREFIX, PREFIX_LENGTH) != 0)
			own[n++] = environment[i];
		else
			*--put_back = environment[i];
	own[n++] = no_libxml;
	own[n++] = sp_said_listens() ? errors : no_errors;
	if (sp_said_listens()) {
		own[n++] = xml_errors;
		own[n++] = description_errors;
	}
	own[n++] = gpu_nodes;
	own[n++] = devices ? no_drivers : no_plugins;
	own[n] = NULL;
	*kept = put_back;
	return own;
}

void
sp_private_env_begin(struct sp_private_env *env, bool devices)
{
	env->before = environ;
	env->own = copy_without(env->before, devices, &env->put_back);
	if (env->own)
		environ = env->own;
}

void
sp_private_env_end(struct sp_private_env *env)
{
	if (!env->own)
		return;
	if (environ == env->own) {
		environ = env->before;	/* own is kept: another thread's getenv may be reading it */
		return;
	}
	/* Another thread's setenv has copied own, with the private variables: take them out of the copy. */
	unsetenv("HWLOC_LIBXML");
	unsetenv("HWLOC_HIDE_ERRORS");
	unsetenv("HWLOC_XML_VERBOSE");
	unsetenv("HWLOC_SYNTHETIC_VERBOSE");
	unsetenv("HWLOC_KEEP_NVIDIA_GPU_NUMA_NODES");
	unsetenv("HWLOC_PLUGINS_PATH");
	unsetenv("HWLOC_PLUGINS_BLACKLIST");
	for (char **entry = env->put_back; *entry; entry++)
		putenv(*entry);
}
