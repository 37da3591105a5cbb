/* Reading a small file of /sys or /proc. */
#ifndef SP_SYSFS_FILE_H
#define SP_SYSFS_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Read the beginning of the file root + path as a text: as much of it as fits
 * into size bytes, 2 or more.  root: "", or the folder of a copy.  False: it is
 * empty or cannot be read, or its path is too long.
 */
bool sp_sysfs_text(const char *root, const char *path, char *text, size_t size);

/* Whether the file root + path is there. */
bool sp_sysfs_is_there(const char *root, const char *path);

/* Read the number, decimal or 0x..., at the beginning of such a file.  False: there is none. */
bool sp_sysfs_number(const char *root, const char *path, long *number);

#endif
