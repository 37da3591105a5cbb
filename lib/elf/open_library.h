/* Opening another part of splitpin. */
#ifndef SP_OPEN_LIBRARY_H
#define SP_OPEN_LIBRARY_H

/*
 * Open the shared object at this path and return the address of the symbol that
 * it exports under this name.  The object stays open.  Returns NULL on failure;
 * only then *problem is set, to a text that is valid until the next call of
 * dlopen, dlsym or dlerror.
 *
 * dlopen is looked up in the loaded objects; before glibc 2.34 it is in libdl,
 * which is loaded if the program has not done so.  Takes the loader's lock and
 * changes what dlerror() returns.
 */
const void *sp_library_open(const char *path, const char *name, const char **problem);

#endif
