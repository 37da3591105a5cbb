#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "elf/objects.h"
#include "elf/origin.h"

/* The loader's own path of the object, valid while the object is loaded; NULL: no object holds the address. */
static const char *
path_of(const void *address)
{
	struct sp_object object;

	return sp_object_of(address, &object) ? object.path : NULL;
}

int
sp_origin_is_relative(const void *address)
{
	const char *own = path_of(address);

	return own && own[0] != '/';
}

static int
file_in(const void *address, const char *start, const char *folder, const char *file, char *path, size_t size)
{
	const char *own = path_of(address), *slash = own ? strrchr(own, '/') : NULL;

	if (!slash || (own[0] != '/' && !start))
		return -ENOENT;
	struct sp_text text = sp_text_begin(path, size);
	if (own[0] != '/') {
		sp_text_put(&text, start);
		sp_text_put(&text, "/");
	}
	sp_text_put_bytes(&text, own, (size_t)(slash + 1 - own));
	sp_text_put(&text, folder);
	sp_text_put(&text, file);
	/* One that just fits counts as cut. */
	return text.length + 1 < size ? 0 : -ENAMETOOLONG;
}

int
sp_origin_file(const void *address, const char *start, const char *file, char *path, size_t size)
{
	return file_in(address, start, "", file, path, size);
}

/* A system call, because the loader would have to look up faccessat in each process. */
int
sp_origin_part(const void *address, const char *start, const char *file, char *path, size_t size)
{
	if (file_in(address, start, SP_PARTS_FOLDER, file, path, size) == 0 &&
	    syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
		return 0;
	return file_in(address, start, "", file, path, size);
}
