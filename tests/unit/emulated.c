/* The unit tests in an emulator of processes of another processor. */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "emulated.h"

int __real_open(const char *path, int flags, ...);
int __real_close(int fd);

/* By the first process that asks for all that it starts: some tests mount files over that of /proc. */
bool
is_emulated(void)
{
	static enum { UNKNOWN, EMULATED, LINUX } found;
	struct statfs system;
	int fd = found == UNKNOWN ? __real_open("/proc/self/stat", O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		if (fstatfs(fd, &system) == 0)
			found = system.f_type == PROC_SUPER_MAGIC ? LINUX : EMULATED;
		__real_close(fd);
	}
	return found == EMULATED;
}

const char *
past_emulator(const char *path, char room[PAST_EMULATOR])
{
	char own[32];

	if (!is_emulated())
		return path;
	if (strcmp(path, "/") == 0)
		return "/proc/self/root/";
	snprintf(own, sizeof(own), "/proc/%d/stat", (int)getpid());
	if (strcmp(path, own) != 0)
		return path;
	/* That of the first thread: the process's, but for the CPU time of others. */
	snprintf(room, PAST_EMULATOR, "/proc/%d/task/%d/stat", (int)getpid(), (int)getpid());
	return room;
}

unsigned
emulators_threads(void)
{
	return is_emulated() ? 1 : 0;
}
