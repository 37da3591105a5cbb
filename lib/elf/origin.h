/*
 * Finds the other parts of splitpin relative to the calling one, never through
 * the environment or the working directory.  Parts that users never name are
 * installed in a folder of their own below that of libsplitpin.so, which neither
 * linker nor loader searches for libraries; in a build folder they lie beside
 * libsplitpin.so.
 */
#ifndef SP_ORIGIN_H
#define SP_ORIGIN_H

#include <stddef.h>

#define SP_PARTS_FOLDER "splitpin/"	/* below the folder of libsplitpin.so */

/*
 * Write the full path of a file that lies beside the object that holds address.
 *
 *   start  the working directory in which the process started, for an object
 *          that was loaded by a relative path; NULL: not known
 *
 * Returns 0; -ENOENT (no object, or its folder is not known);
 * -ENAMETOOLONG.
 */
int sp_origin_file(const void *address, const char *start, const char *file, char *path, size_t size);

/*
 * The same for a file in SP_PARTS_FOLDER, or, if it is not there, beside the
 * object, without a check that it is there.
 */
int sp_origin_part(const void *address, const char *start, const char *file, char *path, size_t size);

/* Whether the object that holds address was loaded by a relative path. */
int sp_origin_is_relative(const void *address);

#endif
