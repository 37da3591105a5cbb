/*
 * How often the thread that restores masks (SPLITPIN_GUARD=keep) has looked,
 * so that a test waits for its looks and not for a time.
 */
#ifndef LOOKS_H
#define LOOKS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of a file of a thread of this process that begins with this, behind that. */
static bool
read_line(const char *tid, const char *file, const char *begins, char *rest, int size)
{
	char path[64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/%s", tid, file);
	FILE *from = fopen(path, "r");
	while (from && !found && fgets(line, sizeof(line), from))
		found = strncmp(line, begins, strlen(begins)) == 0;
	if (from)
		fclose(from);
	if (found)
		snprintf(rest, (size_t)size, "%s", line + strlen(begins));
	return found;
}

/* How often the thread that restores masks has slept, which it does after each look; -1: there is none. */
static long
looks(void)
{
	DIR *tasks = opendir("/proc/self/task");
	long count = -1;
	char text[256];

	for (struct dirent *task; count < 0 && (task = readdir(tasks));)
		if (read_line(task->d_name, "comm", "splitpin\n", text, sizeof(text)) &&
		    read_line(task->d_name, "status", "voluntary_ctxt_switches:", text, sizeof(text)))
			count = atol(text);
	closedir(tasks);
	return count;
}

#endif
