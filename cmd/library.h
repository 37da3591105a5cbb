/*
 * Finds libsplitpin.so and puts it into LD_PRELOAD.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

/*
 * Puts the library before all that LD_PRELOAD has, unless it is there already.
 * Returns 0, or CMD_USAGE: it is not where it belongs, and the user has been told.
 */
int cmd_preload(void);

/* The whole path of libsplitpin.so, the caller's to free(); NULL: it is not where it belongs. */
char *cmd_find_library(void);

#endif
