#include <dlfcn.h>
#include <stddef.h>

#include "elf/objects.h"
#include "elf/open_part.h"

typedef void *open_fn(const char *path, int mode);
typedef void *find_fn(void *handle, const char *name);
typedef char *error_fn(void);

/* A flag that glibc's internal __libc_dlopen_mode requires: the way to dlopen before glibc 2.34, where that was in libdl. */
#define FROM_LIBC ((int)0x80000000)

static open_fn *
find_open(void)
{
	open_fn *open = (open_fn *)sp_objects_bound_export("dlopen");
	open_fn *inner = open ? NULL : (open_fn *)sp_objects_bound_export("__libc_dlopen_mode");

	if (inner && inner("libdl.so.2", RTLD_NOW | FROM_LIBC))
		open = (open_fn *)sp_objects_bound_export("dlopen");
	return open;
}

const void *
sp_library_open(const char *path, const char *name, const char **problem)
{
	open_fn *open = find_open();
	find_fn *find = (find_fn *)sp_objects_bound_export("dlsym");

	void *handle = open && find ? open(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	const void *found = handle ? find(handle, name) : NULL;
	error_fn *error = found ? NULL : (error_fn *)sp_objects_bound_export("dlerror");

	if (!found)
		*problem = error ? error() : NULL;
	if (!found && !*problem)
		*problem = "this program's C library has no dlopen";
	return found;
}
