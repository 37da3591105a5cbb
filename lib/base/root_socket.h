/* One line to a process of root's that listens at a socket. */
#ifndef SP_ROOT_SOCKET_H
#define SP_ROOT_SOCKET_H

#include <stddef.h>

/*
 * Connect to the stream socket at an absolute path and send length bytes, without
 * waiting and without a signal to the program.  The kernel says who listens, and
 * says to the listener who connects (SO_PEERCRED): nothing is sent unless the
 * listener was root when it began to.
 *
 * errno is kept.  Returns 0, or a negative errno: -ENXIO where it is no socket,
 * -EREMOTE where it is not root's, -ECONNREFUSED where nobody listens, -EAGAIN
 * where the queue is full, -ENOSPC where a part of the line fitted.
 */
int sp_root_socket_send(const char *path, const char *line, size_t length);

#endif
