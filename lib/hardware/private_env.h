/*
 * A private environment for hwloc, some of whose options can be set only by
 * variables.
 *
 *   - Variables that describe another machine (HWLOC_SYNTHETIC, HWLOC_XMLFILE,
 *     HWLOC_FSROOT, ...) never decide where a rank is placed.
 *   - Plugins that are not needed (OpenCL, NVML, X11) are not opened: they may
 *     start a driver before the program does, and opening them takes longer than
 *     the rest of discovery.
 *   - XML is read by hwloc's own parser: libxml2's crashes hwloc 2.9 on entities.
 *   - NUMA nodes that are a GPU's memory are kept, with their name, because they
 *     are reported: hwloc before 2.11 leaves them out.
 *   - hwloc prints nothing on the program's standard error (see said.h for the
 *     command, which reads what it prints).
 *
 * environ is pointed to another array; no string in it is changed.
 */
#ifndef SP_PRIVATE_ENV_H
#define SP_PRIVATE_ENV_H

#include <stdbool.h>

struct sp_private_env {
	char **put_back;	/* the user's HWLOC_ variables; lies in the memory of own */
	char **before, **own;	/* own is NULL, and environ unchanged, if memory is short */
};

/* devices: hwloc is to find PCI devices, for which some builds of it need a plugin. */
void sp_private_env_begin(struct sp_private_env *env, bool devices);

/* Restore the environment.  A variable that another thread set meanwhile stays. */
void sp_private_env_end(struct sp_private_env *env);

#endif
