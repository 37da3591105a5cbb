#include <check.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies.h"

char copies_root[] = "/tmp/splitpin-sysfs-XXXXXX";

void
copies_make(void)
{
	strcpy(copies_root + sizeof(copies_root) - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(copies_root));
}

static int
remove_one(const char *path, const struct stat *file, int type, struct FTW *walk)
{
	(void)file;
	(void)type;
	(void)walk;
	return remove(path);
}

void
copies_remove(void)
{
	nftw(copies_root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void
copies_put(const char *path, const char *format, ...)
{
	char whole[512];
	va_list arguments;

	snprintf(whole, sizeof(whole), "%s%s", copies_root, path);
	for (char *slash = whole + strlen(copies_root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(whole, 0700);
	}
	FILE *file = fopen(whole, "w");
	ck_assert_msg(file, "%s", whole);
	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
	fclose(file);
}
