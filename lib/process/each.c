/* Visiting all processes. */
#include <dirent.h>
#include <errno.h>

#include "base/ascii.h"
#include "process/process.h"

pid_t
sp_process_number(const char *name)
{
	uint32_t value;

	return sp_ascii_number(name, &value) && value < INT32_MAX ? (pid_t)value : 0;
}

int
sp_process_each(sp_process_visitor *visit, void *data)
{
	DIR *folder = opendir("/proc");
	int left = SP_PROCESSES_MAX;

	if (!folder)
		return -errno;
	for (struct dirent *entry; left && (entry = readdir(folder)); ) {
		pid_t pid = sp_process_number(entry->d_name);

		if (!pid)
			continue;
		left--;
		if (visit(pid, data))
			break;
	}
	closedir(folder);
	return left ? 0 : -E2BIG;
}
