#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Signals that interrupt faster than this leave the message unsaid. */
#define TRIES 4

static int
write_once(int fd, const char *text, size_t length)
{
	for (int i = 0; i < TRIES; i++) {
		ssize_t n = write(fd, text, length);

		if (n >= 0)
			return (size_t)n < length ? -ENOSPC : 0;
		if (errno != EINTR)
			break;
	}
	return -errno;
}

/*
 * A reader that has gone away (mpirun 2>&1 | head), or a file that may not
 * grow, must not cost the program its life through a message of ours: the
 * signals of both are held back while we write, and one that we caused is
 * taken away.  Nor must a terminal stop it (stty tostop) that writes nothing
 * itself: where that signal is held back the kernel sends none.
 */
int
sp_log_write(int fd, const char *text, size_t length)
{
	static const struct timespec now;
	sigset_t ours, old, earlier, caused;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigaddset(&ours, SIGTTOU);
	sigemptyset(&earlier);
	/* Where it fails, a sandbox forbids it, and the mask to go back to is unknown. */
	if (sigprocmask(SIG_BLOCK, &ours, &old) < 0)
		return -errno;
	sigpending(&earlier);
	int error = write_once(fd, text, length);
	int signal = error == -EPIPE ? SIGPIPE : error == -EFBIG ? SIGXFSZ : 0;
	if (signal && !sigismember(&earlier, signal)) {
		sigemptyset(&caused);
		sigaddset(&caused, signal);
		sigtimedwait(&caused, NULL, &now);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	return error;
}

size_t
sp_log_compose(char text[SP_LOG_MAX + 1], const char *prefix, const char *format, va_list arguments)
{
	size_t length = (size_t)snprintf(text, SP_LOG_MAX + 1, "%s", prefix);
	int n = vsnprintf(text + length, SP_LOG_MAX + 1 - length, format, arguments);

	if (n < 0)
		return 0;
	length += (size_t)n;
	if (length > SP_LOG_MAX) {
		length = SP_LOG_MAX;
		memcpy(text + length - 3, "...", 3);
	}
	text[length] = '\n';
	for (char *c = text; c < text + length; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';	/* a value of the user's must not make lines of its own */
	return length + 1;
}

void
sp_log_line(const char *prefix, const char *format, va_list arguments)
{
	char text[SP_LOG_MAX + 1];
	int saved = errno;
	size_t length = sp_log_compose(text, prefix, format, arguments);

	if (length)
		sp_log_write(STDERR_FILENO, text, length);
	errno = saved;
}

void
sp_log(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(SP_LOG_PREFIX, format, arguments);
	va_end(arguments);
}

void
sp_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	sp_log_line(SP_WARN_PREFIX, format, arguments);
	va_end(arguments);
}
