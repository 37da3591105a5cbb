/*
 * A file to which root alone decides the way.
 *
 * Configuration management (Nix, stow, alternatives) lays links to the files
 * that it writes.  Such a link is followed where nobody but root could have
 * laid it, or could put something else in its place: each folder, link and file
 * on the way is root's, and no folder may be written by others, unless its
 * sticky bit keeps them from replacing what is root's (/tmp).  realpath() would
 * find where the links lead, but not who could have laid them.
 */
#ifndef SP_TRUSTED_PATH_H
#define SP_TRUSTED_PATH_H

#include <stddef.h>

/*
 * Open the file at an absolute path for reading, without waiting for a FIFO's
 * writer.  The file itself is not examined where it is no link; of where links
 * lead, each step is.
 *
 *   why  size bytes, for what is wrong with the way: a clause without a full stop
 *
 * Returns a descriptor, the caller's to close; or a negative errno (-ENOENT:
 * nothing is there), and why is "" unless the way is not trusted (-EPERM).
 */
int sp_trusted_open(const char *path, char *why, size_t size);

#endif
