#include "cmd/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ascii.h"
#include "cmd/cmd.h"
#include "cmd/fold.h"
#include "launcher/launchers.h"

#define WIDEST 10000

static enum { AUTO, ALWAYS, NEVER } color;	/* --color: set while options are read */

/* COLUMNS; 0: it is not set, or no number. */
static size_t
asked_width(void)
{
	const char *columns = getenv("COLUMNS");
	uint64_t n;
	const char *end = columns ? sp_ascii_digits(columns, &n) : NULL;

	if (!end || *end != '\0' || n == 0)
		return 0;
	return n < WIDEST ? (size_t)n : WIDEST;
}

size_t
terminal_width(void)
{
	struct winsize window;
	size_t width = asked_width();

	if (!width && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0)
		width = window.ws_col ? window.ws_col : TERMINAL_USUAL;
	return width && width < TERMINAL_LEAST ? TERMINAL_LEAST : width;
}

size_t
terminal_width_or_usual(void)
{
	size_t width = terminal_width();

	return width ? width : TERMINAL_USUAL;
}

void
terminal_take_color(const char *when)
{
	color = strcmp(when, "always") == 0 ? ALWAYS : strcmp(when, "never") == 0 ? NEVER : AUTO;
}

/* Open MPI gives its ranks terminals, and passes what they write on to wherever mpirun's output goes. */
static bool
is_launchers_terminal(void)
{
	return getenv(sp_launcher_variable[sp_launcher_row[SP_LAUNCHER_OPENMPI].rank]);
}

bool
terminal_has_colour(void)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color != AUTO)
		return color == ALWAYS;
	return !(none && *none) && term && *term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO) && !is_launchers_terminal();
}

/* Colours that can be read on black and on white; no red, which means a fault. */
const char *
terminal_rank(uint32_t rank)
{
	static const char colours[][6] = { "\033[34m", "\033[32m", "\033[35m", "\033[36m", "\033[33m" };

	return terminal_has_colour() ? colours[rank % (sizeof(colours) / sizeof(colours[0]))] : "";
}

const char *
terminal_red(void)
{
	return terminal_has_colour() ? "\033[31m" : "";
}

const char *
terminal_plain(void)
{
	return terminal_has_colour() ? "\033[0m" : "";
}

void
terminal_print(size_t at, size_t indent, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = cmd_vformat(format, arguments);
	va_end(arguments);
	char *folded = fold_text(text, at, indent, terminal_width());
	puts(folded);
	free(folded);
	free(text);
}

/* Help texts. */

size_t
terminal_help_width(void)
{
	size_t width = terminal_width_or_usual();

	return width > TERMINAL_HELP ? TERMINAL_HELP : width;
}

static void
print_folded(const char *text, size_t at, size_t indent)
{
	char *folded = fold_text(text, at, indent, terminal_help_width());

	puts(folded);
	free(folded);
}

void
terminal_print_row(const char *title, size_t column, const char *text)
{
	size_t n = strlen(title);

	if (n + 2 > column)
		printf("%s\n%*s", title, (int)column, "");
	else
		printf("%-*s", (int)column, title);
	print_folded(text, column, column);
}

/* The lines up to an empty or an indented one, as one; *end: where they end. */
static char *
join_prose(const char *text, const char **end)
{
	char *prose = cmd_format("%s", "");

	for (size_t n; *text && *text != '\n' && *text != ' '; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		prose = cmd_append(prose, " ", "%.*s", (int)n, text);
	}
	*end = text;
	return prose;
}

void
terminal_print_help(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), lead = strspn(text, " ");
		const char *end = text + n + (text[n] == '\n');
		char *line = n && !lead ? join_prose(text, &end) : cmd_format("%.*s", (int)n, text);

		print_folded(line, 0, lead ? lead + 4 : 0);
		free(line);
		text = end;
	}
}
