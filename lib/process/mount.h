/* What is mounted where, as processes see it: containers may have file systems of their own. */
#ifndef SP_MOUNT_H
#define SP_MOUNT_H

#include <stdbool.h>
#include <sys/types.h>

#define SP_SHM "/dev/shm"	/* shared memory: boards lie there */

/*
 * Whether a process has another file system at this path than the caller, as its
 * /proc/PID/mountinfo says.  False where that cannot be read (as of a
 * container with a user name space beside the caller's), or where nothing is
 * mounted at just this path.
 *
 * Does not enter the process's own tree of files, where a file system may
 * never answer.
 */
bool sp_mount_differs(pid_t pid, const char *path);

#endif
