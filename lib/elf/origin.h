/*
 * Where the parts of splitpin lie, as seen from the one that is asked: never
 * where the environment or the working directory says.  Those that nobody names
 * are installed in a folder of their own below that of libsplitpin.so, where no
 * linker and no loader looks for libraries; where everything was built they lie
 * beside it.
 */
#ifndef SP_ORIGIN_H
#define SP_ORIGIN_H

#include <stddef.h>

#define SP_PARTS_FOLDER "splitpin/"	/* below the folder of libsplitpin.so */

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

/*
 * The same for a file that lies in SP_PARTS_FOLDER, or beside the object if it is
 * not there; also where it is in neither.
 */
int sp_origin_part(const void *address, const char *start, const char *file, char *path, size_t size);

/* Whether that object was loaded by a relative path. */
int sp_origin_is_relative(const void *address);

#endif
