/*
 * An environment of its own for hwloc, which can be told some things by its
 * variables alone.
 *
 *   - Variables that describe another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE,
 *     HWLOC_FSROOT, ...) never decide where a rank is placed.
 *   - Plugins that nobody needs (OpenCL, NVML, X11) stay closed: they may start
 *     a driver before the program does, and opening them takes longer than all
 *     else that discovery does.
 *   - XML is read by hwloc's own parser: libxml2's crashes hwloc 2.9 on entities.
 *   - NUMA nodes that are a GPU's memory are kept, with their name: hwloc before 2.11 leaves them out, and they are to be reported.
 *   - hwloc prints nothing on the program's standard error.
 *
 * The environment's array is replaced; none of its strings is changed.
 */
#ifndef SP_PRIVATE_ENV_H
#define SP_PRIVATE_ENV_H

#include <stdbool.h>

struct sp_private_env {
	char **put_back;	/* the user's HWLOC_ variables, in own's memory */
	char **before, **own;	/* own is NULL where nothing was exchanged: memory is short */
};

/* devices: PCI devices are searched for, which some builds of hwloc do by a plugin. */
void sp_private_env_begin(struct sp_private_env *env, bool devices);

/* A variable that another thread has set meanwhile stays. */
void sp_private_env_end(struct sp_private_env *env);

#endif
