#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/sysfs_file.h"

#define PATH 512
#define NUMBER 64		/* of a file with a number; more of it is not read */

/* False: the result is too long. */
static bool
join(char whole[PATH], const char *root, const char *path)
{
	return snprintf(whole, PATH, "%s%s", root, path) < PATH;
}

bool
sp_sysfs_is_there(const char *root, const char *path)
{
	char whole[PATH];

	return join(whole, root, path) && access(whole, F_OK) == 0;
}

bool
sp_sysfs_text(const char *root, const char *path, char *text, size_t size)
{
	char whole[PATH];

	if (!join(whole, root, path))
		return false;
	int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

bool
sp_sysfs_number(const char *root, const char *path, long *number)
{
	char text[NUMBER], *end;

	if (!sp_sysfs_text(root, path, text, sizeof(text)))
		return false;
	*number = strtol(text, &end, 0);
	return end != text;
}
