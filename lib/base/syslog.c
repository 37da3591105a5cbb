#include "base/syslog.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET "/dev/log"

int
sp_syslog_send(int priority, const char *text, size_t length)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET };
	char message[SP_SYSLOG_LINE + 64];
	int saved = errno, error = 0, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0) {
		int n = snprintf(message, sizeof(message), "<%d>splitpin[%d]: %.*s", priority, (int)getpid(), (int)length, text);

		if (sendto(fd, message, (size_t)n, MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof(address)) != n)
			error = -errno;
		close(fd);
	} else {
		error = -errno;
	}
	errno = saved;
	return error;
}
