/* Whether the nodes of a cluster have a folder in common. */
#ifndef SP_SHARED_FOLDER_H
#define SP_SHARED_FOLDER_H

#include <stdbool.h>

/*
 * Whether a file with this absolute path would be on a network file system, by
 * the type of the file system of the nearest existing folder.  FUSE may be
 * either: false.  Keeps errno.  One thread at a time.
 */
bool sp_folder_is_shared(const char *path);

/* Whether an error of opening or writing a file is one of its folder, or of the file system, rather than of the file. */
bool sp_folder_is_at_fault(int error);

#endif
