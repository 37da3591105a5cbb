/*
 * The user's locks: one for all jobs, whose holder decides which cores a job
 * takes; one for each job, whose holder makes its board, or collects the facts
 * of all ranks; and one whose holder reads the machine for all.
 */
#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/text.h"
#include "board/board_file.h"
#include "process/work.h"

/* What a lock's file contains: who holds it, what the others wait for, and how often the holder has said that it goes on. */
struct holder {
	struct sp_process process;
	struct sp_work work;
	uint64_t signs;
};
_Static_assert(sizeof(struct holder) <= BOARD_HOLDER_SIZE, "who tells the machine writes it behind");

/*
 * Written by one thread: the one that joins, or decides.  A lock on a file is
 * released when its holder is killed, unless that has forked a child meanwhile.
 */
static struct lock {
	int fd;			/* of the locked file; -1: it is not held */
	struct holder self, other;	/* the calling process, and who held it when it was to be had */
	char path[BOARD_PATH];
} of_jobs = { .fd = -1 }, of_job = { .fd = -1 }, of_machine = { .fd = -1 };

const char BOARD_OF_MACHINE[] = "machine";

static struct lock *
among(const char *job)
{
	return !job ? &of_jobs : job == BOARD_OF_MACHINE ? &of_machine : &of_job;
}

static struct lock *
lock_of(const char *job)
{
	struct lock *lock = among(job);
	char name[BOARD_NAME];

	if (lock->fd >= 0)
		return lock;
	if (lock == &of_job)
		sp_board_name(job, name);
	else
		sp_board_prefix(name);
	struct sp_text text = sp_text_begin(lock->path, BOARD_PATH);
	sp_text_put(&text, BOARD_FOLDER "/");
	sp_text_put(&text, name);
	if (lock == &of_machine)
		sp_text_put(&text, BOARD_OF_MACHINE);
	sp_text_put(&text, job ? BOARD_LOCK : &BOARD_LOCK[1]);
	sp_board_choose_name(lock->path);
	return lock;
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
hold(struct lock *lock, int fd)
{
	lock->fd = fd;
	lock->self = (struct holder){ .signs = 0 };
	if (sp_process_self(&lock->self.process) != 0)
		return;
	sp_work_begin(&lock->self.work);
	sp_board_write_at(fd, &lock->self, sizeof(lock->self), 0);
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
lock_file(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK || errno == EINTR ? -EAGAIN : -errno;
}

/*
 * The lock file may have been created by this process just now.  -EAGAIN: another
 * process holds the lock, or has just removed its file; -EPROTO: it cannot be trusted.
 */
static int
try_lock(const char *job)
{
	struct lock *lock = lock_of(job);
	int fd = open_lock_file(lock->path);

	if (fd < 0)
		return fd;
	int error = secure(fd), locked = error == -EPROTO ? error : lock_file(fd);
	if (error && !locked)
		sp_board_remove(fd, lock->path);
	if (!error)
		error = locked ? locked : sp_board_is_named(fd, lock->path) ? 0 : -EAGAIN;
	if (error)
		close(fd);
	else
		hold(lock, fd);
	return error;
}

static int
read_holder(const char *path, struct holder *holder)
{
	int fd = sp_descriptor_open(path, BOARD_READING, 0);
	int error = fd < 0 ? -errno : sp_board_read_at(fd, holder, sizeof(*holder), 0);

	if (fd >= 0)
		close(fd);
	return error;
}

/*
 * For so long a holder may be stopped that others wait for.  A tool that traces
 * it stops it at each system call; a debugger for longer.
 */
#define STOPPED_NS 100000000
#define TRACED_NS 1000000000

/* Whether a holder will not go on: it has ended, and a child of it keeps the lock; or it was stopped, this time ago at least. */
static bool
is_stuck(const struct sp_process *holder, uint64_t idle_ns)
{
	pid_t pid = sp_process_here(holder);
	struct sp_activity activity;

	if (pid <= 0)
		return false;
	if (!sp_process_lives(holder))
		return true;
	return idle_ns >= STOPPED_NS && sp_process_activity(pid, &activity) == 0 &&
	       (activity.state == 'T' || (activity.state == 't' && idle_ns >= TRACED_NS));
}

/* Whether nobody else is about to remove the file's name: who wants to locks the whole file. */
static bool
may_remove(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_SETLK, &lock) == 0;
}

/* Remove the file that such a holder has locked: the next process begins with another. */
static bool
take_away(const struct lock *lock)
{
	int fd = sp_descriptor_open(lock->path, BOARD_OPENING, 0);
	struct holder now;
	struct stat file;

	if (fd < 0)
		return false;
	bool is_taken = fstat(fd, &file) == 0 && !sp_board_distrust(&file, geteuid()) && may_remove(fd) &&
			sp_board_read_at(fd, &now, sizeof(now), 0) == 0 && sp_process_same(&now.process, &lock->other.process) &&
			sp_board_is_named(fd, lock->path) && unlink(lock->path) == 0;
	close(fd);
	return is_taken;
}

bool
sp_board_wait_for_lock(const char *job, struct sp_patience *patience)
{
	struct lock *lock = lock_of(job);
	int error = read_holder(lock->path, &lock->other);

	patience->pid = error ? 0 : sp_process_here(&lock->other.process);
	if (!error) {
		sp_patience_count(patience, (uint32_t)lock->other.signs);
		if (patience->end < 0)
			sp_patience_until(patience, sp_work_watch(&lock->other.process, &lock->other.work));
	}
	bool goes_on = sp_patience_nap(patience);
	if (!patience->pid || !is_stuck(&lock->other.process, patience->idle_ns) || !take_away(lock))
		return goes_on;
	sp_patience_end(patience);
	return true;
}

bool
sp_board_holds_lock(void)
{
	return of_jobs.fd >= 0;
}

bool
sp_board_has_lost_lock(void)
{
	return of_jobs.fd >= 0 && !sp_board_is_named(of_jobs.fd, of_jobs.path);
}

int
sp_board_open_lock(const char *job)
{
	return sp_descriptor_open(lock_of(job)->path, BOARD_READING, 0);
}

int
sp_board_held_lock(const char *job)
{
	return among(job)->fd;
}

void
sp_board_unlock(const char *job)
{
	struct lock *lock = among(job);

	if (lock->fd < 0)
		return;
	sp_board_remove(lock->fd, lock->path);
	close(lock->fd);
	lock->fd = -1;
	sp_work_end(&lock->self.work);
}

void
sp_board_end(void)
{
	sp_board_unlock(NULL);
	sp_board_unlock("");
	sp_board_note_numbers(false);
}

void
sp_board_go_on(void)
{
	of_job.self.signs++;
	if (of_job.fd >= 0)
		sp_board_write_at(of_job.fd, &of_job.self, sizeof(of_job.self), 0);
}

int
sp_board_lock_unless(const char *job, uint32_t processes, uint32_t idle_ms, bool (*is_done)(void *data), void *data)
{
	struct sp_patience patience = sp_patience_begin(0, idle_ms);
	int error;

	sp_patience_of_many(&patience, processes);
	while ((error = try_lock(job)) == -EAGAIN) {
		bool goes_on = sp_board_wait_for_lock(job, &patience);

		sp_board_note_numbers(false);
		error = is_done && is_done(data) ? -EALREADY : -ETIME;
		if (!goes_on || error == -EALREADY)
			break;
	}
	sp_patience_end(&patience);
	return error;
}

int
sp_board_lock_jobs(uint32_t idle_ms)
{
	return sp_board_lock_unless(NULL, 1, idle_ms, NULL, NULL);
}
