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

static void
write_once(const char *text, size_t length)
{
	for (int i = 0; i < TRIES; i++) {
		if (write(STDERR_FILENO, text, length) >= 0 || errno != EINTR)
			return;
	}
}

/*
 * A reader that has gone away (mpirun 2>&1 | head), or a file that may not
 * grow, must not cost the program its life through a message of ours: the
 * signals of both are held back while we write, and one that we caused is
 * taken away.
 */
static void
write_quietly(const char *text, size_t length)
{
	const struct timespec now = { 0, 0 };
	sigset_t ours, old, earlier, caused;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigemptyset(&earlier);
	if (sigprocmask(SIG_BLOCK, &ours, &old) < 0)
		return;
	sigpending(&earlier);
	errno = 0;
	write_once(text, length);
	int signal = errno == EPIPE ? SIGPIPE : errno == EFBIG ? SIGXFSZ : 0;
	if (signal && !sigismember(&earlier, signal)) {
		sigemptyset(&caused);
		sigaddset(&caused, signal);
		sigtimedwait(&caused, NULL, &now);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
}

void
sp_log_line(const char *prefix, const char *format, va_list arguments)
{
	char text[SP_LOG_MAX + 1];
	int saved = errno;
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", prefix);

	int n = vsnprintf(text + length, sizeof(text) - length, format, arguments);
	if (n < 0) {
		errno = saved;
		return;
	}
	length += (size_t)n;
	if (length > SP_LOG_MAX) {
		length = SP_LOG_MAX;
		memcpy(text + length - 3, "...", 3);
	}
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';	/* a value of the user's must not make lines of its own */
	text[length] = '\n';
	write_quietly(text, length + 1);
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
