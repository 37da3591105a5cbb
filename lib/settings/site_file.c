/* The site's file on the disk: whether it can be trusted, and what it holds. */
#include "settings/site.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/trusted_path.h"

#define FILE_NAME SP_SYSCONFDIR "/splitpin.conf"
#define SIZE_MAX_KB 64
#define SIZE_LIMIT (SIZE_MAX_KB * 1024)
#define SENTENCE 384
#define LINE 512		/* room for a sentence with the file's name and a line's number */

/* Appended by the kernel to a path whose file has been removed or replaced. */
#define DELETED " (deleted)"

const char sp_site_self[] = "(this process)";

const char *
sp_site_file(void)
{
	return FILE_NAME;
}

const char *
sp_site_program(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size);
	size_t suffix = strlen(DELETED);

	if (n <= 0 || (size_t)n >= size || path[0] != '/')
		return NULL;
	path[n] = '\0';
	if ((size_t)n > suffix && strcmp(path + n - suffix, DELETED) == 0)
		path[n - (ssize_t)suffix] = '\0';
	return path;
}

/* What is wrong with it as a file that rules all users, or NULL. */
static const char *
why_not(const struct stat *file, char why[SENTENCE])
{
	if (!S_ISREG(file->st_mode))
		return "it is not a regular file";
	if (file->st_uid != 0) {
		snprintf(why, SENTENCE, "its owner is user %u instead of root", (unsigned)file->st_uid);
		return why;
	}
	if (file->st_mode & (S_IWGRP | S_IWOTH)) {
		snprintf(why, SENTENCE, "its mode is %04o, so users other than root may write to it; chmod go-w",
			 (unsigned)file->st_mode & 07777);
		return why;
	}
	if (file->st_size > SIZE_LIMIT) {
		snprintf(why, SENTENCE, "it is larger than %d KiB", SIZE_MAX_KB);
		return why;
	}
	return NULL;
}

/* At most `size` bytes; their number, or a negative errno. */
static ssize_t
read_whole(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t n = 1;

	while (n > 0 && length < size) {
		n = read(fd, text + length, size - length);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return -errno;
		else
			length += (size_t)n;
	}
	return (ssize_t)length;
}

static void
read_text(struct sp_site *site, int fd, const char *program)
{
	char *text = malloc(SIZE_LIMIT + PATH_MAX);
	ssize_t length = text ? read_whole(fd, text, SIZE_LIMIT) : -ENOMEM;

	if (text && program == sp_site_self)
		program = sp_site_program(text + SIZE_LIMIT, PATH_MAX);
	if (length < 0)
		sp_site_ignore(site, FILE_NAME, strerror((int)-length));
	else
		sp_site_parse(site, FILE_NAME, text, (size_t)length, program);
	free(text);
}

/*
 * In a user name space root's files may appear as nobody's, and so may all
 * others: not a fault of the file, which still cannot be trusted there.
 */
static bool
is_root_hidden(void)
{
	char map[64] = "";
	unsigned inside, outside, count;
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = read_whole(fd, map, sizeof(map) - 1);
	close(fd);
	return n > 0 && sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 &&
	       (inside != 0 || outside != 0 || count != UINT32_MAX);
}

static void
read_open(struct sp_site *site, int fd, const char *program)
{
	char sentence[SENTENCE];
	struct stat file = { .st_uid = 0 };
	const char *why = fstat(fd, &file) == 0 ? why_not(&file, sentence) : strerror(errno);

	if (why && file.st_uid != 0 && is_root_hidden())
		return;
	if (why)
		sp_site_ignore(site, FILE_NAME, why);
	else
		read_text(site, fd, program);
}

void
sp_site_read(struct sp_site *site, const char *program)
{
	char why[SENTENCE];
	int fd = sp_trusted_open(FILE_NAME, why, sizeof(why));

	*site = (struct sp_site){ .state = SP_SITE_ABSENT };
	/* If root's files appear as nobody's, a path owned by nobody is not a fault. */
	if (fd == -ENOENT || (*why && is_root_hidden()))
		return;
	if (fd < 0) {
		sp_site_ignore(site, FILE_NAME, *why ? why : strerror(-fd));
		return;
	}
	read_open(site, fd, program);
	close(fd);
}

void
sp_site_complain(const struct sp_site *site, sp_complain *complain, void *data)
{
	char sentence[LINE];

	for (size_t i = 0; i < site->nkept; i++)
		complain(data, site->fault[i]);
	if (site->nfaults > site->nkept) {
		snprintf(sentence, sizeof(sentence), "%s: %zu more lines are wrong", sp_site_file(),
			 site->nfaults - site->nkept);
		complain(data, sentence);
	}
}

void
sp_site_summarise(const struct sp_site *site, sp_complain *complain, void *data)
{
	char sentence[2 * LINE];

	if (site->nfaults == 0)
		return;
	size_t more = site->nfaults - 1;

	if (site->nkept == 0)
		snprintf(sentence, sizeof(sentence), "%s: lines are wrong: see splitpin config", sp_site_file());
	else if (more == 0)
		snprintf(sentence, sizeof(sentence), "%s", site->fault[0]);
	else
		snprintf(sentence, sizeof(sentence), "%s; %zu more line%s wrong: see splitpin config", site->fault[0], more,
			 more == 1 ? " is" : "s are");
	complain(data, sentence);
}
