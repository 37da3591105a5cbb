#include "cmd/show/watch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/terminal.h"

#define ENTER "\033[?1049h\033[?25l"	/* the alternate screen, no cursor */
#define LEAVE "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define END_OF_LINE "\033[K"
#define REST "\033[J"

#define INDENT 10		/* of what does not fit into a line: behind the host */

static volatile sig_atomic_t has_ended;

static void
end(int signal)
{
	has_ended = signal;
}

static void
wake(int signal)
{
	(void)signal;
}

/* Signals that end the watch; they are blocked unless the program waits. */
static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void
hold_signals(sigset_t *before)
{
	struct sigaction to_end = { .sa_handler = end }, to_wake = { .sa_handler = wake };
	sigset_t held;

	sigemptyset(&held);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		sigaction(ending[i], &to_end, NULL);
		sigaddset(&held, ending[i]);
	}
	sigaction(SIGWINCH, &to_wake, NULL);
	signal(SIGTSTP, SIG_IGN);	/* the shell would be on our screen */
	sigaddset(&held, SIGWINCH);
	sigprocmask(SIG_BLOCK, &held, before);
}

/* Wait for the next time, a key or a signal.  Returns false at the end. */
static bool
wait_for(double seconds, bool has_keys, const sigset_t *open)
{
	const struct timespec time = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	char key = '\0';

	if (ppoll(&keys, has_keys ? 1 : 0, &time, open) > 0 && read(STDIN_FILENO, &key, 1) <= 0)
		return false;
	return !has_ended && key != 'q' && key != 'Q' && key != '\003';
}

char *
watch_capture(watch_printer *print, void *data, bool with_errors, int *status)
{
	char *text = NULL;
	size_t length;
	FILE *before = stdout, *errors = stderr, *memory = open_memstream(&text, &length);

	if (!memory) {
		*status = EXIT_FAILURE;
		return cmd_format("%s", "");
	}
	fflush(before);
	stdout = memory;	/* as glibc and musl allow it */
	stderr = with_errors ? memory : errors;
	*status = print(data);
	stdout = before;
	stderr = errors;
	fclose(memory);
	return text;
}

static size_t
height(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1 ? size.ws_row : 24;
}

char *
watch_screen(const char *text, size_t width, size_t rows)
{
	char *screen = NULL;
	size_t size;
	FILE *to = open_memstream(&screen, &size);

	for (size_t row = 0, length; to && *text && row < rows; text += length + (text[length] != '\0')) {
		length = strcspn(text, "\n");
		char *line = cmd_format("%.*s", (int)length, text), *folded = terminal_fold(line, 0, INDENT, width);

		for (char *part = folded, *end = folded; end && row < rows; part = end ? end + 1 : NULL, row++) {
			end = strchr(part, '\n');
			fprintf(to, "%s%.*s%s%s", row ? "\r\n" : "", (int)strcspn(part, "\n"), part, terminal_plain(), END_OF_LINE);
		}
		free(folded);
		free(line);
	}
	if (to)
		fclose(to);
	return screen ? screen : cmd_format("%s", "");
}

static void
draw(const char *text)
{
	char *screen = watch_screen(text, terminal_width_or_usual(), height());

	printf(HOME "%s" REST, screen);
	fflush(stdout);
	free(screen);
}

/* *last: the screen's content if this turn ends the watch, to free(); otherwise NULL. */
static int
turn(bool on_screen, watch_printer *print, void *data, char **last)
{
	int status;

	*last = NULL;
	if (!on_screen) {
		status = print(data);
		return status ? status : cmd_close_output();
	}
	char *text = watch_capture(print, data, true, &status);
	draw(text);
	if (status)
		*last = text;
	else
		free(text);
	return status;
}

int
watch(double seconds, bool in_place, watch_printer *print, void *data)
{
	bool on_screen = in_place && isatty(STDOUT_FILENO), has_keys = on_screen && isatty(STDIN_FILENO);
	struct termios before, raw;
	sigset_t open;
	char *last;
	int status;

	hold_signals(&open);
	has_keys = has_keys && tcgetattr(STDIN_FILENO, &before) == 0;
	if (has_keys) {
		raw = before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	if (on_screen)
		fputs(ENTER, stdout);
	do
		status = turn(on_screen, print, data, &last);
	while (!status && wait_for(seconds, has_keys, &open));
	if (on_screen)
		fputs(LEAVE, stdout);
	fflush(stdout);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	/* Leaving the alternate screen has removed the reason for the end, so print it again. */
	if (last)
		fputs(last, stderr);
	free(last);
	return status;
}
