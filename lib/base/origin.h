/*
 * Where the parts of splitpin lie: beside each other, in the folder of the one
 * that is asked, never where the environment or the working directory says.
 */
#ifndef SP_ORIGIN_H
#define SP_ORIGIN_H

#include <stddef.h>

/*
 * Write the whole path of a file that lies beside the object that holds
 * address.
 *
 *   start  working directory of the process at its start, for an object that
 *          was loaded by a relative path; NULL: not known
 *
 * Returns 0; -ENOENT (no object, or its folder is not known);
 * -ENAMETOOLONG.
 */
int sp_origin_file(const void *address, const char *start, const char *file, char *path, size_t size);

/* Whether that object was loaded by a relative path. */
int sp_origin_is_relative(const void *address);

#endif
