/* The children of a process: read from the kernel's list, or found by reading the parent of every process. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/process.h"

#define LIST_TEXT 4096
#define CHILDREN_MAX (1 << 16)	/* more are not looked at */

struct list {
	pid_t *pid;
	size_t n, room;
};

static int
add(struct list *list, pid_t pid)
{
	if (list->n == CHILDREN_MAX)
		return -E2BIG;
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		pid_t *larger = realloc(list->pid, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		list->pid = larger;
		list->room = room;
	}
	list->pid[list->n++] = pid;
	return 0;
}

/* "17 18 19 ", of which a piece may end within a number: *pid is what has been read of it. */
static int
add_text(struct list *list, const char *text, size_t length, pid_t *pid)
{
	int error = 0;

	for (size_t i = 0; i < length && !error; i++) {
		if (text[i] >= '0' && text[i] <= '9') {
			*pid = *pid * 10 + (text[i] - '0');
		} else if (*pid > 0) {
			error = add(list, *pid);
			*pid = 0;
		}
	}
	return error;
}

static int
children_of_thread(pid_t process, const char *thread, struct list *list)
{
	char path[300], text[LIST_TEXT];
	ssize_t length = 0;
	pid_t pid = 0;
	int error = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)process, thread);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (!error && (length = read(fd, text, sizeof(text))) > 0)
		error = add_text(list, text, (size_t)length, &pid);
	if (!error && pid > 0)
		error = add(list, pid);
	close(fd);
	return error;
}

/*
 * Read the lists of all threads.  A thread may end meanwhile; if no thread has
 * a list, the kernel keeps none (CONFIG_PROC_CHILDREN).
 */
static int
children_by_threads(DIR *threads, pid_t pid, struct list *list)
{
	bool any = false;

	for (struct dirent *entry; (entry = readdir(threads)); ) {
		if (!sp_process_number(entry->d_name))
			continue;
		int error = children_of_thread(pid, entry->d_name, list);

		if (error && error != -ENOENT && error != -ESRCH)
			return error;
		any |= !error;
	}
	return any ? 0 : -ENOSYS;
}

struct children {
	pid_t parent;
	struct list *list;
	int error;
};

static bool
add_child(pid_t pid, void *data)
{
	struct children *children = data;
	struct sp_process process;

	if (sp_process_read(pid, &process) == 0 && process.parent == children->parent)
		children->error = add(children->list, pid);
	return children->error;
}

static int
children_by_parent(pid_t parent, struct list *list)
{
	struct children children = { .parent = parent, .list = list };
	int error = sp_process_each(add_child, &children);

	return children.error ? children.error : error;
}

/* A list that is too long is truncated. */
static ssize_t
result(int error, struct list *list, pid_t **children)
{
	if (error && error != -E2BIG) {
		free(list->pid);
		return error;
	}
	*children = list->pid;
	return (ssize_t)list->n;
}

ssize_t
sp_process_children_by_parent(pid_t pid, pid_t **children)
{
	struct list list = { 0 };

	return result(children_by_parent(pid, &list), &list, children);
}

ssize_t
sp_process_children(pid_t pid, pid_t **children)
{
	struct list list = { 0 };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *threads = opendir(path);
	if (!threads)
		return errno == ENOENT ? -ESRCH : -errno;
	int error = children_by_threads(threads, pid, &list);
	closedir(threads);
	if (error == -ENOSYS)
		return sp_process_children_by_parent(pid, children);
	return result(error, &list, children);
}
