#include "gpus/pbs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/environment.h"

#define VARIABLE "PBS_GPUFILE"
#define TEXT_MAX 65536		/* bytes of the file that are read */
#define LIST_MAX 512

/* Never blocks, whatever kind of file it is. */
#define OPENING (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static size_t
short_length(const char *name, size_t length)
{
	const char *dot = memchr(name, '.', length);

	return dot ? (size_t)(dot - name) : length;
}

/* The number in a line.  False: it is another host's, or has none. */
static bool
number_of(const char *line, size_t length, const char *host, uint64_t *number)
{
	static const char mark[] = "-gpu";
	size_t own = short_length(host, strlen(host)), at = length;

	while (at > 0 && strncmp(line + at - 1, mark, sizeof(mark) - 1) != 0)
		at--;
	if (at == 0 || short_length(line, at - 1) != own || strncmp(line, host, own) != 0)
		return false;
	const char *end = sp_ascii_digits(line + at + sizeof(mark) - 2, number);

	return end && end <= line + length;
}

bool
sp_pbs_list(const char *text, const char *host, char list[], size_t size)
{
	size_t used = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		uint64_t number;

		if (!number_of(line, strcspn(line, "\n"), host, &number))
			continue;
		int n = snprintf(list + used, size - used, "%s%llu", used ? "," : "", (unsigned long long)number);

		if (n < 0 || (size_t)n >= size - used)
			return false;
		used += (size_t)n;
	}
	return used > 0;
}

static bool
read_list(const char *path, char list[LIST_MAX])
{
	struct utsname node;

	if (path[0] != '/')
		return false;
	int fd = open(path, OPENING);
	if (fd < 0)
		return false;
	char *text = calloc(TEXT_MAX, 1);
	bool found = text && read(fd, text, TEXT_MAX - 1) > 0 && uname(&node) == 0 &&
		     sp_pbs_list(text, node.nodename, list, LIST_MAX);

	free(text);
	close(fd);
	return found;
}

char *const *
sp_pbs_environment(char *const environment[])
{
	static char **volatile kept;	/* reachable, for leak checkers: no store that a compiler may leave out */
	static char entry[sizeof(VARIABLE "=") + LIST_MAX];
	const char *path = sp_environment_value(environment, VARIABLE);
	char list[LIST_MAX];

	if (!path || !read_list(path, list))
		return environment;
	snprintf(entry, sizeof(entry), VARIABLE "=%s", list);
	kept = sp_environment_copy(environment, 0);
	for (char **to = kept; to && *to; to++)
		if (strncmp(*to, VARIABLE "=", sizeof(VARIABLE)) == 0)
			*to = entry;
	return kept ? kept : environment;
}
