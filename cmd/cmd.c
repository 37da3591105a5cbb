#include "cmd/cmd.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"
#include "cmd/fold.h"
#include "base/text.h"
#include "decide/job_terms.h"
#include "rank.h"
#include "settings/config.h"

#define NARROWEST 40		/* columns of a terminal to which messages are folded */

void
cmd_complain(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = cmd_vformat(format, arguments);
	va_end(arguments);
	cmd_make_plain(text);
	struct winsize window;
	size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= NARROWEST ? window.ws_col : 0;
	char *folded = fold_text(text, strlen("splitpin: "), 4, width);
	fprintf(stderr, "splitpin: %s\n", folded);
	free(folded);
	free(text);
}

int
cmd_close_output(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_SUCCESS;
	cmd_complain("cannot write the output: %s", strerror(errno));
	return EXIT_FAILURE;
}

/* Whether two neighbouring letters are swapped, as in "plna". */
static bool
is_swapped(const char *name, size_t length, const char *known)
{
	size_t at = 0;

	if (strlen(known) != length || length < 2)
		return false;
	while (at + 2 < length && name[at] == known[at])
		at++;
	return name[at] == known[at + 1] && name[at + 1] == known[at] && strncmp(name + at + 2, known + at + 2, length - at - 2) == 0;
}

bool
cmd_is_nearer(const char *name, size_t length, const char *known, unsigned *least)
{
	unsigned far = is_swapped(name, length, known) ? 1 : sp_text_distance(name, length, known);

	if (far >= *least || 3 * far > strlen(known) + 1)
		return false;
	*least = far;
	return true;
}

/* The option that a misspelt name may have meant, or NULL. */
static const char *
nearest_option(const char *name, size_t length, const struct option *options)
{
	const char *best = NULL;
	unsigned least = UINT_MAX;

	for (; options->name; options++)
		if (cmd_is_nearer(name, length, options->name, &least))
			best = options->name;
	return best;
}

/* Complain about "--name" or "--name=value"; a missing value is another function's. */
static void
complain_of_long(const char *given, const struct option *options, const char *command)
{
	const char *name = given + 2, *first = NULL, *second = NULL;
	size_t length = strcspn(name, "=");

	for (const struct option *o = options; o->name; o++) {
		if (strncmp(o->name, name, length) != 0)
			continue;
		if (o->name[length] == '\0') {
			cmd_complain("--%s takes no value: see splitpin %s --help", o->name, command);
			return;
		}
		second = first && !second ? o->name : second;
		first = first ? first : o->name;
	}
	const char *meant = nearest_option(name, length, options);
	if (second)
		cmd_complain("%s: ambiguous option: --%s or --%s? See splitpin %s --help", given, first, second, command);
	else if (meant)
		cmd_complain("%s: unknown option: did you mean --%s? See splitpin %s --help", given, meant, command);
	else
		cmd_complain("%s: unknown option; see splitpin %s --help", given, command);
}

int
cmd_wrong_option(char *const argv[], int option, const struct option *options, const char *command)
{
	const char *word = argv[optind - 1], *next = argv[optind];
	/* Among other letters of a word that getopt has not left. */
	bool is_inside = option == '?' && optopt > 0 && optopt < 128 && next && next[0] == '-' && next[1] != '-' && strchr(next + 1, optopt);
	bool is_long = !is_inside && word && word[0] == '-' && word[1] == '-';

	/* A short option may stand among others of the same word, or be what a long one stands for. */
	if (option == ':' && !is_long)
		cmd_complain("-%c needs a value: see splitpin %s --help", optopt, command);
	else if (option == ':')
		cmd_complain("%s needs a value: see splitpin %s --help", word, command);
	else if (optopt > 0 && optopt < 128 && !is_long)
		cmd_complain("-%c: unknown option; see splitpin %s --help", optopt, command);
	else
		complain_of_long(word, options, command);
	return CMD_USAGE;
}

void *
cmd_allocate(size_t count, size_t size)
{
	return fold_checked(calloc(count ? count : 1, size));
}

void *
cmd_enlarge(void *array, size_t count, size_t size)
{
	size_t bytes;

	return fold_checked(__builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(array, bytes));
}

char *
cmd_vformat(const char *format, va_list arguments)
{
	char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	return fold_checked(text);
}

char *
cmd_format(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *text = cmd_vformat(format, arguments);
	va_end(arguments);
	return text;
}

char *
cmd_append(char *text, const char *between, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *more = cmd_vformat(format, arguments);
	va_end(arguments);
	char *longer = cmd_format("%s%s%s", text ? text : "", text && *text && *more ? between : "", more);
	free(more);
	free(text);
	return longer;
}

bool
cmd_is_program(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

char *
cmd_look_up(const char *name)
{
	const char *path = getenv("PATH");

	return cmd_look_up_in(name, path ? path : "");
}

char *
cmd_look_up_in(const char *name, const char *path)
{
	const char *folder = *path ? path : "/bin:/usr/bin";

	if (strchr(name, '/'))
		return cmd_format("%s", name);
	while (folder) {
		size_t length = strcspn(folder, ":");
		char *found = cmd_format("%.*s%s%s", (int)length, folder, length ? "/" : "./", name);

		if (cmd_is_program(found))
			return found;
		free(found);
		folder = folder[length] ? folder + length + 1 : NULL;
	}
	return NULL;
}

char *
cmd_quote(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	char *quoted = cmd_allocate(4 * strlen(word) + 3, 1), *end = quoted;

	if (*word != '\0' && word[strspn(word, plain)] == '\0') {
		strcpy(quoted, word);
		return quoted;
	}
	*end++ = '\'';
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			end = stpcpy(end, "'\\''");
		else
			*end++ = *word;
	}
	strcpy(end, "'");
	return quoted;
}

char **
cmd_insert_words(char *const words[], size_t at, char *const inserted[])
{
	size_t more = sp_strings_count(inserted), n = sp_strings_count(words);
	char **all = cmd_allocate(n + more + 1, sizeof(*all));

	for (size_t i = 0; i < n + more; i++)
		all[i] = i < at ? words[i] : i < at + more ? inserted[i - at] : words[i - more];
	return all;
}

void
cmd_export(const char *entry)
{
	size_t length = strcspn(entry, "=");
	char *name = cmd_format("%.*s", (int)length, entry);

	setenv(name, entry + length + (entry[length] == '='), 1);
	free(name);
}

char *
cmd_list(const struct sp_cpus *cpus)
{
	/* Every other CPU, four digits and a comma each, is the longest list. */
	size_t size = SP_CPUS_MAX / 2 * 5 + 16;
	char *text = cmd_allocate(size, 1);

	return sp_cpus_format(cpus, text, size);
}

int
cmd_parse_count(const char *option, const char *text, uint32_t most, uint32_t *count)
{
	uint64_t n;
	const char *end = sp_ascii_digits(text, &n);

	if (!end || *end != '\0' || n == 0 || n > most) {
		cmd_complain("%s %s: use a number from 1 to %u", option, text, most);
		return CMD_USAGE;
	}
	*count = (uint32_t)n;
	return 0;
}

char *
cmd_wrong_rank(const struct sp_rank *rank)
{
	return *rank->bad_value ? cmd_format("%s=%s is wrong", rank->bad_name, rank->bad_value) : cmd_format("%s is not set", rank->bad_name);
}

const char *
cmd_terms_name(uint32_t how)
{
	return how == SP_TERMS_ALONE ? "alone" : how == SP_TERMS_BESIDE ? "beside" : "shared";
}
