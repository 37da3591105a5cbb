#include "process/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs_file.h"
#include "base/text.h"

void
sp_process_program(pid_t pid, char name[], size_t size)
{
	char path[64], file[4096];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(path, file, sizeof(file) - 1);
	if (length <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
		length = sp_sysfs_text("", path, file, sizeof(file)) ? (ssize_t)strlen(file) : 0;
		length -= length > 0 && file[length - 1] == '\n';
	}
	file[length] = '\0';
	snprintf(name, size, "%s", length ? sp_last_part(file) : "?");
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}
