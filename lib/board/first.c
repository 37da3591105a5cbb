/* The first process of a job to say something, where there may be no board. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "board/board_file.h"

/* System calls are used since programs may have functions of these names: "bind", to bind a thread to a core. */
static int
new_socket(void)
{
	return (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static bool
name_take(int fd, const struct sockaddr_un *address, socklen_t size)
{
	return syscall(SYS_bind, fd, address, size) == 0 && syscall(SYS_listen, fd, SOMAXCONN) == 0;
}

/*
 * Whether the socket's name is held by a process of this user that still runs:
 * a child may outlive that process and hold it.
 */
static bool
is_held_by_own(const struct sockaddr_un *address, socklen_t size)
{
	struct ucred holder;
	socklen_t length = sizeof(holder);
	int fd = new_socket();

	if (fd < 0)
		return false;
	bool is_own = syscall(SYS_connect, fd, address, size) == 0 &&
		      syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &holder, &length) == 0 && holder.uid == geteuid() &&
		      (holder.pid <= 0 || syscall(SYS_kill, holder.pid, 0) == 0);
	close(fd);
	return is_own;
}

/*
 * Replace fd by a copy that takes neither the number of a standard stream which
 * the program's starter has closed, nor the last free descriptor; -1 if there
 * is none such.
 */
static int
spare_descriptor(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	close(fd);
	return copy;
}

/*
 * The right to warn is the name of an abstract socket, one without a file.  The
 * kernel gives the name to one process and releases it when that process ends,
 * so that nothing can be left behind.
 */
bool
sp_board_is_first_to_say(const char *job, const char *message)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[BOARD_NAME];
	int fd = *job ? new_socket() : -1;

	if (fd >= 0)
		fd = spare_descriptor(fd);
	if (fd < 0)
		return true;
	sp_board_name(job, name);
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s-%016llx", name,
			 (unsigned long long)sp_text_sum(message));
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	if (name_take(fd, &address, size))
		return true;	/* fd stays open */
	bool is_taken = errno == EADDRINUSE;
	close(fd);
	return !is_taken || !is_held_by_own(&address, size);
}
