#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/descriptor.h"

#define STREAMS (STDERR_FILENO + 1)

static bool
are_streams_open(void)
{
	for (int fd = 0; fd < STREAMS; fd++)
		if (fcntl(fd, F_GETFD) == -1)
			return false;
	return true;
}

/* Of O_PATH neither can be read nor written.  False where one is not to be had. */
static bool
hold_streams(int held[STREAMS], int *n)
{
	for (*n = 0; *n < STREAMS; ++*n) {
		int fd = open("/", O_PATH | O_CLOEXEC);

		if (fd < 0)
			return false;
		if (fd >= STREAMS) {
			close(fd);
			break;
		}
		held[*n] = fd;
	}
	return true;
}

static int
open_beside(const char *path, int flags, mode_t mode)
{
	int held[STREAMS], n;
	int fd = hold_streams(held, &n) ? open(path, flags, mode) : -1, error = errno;

	while (n > 0)
		close(held[--n]);
	errno = error;
	return fd;
}

int
sp_descriptor_open(const char *path, int flags, mode_t mode)
{
	int fd = are_streams_open() ? open(path, flags, mode) : open_beside(path, flags, mode);

	if (fd < 0 || fd >= STREAMS)
		return fd;
	/* Another thread has closed a stream meanwhile. */
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STREAMS), error = errno;
	close(fd);
	errno = error;
	return copy;
}

int
sp_descriptor_pipe(int end[2])
{
	int held[STREAMS], n = 0;
	int error = are_streams_open() || hold_streams(held, &n) ? pipe2(end, O_CLOEXEC) : -1;

	while (n > 0)
		close(held[--n]);
	if (error || (end[0] >= STREAMS && end[1] >= STREAMS))
		return error;
	/* Another thread has closed a stream meanwhile. */
	close(end[0]);
	close(end[1]);
	return -1;
}
