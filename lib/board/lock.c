/* The creation lock: only one process of a user at a time creates a board, or decides which cores its job takes. */
#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "board/board_file.h"
#include "process/patience.h"

/*
 * Descriptor of the locked file, or -1; a lock on a file is released when its
 * holder is killed.  Written by one thread: the one that joins, or decides.
 */
static int creation_lock = -1;

static void
lock_path(char path[BOARD_PATH])
{
	char prefix[BOARD_PREFIX];

	sp_board_prefix(prefix);
	snprintf(path, BOARD_PATH, "%s/%slock", BOARD_FOLDER, prefix);
}

/*
 * Remove a lock file that not even its owner can open: a umask caused that
 * mode, and the process that created the file was killed before it could set
 * the mode.  The next process creates a new file.
 */
static int
repair_lock_file(const char *path)
{
	struct stat file;

	if (lstat(path, &file) != 0)
		return errno == ENOENT && faccessat(AT_FDCWD, BOARD_FOLDER, W_OK | X_OK, AT_EACCESS) == 0 ? -EAGAIN : -EACCES;
	if (sp_board_distrust(&file, geteuid()) || (file.st_mode & BOARD_MODE) == BOARD_MODE)
		return -EPROTO;
	/* Another rank may have removed it meanwhile. */
	return unlink(path) == 0 || errno == ENOENT ? -EAGAIN : -EPROTO;
}

static int
open_lock_file(const char *path)
{
	int fd = sp_descriptor_open(path, BOARD_OPENING | O_CREAT, BOARD_MODE);

	if (fd >= 0)
		return fd;
	switch (errno) {
	case EACCES:
		return repair_lock_file(path);
	case EAGAIN:
	case ELOOP:
	case EISDIR:
	case ENXIO:
		return -EPROTO;
	default:
		return -errno;
	}
}

static void
hold(int fd)
{
	struct sp_process self;

	creation_lock = fd;
	if (sp_process_self(&self) == 0)
		sp_board_write_at(fd, &self, sizeof(self), 0);
}

/* -EPROTO: the lock file cannot be trusted. */
static int
secure(int fd)
{
	struct stat file;

	if (fstat(fd, &file) != 0)
		return -errno;
	if (sp_board_distrust(&file, geteuid()))
		return -EPROTO;
	return fchmod(fd, BOARD_MODE) ? -errno : 0;
}

static int
lock(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK || errno == EINTR ? -EAGAIN : -errno;
}

/* The lock file may have been created by this process just now. */
int
sp_board_try_creation_lock(void)
{
	char path[BOARD_PATH];

	lock_path(path);
	int fd = open_lock_file(path);
	if (fd < 0)
		return fd;
	int error = secure(fd), locked = error == -EPROTO ? error : lock(fd);
	if (error && !locked)
		sp_board_remove(fd, path);
	if (!error)
		error = locked ? locked : sp_board_is_named(fd, path) ? 0 : -EAGAIN;
	if (error)
		close(fd);
	else
		hold(fd);
	return error;
}

pid_t
sp_board_lock_holder(void)
{
	char path[BOARD_PATH];
	struct sp_process process;

	lock_path(path);
	int fd = sp_descriptor_open(path, BOARD_READING, 0);
	if (fd < 0)
		return 0;
	int error = sp_board_read_at(fd, &process, sizeof(process), 0);
	close(fd);
	return error ? 0 : sp_process_here(&process);
}

bool
sp_board_holds_lock(void)
{
	return creation_lock >= 0;
}

void
sp_board_end(void)
{
	char path[BOARD_PATH];

	if (creation_lock < 0)
		return;
	lock_path(path);
	sp_board_remove(creation_lock, path);
	close(creation_lock);
	creation_lock = -1;
}

int
sp_board_lock_jobs(uint32_t idle_ms)
{
	struct sp_patience patience = sp_patience_begin(0, idle_ms);
	int error;

	while ((error = sp_board_try_creation_lock()) == -EAGAIN) {
		patience.pid = sp_board_lock_holder();
		if (!sp_patience_nap(&patience))
			return -ETIME;
	}
	return error;
}
