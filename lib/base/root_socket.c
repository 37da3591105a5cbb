#include "base/root_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int
send_to_root(int fd, const struct sockaddr_un *address, const char *line, size_t length)
{
	struct ucred listener;
	socklen_t size = sizeof(listener);

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0)
		return -errno;
	if (listener.uid != 0)
		return -EREMOTE;
	ssize_t n = sendto(fd, line, length, MSG_NOSIGNAL, NULL, 0);
	return n < 0 ? -errno : (size_t)n < length ? -ENOSPC : 0;
}

int
sp_root_socket_send(const char *path, const char *line, size_t length)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat at;
	int saved = errno, fd = -1, error = 0;

	if (lstat(path, &at) != 0)
		error = -errno;
	else if (!S_ISSOCK(at.st_mode))
		error = -ENXIO;
	else if (strlen(path) >= sizeof(address.sun_path))
		error = -ENAMETOOLONG;
	else if ((fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) < 0)
		error = -errno;
	if (!error) {
		strcpy(address.sun_path, path);
		error = send_to_root(fd, &address, line, length);
	}
	if (fd >= 0)
		close(fd);
	errno = saved;
	return error;
}
