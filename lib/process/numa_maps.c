#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/numa_maps.h"
#include "base/order.h"
#include "base/text.h"

#define BUFFER 16384		/* more than any line has */

/* What follows a blank and a name in a line, or NULL. */
static const char *
find(const char *line, const char *name)
{
	size_t length = strlen(name);

	for (const char *p = line; (p = strchr(p, ' ')); p++)
		if (strncmp(p + 1, name, length) == 0)
			return p + 1 + length;
	return NULL;
}

/* Whether a mapping is anonymous; that of anonymous huge pages has the name of a file that cannot be opened. */
static bool
is_anonymous(const char *line)
{
	const char *file = find(line, "file=");

	return !file || strncmp(file, "/anon_hugepage", 14) == 0;
}

void
sp_numa_maps_add(struct sp_numa_maps *pages, const char *line, unsigned small_kb)
{
	const char *size = find(line, "kernelpagesize_kB=");
	unsigned long kb = size ? strtoul(size, NULL, 10) : small_kb, node;
	uint64_t count;
	char *end;

	if (!is_anonymous(line))
		return;
	for (const char *p = line; (p = strchr(p, ' ')); p++) {
		if (p[1] != 'N' || p[2] < '0' || p[2] > '9')
			continue;
		node = strtoul(p + 2, &end, 10);
		count = *end == '=' ? strtoull(end + 1, NULL, 10) : 0;
		if (node < SP_NODES_MAX)
			pages->on[node] += count * sp_larger(kb / small_kb, 1);
	}
}

/* Count the pages of the complete lines of a text.  Returns the length of these lines. */
static size_t
add_lines(struct sp_numa_maps *pages, char *text, size_t length, unsigned small_kb)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', length - (size_t)(line - text)))) {
		*end = '\0';
		sp_numa_maps_add(pages, line, small_kb);
		line = end + 1;
	}
	return (size_t)(line - text);
}

int
sp_numa_maps_read(struct sp_numa_maps *pages)
{
	unsigned small_kb = (unsigned)sysconf(_SC_PAGESIZE) / 1024;
	char text[BUFFER];
	size_t length = 0;
	ssize_t n;
	int fd = open("/proc/self/numa_maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*pages = (struct sp_numa_maps){ { 0 } };
	while ((n = read(fd, text + length, sizeof(text) - length)) > 0) {
		length += (size_t)n;
		size_t used = add_lines(pages, text, length, small_kb);
		length -= used;
		memmove(text, text + used, length);
		if (length == sizeof(text))
			length = 0;
	}
	int error = n < 0 ? -errno : 0;
	close(fd);
	return error;
}

uint64_t
sp_numa_maps_on(const struct sp_numa_maps *pages, const struct sp_cpus *nodes)
{
	uint64_t sum = 0;

	for (uint32_t node = 0; node < SP_NODES_MAX; node++)
		sum += sp_cpus_has(nodes, node) ? pages->on[node] : 0;
	return sum;
}

uint64_t
sp_numa_maps_elsewhere(const struct sp_numa_maps *pages, const struct sp_cpus *nodes)
{
	uint64_t sum = 0;

	for (uint32_t node = 0; node < SP_NODES_MAX; node++)
		sum += sp_cpus_has(nodes, node) ? 0 : pages->on[node];
	return sum;
}

char *
sp_numa_maps_format(const struct sp_numa_maps *pages, char *text, size_t size)
{
	struct sp_text all = sp_text_begin(text, size);
	char one[48];

	for (uint32_t node = 0; node < SP_NODES_MAX; node++) {
		if (!pages->on[node])
			continue;
		size_t n = (size_t)snprintf(one, sizeof(one), "%s%u:%" PRIu64, all.length ? "," : "", node, pages->on[node]);
		/* Room for a comma and dots stays. */
		if (all.length + n + 5 > size) {
			sp_text_add(&all, "%s...", all.length ? "," : "");
			break;
		}
		sp_text_add(&all, "%s", one);
	}
	return text;
}
