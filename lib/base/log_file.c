#include "base/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/shared_folder.h"

#define OPENING (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* Whether lines for a file of this name are JSON. */
static bool
is_json(const char *name)
{
	const char *ending = strrchr(name, '.');

	return ending && (strcmp(ending, ".json") == 0 || strcmp(ending, ".jsonl") == 0);
}

/* A folder that has been removed has no path: the name is then left as it is. */
static int
from_root(char path[PATH_MAX])
{
	char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
	size_t room = folder ? strlen(folder) + 1 : 0;
	int error = room + strlen(path) >= PATH_MAX ? -ENAMETOOLONG : 0;

	if (folder && folder[0] == '/' && !error) {
		memmove(path + room, path, strlen(path) + 1);
		memcpy(path, folder, room - 1);
		path[room - 1] = '/';
	}
	free(folder);
	return error;
}

int
sp_log_file_init(struct sp_log_file *file, const char *pattern, const struct sp_pattern_values *values)
{
	int error = sp_pattern_fill(pattern, values, file->path, sizeof(file->path));

	if (!error)
		error = from_root(file->path);
	if (error) {
		file->path[0] = '\0';
		return error;
	}
	file->as_json = is_json(file->path);
	snprintf(file->job, sizeof(file->job), "%s", values->job);
	snprintf(file->host, sizeof(file->host), "%s", values->host);
	return 0;
}

/*
 * In a folder for everybody another user may have made the file first, to read
 * what is written, or made it as a second name of a file of this user's.
 */
static bool
is_own(const struct stat *file)
{
	return file->st_uid == geteuid() && file->st_nlink == 1 && !(file->st_mode & (S_IRWXG | S_IRWXO));
}

static int
append_open(int fd, bool must_be_own, const char *line, size_t length)
{
	struct stat now;

	if (fstat(fd, &now) != 0)
		return -errno;
	if (!S_ISREG(now.st_mode))
		return -ENXIO;
	return must_be_own && !is_own(&now) ? -ENOTUNIQ : sp_log_write(fd, line, length);
}

static int
append(const char *path, bool must_be_own, const char *line, size_t length)
{
	int saved = errno, fd = sp_descriptor_open(path, OPENING, must_be_own ? 0600 : 0666);
	int error = fd < 0 ? -errno : append_open(fd, must_be_own, line, length);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return error;
}

int
sp_log_file_append(const char *path, const char *line, size_t length)
{
	return append(path, false, line, length);
}

int
sp_log_file_append_own(const char *path, const char *line, size_t length)
{
	return append(path, true, line, length);
}

const char *
sp_log_file_problem(int error)
{
	switch (error) {
	case -ELOOP:
		return "it is a symbolic link";
	case -ENXIO:
		return "it is not a regular file";
	case -EREMOTE:
		return "the process that listens there is not root's";
	case -ENOTUNIQ:
		return "it must be the user's own, with mode 0600 and one name";
	default:
		return strerror(-error);
	}
}

static bool
is_told_elsewhere(const struct sp_log_file *file, int error)
{
	return file->is_alike && sp_folder_is_at_fault(error) && sp_folder_is_shared(file->path);
}

void
sp_log_file_write(struct sp_log_file *file, const char *line, size_t length)
{
	if (atomic_load(&file->has_failed))
		return;
	int error = sp_log_file_append(file->path, line, length);

	if (error && !atomic_exchange(&file->has_failed, true) && !file->is_quiet && !is_told_elsewhere(file, error))
		sp_warn("host=%s cannot write to SPLITPIN_LOG=%s: %s; further lines are lost, the program continues",
			file->host, file->path, sp_log_file_problem(error));
}
