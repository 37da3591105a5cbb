/* The creation lock: only one process of a user at a time creates a board, or decides which cores its job takes. */
#include <errno.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "board/board_file.h"

/*
 * Descriptor of the locked file, or -1; a lock on a file is released when its
 * holder is killed.  Written by one thread: the one that joins, or decides.
 */
static int creation_lock = -1;

/* What its file contains: who holds it, and what the others wait for. */
static struct holder {
	struct sp_process process;
	struct sp_work work;
} self;

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
	creation_lock = fd;
	if (sp_process_self(&self.process) != 0)
		return;
	sp_work_begin(&self.work);
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

bool
sp_board_wait_for_lock(struct sp_patience *patience)
{
	char path[BOARD_PATH];
	struct holder holder;

	if (patience->end >= 0)
		return sp_patience_nap(patience);
	lock_path(path);
	int fd = sp_descriptor_open(path, BOARD_READING, 0);
	int error = fd < 0 ? -errno : sp_board_read_at(fd, &holder, sizeof(holder), 0);
	if (fd >= 0)
		close(fd);
	patience->pid = error ? 0 : sp_process_here(&holder.process);
	if (!error)
		sp_patience_until(patience, sp_work_watch(&holder.process, &holder.work));
	return sp_patience_nap(patience);
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
	sp_work_end(&self.work);
}

int
sp_board_lock_jobs_unless(uint32_t idle_ms, bool (*is_done)(void *data), void *data)
{
	struct sp_patience patience = sp_patience_begin(0, idle_ms);
	int error;

	while ((error = sp_board_try_creation_lock()) == -EAGAIN) {
		bool goes_on = sp_board_wait_for_lock(&patience);

		error = is_done(data) ? -EALREADY : -ETIME;
		if (!goes_on || error == -EALREADY)
			break;
	}
	sp_patience_end(&patience);
	return error;
}

static bool
is_never_done(void *data)
{
	(void)data;
	return false;
}

int
sp_board_lock_jobs(uint32_t idle_ms)
{
	return sp_board_lock_jobs_unless(idle_ms, is_never_done, NULL);
}
