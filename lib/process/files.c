/* The files that a process has in its address space, and how long its threads have run: apart from what the shim needs. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"

bool
sp_process_each_file(pid_t pid, sp_file_visitor *visit, void *data)
{
	char path[32], *line = NULL;
	size_t room = 0;
	bool is_read = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = sp_process_is_readable(pid) ? fopen(path, "re") : NULL;
	while (maps && getline(&line, &room, maps) > 0) {
		const char *name = strrchr(line, '/');

		is_read = true;
		line[strcspn(line, "\n")] = '\0';
		if (name)
			visit(name + 1, data);
	}
	free(line);
	if (maps)
		fclose(maps);
	return is_read;
}

/* "119498 80059 2": ran, waited, how often. */
bool
sp_process_account(int tasks, pid_t tid, uint64_t *ran_ns, uint64_t *waited_ns)
{
	char path[32], text[96];

	snprintf(path, sizeof(path), "%d/schedstat", (int)tid);
	int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%" SCNu64 " %" SCNu64, ran_ns, waited_ns) == 2;
}
