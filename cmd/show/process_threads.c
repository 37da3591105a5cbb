#include "cmd/show/process_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pin.h"
#include "base/sysfs_file.h"
#include "cmd/cmd.h"
#include "process/program.h"

#define STAT 1024		/* room for /proc/PID/task/TID/stat */

/* Of a status file: Cpus_allowed_list may be long, and comes after some hundred characters. */
#define TEXT 32768

/* Field 39 of stat is the CPU, field 3 the state; the name before them may hold blanks and brackets. */
#define FIELDS_BETWEEN 35

bool
threads_parse_stat(const char *text, struct show_thread *thread)
{
	const char *open = strchr(text, '('), *rest = strrchr(text, ')');
	int end = 0;

	if (!open || !rest || rest < open || sscanf(rest + 1, " %c%n", &thread->state, &end) != 1)
		return false;
	snprintf(thread->name, sizeof(thread->name), "%.*s", (int)(rest - open - 1), open + 1);
	cmd_make_plain(thread->name);
	const char *at = rest + 1 + end;
	for (int i = 0; at && *at && i < FIELDS_BETWEEN; i++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, " %u", &thread->last) == 1;
}

bool
threads_parse_status(const char *text, struct show_thread *thread)
{
	static const char key[] = "\nCpus_allowed_list:";
	const char *line = strstr(text, key);

	if (!line)
		return false;
	line += sizeof(key) - 1;
	line += strspn(line, " \t");
	char *list = strndup(line, strcspn(line, "\n"));
	bool is_list = list && sp_cpus_parse(list, &thread->cpus) == 0;
	free(list);
	return is_list;
}

/* Name, state and last CPU alone; false: it has ended. */
static bool
read_stat(pid_t pid, pid_t tid, struct show_thread *thread)
{
	char path[64], text[STAT];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	return sp_sysfs_text("", path, text, sizeof(text)) && threads_parse_stat(text, thread);
}

static bool
read_one(pid_t pid, struct show_thread *thread)
{
	char path[64], text[TEXT];

	if (!read_stat(pid, thread->tid, thread))
		return false;
	/* The kernel makes the whole of status, for one line of it. */
	if (sp_pin_get(thread->tid, &thread->cpus) == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)thread->tid);
	return sp_sysfs_text("", path, text, sizeof(text)) && threads_parse_status(text, thread);
}

size_t
threads_read(pid_t pid, struct show_thread **thread)
{
	char path[64];
	size_t n = 0, room = 0;

	*thread = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return 0;
	for (struct dirent *entry; (entry = readdir(tasks)); ) {
		struct show_thread one = { .tid = (pid_t)atol(entry->d_name) };

		if (one.tid <= 0 || !read_one(pid, &one))
			continue;
		if (n == room)
			*thread = cmd_enlarge(*thread, room = room ? 2 * room : 8, sizeof(**thread));
		(*thread)[n++] = one;
	}
	closedir(tasks);
	return n;
}

size_t
threads_read_again(pid_t pid, struct show_thread *thread, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		struct show_thread now = { .tid = thread[i].tid };

		if (!read_one(pid, &now))
			continue;
		now.is_busy = thread[i].state == 'R' && now.state == 'R';
		thread[left++] = now;
	}
	return left;
}

struct sp_busy *
threads_add_busy(struct sp_busy *busy, size_t *n, const struct show_thread thread[], size_t nthreads, uint32_t group)
{
	busy = cmd_enlarge(busy, *n + nthreads + 1, sizeof(*busy));
	for (size_t i = 0; i < nthreads; i++)
		if (thread[i].is_busy)
			busy[(*n)++] = (struct sp_busy){ .cpus = &thread[i].cpus, .need = 1, .group = group };
	return busy;
}

bool
threads_owner(pid_t pid, uid_t *owner)
{
	char path[64], text[TEXT];
	unsigned effective;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	const char *line = sp_sysfs_text("", path, text, sizeof(text)) ? strstr(text, "\nUid:") : NULL;
	if (!line || sscanf(line, "\nUid: %*u %u", &effective) != 1)
		return false;
	*owner = effective;
	return true;
}

void
threads_program(pid_t pid, char name[SHOW_NAME])
{
	sp_process_program(pid, name, SHOW_NAME);
	cmd_make_plain(name);
}
