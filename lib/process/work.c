#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "process/work.h"

void
sp_work_begin(struct sp_work *work)
{
	struct stat file;
	int end[2];

	*work = (struct sp_work){ .descriptor = 0 };
	if (sp_descriptor_pipe(end) != 0)
		return;
	close(end[0]);
	if (fstat(end[1], &file) != 0) {
		close(end[1]);
		return;
	}
	work->descriptor = end[1];
	work->inode = file.st_ino;
}

static bool
is_pipe(const struct stat *file, const struct sp_work *work)
{
	return S_ISFIFO(file->st_mode) && file->st_ino == work->inode;
}

/* Tried twice: a call that fails once must not leave the pipe open. */
static bool
is_open(const struct sp_work *work)
{
	struct stat file;

	if (fstat(work->descriptor, &file) != 0 && fstat(work->descriptor, &file) != 0)
		return false;
	return is_pipe(&file, work);
}

void
sp_work_end(struct sp_work *work)
{
	if (work->descriptor && is_open(work))
		close(work->descriptor);
	work->descriptor = 0;
}

/* Looked at before it is opened, too: to open a device by mistake might do something. */
int
sp_work_watch(const struct sp_process *process, const struct sp_work *work)
{
	pid_t pid = work->descriptor > 0 ? sp_process_here(process) : 0;
	struct stat file;
	char path[48];

	if (pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, (int)work->descriptor);
	if (stat(path, &file) != 0 || !is_pipe(&file, work))
		return -1;
	int fd = sp_descriptor_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
	if (fd >= 0 && (fstat(fd, &file) != 0 || !is_pipe(&file, work))) {
		close(fd);
		fd = -1;
	}
	return fd;
}
