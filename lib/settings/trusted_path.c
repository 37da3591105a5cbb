#include "settings/trusted_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40		/* as the kernel follows */
#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define OPENING (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

struct walk {
	int folder;		/* where it has come to */
	char step[NAME_MAX + 1];	/* the next name in it */
	char rest[PATH_MAX];	/* what follows */
	char link[PATH_MAX];
	unsigned links;
	char *why;
	size_t size;
};

/* what: the end of the sentence. */
static int
distrust(struct walk *walk, const char *what)
{
	char *why = walk->why;

	snprintf(why, walk->size, "it is a symbolic link, and on the way to its target \"%s\" %s", walk->step, what);
	return -EPERM;
}

/* Go on into another folder, whose descriptor becomes the walk's. */
static int
enter(struct walk *walk, int folder)
{
	if (folder < 0)
		return -errno;
	if (walk->folder >= 0)
		close(walk->folder);
	walk->folder = folder;
	return 0;
}

/* Take the next name from the rest; false: there is none. */
static bool
next_step(struct walk *walk)
{
	size_t skip = strspn(walk->rest, "/"), length = strcspn(walk->rest + skip, "/");

	if (length == 0 || length > NAME_MAX)
		return false;
	memcpy(walk->step, walk->rest + skip, length);
	walk->step[length] = '\0';
	memmove(walk->rest, walk->rest + skip + length, strlen(walk->rest + skip + length) + 1);
	return true;
}

static bool
is_last(const struct walk *walk)
{
	return walk->rest[strspn(walk->rest, "/")] == '\0';
}

/* Where the link leads goes before the rest. */
static int
follow(struct walk *walk)
{
	ssize_t n = readlinkat(walk->folder, walk->step, walk->link, sizeof(walk->link) - 1);

	if (n < 0)
		return -errno;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + 1 + strlen(walk->rest) >= sizeof(walk->rest))
		return -ENAMETOOLONG;
	memmove(walk->rest + n + 1, walk->rest, strlen(walk->rest) + 1);
	memcpy(walk->rest, walk->link, (size_t)n);
	walk->rest[n] = '/';
	return walk->link[0] == '/' ? enter(walk, open("/", FOLDER)) : 0;
}

static int
step_into(struct walk *walk, const struct stat *at)
{
	if ((at->st_mode & (S_IWGRP | S_IWOTH)) && !(at->st_mode & S_ISVTX))
		return distrust(walk, "can be written to by users other than root");
	return enter(walk, openat(walk->folder, walk->step, FOLDER));
}

/* One step; 1: the end is reached, and is no link. */
static int
step(struct walk *walk)
{
	struct stat at;

	if (!next_step(walk))
		return -ENOENT;
	if (fstatat(walk->folder, walk->step, &at, AT_SYMLINK_NOFOLLOW))
		return walk->links && errno == ENOENT ? distrust(walk, "is not there") : -errno;
	if (at.st_uid != 0)
		return distrust(walk, "is not root's");
	if (S_ISLNK(at.st_mode))
		return follow(walk);
	return is_last(walk) ? 1 : step_into(walk, &at);
}

static int
open_end(struct walk *walk)
{
	int error = enter(walk, open("/", FOLDER));

	while (error == 0)
		error = step(walk);
	if (error != 1)
		return error;
	int fd = openat(walk->folder, walk->step, OPENING);
	return fd < 0 ? -errno : fd;
}

int
sp_trusted_open(const char *path, char *why, size_t size)
{
	int fd = open(path, OPENING);

	why[0] = '\0';
	if (fd >= 0 || errno != ELOOP)
		return fd < 0 ? -errno : fd;
	struct walk *walk = malloc(sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	*walk = (struct walk){ .folder = -1, .why = why, .size = size };
	if ((size_t)snprintf(walk->rest, sizeof(walk->rest), "%s", path) >= sizeof(walk->rest))
		fd = -ENAMETOOLONG;
	else
		fd = open_end(walk);
	if (walk->folder >= 0)
		close(walk->folder);
	free(walk);
	return fd;
}
