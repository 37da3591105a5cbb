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

#endif
