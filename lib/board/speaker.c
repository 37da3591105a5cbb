/* Who warns for all ranks of a node where there may be no board. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "board/board_file.h"

/*
 * The right is the name of a socket without a file, which the kernel gives to
 * one process and takes back when that ends, so that nothing can be left behind.
 */
bool
sp_board_speaks_first(const char *job, uint32_t local_rank)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[BOARD_NAME];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* Not in the place of a standard stream that the program's starter has closed. */
	if (fd >= 0 && fd <= STDERR_FILENO) {
		int low = fd;

		fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low);
	}
	if (fd < 0)
		return local_rank == 0;
	sp_board_name(job, name);
	int n = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", name);
	if (bind(fd, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + n) == 0)
		return true;	/* fd stays open */
	bool taken = errno == EADDRINUSE;
	close(fd);
	return !taken && local_rank == 0;
}
