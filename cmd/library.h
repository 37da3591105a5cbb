/*
 * Finds libsplitpin.so (beside the command, in ../lib from there, or where it
 * was installed) and puts it into LD_PRELOAD.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

/*
 * Put the library at the front of LD_PRELOAD, unless it is listed already.
 * Returns 0, or CMD_USAGE after a message: it was not found.
 */
int cmd_preload(void);

/* The absolute path of libsplitpin.so, the caller's to free(); NULL: not found. */
char *cmd_find_library(void);

#endif
