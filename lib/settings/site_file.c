/* The site's file on the disk: whether it can be trusted, and what it holds. */
#include "settings/site.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/trusted_path.h"

#define FILE_NAME SP_SYSCONFDIR "/splitpin.conf"
#define OFF_NAME SP_SYSCONFDIR "/splitpin.off"
#define SIZE_MAX_KB 64
#define SIZE_LIMIT (SIZE_MAX_KB * 1024)
#define SENTENCE 384

/* Appended by the kernel to a path whose file has been removed or replaced. */
#define DELETED " (deleted)"

const char sp_site_self[] = "(this process)";

const char *
sp_site_file(void)
{
	return FILE_NAME;
}

const char *
sp_site_off_file(void)
{
	return OFF_NAME;
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

/* Why it cannot be read as a whole, or NULL. */
static const char *
why_unreadable(const struct stat *file, char why[SENTENCE])
{
	if (!S_ISREG(file->st_mode))
		return "it is not a regular file";
	if (file->st_size > SIZE_LIMIT) {
		snprintf(why, SENTENCE, "it is larger than %d KiB", SIZE_MAX_KB);
		return why;
	}
	return NULL;
}

/* Why it is not trusted as a file that rules all users, or NULL. */
static const char *
why_untrusted(const struct stat *file, char why[SENTENCE])
{
	if (file->st_uid != 0) {
		snprintf(why, SENTENCE, "its owner is user %u instead of root", (unsigned)file->st_uid);
		return why;
	}
	if (file->st_mode & (S_IWGRP | S_IWOTH)) {
		snprintf(why, SENTENCE, "its mode is %04o, so users other than root may write to it; chmod go-w",
			 (unsigned)file->st_mode & 07777);
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
read_text(struct sp_site *site, const char *name, int fd, char *const environment[], const char *program)
{
	char *text = malloc(SIZE_LIMIT + PATH_MAX);
	ssize_t length = text ? read_whole(fd, text, SIZE_LIMIT) : -ENOMEM;
	struct sp_subject subject;

	if (text && program == sp_site_self)
		program = sp_site_program(text + SIZE_LIMIT, PATH_MAX);
	sp_subject_read(&subject, environment, program);
	if (length < 0)
		sp_site_refuse(site, name, strerror((int)-length));
	else
		sp_site_parse(site, name, text, (size_t)length, &subject);
	free(text);
}

static void
read_open(struct sp_site *site, const char *name, bool must_be_trusted, int fd, char *const environment[], const char *program)
{
	char sentence[SENTENCE];
	struct stat file = { .st_uid = 0 };
	const char *why = fstat(fd, &file) == 0 ? why_unreadable(&file, sentence) : strerror(errno);

	if (!why && must_be_trusted)
		why = why_untrusted(&file, sentence);
	if (why)
		sp_site_refuse(site, name, why);
	else
		read_text(site, name, fd, environment, program);
	close(fd);
}

void
sp_site_read(struct sp_site *site, char *const environment[], const char *program)
{
	char why[SENTENCE];
	struct stat off;

	*site = (struct sp_site){ .state = SP_SITE_ABSENT, .file = FILE_NAME };
	if (lstat(OFF_NAME, &off) == 0) {
		site->state = SP_SITE_OFF;
		return;
	}
	int fd = sp_trusted_open(FILE_NAME, why, sizeof(why));
	if (fd == -ENOENT)
		return;
	if (fd < 0) {
		sp_site_refuse(site, FILE_NAME, *why ? why : strerror(-fd));
		return;
	}
	read_open(site, FILE_NAME, true, fd, environment, program);
}

void
sp_site_read_candidate(struct sp_site *site, const char *name, char *const environment[], const char *program)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	*site = (struct sp_site){ .state = SP_SITE_ABSENT, .file = name };
	if (fd < 0)
		sp_site_refuse(site, name, strerror(errno));
	else
		read_open(site, name, false, fd, environment, program);
}
