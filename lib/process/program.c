#include "process/program.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

void
sp_process_program(pid_t pid, char name[], size_t size)
{
	char path[64], file[4096];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(path, file, sizeof(file) - 1);
	if (length <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
		FILE *comm = fopen(path, "re");
		length = comm ? (ssize_t)fread(file, 1, sizeof(file) - 1, comm) : 0;
		if (comm)
			fclose(comm);
		length -= length > 0 && file[length - 1] == '\n';
	}
	file[length] = '\0';
	snprintf(name, size, "%s", length ? sp_last_part(file) : "?");
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}
