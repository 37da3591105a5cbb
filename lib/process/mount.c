#include "process/mount.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A line is "36 35 98:0 ROOT PATH ...".  Whether it is of this path; *device: its file system. */
static bool
is_at(const char *line, const char *path, dev_t *device)
{
	unsigned major, minor;
	int at = 0;
	size_t length = strlen(path);

	if (sscanf(line, "%*d %*d %u:%u %*s %n", &major, &minor, &at) != 2 || at == 0 ||
	    strncmp(line + at, path, length) != 0 || line[at + (int)length] != ' ')
		return false;
	*device = makedev(major, minor);
	return true;
}

bool
sp_mount_differs(pid_t pid, const char *path)
{
	char name[32], *line = NULL;
	size_t room = 0;
	struct stat own;
	dev_t device;

	if (stat(path, &own) != 0)
		return false;
	device = own.st_dev;
	snprintf(name, sizeof(name), "/proc/%d/mountinfo", (int)pid);
	FILE *mounts = fopen(name, "re");
	/* The last mount at a path covers those before it. */
	while (mounts && getline(&line, &room, mounts) > 0)
		is_at(line, path, &device);
	if (mounts)
		fclose(mounts);
	free(line);
	return device != own.st_dev;
}
