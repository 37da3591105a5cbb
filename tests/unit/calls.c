#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "emulated.h"

static __thread int left = -1;	/* calls until that one; -1: none is waited for */
static __thread bool only_opens;
static __thread calls_meanwhile *meanwhile;

void
calls_at(int nth, calls_meanwhile *then)
{
	left = nth;
	only_opens = false;
	meanwhile = then;
}

void
calls_at_open(calls_meanwhile *then)
{
	calls_at(0, then);
	only_opens = true;
}

bool
calls_were_reached(void)
{
	bool reached = left < 0;

	left = -1;
	return reached;
}

static __thread off_t unreadable = -1;

void
calls_unreadable(off_t at)
{
	unreadable = at;
}

static unsigned into_proc, slept;

unsigned
calls_into_proc(void)
{
	return into_proc;
}

unsigned
calls_to_sleep(void)
{
	return slept;
}

static bool
fails_at(bool is_open)
{
	if (left < 0 || (only_opens && !is_open) || left-- > 0)
		return false;
	int error = meanwhile();

	if (error)
		errno = error;
	return error != 0;
}

static bool
fails(void)
{
	return fails_at(false);
}

/* A function as it is declared, but for its name. */
#define WRAP(type, name, failed, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters { return fails() ? failed : __real_##name arguments; }

WRAP(int, fstat, -1, (int fd, struct stat *file), (fd, file))
WRAP(int, lstat, -1, (const char *path, struct stat *file), (path, file))
WRAP(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
WRAP(int, fallocate, -1, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
WRAP(int, flock, -1, (int fd, int how), (fd, how))
WRAP(int, link, -1, (const char *from, const char *to), (from, to))
WRAP(int, unlink, -1, (const char *path), (path))
WRAP(ssize_t, read, -1, (int fd, void *data, size_t size), (fd, data, size))
WRAP(ssize_t, pwrite, -1, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(ssize_t, write, -1, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(DIR *, opendir, NULL, (const char *path), (path))

ssize_t __real_pread(int fd, void *data, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t at);

ssize_t
__wrap_pread(int fd, void *data, size_t size, off_t at)
{
	if (at == unreadable) {
		errno = EIO;
		return -1;
	}
	return fails() ? -1 : __real_pread(fd, data, size, at);
}

int __real_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest);

int
__wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest)
{
	slept++;
	return fails() ? errno : __real_clock_nanosleep(clock, flags, time, rest);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int
__wrap_open(const char *path, int flags, ...)
{
	char room[PAST_EMULATOR];
	mode_t mode = 0;

	if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {
		va_list arguments;

		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	into_proc += strncmp(path, "/proc/", 6) == 0;
	return fails_at(true) ? -1 : __real_open(past_emulator(path, room), flags, mode);
}

int __real_fcntl(int fd, int what, ...);
int __wrap_fcntl(int fd, int what, ...);

/* Its argument is a number or a pointer, which are passed alike.  Whether a descriptor is open can always be asked. */
int
__wrap_fcntl(int fd, int what, ...)
{
	va_list arguments;

	va_start(arguments, what);
	void *argument = va_arg(arguments, void *);
	va_end(arguments);
	return what != F_GETFD && fails() ? -1 : __real_fcntl(fd, what, argument);
}
