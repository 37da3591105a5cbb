#include <check.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "message.h"

int
message_listen(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	ck_assert_int_eq(dup2(pair[1], STDERR_FILENO), STDERR_FILENO);
	close(pair[1]);
	/* The lowest number is left to what the test is about. */
	int reader = fcntl(pair[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(pair[0]);
	return reader;
}

const char *
message_next(int reader)
{
	static char text[2 * SP_LOG_MAX];
	ssize_t n = recv(reader, text, sizeof(text) - 1, MSG_DONTWAIT);

	text[n < 0 ? 0 : n] = '\0';
	return text;
}
