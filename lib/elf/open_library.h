/* Opening another part of splitpin. */
#ifndef SP_OPEN_LIBRARY_H
#define SP_OPEN_LIBRARY_H

/*
 * Open the shared object at this path, which stays open, and return the address
 * of what it exports under this name.  NULL on failure: *problem, else untouched, is a text
 * that lives until the next call of dlopen's kin.
 *
 * dlopen is looked up in the loaded objects, and before glibc 2.34 in libdl,
 * which is loaded where the program has not.  Takes the loader's lock and
 * changes what dlerror() returns.
 */
const void *sp_library_open(const char *path, const char *name, const char **problem);

#endif
